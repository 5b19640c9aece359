// Command testreport reads the output of go test -json from standard input. It prints the result of each package, all
// that failed tests wrote, and at the end which tests took longest, and which were skipped and why. Its exit code is 1 if anything failed.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// event is one event of go test -json, see go doc test2json.
type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64 // seconds
}

type report struct {
	out     io.Writer
	written map[string][]string // what each running test wrote
	ended   []event
	skipped []string
	failed  bool
}

func main() {
	r := report{out: os.Stdout, written: map[string][]string{}}
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
	test := e.Package + "." + e.Test
	if e.Elapsed > 0 && e.Test != "" {
		r.ended = append(r.ended, e)
	}
	switch e.Action {
	case "output":
		if e.Test == "" {
			r.printPackage(e.Output)
			return
		}
		r.written[test] = append(r.written[test], e.Output)
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "build-fail":
		r.failed = true
	case "fail":
		r.failed = true
		fmt.Fprint(r.out, strings.Join(r.written[test], ""))
		delete(r.written, test)
	case "skip":
		if e.Test != "" {
			r.skipped = append(r.skipped, fmt.Sprintf("%s %s: %s", e.Package, e.Test, reason(r.written[test])))
		}
		delete(r.written, test)
	case "pass":
		delete(r.written, test)
	}
}

// printPackage prints what concerns a whole package, without the lines that say nothing.
func (r *report) printPackage(output string) {
	if output != "PASS\n" && !strings.Contains(output, "[no test files]") {
		fmt.Fprint(r.out, output)
	}
}

// reason returns what a test wrote when it was skipped, on one line; of a long log the end, where the reason is.
func reason(written []string) string {
	var texts []string
	for _, line := range written {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "===") || strings.HasPrefix(line, "---") {
			continue
		}
		texts = append(texts, line)
	}
	const longest = 200
	text := strings.Join(texts, " ")
	if len(text) > longest {
		text = "… " + strings.ToValidUTF8(text[len(text)-longest:], "")
	}
	return text
}

// printSlowest prints the tests that took longest, waiting for others included.
func (r *report) printSlowest() {
	const most = 30
	slices.SortStableFunc(r.ended, func(a, b event) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	fmt.Fprintln(r.out, "the slowest tests, in seconds:")
	for _, e := range r.ended[:min(len(r.ended), most)] {
		fmt.Fprintf(r.out, "  %6.1f  %s %s\n", e.Elapsed, e.Package, e.Test)
	}
}

func (r *report) printSkipped() {
	if len(r.skipped) == 0 {
		fmt.Fprintln(r.out, "no test was skipped")
		return
	}
	fmt.Fprintf(r.out, "%d tests were skipped:\n", len(r.skipped))
	for _, s := range r.skipped {
		fmt.Fprintln(r.out, "  "+s)
	}
}
