// Command testreport reads the output of go test -json from standard input. It prints go test's line of each package
// and all that failed tests wrote, then the slowest tests, and last how many were skipped and why. Its exit code is 1
// if anything failed.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// event is one event of go test -json, see go doc test2json.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64 // seconds
}

type report struct {
	out     io.Writer
	written map[string][]string // what each running test wrote
	ended   []event
	skipped map[string][]string // tests, by the reason
	failed  bool
}

func main() {
	r := report{out: os.Stdout, written: map[string][]string{}, skipped: map[string][]string{}}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		r.read(lines.Bytes())
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		r.failed = true
	}
	r.printSlowest()
	r.printSkipped()
	if r.failed {
		os.Exit(1)
	}
}

func (r *report) read(line []byte) {
	var e event
	if json.Unmarshal(line, &e) != nil {
		fmt.Fprintf(r.out, "%s\n", line) // of the compiler
		return
	}
	test := e.Package + " " + e.Test
	switch e.Action {
	case "output", "build-output":
		if e.Test != "" {
			r.written[test] = append(r.written[test], e.Output)
		} else if e.Output != "PASS\n" && !strings.Contains(e.Output, "[no test files]") {
			fmt.Fprint(r.out, e.Output)
		}
		return
	case "fail", "build-fail":
		r.failed = true
		fmt.Fprint(r.out, strings.Join(r.written[test], ""))
	case "skip":
		if e.Test != "" {
			reason := reason(r.written[test])
			r.skipped[reason] = append(r.skipped[reason], test)
		}
	case "pass":
	default:
		return
	}
	delete(r.written, test)
	if e.Test != "" {
		r.ended = append(r.ended, e)
	}
}

// reason returns the last line that a test wrote before it was skipped, without its place.
func reason(written []string) string {
	for _, line := range slices.Backward(written) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "===") {
			_, text, _ := strings.Cut(line, ": ")
			return text
		}
	}
	return "no reason"
}

// printSlowest prints the tests that took longest, waiting for others included.
func (r *report) printSlowest() {
	slices.SortStableFunc(r.ended, func(a, b event) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	fmt.Fprintln(r.out, "the slowest tests, in seconds:")
	for _, e := range r.ended[:min(len(r.ended), 10)] {
		fmt.Fprintf(r.out, "  %6.1f  %s %s\n", e.Elapsed, e.Package, e.Test)
	}
}

// printSkipped counts the skipped tests, and names the command that installs the programs that they lack.
func (r *report) printSkipped() {
	const installs = "make tools"
	all, lack := 0, 0
	for _, reason := range slices.Sorted(maps.Keys(r.skipped)) {
		tests := r.skipped[reason]
		all += len(tests)
		if strings.Contains(reason, installs) {
			lack += len(tests)
		}
		fmt.Fprintf(r.out, "skipped: %s: %s\n", reason, strings.Join(tests, ", "))
	}
	fmt.Fprintf(r.out, "%d tests ran, %d were skipped", len(r.ended)-all, all)
	if lack > 0 {
		fmt.Fprintf(r.out, "; %s installs the programs that %d of them lack", installs, lack)
	}
	fmt.Fprintln(r.out)
}
