package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// listen starts a server on a database, with further variables of its environment, and returns the address at which it
// answers.
func listen(t *testing.T, dir, db, at string, variables ...string) (cmd *exec.Cmd, address string) {
	t.Helper()
	cmd = exec.Command("track", "serve", "--addr", at, "--db", db)
	cmd.Dir, cmd.Env = dir, append(environ(), append(variables, "XDG_CONFIG_HOME="+filepath.Join(dir, "settings"))...)
	errOut, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	reader := bufio.NewReader(errOut)
	for address == "" {
		line, err := reader.ReadString('\n')
		if err != nil {
			t.Fatalf("the server ended: %q, %v", line, err)
		}
		address = regexp.MustCompile(`https?://[0-9.:]+`).FindString(line)
	}
	go func() { _, _ = io.Copy(io.Discard, reader) }() // its log
	return cmd, address
}

// refusal returns what is said of a command that a server cannot be asked for; empty for one that it can.
func refusal(args []string) string {
	switch {
	case args[0] == "export", args[0] == "report" && !isOneFile(args):
		return "works on a database"
	case slices.Contains(args, "--at"): // the times are the server's
		return "a server does not take it"
	}
	return ""
}

// isOneFile reports whether a report is printed, or written as one file.
func isOneFile(args []string) bool {
	return !slices.Contains(args, "-o") || strings.HasSuffix(args[len(args)-1], ".html") && args[1] != "index"
}

// printedReports are the reports of the readings on standard output.
func printedReports(readings [][]string) (list [][]string) {
	for _, args := range readings {
		if args[0] == "report" && strings.HasSuffix(args[len(args)-1], ".md") {
			list = append(list, args[:len(args)-2])
		}
	}
	return list
}

// Every command that reads prints the same through a server as on the database, with the same exit code.
func TestSameAnswersFromServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "recorded.db")
	recordExamples(t, dir, db, market(t))
	server, address := listen(t, dir, db, "127.0.0.1:0")
	readings := expandReadings(t, dir, db)
	readings = append(readings, printedReports(readings)...)
	answered, reported := 0, 0
	for _, args := range readings {
		want, wantErr, wantCode := trackWith(t, dir, db, args...)
		wantFile := takeFile(t, dir, args)
		out, errOut, code := askServer(t, dir, address, args...)
		out = strings.ReplaceAll(out, db, "DB")
		gotFile := takeFile(t, dir, args)
		if wantCode == exitUsage {
			continue // unknown commands
		}
		if refused := refusal(args); refused != "" {
			if code != exitUsage || !strings.Contains(errOut, refused) || out != "" {
				t.Errorf("track %s: exit code %d\n%s%s", strings.Join(args, " "), code, out, errOut)
			}
			continue
		}
		if code != wantCode || out != want || errOut != wantErr || gotFile != wantFile {
			t.Errorf("track %s: exit code %d, not %d\n%s%s\nnot\n%s%s", strings.Join(args, " "), code, wantCode, out, errOut, want, wantErr)
		}
		answered++
		if args[0] == "report" {
			reported++
		}
	}
	if answered < 60 || reported < 13 {
		t.Errorf("%d commands were answered, %d reports", answered, reported)
	}
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// takeFile returns the file that a command wrote, and removes it; empty if there is none.
func takeFile(t *testing.T, dir string, args []string) string {
	t.Helper()
	file := filepath.Join(dir, args[len(args)-1])
	if !strings.HasPrefix(filepath.Base(file), "got.") {
		return ""
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err == nil {
		err = os.Remove(file)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// askServer runs a command that asks a server, as the user who started it.
func askServer(t *testing.T, dir, address string, args ...string) (out, errOut string, code int) {
	t.Helper()
	var printed, said bytes.Buffer
	cmd := exec.Command("track", append(slices.Clone(args), "--server", address)...)
	cmd.Dir, cmd.Env = dir, append(environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, "settings"))
	cmd.Stdout, cmd.Stderr = &printed, &said
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Error(err)
	}
	return printed.String(), said.String(), cmd.ProcessState.ExitCode()
}
