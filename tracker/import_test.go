package tracker_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/answer"
	"track/importer"
	"track/importer/lines"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/store"
	"track/tracker/exchange"
	"track/tracker/seeds"
)

func itemsOf(items ...importer.Item) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
	}
}

// grown is an execution of a log after so many calls, of which all but the last are answered unless it is open.
func grown(calls int, open bool) importer.Item {
	seconds := time.Duration(calls) * time.Second
	e := track.Execution{Key: "k", Source: importer.ClaudeCode, StartedAt: testdb.Clock(), Duration: &seconds}
	for i := range calls {
		call := track.ToolCall{Tool: "Bash", Answered: !open || i < calls-1}
		if call.Answered {
			call.Exit = new(int)
		}
		e.Calls = append(e.Calls, call)
	}
	return importer.Item{File: "f", Line: 1, Execution: &e, Open: open}
}

func runImport(t testing.TB, st *store.Store, options exchange.ImportOptions, items ...importer.Item) answer.ImportCounts {
	t.Helper()
	if options.Lineage == "" {
		options.Lineage = "l"
	}
	summary, err := exchange.Import(t.Context(), st, itemsOf(items...), options, rand.Reader, exchange.ImportObserver{})
	if err != nil {
		t.Fatal(err)
	}
	return summary
}

// Whatever state of a growing log comes after which, what is known the furthest stands in the end, once.
func TestImportGrowing(t *testing.T) {
	output := "done"
	done := grown(3, false)
	done.Execution.Output = &output
	other := grown(3, false)
	other.Execution.Model = "another"
	for _, tt := range []struct {
		name  string
		items []importer.Item
		want  answer.ImportCounts
		calls int
	}{
		{"open, then more", []importer.Item{grown(1, true), grown(3, true), grown(4, false)}, answer.ImportCounts{Executions: 1, Replaced: 2, Calls: 8, Unknown: 2}, 4},
		{"the same twice", []importer.Item{grown(2, true), grown(2, true)}, answer.ImportCounts{Executions: 1, Duplicates: 1, Calls: 2, Unknown: 1}, 2},
		{"it looked complete", []importer.Item{grown(2, false), grown(4, false)}, answer.ImportCounts{Executions: 1, Replaced: 1, Calls: 6}, 4},
		{"an older copy", []importer.Item{grown(4, false), grown(2, false), grown(1, true)}, answer.ImportCounts{Executions: 1, Duplicates: 2, Calls: 4}, 4},
		{"an older copy of what is open", []importer.Item{grown(3, true), grown(2, true)}, answer.ImportCounts{Executions: 1, Duplicates: 1, Calls: 3, Unknown: 1}, 3},
		{"the last call is answered", []importer.Item{grown(3, true), done}, answer.ImportCounts{Executions: 1, Replaced: 1, Calls: 6, Unknown: 1}, 3},
		{"something else", []importer.Item{grown(3, false), other}, answer.ImportCounts{Executions: 1, Conflicts: 1, Calls: 3}, 3},
	} {
		st := testdb.New(t)
		var got answer.ImportCounts
		for _, item := range tt.items { // one import each
			s := runImport(t, st, exchange.ImportOptions{}, item)
			got.Executions, got.Replaced, got.Duplicates = got.Executions+s.Executions, got.Replaced+s.Replaced, got.Duplicates+s.Duplicates
			got.Conflicts, got.Calls, got.Failed = got.Conflicts+s.Conflicts, got.Calls+s.Calls, got.Failed+s.Failed
			got.Unknown += s.Unknown
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		list, err := st.Executions(t.Context(), store.ExecutionFilter{Lineage: "l"})
		if err != nil || len(list) != 1 || list[0].NCalls != tt.calls {
			t.Fatalf("%s: %+v, %v, want one execution of %d calls", tt.name, list, err, tt.calls)
		}
		detail, err := st.Execution(t.Context(), list[0].ID)
		if err != nil || len(detail.Calls) != tt.calls {
			t.Errorf("%s: %d calls, %v", tt.name, len(detail.Calls), err)
		}
		// In one import, chunk or not, it comes to the same.
		once := testdb.New(t)
		if s := runImport(t, once, exchange.ImportOptions{}, tt.items...); s.Executions != tt.want.Executions || s.Replaced != tt.want.Replaced || s.Conflicts != tt.want.Conflicts {
			t.Errorf("%s, in one import: %+v", tt.name, s)
		}
	}
}

// A replaced execution keeps its id, and what belonged to the one before is gone.
func TestImportReplaced(t *testing.T) {
	st := testdb.New(t)
	first := grown(3, true)
	first.Execution.Truths = map[string]float64{"reward": 1}
	runImport(t, st, exchange.ImportOptions{}, first)
	before, err := st.Executions(t.Context(), store.ExecutionFilter{})
	if err != nil {
		t.Fatal(err)
	}
	runImport(t, st, exchange.ImportOptions{}, grown(4, false))
	after, err := st.Execution(t.Context(), before[0].ID)
	if err != nil || after.Open || len(after.Calls) != 4 || len(after.Truths) != 0 || len(after.Scores) != 2 || after.Score == nil {
		t.Errorf("open %v, %d calls, truths %v, %d scores, %v", after.Open, len(after.Calls), after.Truths, len(after.Scores), err)
	}
	// Forgotten texts do not come back.
	if err := st.Forget(t.Context(), after.ID); err != nil {
		t.Fatal(err)
	}
	if s := runImport(t, st, exchange.ImportOptions{}, grown(5, false)); s.Duplicates != 1 {
		t.Errorf("after forgetting: %+v", s)
	}
}

func TestImportOptions(t *testing.T) {
	old, undated, subagent := grown(1, false), grown(1, false), grown(1, false)
	old.Execution.StartedAt = testdb.Clock().Add(-time.Hour)
	undated.Execution.StartedAt, undated.Execution.Key = time.Time{}, "undated"
	subagent.Execution.Key, subagent.Execution.Version, subagent.Subagent = "sub", "own", true
	keyless := importer.Item{File: "f", Line: 7, Execution: &track.Execution{Source: importer.JSONL, Lineage: "theirs"}}
	wrong := importer.Item{File: "f", Line: 9, Execution: &track.Execution{Source: importer.JSONL, Score: new(float64)}}
	*wrong.Execution.Score = 101
	all := []importer.Item{old, undated, subagent, keyless, keyless, wrong, importer.Skipf(8, "damaged").In("f")}

	st := testdb.New(t)
	options := exchange.ImportOptions{Lineage: "mine", Version: "v7", Since: testdb.Clock(), DryRun: true}
	want := answer.ImportCounts{Executions: 3, Duplicates: 1, Equal: 1, Early: 1, Subagents: 1, Calls: 2, Skipped: 2}
	for _, dry := range []*store.Store{nil, st} {
		if diff := cmp.Diff(want, runImport(t, dry, options, all...)); diff != "" {
			t.Errorf("dry run (-want +got):\n%s", diff)
		}
	}
	if list, err := st.Executions(t.Context(), store.ExecutionFilter{}); err != nil || len(list) != 0 {
		t.Fatalf("a dry run recorded %d executions, %v", len(list), err)
	}
	options.DryRun = false
	var skips []string
	summary, err := exchange.Import(t.Context(), st, itemsOf(all...), options, rand.Reader, exchange.ImportObserver{Skip: func(s importer.Skip) { skips = append(skips, s.String()) }})
	if diff := cmp.Diff(want, summary); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff([]string{"f:9: score: 101: must be between 0 and 100", "f:8: damaged"}, skips); diff != "" {
		t.Errorf("skips (-want +got):\n%s", diff)
	}
	list, err := st.Executions(t.Context(), store.ExecutionFilter{Lineage: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range list {
		got[e.Key[:3]] = e.Version + " " + e.Task
	}
	if diff := cmp.Diff(map[string]string{"und": "v7 ", "sub": "own subagent", "sha": "v7 "}, got); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
	options.DryRun = true
	if s := runImport(t, st, options, all...); s.Executions != 0 || s.Duplicates != 4 {
		t.Errorf("a dry run of what is recorded: %+v", s)
	}
}

// Versions are those of the source: what the log of a lineage says fills what the version does not say itself.
func TestImportVersions(t *testing.T) {
	st := testdb.New(t)
	secret := "sk-ant-" + "api03-" + strings.Repeat("Ab3", 30)
	content, score, parentScore := "Use "+secret, 88.0, 86.5
	items := []importer.Item{
		{File: "s", Version: &importer.Version{Name: "v1", Content: &content, Score: &score, Status: "archived"}},
		{File: "s", Version: &importer.Version{Name: "v2", Parent: "v1", Note: "n"}},
		{File: "s", Event: &importer.Event{Kind: importer.EventEvolution, From: "v0", To: "v2", FromScore: &parentScore, Operator: "simplify"}},
		{File: "s", Event: &importer.Event{Kind: importer.EventCurrent, To: "v2"}},
		{File: "s", Version: &importer.Version{Name: "v3", Parent: "v3"}},
	}
	if s := runImport(t, st, exchange.ImportOptions{}, items...); s.Versions != 2 || s.Events != 2 || s.Masked != 1 || s.Skipped != 1 {
		t.Errorf("%+v", s)
	}
	v2, err := st.Version(t.Context(), "l", "v2")
	want := track.Version{Lineage: "l", Name: "v2", Parent: "v1", Operator: "simplify", Note: "n", Source: importer.SEPA, SourceParentScore: &parentScore}
	if diff := cmp.Diff(want, v2); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	v1, err := st.Version(t.Context(), "l", "v1")
	if err != nil || v1.Content == nil || strings.Contains(*v1.Content, secret) || *v1.SourceScore != 88 {
		t.Errorf("%+v, %v", v1, err)
	}
	if s := runImport(t, st, exchange.ImportOptions{}, items...); s.Versions != 0 || s.Conflicts != 0 {
		t.Errorf("again: %+v", s)
	}
	content = "another prompt"
	if s := runImport(t, st, exchange.ImportOptions{}, items[0]); s.Conflicts != 1 {
		t.Errorf("another content: %+v", s)
	}
}

// An import that is told to stop, or whose source breaks, keeps what it recorded.
func TestImportStops(t *testing.T) {
	st := testdb.New(t)
	broken := errors.New("broken")
	many := func(ctx context.Context, end error) iter.Seq2[importer.Item, error] {
		return func(yield func(importer.Item, error) bool) {
			for i := range 1000 {
				item := grown(1, false)
				item.Execution.Key = fmt.Sprint(i)
				if !yield(item, nil) {
					return
				}
			}
			if end != nil {
				yield(importer.Item{}, end)
				return
			}
			<-ctx.Done()
		}
	}
	summary, err := exchange.Import(t.Context(), st, many(t.Context(), broken), exchange.ImportOptions{Lineage: "l"}, rand.Reader, exchange.ImportObserver{})
	if !errors.Is(err, broken) || summary.Executions != 1000 {
		t.Errorf("%+v, %v", summary, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	observer := exchange.ImportObserver{Progress: func(n int) {
		if n == 1000 {
			cancel()
		}
	}}
	summary, err = exchange.Import(ctx, st, many(ctx, nil), exchange.ImportOptions{Lineage: "other"}, rand.Reader, observer)
	if !errors.Is(err, context.Canceled) || summary.Executions != 1000 {
		t.Errorf("%+v, %v", summary, err)
	}
	list, err := st.Executions(t.Context(), store.ExecutionFilter{})
	if err != nil || len(list) != 2000 {
		t.Errorf("%d executions, %v", len(list), err)
	}
}

// Seeds and executions stand in one batch.
func TestBatchOfBoth(t *testing.T) {
	st := testdb.New(t)
	execution := func(output, key string) *track.Execution {
		return &track.Execution{Source: importer.JSONL, Lineage: "l", Output: &output, Key: key}
	}
	seed := track.Seed{Scenario: "s", Number: 1, Outcome: track.OutcomeError}
	entries := []lines.Record{
		{Line: 1, Seed: seed}, {Line: 2, Execution: execution("a", "k")}, {Line: 3, Execution: execution("b", "k")},
		{Line: 4, Execution: execution("c", "")}, {Line: 5, Execution: execution("c", "")}, {Line: 6, Execution: &track.Execution{}},
		{Line: 7, Err: &track.FieldError{Message: "bad"}},
	}
	var problems []exchange.BatchProblem
	run := func() exchange.BatchSummary {
		problems = nil
		summary, err := exchange.RecordAll(t.Context(), trackertest.NewRecorder(st, seeds.Options{}), func(yield func(lines.Record, error) bool) {
			for _, e := range entries {
				if !yield(e, nil) {
					return
				}
			}
		}, exchange.BatchObserver{Problem: func(p exchange.BatchProblem) { problems = append(problems, p) }})
		if err != nil {
			t.Fatal(err)
		}
		return summary
	}
	if s := run(); s.Recorded != 3 || s.Executions != 2 || s.Duplicates != 1 || s.Conflicts != 1 || s.Rejected != 2 || s.WithoutRevision != 1 {
		t.Errorf("%+v", s)
	}
	if len(problems) != 3 || problems[0].Line != 3 || !problems[0].Conflict || problems[1].Line != 6 || problems[1].Field != "lineage" || problems[2].Line != 7 {
		t.Errorf("%+v", problems)
	}
	if s := run(); s.Recorded != 0 || s.Duplicates != 4 {
		t.Errorf("again: %+v", s)
	}
}
