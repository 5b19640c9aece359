package storetest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/store"
)

func text(s string) *track.RecordedText {
	return &track.RecordedText{Digest: sha256.Sum256([]byte(s)), Bytes: len(s), Text: &s}
}

// execution completes one that is about to be stored: its texts are kept, and it has a score under two rubrics unless
// it has scores.
func execution(st *store.Store, e store.ExecutionRecord) store.ExecutionRecord {
	if e.ID == "" {
		e.ID = newID()
	}
	if e.Key == "" {
		e.Key = e.ID
	}
	if e.Lineage == "" {
		e.Lineage = "l"
	}
	if e.Status == "" {
		e.Status = track.ExecutionOK
	}
	e.RecordedAt = st.Now()
	e.Digest = sha256.Sum256(fmt.Append(nil, e.Key, e.Message, len(e.Calls)))
	if e.Execution.Prompt != nil {
		e.Prompt = text(*e.Execution.Prompt)
	}
	if e.Execution.Output != nil {
		e.Output = text(*e.Execution.Output)
	}
	e.Inputs, e.Outputs = nil, nil
	for _, c := range e.Calls {
		e.Inputs = append(e.Inputs, *text(c.Input))
		if c.Output == nil {
			e.Outputs = append(e.Outputs, nil)
			continue
		}
		e.Outputs = append(e.Outputs, text(*c.Output))
	}
	return e
}

func scored(rubric string, score float64, grade string) []track.RecordedScore {
	half := score / 100
	return []track.RecordedScore{{
		Rubric: rubric, Score: &score, Grade: grade, Detail: []byte(`{"reason":"it quotes"}`), ScoredAt: time.UnixMicro(7).UTC(),
		Components: []track.ComponentValue{{Name: "output_quality", Value: &half}, {Name: "tool_success_rate"}},
	}}
}

// addExecutions stores executions and returns their ids.
func addExecutions(t testing.TB, st *store.Store, list ...store.ExecutionRecord) (ids []string) {
	t.Helper()
	update(t, st, func(tx *store.Tx) error {
		ids = nil
		for _, e := range list {
			e = execution(st, e)
			existing, err := tx.AddExecution(e)
			if err == nil && existing != nil {
				err = fmt.Errorf("execution %s was recorded before", e.Key)
			}
			if err != nil {
				return err
			}
			ids = append(ids, e.ID)
		}
		return nil
	})
	return ids
}

func readExecution(t testing.TB, st *store.Store, id string) track.RecordedExecution {
	t.Helper()
	d, err := st.Execution(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func executionIDs(t testing.TB, st *store.Store, f store.ExecutionFilter) []string {
	t.Helper()
	list, err := st.Executions(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{}
	for _, e := range list {
		ids = append(ids, e.ID)
	}
	return ids
}

// wholeExecution has something in every field, unicode included.
func wholeExecution() store.ExecutionRecord {
	zero, many, cached := int64(0), int64(1)<<40, int64(7)
	cost, exit, took := 0.125, 3, 1500*time.Millisecond
	asked, said, output := "làm ơn", "Xong — 完成 \x00 🎉", "line\r\nline é"
	e := store.ExecutionRecord{
		Execution: track.Execution{
			Key: "ключ", Source: "codex", Lineage: "線", Version: "v.1", Task: "tâche 1", TaskType: "coding", Complexity: track.ComplexityMedium, Trial: 2,
			Session: "s-1", Status: track.ExecutionOK, Message: "nhớ", Prompt: &asked, Output: &said, Truncated: true, Holdout: true, Corrections: 4, Model: "m",
			Tokens: &track.Tokens{Input: &zero, Output: &many}, CostUSD: &cost, Priced: "2026-01-31", StartedAt: time.Date(1969, 12, 31, 23, 59, 59, 123456000, time.UTC),
			Duration: &took, Truths: map[string]float64{"reward": 0, "α": -1.5},
			Calls: []track.ToolCall{
				{Key: "a", Tool: "Bash", Input: "ls 目录", Exit: &exit, Answered: true, Output: &output, StartedAt: time.UnixMicro(5).UTC(), Duration: &took, Request: 1},
				{Tool: "Edit", Error: "đã bị từ chối", Rejected: true, Answered: true, Request: 3},
				{Tool: "Bash"},
			},
			Requests: []track.ModelRequest{
				{Message: "msg_1", ID: "req_1", Tokens: &track.Tokens{Input: &zero, Output: &many, CacheRead: &cached, CacheWrite: &zero, Reasoning: &zero}},
				{Model: "mô hình"},
				{Model: "m 2", Tokens: &track.Tokens{Output: &zero}},
			},
		},
		Open: true, Rubric: "rubric/2", Scores: append(scored("rubric/1", 40, "F"), scored("rubric/2", 80.5, "A")...),
	}
	e.Scores[1].NFailed, e.Scores[1].NUnknown = 9, 2
	return e
}

func testExecution(t *testing.T, st *store.Store) {
	whole := wholeExecution()
	id := addExecutions(t, st, whole)[0]
	want := execution(st, whole)
	got := readExecution(t, st, id)
	score := 80.5
	wantSummary := track.RecordedExecution{
		ID: id, Lineage: want.Lineage, Version: want.Version, Source: want.Source, Key: want.Key, Task: want.Task, TaskType: want.TaskType,
		Complexity: want.Complexity, Trial: 2, Session: "s-1", Status: track.ExecutionOK, Message: want.Message, Rubric: "rubric/2", Score: &score, Grade: "A",
		NCalls: 3, NFailed: 9, NUnknown: 2, Priced: want.Priced, Corrections: 4, Truncated: true, Holdout: true, Model: "m", Tokens: want.Tokens, CostUSD: want.CostUSD,
		StartedAt: want.StartedAt, Duration: want.Duration, RecordedAt: want.RecordedAt, Open: true,
	}
	summary := got
	summary.Truths, summary.Prompt, summary.Output, summary.Calls, summary.Requests, summary.Scores = nil, nil, nil, nil, nil, nil
	if diff := cmp.Diff(wantSummary, summary); diff != "" || !got.At().Equal(want.StartedAt) {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	wantCalls := []track.RecordedCall{}
	for i, c := range want.Calls {
		wantCalls = append(wantCalls, track.RecordedCall{
			Key: c.Key, Tool: c.Tool, Input: want.Inputs[i], Output: want.Outputs[i], Exit: c.Exit, Error: c.Error, Answered: c.Answered, Rejected: c.Rejected,
			StartedAt: c.StartedAt, Duration: c.Duration, Request: c.Request,
		})
	}
	if diff := cmp.Diff(want.Requests, got.Requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(wantCalls, got.Calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	want.Scores[1].Active = true
	if diff := cmp.Diff(want.Scores, got.Scores); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.Truths, got.Truths); diff != "" {
		t.Errorf("truths (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.Output, got.Output); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}

	// What is not known stays unknown; it is placed by when it was recorded, and counts failed calls as the source
	// does.
	one := 1
	bare := readExecution(t, st, addExecutions(t, st, store.ExecutionRecord{Execution: track.Execution{Calls: []track.ToolCall{{Tool: "Bash", Exit: &one, Answered: true}}}})[0])
	if bare.Tokens != nil || bare.CostUSD != nil || bare.Duration != nil || !bare.StartedAt.IsZero() || bare.Output != nil || bare.Score != nil || bare.Calls[0].Duration != nil {
		t.Errorf("what is not known: %+v", bare)
	}
	if !bare.At().Equal(bare.RecordedAt) || bare.NFailed != 1 || len(bare.Scores) != 0 {
		t.Errorf("at %v, %d failed, %d scores, want %v, 1 and none", bare.At(), bare.NFailed, len(bare.Scores), bare.RecordedAt)
	}
}

func testExecutionIdentity(t *testing.T, st *store.Store) {
	first := store.ExecutionRecord{Execution: track.Execution{Key: "k", Source: "codex", Message: "1"}}
	id := addExecutions(t, st, first)[0]
	// Another lineage, source or key is another execution.
	for _, other := range []track.Execution{{Key: "k", Source: "codex", Lineage: "m"}, {Key: "k", Source: "sepa"}, {Key: "K", Source: "codex"}} {
		addExecutions(t, st, store.ExecutionRecord{Execution: other})
	}
	for _, tt := range []struct {
		version, message string
		same             bool
	}{{"", "1", true}, {"", "2", false}, {"v2", "2", false}} {
		e := execution(st, store.ExecutionRecord{Execution: track.Execution{Key: "k", Source: "codex", Version: tt.version, Message: tt.message}})
		update(t, st, func(tx *store.Tx) error {
			existing, err := tx.AddExecution(e)
			if err == nil && (existing == nil || existing.ULID != id || existing.Same != tt.same || existing.Open) {
				t.Errorf("%+v: %+v, want %s", tt, existing, id)
			}
			return err
		})
	}
	if got := len(executionIDs(t, st, store.ExecutionFilter{})); got != 4 {
		t.Errorf("%d executions, want 4", got)
	}
	if versions, err := st.Versions(t.Context(), "l"); err != nil || len(versions) != 1 {
		t.Errorf("%+v and error %v, want the one version that has executions", versions, err)
	}
}

func testReplaceExecution(t *testing.T, st *store.Store) {
	open := wholeExecution()
	id := addExecutions(t, st, open, store.ExecutionRecord{Execution: track.Execution{Lineage: "other"}})[0] // the other takes the next row
	complete := wholeExecution()
	complete.ID, complete.Open, complete.Message, complete.Truths, complete.Calls = id, false, "whole", map[string]float64{"reward": 1}, complete.Calls[:1]
	complete.Scores, complete.Rubric = scored("rubric/1", 90, "A+"), "rubric/1"
	e := execution(st, complete)
	update(t, st, func(tx *store.Tx) error {
		existing, err := tx.AddExecution(e)
		if err != nil {
			return err
		}
		if existing == nil || !existing.Open || existing.Same || existing.NCalls != 3 {
			t.Fatalf("%+v, want the open one with 3 calls", existing)
		}
		return tx.ReplaceExecution(*existing, e)
	})
	d := readExecution(t, st, id)
	if d.Open || d.Message != "whole" || len(d.Calls) != 1 || len(d.Scores) != 1 || len(d.Scores[0].Components) != 2 || *d.Score != 90 {
		t.Errorf("%+v", d)
	}
	if diff := cmp.Diff(complete.Truths, d.Truths); diff != "" {
		t.Errorf("truths (-want +got):\n%s", diff)
	}
	if ids := executionIDs(t, st, store.ExecutionFilter{Lineage: "線"}); !slices.Equal(ids, []string{id}) {
		t.Errorf("executions %v, want %s alone", ids, id)
	}
	for _, table := range []string{"call", "execution_score", "request"} {
		query := "SELECT count(*) FROM " + table + " WHERE execution_id NOT IN (SELECT id FROM execution)"
		if n := count(t, st, query); n != 0 {
			t.Errorf("%d rows of %s belong to nothing", n, table)
		}
	}
}

// count returns the number that a query gives.
func count(t testing.TB, st *store.Store, query string) (n int64) {
	t.Helper()
	_, err := st.Query(t.Context(), query, func(_ []string, row []any) error {
		n = row[0].(int64)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func testExecutionFilters(t *testing.T, st *store.Store) {
	day := func(n int) time.Time { return time.Date(2025, 1, n, 0, 0, 0, 0, time.UTC) }
	add := func(lineage, version, task string, status track.ExecutionStatus, at int, score float64, grade string) string {
		e := store.ExecutionRecord{Execution: track.Execution{Lineage: lineage, Version: version, Task: task, Status: status, StartedAt: day(at)}}
		if grade != "" {
			e.Rubric, e.Scores = "rubric/2", append(scored("rubric/2", score, grade), scored("rubric/1", 1, "F")...)
		}
		return addExecutions(t, st, e)[0]
	}
	a := add("l", "v1", "t", track.ExecutionOK, 3, 95, "A+")
	b := add("l", "v1", "u", track.ExecutionOK, 1, 45, "F")
	c := add("l", "v2", "t", track.ExecutionTimeout, 2, 0, "")
	d := add("l", "", "t", track.ExecutionOK, 5, 0, "F")
	e := add("m", "v1", "t", track.ExecutionOK, 4, 80, "A")
	// Equal times are ordered by who was recorded last.
	f := add("m", "v1", "t", track.ExecutionError, 4, 0, "")
	v1, none, nosuch := "v1", "", "v9"
	zero, eighty := 0.0, 80.0
	for _, tt := range []struct {
		name   string
		filter store.ExecutionFilter
		want   []string
	}{
		{"all", store.ExecutionFilter{}, []string{d, f, e, a, c, b}},
		{"newest", store.ExecutionFilter{Limit: 2}, []string{d, f}},
		{"lineage", store.ExecutionFilter{Lineage: "l"}, []string{d, a, c, b}},
		{"version", store.ExecutionFilter{Lineage: "l", Version: &v1}, []string{a, b}},
		{"no version", store.ExecutionFilter{Lineage: "l", Version: &none}, []string{d}},
		{"unknown version", store.ExecutionFilter{Lineage: "l", Version: &nosuch}, []string{}},
		{"unknown lineage", store.ExecutionFilter{Lineage: "n"}, []string{}},
		{"task", store.ExecutionFilter{Task: "u"}, []string{b}},
		{"status", store.ExecutionFilter{Status: track.ExecutionTimeout}, []string{c}},
		{"grade", store.ExecutionFilter{Grade: "F"}, []string{d, b}},
		{"least", store.ExecutionFilter{MinScore: &eighty}, []string{e, a}},
		{"least of all that have one", store.ExecutionFilter{MinScore: &zero}, []string{d, e, a, b}},
		{"most", store.ExecutionFilter{MaxScore: &eighty}, []string{d, e, b}},
		{"between", store.ExecutionFilter{MinScore: &eighty, MaxScore: &eighty}, []string{e}},
		{"since", store.ExecutionFilter{Since: day(4)}, []string{d, f, e}},
		{"several", store.ExecutionFilter{Lineage: "l", Task: "t", MinScore: &eighty, Since: day(2)}, []string{a}},
		{"the next page", store.ExecutionFilter{After: f, Limit: 2}, []string{e, a}},
		{"the next page of a lineage", store.ExecutionFilter{Lineage: "l", After: a}, []string{c, b}},
		{"limit of a filter", store.ExecutionFilter{Grade: "F", Limit: 1}, []string{d}},
	} {
		if diff := cmp.Diff(tt.want, executionIDs(t, st, tt.filter)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func testExecutionIDs(t *testing.T, st *store.Store) {
	const one, other, third = "01J9ZC5Q0D0000000000000001", "01J9ZC5Q0D0000000000000002", "01J9ZD00000000000000000003"
	for _, id := range []string{one, other, third} {
		e := store.ExecutionRecord{}
		e.ID = id
		addExecutions(t, st, e)
	}
	for _, tt := range []struct {
		id, want string
		err      error
	}{
		{one, one, nil},
		{strings.ToLower(other), other, nil},
		{"01J9ZD", third, nil},
		{"01j9zd", third, nil},
		{"01J9ZC5Q0D000000000000000", "", track.ErrAmbiguous},
		{"01J9Z", "", track.ErrAmbiguous},
		{"01J9ZE", "", track.ErrNotFound},
		{one + "0", "", track.ErrNotFound},
		{"", "", track.ErrNotFound},
		{"%", "", track.ErrNotFound},
		{"01J9Z_", "", track.ErrNotFound},
	} {
		d, err := st.Execution(t.Context(), tt.id)
		if !errors.Is(err, tt.err) || d.ID != tt.want {
			t.Errorf("%q: %q and error %v, want %q and %v", tt.id, d.ID, err, tt.want, tt.err)
		}
		if tt.err != nil && tt.id != "" && len(track.Hints(err)) == 0 {
			t.Errorf("%q: %v without a hint", tt.id, err)
		}
	}
}

// A lineage may have the name of a scenario.
func testLineageLikeScenario(t *testing.T, st *store.Store) {
	add(t, st, track.Seed{Scenario: "l", Number: 1, Values: map[string]float64{"m": 1}})
	id := addExecutions(t, st, store.ExecutionRecord{})[0]
	if ids := executionIDs(t, st, store.ExecutionFilter{Lineage: "l"}); !slices.Equal(ids, []string{id}) {
		t.Errorf("executions %v, want %s", ids, id)
	}
	one(t, st, "l", 1)
}

func testExecutionViews(t *testing.T, st *store.Store) {
	whole := wholeExecution()
	addExecutions(t, st, whole, store.ExecutionRecord{Execution: track.Execution{Status: track.ExecutionTimeout}})
	read := func(query string) (rows [][]any) {
		t.Helper()
		_, err := st.Query(t.Context(), query, func(_ []string, row []any) error {
			rows = append(rows, slices.Clone(row))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	for _, tt := range []struct {
		query string
		want  [][]any
	}{
		{
			`SELECT lineage, version, status, rubric, score, grade, n_calls, n_failed, n_unknown, tokens_input, tokens_cache_read, started_at, duration_s
			   FROM v_execution ORDER BY lineage DESC`,
			[][]any{
				{"線", "v.1", "ok", "rubric/2", 80.5, "A", int64(3), int64(2), int64(1), int64(0), nil, "1969-12-31T23:59:59.123Z", 1.5},
				{"l", nil, "timeout", nil, nil, nil, int64(0), int64(0), int64(0), nil, nil, nil, nil},
			},
		},
		{
			`SELECT lineage, version, rubric, active, score, grade FROM v_score ORDER BY lineage DESC, rubric`,
			[][]any{{"線", "v.1", "rubric/1", int64(0), 40.0, "F"}, {"線", "v.1", "rubric/2", int64(1), 80.5, "A"}},
		},
		{
			`SELECT call, tool, exit, error, answered, rejected, input_bytes, output_bytes, input_digest, duration_s FROM v_call ORDER BY call`,
			[][]any{
				{int64(1), "Bash", int64(3), nil, int64(1), int64(0), int64(9), int64(13), fmt.Sprintf("%x", sha256.Sum256([]byte("ls 目录"))), 1.5},
				{int64(2), "Edit", nil, "đã bị từ chối", int64(1), int64(1), int64(0), nil, fmt.Sprintf("%x", sha256.Sum256(nil)), nil},
				{int64(3), "Bash", nil, nil, int64(0), int64(0), int64(0), nil, fmt.Sprintf("%x", sha256.Sum256(nil)), nil},
			},
		},
	} {
		if diff := cmp.Diff(tt.want, read(tt.query)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.query, diff)
		}
	}
}

// Whoever reads an execution while it is replaced sees one state of it: as many calls as it says it has.
func testReadWhileReplaced(t *testing.T, st *store.Store) {
	e := store.ExecutionRecord{Execution: track.Execution{Key: "k", Version: "v", Truths: map[string]float64{"reward": 1}}, Open: true, Rubric: "rubric/2", Scores: scored("rubric/2", 50, "D")}
	id := addExecutions(t, st, e)[0]
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				d, err := st.Execution(t.Context(), id)
				if err != nil || len(d.Calls) != d.NCalls || len(d.Scores) != 1 || len(d.Truths) != 1 {
					t.Errorf("%d of %d calls, %d scores and error %v", len(d.Calls), d.NCalls, len(d.Scores), err)
					return
				}
				scores, err := st.Trials(t.Context(), "l", store.TrialFilter{Versions: []string{"v"}, Components: true})
				if err != nil || len(scores) != 1 || len(scores[0].Components) != 2 {
					t.Errorf("%+v and error %v", scores, err)
					return
				}
				if trials, err := st.Trials(t.Context(), "l", store.TrialFilter{Truth: "reward", Rubric: "rubric/2", Components: true}); err != nil || len(trials) != 1 || len(trials[0].Components) != 2 {
					t.Errorf("%+v and error %v", trials, err)
					return
				}
			}
		})
	}
	for range 60 {
		e.ID, e.Calls = id, append(e.Calls, track.ToolCall{Tool: "Bash", Answered: true})
		record := execution(st, e)
		update(t, st, func(tx *store.Tx) error {
			existing, err := tx.AddExecution(record)
			if err != nil {
				return err
			}
			if existing, err := tx.AddExecution(execution(st, store.ExecutionRecord{Execution: track.Execution{Lineage: "other"}})); err != nil || existing != nil {
				return fmt.Errorf("%+v, %w", existing, err) // it takes the next row
			}
			return tx.ReplaceExecution(*existing, record)
		})
	}
	close(done)
	readers.Wait()
}
