package tracker_test

import (
	"crypto/rand"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"track"
	"track/importer"
	"track/internal/property"
	"track/internal/testdb"
	"track/store"
	"track/tracker/exchange"
)

// usage is what the executions of a lineage used.
type usage struct{ executions, input, output, cacheRead, calls, failed int64 }

func usedIn(t testing.TB, st *store.Store, lineage string) (sum usage) {
	t.Helper()
	rows := testdb.Rows(t, st, `SELECT count(*), coalesce(sum(tokens_input), 0), coalesce(sum(tokens_output), 0), coalesce(sum(tokens_cache_read), 0),
		coalesce(sum(n_calls), 0), coalesce(sum(n_failed), 0) FROM v_execution WHERE lineage = '`+lineage+`'`)
	for i, into := range []*int64{&sum.executions, &sum.input, &sum.output, &sum.cacheRead, &sum.calls, &sum.failed} {
		*into = rows[0][i].(int64)
	}
	return sum
}

// importFiles imports logs in one command for each list of files.
func importFiles(t testing.TB, st *store.Store, lineage string, commands ...[]string) {
	t.Helper()
	for _, files := range commands {
		logs, err := exchange.FindLogs("", nil, files)
		if err != nil {
			t.Fatal(err)
		}
		a, err := exchange.ImportLogs(t.Context(), st, logs, exchange.ImportOptions{Lineage: lineage}, rand.Reader, exchange.LogObserver{Problem: func(importer.Skip) {}, Read: func(int) {}})
		if err != nil || a.Skipped+a.Conflicts > 0 {
			t.Fatal(err, a)
		}
	}
}

// Sessions that were resumed or forked, side chains that replay their parent, and forks of Codex count once, in
// whatever order their files come, and in one command or several. The files and the sums are those of the project's
// cases of agents.
func TestSessionsCountOnce(t *testing.T) {
	for name, want := range map[string]usage{
		"claude-resume-same-msgid": {executions: 2, input: 37, output: 89, cacheRead: 6000, calls: 1},
		"claude-btw-replay":        {executions: 2, input: 33, output: 84, cacheRead: 3700, calls: 1},
		"codex-fork-replay":        {executions: 2, input: 2200, output: 350, cacheRead: 1300},
	} {
		t.Run(name, func(t *testing.T) {
			var files []string
			err := filepath.WalkDir(filepath.Join("testdata", "once", name), func(path string, entry os.DirEntry, err error) error {
				if err == nil && !entry.IsDir() {
					files = append(files, path)
				}
				return err
			})
			if err != nil || len(files) != 2 {
				t.Fatal(files, err)
			}
			back := []string{files[1], files[0]}
			st := testdb.New(t)
			for i, commands := range [][][]string{{files}, {back}, {files[:1], files[1:]}, {back[:1], back[1:]}, {files, back}, {back[:1], files, files[:1]}} {
				lineage := fmt.Sprint("l", i)
				importFiles(t, st, lineage, commands...)
				if got := usedIn(t, st, lineage); got != want {
					t.Errorf("%q: %+v, want %+v", commands, got, want)
				}
			}
		})
	}
}

// message is a message of an assistant with a call, and the tokens of its request.
func message(number int) (track.ModelRequest, track.ToolCall) {
	input, output := int64(number), int64(2*number)
	call := track.ToolCall{Key: fmt.Sprint("toolu_", number), Tool: "Bash", Answered: true}
	if number%3 == 0 {
		call.Error = "failed"
	}
	return track.ModelRequest{Message: fmt.Sprint("msg_", number), ID: fmt.Sprint("req_", number), Tokens: &track.Tokens{Input: &input, Output: &output}}, call
}

// execution is one of a session, of messages that have numbers.
func execution(session int, turn string, numbers []int) importer.Item {
	e := track.Execution{Source: importer.ClaudeCode, Key: fmt.Sprintf("s%d:%s", session, turn), StartedAt: testdb.Clock()}
	for _, n := range numbers {
		request, call := message(n)
		if session%2 == 1 { // as side chains do
			request.ID += "-again"
		}
		call.Request = len(e.Requests) + 1
		e.Requests, e.Calls = append(e.Requests, request), append(e.Calls, call)
	}
	e.Tokens = track.SumOfRequests(e.Requests)
	return importer.Item{File: fmt.Sprint("session", session), Line: 1, Execution: &e}
}

// Sessions that begin as others until they fork, in the midst of an execution too, count each message once. The sums do
// not depend on the order of the sessions, or on how many commands import them.
func TestForksInAnyOrder(t *testing.T) {
	st, lineages := testdb.New(t), 0
	property.Check(t, func(rt *rapid.T) {
		next := 0
		grow := func(turns [][]int, label string) [][]int {
			for range rapid.IntRange(1, 3).Draw(rt, label) {
				var turn []int
				for range rapid.IntRange(1, 3).Draw(rt, "messages") {
					next++
					turn = append(turn, next)
				}
				turns = append(turns, turn)
			}
			return turns
		}
		sessions := [][][]int{grow(nil, "turns")}
		for range rapid.IntRange(1, 3).Draw(rt, "forks") {
			from := rapid.SampledFrom(sessions).Draw(rt, "parent")
			cut := rapid.IntRange(1, len(from)).Draw(rt, "turns of the parent")
			fork := slices.Clone(from[:cut])
			last := fork[cut-1]
			fork[cut-1] = slices.Clone(last[:rapid.IntRange(1, len(last)).Draw(rt, "messages of its last")])
			sessions = append(sessions, grow(fork, "own turns"))
		}
		var want usage
		for n := 1; n <= next; n++ {
			want.input, want.output, want.calls = want.input+int64(n), want.output+int64(2*n), want.calls+1
			if n%3 == 0 {
				want.failed++
			}
		}
		items := make([]iter.Seq2[importer.Item, error], len(sessions))
		for s, turns := range sessions {
			var list []importer.Item
			for i, turn := range turns {
				list = append(list, execution(s, fmt.Sprint("u", i), turn))
			}
			items[s] = itemsOf(list...)
		}
		for range 2 {
			lineages++
			lineage := fmt.Sprint("l", lineages)
			order := rapid.Permutation(append(items, items[:rapid.IntRange(0, len(items)).Draw(rt, "again")]...)).Draw(rt, "order")
			for len(order) > 0 {
				n := rapid.IntRange(1, len(order)).Draw(rt, "in one command")
				summary, err := exchange.Import(t.Context(), st, func(yield func(importer.Item, error) bool) {
					for _, items := range order[:n] {
						items(yield)
					}
				}, exchange.ImportOptions{Lineage: lineage}, rand.Reader, exchange.ImportObserver{})
				if err != nil || summary.Conflicts > 0 {
					rt.Fatal(err, summary)
				}
				order = order[n:]
			}
			got := usedIn(t, st, lineage)
			if want.executions == 0 {
				want.executions = got.executions
			}
			if got != want {
				rt.Fatalf("sessions %v: %+v, want %+v", sessions, got, want)
			}
		}
	})
}

// A dry run foresees what the import does.
func TestDryRunCountsOnce(t *testing.T) {
	items := []importer.Item{execution(0, "u0", []int{1}), execution(1, "u0", []int{1, 2}), execution(2, "u0", []int{1, 3}), execution(3, "u0", []int{2})}
	st := testdb.New(t)
	foreseen := runImport(t, st, exchange.ImportOptions{DryRun: true}, items...)
	without := runImport(t, nil, exchange.ImportOptions{DryRun: true}, items...)
	done := runImport(t, st, exchange.ImportOptions{}, items...)
	for name, got := range map[string]string{"with a database": fmt.Sprintf("%+v", foreseen), "without one": fmt.Sprintf("%+v", without)} {
		if strings.Split(got, "Tokens")[0] != strings.Split(fmt.Sprintf("%+v", done), "Tokens")[0] {
			t.Errorf("%s, a dry run says %s, want %+v", name, got, done)
		}
	}
	if done.Executions != 2 || done.Replaced != 1 || done.Duplicates != 1 || done.Calls != 3 || *done.Tokens.Input != 6 {
		t.Errorf("%+v", done)
	}
}

// Hooks know the calls of a session, and its transcript knows the requests too: together they are one execution.
func TestHooksAndTranscriptCountOnce(t *testing.T) {
	transcript := execution(0, "u0", []int{1, 2})
	hooks := *transcript.Execution
	hooks.Source, hooks.Key, hooks.Requests, hooks.Tokens = importer.ClaudeHooks, "hooks", nil, nil
	hooks.Calls = slices.Clone(hooks.Calls)
	for i := range hooks.Calls {
		hooks.Calls[i].Request = 0
	}
	seen := importer.Item{File: "hooks", Line: 1, Execution: &hooks}
	for name, items := range map[string][]importer.Item{"hooks first": {seen, transcript}, "transcript first": {transcript, seen}} {
		st := testdb.New(t)
		runImport(t, st, exchange.ImportOptions{}, items...)
		if got, want := usedIn(t, st, "l"), (usage{executions: 1, input: 3, output: 6, calls: 2}); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// Ids that a model made are not the service's: call_1 in two conversations is two calls.
func TestCallsOfModelsAreNoIDs(t *testing.T) {
	st := testdb.New(t)
	var items []importer.Item
	for i := range 3 {
		e := track.Execution{Source: importer.ATIF, Key: fmt.Sprint("t", i), Calls: []track.ToolCall{{Key: "call_1", Tool: "bash", Answered: true}}}
		items = append(items, importer.Item{File: "f", Line: 1, Execution: &e})
	}
	runImport(t, st, exchange.ImportOptions{}, items...)
	if got := usedIn(t, st, "l"); got.executions != 3 || got.calls != 3 {
		t.Errorf("%+v", got)
	}
}
