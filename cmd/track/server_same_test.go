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

	"track/internal/testpostgres"
	"track/store"
)

// listen starts a server on a database, with further variables of its environment, and returns the address at which it
// answers.
func listen(t *testing.T, dir, db, at string, variables ...string) (cmd *exec.Cmd, address string) {
	t.Helper()
	if store.IsServer(db) {
		db = testpostgres.Served(t, db)
	}
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
	if slices.Contains(args, "--at") { // the times are the server's
		return "a server does not take it"
	}
	return ""
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

// reportReadings write reports with pictures next to them, and check files that [keepReports] has
// written.
func reportReadings(market string) (list [][]string) {
	for _, line := range []string{
		"stability MARKET -o got.md", "stability MARKET -o got.html", "lineage sepa -o got.md", "stability nosuch -o got.md", "index --limit 1 -o got.index/index.md",
		"index --limit 1 --check kept/index.md", "index --check nosuch.md", "stability MARKET --check kept/report.md", "stability odd --check kept/report.md",
	} {
		list = append(list, strings.Fields("report "+strings.ReplaceAll(line, "MARKET", market)))
	}
	return list
}

// keepReports writes reports, one page of which is out of date.
func keepReports(t *testing.T, dir, db, market string) {
	t.Helper()
	mustTrackWith(t, dir, db, "report", "index", "--limit", "1", "-o", "kept/index.md")
	mustTrackWith(t, dir, db, "report", "stability", market, "-o", "kept/report.md")
	writeText(t, filepath.Join(dir, "kept/scenario-market.md"), "old\n")
	for _, name := range []string{"growth_plus", "market"} {
		writeText(t, filepath.Join(dir, "kept", name+".json"), mustTrackWith(t, dir, db, "spec", "show", name, "--document"))
	}
}

// fileReadings read files that keepReports has written, or run nothing of what they plan.
func fileReadings() [][]string {
	return [][]string{
		{"spec", "lint", "kept/growth_plus.json"}, {"spec", "lint", "kept/report.md"}, {"spec", "lint", "kept/market.json", "--format", "json"},
		{"spec", "diff", "growth_plus", "baseline"}, {"spec", "diff", "kept/market.json", "market"}, {"spec", "diff", "market", "nosuch"},
		{"sweep", "plan", "--scenario", "market", "--seeds", "0..99", "--shards", "2", "--commit", "c", "--", "true", "{seed}"},
		{"sweep", "plan", "--scenario", "nosuch", "--seeds", "0..9", "--shards", "2", "--commit", "c", "--", "true", "{seed}"},
		{"series", "show", "market@theta=14", "7", "price", "--seeds", "0..20", "--plot", "got.svg"}, {"series", "show", "odd", "1", "u", "--seeds", "0..9", "--plot", "got.svg"},
	}
}

// exportReadings write files in formats that differ between databases, or that only a server and its database share.
func exportReadings() [][]string {
	return [][]string{
		{"export", "table", "market", "-o", "got.parquet"}, {"export", "table", "market", "--series", "-o", "got.series.csv"},
		{"export", "table", "odd", "--safe-csv", "-o", "got.odd.csv"}, {"export", "table", "market", "-o", "got.folder/"}, {"export", "table", "market", "--seeds", "77", "-o", "got.none.csv"},
		{"export", "lineage", "--format", "manifest"}, {"export", "lineage", "odd"}, {"export", "lineage", "nosuch"},
		{"series", "export", "market", "7"}, {"series", "export", "market", "7", "-o", "got.parquet"}, {"series", "export", "market", "7", "nosuch"},
		{"series", "show", "market", "7", "--plot", "got.svg"}, {"series", "show", "market", "7", "--plot", "got.gif"}, {"spec", "show", "growth_plus", "--document"},
		{"artifact", "get", "market", "--seed", "7", "nosuch"}, {"artifact", "get", "kept", "--seed", "1", "a/b.txt"}, {"artifact", "get", "kept", "--seed", "1", "--all", "-o", "got.folder"},
		{"export", "lines", "-o", "got.jsonl"}, {"export", "lines", "--scenario", "market", "-o", "got.jsonl.gz"}, {"export", "lines", "--lineage", "nosuch", "-o", "got.jsonl"},
	}
}

// Every command that reads prints the same through a server as on the database, with the same exit code.
func TestSameAnswersFromServer(t *testing.T) {
	dir := t.TempDir()
	db := filepath.Join(dir, "recorded.db")
	recordExamples(t, dir, db, market(t))
	writeText(t, filepath.Join(dir, "kept.jsonl"), `{"kind":"seed","scenario":"kept","seed":"1","values":{"x":1},"artifacts":[{"name":"a/b.txt","text":"b"},{"name":"c.txt","text":"c"}],"configuration":{"commit":"c"}}`+"\n")
	mustTrackWith(t, dir, db, "record", "batch", "kept.jsonl")
	server, address := listen(t, dir, db, "127.0.0.1:0")
	readings := expandReadings(t, dir, db)
	tested := printedReports(readings)[1][2] // a configuration of the market
	keepReports(t, dir, db, tested)
	readings = slices.Concat(readings, printedReports(readings), reportReadings(tested), fileReadings(), exportReadings())
	t.Chdir(dir)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "settings"))
	answered, reported := 0, 0
	for _, args := range readings {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			wantCode, want, wantErr := inProcess(t, withFlag(args, "--db", db))
			wantFile := takeFile(t, dir, args)
			code, out, errOut := inProcess(t, withFlag(args, "--server", address))
			gotFile := takeFile(t, dir, args)
			if wantCode == exitUsage {
				return // unknown commands
			}
			if refused := refusal(args); refused != "" {
				if code != exitUsage || !strings.Contains(errOut, refused) || out != "" {
					t.Errorf("exit code %d\n%s%s", code, out, errOut)
				}
				return
			}
			if code != wantCode || out != want || errOut != wantErr || gotFile != wantFile {
				t.Errorf("exit code %d, not %d\n%s%s\nnot\n%s%s\nthe same file: %t", code, wantCode, out, errOut, want, wantErr, gotFile == wantFile)
			}
			answered++
			if args[0] == "report" {
				reported++
			}
		})
	}
	if answered < 120 || reported < 28 {
		t.Errorf("%d commands were answered, %d reports", answered, reported)
	}
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// takeFile returns what a command wrote, a file or a folder, and removes it, with the pictures of a report; empty if
// there is nothing.
func takeFile(t *testing.T, dir string, args []string) (text string) {
	t.Helper()
	name, _, _ := strings.Cut(args[len(args)-1], "/")
	if !strings.HasPrefix(name, "got.") {
		return ""
	}
	return takePath(t, dir, filepath.Join(dir, name)) + takePath(t, dir, filepath.Join(dir, "got_files"))
}

func takePath(t *testing.T, dir, path string) (text string) {
	t.Helper()
	err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(file)
		text += strings.TrimPrefix(file, dir) + "\n" + string(content)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	return text
}

// askServer runs a command that asks a server, as the user who started it.
func askServer(t *testing.T, dir, address string, args ...string) (out, errOut string, code int) {
	t.Helper()
	var printed, said bytes.Buffer
	cmd := exec.Command("track", withFlag(args, "--server", address)...)
	cmd.Dir, cmd.Env = dir, append(environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, "settings"))
	cmd.Stdout, cmd.Stderr = &printed, &said
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Error(err)
	}
	return printed.String(), said.String(), cmd.ProcessState.ExitCode()
}
