package main

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// A closed standard output is told from /dev/null, in a program that is linked as make build does.
func TestClosedOutput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "linked")
	build := exec.Command("go", "build", "-tags", "urfave_cli_no_docs", "-ldflags", "-s -w -E main.entry", "-o", program, ".")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	for redirection, want := range map[string]int{">&-": exitInternal, ">/dev/null": exitOK, "<&- >/dev/null 2>&-": exitOK} {
		shell := exec.Command("sh", "-c", `"$0" init `+redirection, program)
		shell.Dir, shell.Env = t.TempDir(), environ()
		output, _ := shell.CombinedOutput() // the exit code is looked at
		if got := shell.ProcessState.ExitCode(); got != want {
			t.Errorf("track init %s: exit code %d, want %d: %s", redirection, got, want, output)
		}
	}
}
