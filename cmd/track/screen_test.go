//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/jedib0t/go-pretty/v6/text"

	"track/internal/outsidetest"
)

// onTerminal runs a command of a shell on a terminal of this size, types keys, and returns what it shows.
func onTerminal(t *testing.T, dir string, rows, columns int, keys, command string, environment ...string) (shown string, code int) {
	t.Helper()
	process := exec.CommandContext(t.Context(), "sh", "-c", command)
	process.Dir = dir
	process.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TERM=xterm", "LC_ALL=C.UTF-8", "NO_COLOR=1"}, environment...)
	terminal, err := pty.StartWithSize(process, &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = terminal.Close() }()
	var all bytes.Buffer
	read := make(chan error, 1)
	go func() {
		_, err := io.Copy(&all, terminal) // ends with an error once nobody has the terminal open
		read <- err
	}()
	if _, err := io.WriteString(terminal, keys); err != nil {
		t.Fatal(err)
	}
	err = process.Wait()
	<-read
	if exited := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exited) {
		t.Fatalf("%v\n%s", err, all.String())
	}
	return strings.ReplaceAll(all.String(), "\r\n", "\n"), process.ProcessState.ExitCode()
}

// createGrowth creates a database with the results of examples/bam for one scenario.
func createGrowth(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	bam, err := filepath.Abs("../../examples/bam")
	if err != nil {
		t.Fatal(err)
	}
	mustTrack(t, dir, "init")
	mustTrack(t, dir, "spec", "add", filepath.Join(bam, "growth_plus.yaml"))
	for _, name := range []string{"growth_plus__small_economy", "growth_plus__theta_14", "growth_plus"} {
		mustTrack(t, dir, "record", "batch", "--quiet", filepath.Join(bam, name+".jsonl"))
	}
	return dir
}

// TestTerminalWidths shows answers on terminals: no line wraps by itself.
func TestTerminalWidths(t *testing.T) {
	t.Parallel()
	dir := createGrowth(t)
	const of = "growth_plus@bam-engine-0.10.2"
	for _, command := range []string{
		"history growth_plus", "gate " + of, "stability " + of, "seeds growth_plus", "spec show growth_plus", "show seed " + of + " --seed 0",
		"compare " + of + " growth_plus@theta-14", "improvement growth_plus@theta-14 --baseline " + of, "query 'SELECT * FROM v_seed'",
	} {
		for _, columns := range []int{80, 100, 120} {
			shown, _ := onTerminal(t, dir, 24, columns, "", "track "+command+" --no-pager")
			if len(shown) < 200 {
				t.Errorf("%s shows %s", command, shown)
			}
			for line := range strings.Lines(shown) {
				if n := text.StringWidthWithoutEscSequences(strings.TrimSuffix(line, "\n")); n > columns {
					t.Errorf("%s: a line takes %d of %d columns: %s", command, n, columns, line)
				}
			}
		}
	}
}

// TestTerminalOptions tells how wide a page is: COLUMNS counts, --wide and --width win, and a file has any width.
func TestTerminalOptions(t *testing.T) {
	t.Parallel()
	dir := createGrowth(t)
	const note = "columns left out: "
	for _, test := range []struct {
		command, variable string
		wide              bool
	}{
		{"track history growth_plus", "COLUMNS=80", false}, {"track history growth_plus", "COLUMNS=400", true}, {"track history growth_plus", "COLUMNS=x", false},
		{"track history growth_plus --wide", "COLUMNS=80", true}, {"track history growth_plus --width 300", "COLUMNS=80", true},
		{"track history growth_plus > out; cat out", "COLUMNS=80", true}, {"track history growth_plus --width 80 > out; cat out", "COLUMNS=400", false},
	} {
		shown, _ := onTerminal(t, dir, 200, 100, "", test.command, test.variable)
		if strings.Contains(shown, note) == test.wide || !strings.Contains(shown, "small-economy") {
			t.Errorf("%s %s shows\n%s", test.variable, test.command, shown)
		}
	}
	for _, arguments := range [][]string{{"--width", "39"}, {"--width", "0"}, {"--width", "80", "--wide"}} {
		if _, stderr, code := runTrack(t, dir, append([]string{"history", "growth_plus"}, arguments...)...); code != exitUsage {
			t.Errorf("%v: exit code %d, %s", arguments, code, stderr)
		}
	}
}

// TestPager shows long answers with a pager, which does not change the exit code.
func TestPager(t *testing.T) {
	t.Parallel()
	dir := createGrowth(t)
	const mark = "PAGED"
	pager := "TRACK_PAGER=sed 's/^/" + mark + "/'"
	for _, test := range []struct {
		command string
		env     []string
		paged   bool
		code    int
	}{
		{"track stability growth_plus@bam-engine-0.10.2", []string{pager}, true, exitOK},
		{"track gate growth_plus@small-economy", []string{pager}, true, exitFail},
		{"track gate growth_plus@small-economy", []string{"TRACK_PAGER=head -n 1 | sed s/^/" + mark + "/"}, true, exitFail}, // the pipe breaks
		{"track query 'SELECT * FROM v_result'", []string{"TRACK_PAGER=echo " + mark}, true, exitOK},
		{"track stability growth_plus@bam-engine-0.10.2", []string{"PAGER=sed 's/^/" + mark + "/'", "TRACK_PAGER=cat"}, false, exitOK},
		{"track stability growth_plus@bam-engine-0.10.2", []string{"PAGER=sed 's/^/" + mark + "/'"}, true, exitOK},
		{"track stability growth_plus@bam-engine-0.10.2", []string{"PAGER=nosuchpager"}, false, exitOK},
		{"track stability growth_plus@bam-engine-0.10.2 --no-pager", []string{pager}, false, exitOK},
		{"track stability growth_plus@bam-engine-0.10.2 --format csv", []string{pager}, false, exitOK},
		{"track stability growth_plus@bam-engine-0.10.2 | cat", []string{pager}, false, exitOK},
		{"track spec list", []string{pager}, false, exitOK}, // fits
		{"track rescore growth_plus --format json", []string{pager}, false, exitOK},
	} {
		t.Run(strings.Join(append(test.env, test.command), " "), func(t *testing.T) {
			shown, code := onTerminal(t, dir, 10, 100, "", test.command, test.env...)
			if strings.Contains(shown, mark) != test.paged || code != test.code {
				t.Errorf("exit code %d, shown:\n%s", code, shown)
			}
			if !test.paged && !strings.Contains(strings.ToLower(shown), "growth") {
				t.Errorf("the answer is lost:\n%s", shown)
			}
		})
	}
}

// TestPagerKeys quits less with a key, and types Ctrl-C before: the exit code is that of the command.
func TestPagerKeys(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("less"); err != nil {
		outsidetest.Missing(t, "%v", err)
	}
	dir := createGrowth(t)

	for _, keys := range []string{"q", " q", "Gq"} {
		shown, code := onTerminal(t, dir, 10, 80, keys, "track gate growth_plus@small-economy")
		if code != exitFail || !strings.Contains(shown, "growth_plus") {
			t.Errorf("%q: exit code %d\n%s", keys, code, shown)
		}
	}
	interrupting := "TRACK_PAGER=trap : INT; kill -INT 0; cat > seen" // as Ctrl-C does: to the group
	if shown, code := onTerminal(t, dir, 10, 80, "", "trap : INT; track gate growth_plus@small-economy", interrupting); code != exitFail {
		t.Errorf("Ctrl-C: exit code %d\n%s", code, shown)
	}
	if seen, err := os.ReadFile(filepath.Join(dir, "seen")); err != nil || !bytes.Contains(seen, []byte("growth_plus")) {
		t.Errorf("after Ctrl-C the pager gets %q: %v", seen, err)
	}
}
