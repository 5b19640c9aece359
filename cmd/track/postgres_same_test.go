//go:build postgres

package main

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"track/internal/outsidetest"
	"track/internal/testpostgres"
	"track/internal/textdiff"
)

// postgresServer returns the URL of a server: the one that runs for the tests, or one that this test starts.
func postgresServer(t *testing.T) string {
	t.Helper()
	if server := os.Getenv(testpostgres.Variable); server != "" {
		return server
	}
	return ownServer(t).URL
}

// ownServer starts a server for this test alone, which may crash.
func ownServer(t *testing.T) *testpostgres.Server {
	t.Helper()
	binaries, err := testpostgres.Binaries()
	if err != nil {
		outsidetest.Missing(t, "%v", err)
	}
	server, err := testpostgres.Start(binaries)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// answersOf runs the readings, and returns what each prints and writes, and its exit code.
func answersOf(t *testing.T, dir, db string, readings [][]string) (answers []string) {
	t.Helper()
	for _, args := range readings {
		out, errOut, code := trackWith(t, dir, db, args...)
		text := fmt.Sprintf("exit code %d\n%s%s", code, out, errOut)
		if file := args[len(args)-1]; strings.HasPrefix(file, "got.") {
			written, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatalf("track %s: %v\n%s", strings.Join(args, " "), err, text)
			}
			text += string(bytes.ReplaceAll(written, []byte(db), []byte("DB")))
			if err := os.Remove(filepath.Join(dir, file)); err != nil {
				t.Fatal(err)
			}
		}
		answers = append(answers, text)
	}
	return answers
}

func compareAnswers(t *testing.T, readings [][]string, want, got []string) {
	t.Helper()
	for i, args := range readings {
		if want[i] != got[i] {
			changes, _, _ := textdiff.Unified("SQLite", want[i], "other", got[i])
			t.Errorf("track %s:\n%.2000s", strings.Join(args, " "), changes)
		}
	}
}

// mergeTwice merges a database into another: what the second time finds is all there.
func mergeTwice(t *testing.T, dir, from, into string, merge ...string) {
	t.Helper()
	mustTrackWith(t, dir, into, append(merge, from)...)
	before := tables(t, dir, into, countOfAll)
	mustTrackWith(t, dir, into, append(merge, from)...)
	if after := tables(t, dir, into, countOfAll); after != before {
		t.Errorf("merging again: %s, before %s", after, before)
	}
}

// Every command that reads gives the same bytes on SQLite, on PostgreSQL and on a standby, and what went from one to
// the other and back gives them too.
func TestSameAnswersPostgres(t *testing.T) {
	t.Parallel()
	server := postgresServer(t)
	dir, program := t.TempDir(), market(t)
	recorded := filepath.Join(dir, "recorded.db")
	recordExamples(t, dir, recorded, program)

	merged, schema, back := filepath.Join(dir, "merged.db"), testpostgres.Schema(t, server), filepath.Join(dir, "back.db")
	mergeTwice(t, dir, recorded, merged, "merge")
	mergeTwice(t, dir, recorded, schema, "merge")
	mustTrackWith(t, dir, schema, "export", "lines", "-o", filepath.Join(dir, "all.jsonl.gz"))
	mergeTwice(t, dir, filepath.Join(dir, "all.jsonl.gz"), back, "merge")
	primary, standby := withStandby(t)
	again := testpostgres.Schema(t, primary.URL)
	mergeTwice(t, dir, back, again, "merge")

	readings := expandReadings(t, dir, merged)
	want := answersOf(t, dir, merged, readings)
	for name, db := range map[string]string{"merged into PostgreSQL": schema, "back in SQLite": back, "in PostgreSQL again": again} {
		t.Run(name, func(t *testing.T) { compareAnswers(t, readings, want, answersOf(t, dir, db, readings)) })
	}
	t.Run("on a standby", func(t *testing.T) {
		mustTrackWith(t, dir, again, "search", "example") // fills the index, which a standby cannot
		if err := standby.WaitFor(primary); err != nil {
			t.Fatal(err)
		}
		onStandby := strings.Replace(again, hostOf(t, primary.URL), hostOf(t, standby.URL), 1)
		compareAnswers(t, readings, want, withoutUnrecorded(t, readings, want, answersOf(t, dir, onStandby, readings)))
		wantStandbyWritesNothing(t, onStandby)
	})
}

// withStandby starts a server and its standby.
func withStandby(t *testing.T) (primary, standby *testpostgres.Server) {
	t.Helper()
	primary = ownServer(t)
	standby, err := primary.Standby()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := standby.Stop(); err != nil {
			t.Error(err)
		}
	})
	return primary, standby
}

func hostOf(t *testing.T, server string) string {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// withoutUnrecorded returns answers of a standby without what they say of interim analyses that it cannot record. Those
// of a gate and of an improvement must say it. The next step of a lineage is recorded, so a standby cannot tell it.
func withoutUnrecorded(t *testing.T, readings [][]string, want, answers []string) (list []string) {
	t.Helper()
	for i, text := range answers {
		args := strings.Join(readings[i], " ")
		said := unrecorded.ReplaceAllString(text, "")
		if judges := readings[i][0] == "gate" || readings[i][0] == "improvement"; judges && said == text {
			t.Errorf("track %s on a standby does not say that nothing is recorded:\n%s", args, text)
		}
		if strings.HasPrefix(args, "mutation next") {
			if !strings.HasPrefix(text, "exit code 70\n") || !strings.Contains(text, "the server is a standby, which takes no records") {
				t.Errorf("track %s on a standby: %s", args, text)
			}
			said = want[i]
		}
		list = append(list, said)
	}
	return list
}

var unrecorded = regexp.MustCompile(`(?m)^.*this interim analysis \(look\) is not recorded.*\n\n|,\n *"unrecorded_look":.*|^.*this look is not recorded.*\n(^hint: .*\n)*`)

// wantStandbyWritesNothing checks what commands say that would write on a standby: a recorder keeps its record, and
// others say why they fail.
func wantStandbyWritesNothing(t *testing.T, db string) {
	t.Helper()
	for _, test := range []struct {
		args []string
		code int
	}{
		{[]string{"record", "seed", "--scenario", "s", "--seed", "7", "--commit", "c0ffee", "--outcome", "error"}, exitOK},
		{[]string{"sweep", "--scenario", "s", "--seeds", "0..3", "--commit", "c0ffee", "--", "sh", "-c", `echo '{"a": 1}'`, "{{seed}}"}, exitOK},
		{[]string{"note", "add", "growth_plus@theta-14", "hello"}, exitInternal},
		{[]string{"rescore", "market"}, exitInternal},
		{[]string{"migrate"}, exitOK},
	} {
		dir := t.TempDir()
		cmd := exec.Command("track", test.args...)
		cmd.Dir, cmd.Env = dir, append(environ(), "XDG_CONFIG_HOME="+dir, "TRACK_DB="+db)
		output, _ := cmd.CombinedOutput() // the exit code is looked at
		if code := cmd.ProcessState.ExitCode(); code != test.code || test.args[0] != "migrate" && !strings.Contains(string(output), "the server is a standby") {
			t.Errorf("%v on a standby: exit code %d, want %d: %s", test.args, code, test.code, output)
		}
	}
}
