package agents_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"track"
	"track/answer"
	"track/internal/property"
	"track/internal/testdb"
	"track/scoring/rubric"
	"track/store"
	"track/tracker/agents"
)

func newExecutionRecorder(st *store.Store, options agents.Options) *agents.Recorder {
	return agents.NewRecorder(st, options, rand.Reader)
}

func recordExecution(t testing.TB, st *store.Store, e track.Execution, open bool) agents.Result {
	t.Helper()
	results, err := newExecutionRecorder(st, agents.Options{}).Record(t.Context(), []track.Execution{e}, open)
	if err != nil {
		t.Fatal(err)
	}
	return results[0]
}

func pointer[T any](x T) *T { return &x }

// task is an execution with calls and a final text, which earns a score.
func task(key string, calls int) track.Execution {
	e := track.Execution{Key: key, Source: "codex", Lineage: "l", Version: "v1", Output: pointer("The answer is 42, because six times seven is that.")}
	for i := range calls {
		e.Calls = append(e.Calls, track.ToolCall{Key: fmt.Sprint("c", i), Tool: "Bash", Input: fmt.Sprint("ls ", i), Exit: pointer(0), Answered: true, Output: pointer("fine")})
	}
	return e
}

func executionDetail(t testing.TB, st *store.Store, id string) track.RecordedExecution {
	t.Helper()
	d, err := st.Execution(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// What becomes of an execution whose place is taken.
func TestRecordExecutionAgain(t *testing.T) {
	other := task("k", 2)
	other.Message = "other"
	used := task("k", 2)
	used.Calls[0].Request, used.Requests = 1, []track.ModelRequest{{Tokens: &track.Tokens{Input: pointer(int64(5))}}}
	for _, tt := range []struct {
		name                 string
		first, second        track.Execution
		firstOpen, open      bool
		want                 track.Disposition
		wantCalls            int
		wantOpen, otherPlace bool
	}{
		{name: "the same", first: task("k", 2), second: task("k", 2), want: track.Duplicate, wantCalls: 2},
		{name: "the same, and what requests used", first: task("k", 2), second: used, want: track.Duplicate, wantCalls: 2},
		{name: "other content", first: task("k", 2), second: other, want: track.Conflict, wantCalls: 2},
		{name: "completed", first: task("k", 2), firstOpen: true, second: task("k", 3), want: track.Replaced, wantCalls: 3},
		{name: "complete as it was", first: task("k", 2), firstOpen: true, second: task("k", 2), want: track.Replaced, wantCalls: 2},
		{name: "complete with less", first: task("k", 2), firstOpen: true, second: task("k", 1), want: track.Replaced, wantCalls: 1},
		{name: "open after complete", first: task("k", 2), second: task("k", 1), open: true, want: track.Duplicate, wantCalls: 2},
		{name: "the same, open after complete", first: task("k", 2), second: task("k", 2), open: true, want: track.Duplicate, wantCalls: 2},
		{name: "still open", first: task("k", 2), firstOpen: true, second: task("k", 3), open: true, want: track.Replaced, wantCalls: 3, wantOpen: true},
		{name: "an older look at what is open", first: task("k", 2), firstOpen: true, second: task("k", 1), open: true, want: track.Duplicate, wantCalls: 2, wantOpen: true},
		{name: "the same, open", first: task("k", 2), firstOpen: true, second: task("k", 2), open: true, want: track.Duplicate, wantCalls: 2, wantOpen: true},
		{name: "without a key", first: task("", 2), second: task("", 2), want: track.Recorded, wantCalls: 2, otherPlace: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := testdb.New(t)
			first := recordExecution(t, st, tt.first, tt.firstOpen)
			second := recordExecution(t, st, tt.second, tt.open)
			if first.Disposition != track.Recorded || second.Disposition != tt.want || (first.ID != second.ID) != tt.otherPlace {
				t.Errorf("%v as %s, then %v as %s, want %v", first.Disposition, first.ID, second.Disposition, second.ID, tt.want)
			}
			d := executionDetail(t, st, first.ID)
			if len(d.Calls) != tt.wantCalls || d.NCalls != tt.wantCalls || d.Open != tt.wantOpen || d.Message != "" {
				t.Errorf("%d calls, open %v, message %q, want %d and %v", len(d.Calls), d.Open, d.Message, tt.wantCalls, tt.wantOpen)
			}
			if list, err := st.Executions(t.Context(), store.ExecutionFilter{}); err != nil || (len(list) == 2) != tt.otherPlace {
				t.Errorf("%d executions, error %v", len(list), err)
			}
		})
	}
}

// What the database cannot tell apart is the same execution.
func TestRecordExecutionAlike(t *testing.T) {
	took := 1500*time.Millisecond + 7
	first := task("k", 1)
	first.StartedAt, first.Duration = time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC), &took
	first.Calls[0].StartedAt = first.StartedAt
	second := task("k", 1)
	second.StartedAt, second.Duration = time.Date(2026, 1, 2, 10, 4, 5, 678901000, time.FixedZone("ICT", 7*3600)), pointer(1500*time.Millisecond)
	second.Calls[0].StartedAt = second.StartedAt
	second.Truths, second.Tokens, second.Files, second.Status = map[string]float64{}, &track.Tokens{}, []track.WrittenFile{}, track.ExecutionOK
	st := testdb.New(t)
	recordExecution(t, st, first, false)
	if result := recordExecution(t, st, second, false); result.Disposition != track.Duplicate {
		t.Errorf("%v, want a duplicate", result.Disposition)
	}
	second.Calls[0].StartedAt = second.StartedAt.Add(time.Microsecond)
	if result := recordExecution(t, st, second, false); result.Disposition != track.Conflict {
		t.Errorf("a call a microsecond later: %v, want a conflict", result.Disposition)
	}
	second.Calls[0].StartedAt, second.Tokens = first.StartedAt, &track.Tokens{Input: pointer(int64(0))} // known to be none
	if result := recordExecution(t, st, second, false); result.Disposition != track.Conflict {
		t.Errorf("tokens known: %v, want a conflict", result.Disposition)
	}
}

func TestExecutionScores(t *testing.T) {
	own := task("own", 1)
	own.Score = pointer(77.5)
	failedOwn := own
	failedOwn.Key, failedOwn.Status = "failed own", track.ExecutionError
	timeout := task("timeout", 1)
	timeout.Status = track.ExecutionTimeout
	invalid := task("invalid", 1)
	invalid.Status = track.ExecutionInvalid
	nothing := track.Execution{Key: "nothing", Lineage: "l"}
	nothingOwn := nothing
	nothingOwn.Key, nothingOwn.Score = "nothing own", pointer(0.0)
	for _, tt := range []struct {
		e           track.Execution
		rubric      string
		score       *float64 // nil: whatever the rubric says
		rubrics     []string // that have a row
		scoreless   bool
		components2 int
	}{
		{e: task("plain", 1), rubric: "rubric/2", rubrics: []string{"rubric/1", "rubric/2"}, components2: 5},
		{e: own, rubric: "own", score: pointer(77.5), rubrics: []string{"own", "rubric/1", "rubric/2"}, components2: 5},
		{e: timeout, scoreless: true},
		{e: invalid, scoreless: true},
		{e: failedOwn, scoreless: true},
		{e: nothing, scoreless: true, rubrics: []string{"rubric/1", "rubric/2"}, components2: 5},
		{e: nothingOwn, rubric: "own", score: pointer(0.0), rubrics: []string{"own", "rubric/1", "rubric/2"}, components2: 5},
	} {
		t.Run(tt.e.Key, func(t *testing.T) {
			st := testdb.New(t)
			result := recordExecution(t, st, tt.e, false)
			d := executionDetail(t, st, result.ID)
			var rubrics []string
			for _, s := range d.Scores {
				rubrics = append(rubrics, s.Rubric)
				if s.Rubric == "rubric/2" && len(s.Components) != tt.components2 {
					t.Errorf("components %+v", s.Components)
				}
			}
			if diff := cmp.Diff(tt.rubrics, rubrics); diff != "" {
				t.Errorf("scores (-want +got):\n%s", diff)
			}
			if d.Rubric != tt.rubric || result.Rubric != tt.rubric || (d.Score == nil) != tt.scoreless || (result.Own != nil) != (tt.rubric == "own") {
				t.Errorf("rubric %q, score %v, own %v, want %q", d.Rubric, d.Score, result.Own, tt.rubric)
			}
			switch want := tt.score; {
			case tt.scoreless:
				if d.Grade != "" || result.Score.Defined && tt.e.Status == "" {
					t.Errorf("grade %q, score %+v, want none", d.Grade, result.Score)
				}
			case want == nil:
				want = &result.Score.Value
				fallthrough
			default:
				if *d.Score != *want || d.Grade != string(rubric.GradeOf(*want)) {
					t.Errorf("score %v, grade %s, want %v", *d.Score, d.Grade, *want)
				}
			}
			dry, err := agents.Score(tt.e, agents.Options{})
			if err != nil || dry.Rubric != result.Rubric || dry.ID != "" {
				t.Errorf("dry: %+v, error %v", dry, err)
			}
			if diff := cmp.Diff(result.Score, dry.Score, cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("dry (-recorded +dry):\n%s", diff)
			}
		})
	}
}

// TestExitStatusMissing: Codex writes exit statuses. Its calls without one have an unknown outcome, however quiet their
// output is; those of a source that marks its failures succeeded.
func TestExitStatusMissing(t *testing.T) {
	st := testdb.New(t)
	for source, want := range map[string]*float64{"codex": nil, "claude-code": pointer(1.0)} {
		e := task("quiet "+source, 3)
		e.Source = source
		for i := range e.Calls {
			e.Calls[i].Exit = nil
		}
		for _, s := range executionDetail(t, st, recordExecution(t, st, e, false).ID).Scores {
			i := slices.IndexFunc(s.Components, func(c track.ComponentValue) bool { return c.Name == "tool_success_rate" })
			if got := s.Components[i].Value; !cmp.Equal(got, want) {
				t.Errorf("%s under %s: %v, want %v", source, s.Rubric, got, want)
			}
			if want == nil && !strings.Contains(string(s.Detail), "of none of the calls is it known whether it succeeded") {
				t.Errorf("%s under %s gives no reason: %s", source, s.Rubric, s.Detail)
			}
		}
	}
}

func TestRecordExecutionRefuses(t *testing.T) {
	bad := "\xff\xfe"
	for field, change := range map[string]func(*track.Execution){
		"lineage":        func(e *track.Execution) { e.Lineage = "" },
		"status":         func(e *track.Execution) { e.Status = "fine" },
		"score":          func(e *track.Execution) { e.Score = pointer(100.5) },
		"message":        func(e *track.Execution) { e.Message = bad },
		"output":         func(e *track.Execution) { e.Output = &bad },
		"calls.1.input":  func(e *track.Execution) { e.Calls[1].Input = bad },
		"calls.0.output": func(e *track.Execution) { e.Calls[0].Output = &bad },
		"calls.1.error":  func(e *track.Execution) { e.Calls[1].Error = bad },
		"calls.1.key":    func(e *track.Execution) { e.Calls[1].Key = e.Calls[0].Key },
		"files.a":        func(e *track.Execution) { e.Files = []track.WrittenFile{{Name: "a", Content: bad}} },
	} {
		st := testdb.New(t)
		e := task("k", 2)
		change(&e)
		_, err := newExecutionRecorder(st, agents.Options{}).Record(t.Context(), []track.Execution{task("good", 1), e}, false)
		var failure *track.FieldError
		if !errors.As(err, &failure) || failure.Field != field {
			t.Errorf("%s: %v", field, err)
		}
		if list, err := st.Executions(t.Context(), store.ExecutionFilter{}); err != nil || len(list) != 0 {
			t.Errorf("%s: %d executions are recorded with it, error %v", field, len(list), err)
		}
	}
}

// secretText holds two secrets, which look real and are not: they are put together here.
func secretText() (text string, secrets []string) {
	secrets = []string{"gh" + "p_" + strings.Repeat("aB3dE6gH9k", 4)[:36], "hun" + "ter2hun" + "ter2"}
	return "see " + secrets[0] + " and DB_PASSWORD=" + secrets[1] + " there", secrets
}

// files returns all bytes of a database.
func files(t testing.TB, path string) []byte {
	t.Helper()
	var all []byte
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		all = append(all, data...)
	}
	return all
}

// No secret reaches the file: not from texts that are kept, not from what the reasons of scores quote.
func TestSecretsAreMasked(t *testing.T) {
	testdb.OnlySQLite(t, "it reads the file")
	text, secrets := secretText()
	e := track.Execution{
		Key: "k", Lineage: "l", Task: "deploy", Message: text, TaskType: "coding",
		// Broken code is quoted by the check of its syntax, and a crash by the search for errors.
		Output: pointer("Done: " + text + "\n\n```json\n{\"a\": " + text + "}\n```\npanic: " + text + "\n"),
		Calls: []track.ToolCall{
			{Tool: "Bash", Input: `{"command":"` + text + `"}`, Command: text, Error: "error: " + text, Answered: true, Output: pointer("Traceback (most recent call last)\n" + text)},
			{Tool: "Bash", Input: `{"command":"` + text + `"}`, Command: text, Answered: true, Output: &text},
		},
		Files: []track.WrittenFile{{Name: text + ".json", Content: "{" + text}, {Name: "b.go", Content: "package " + text}},
	}
	for _, keep := range []bool{false, true} {
		st := testdb.New(t)
		results, err := newExecutionRecorder(st, agents.Options{KeepText: keep}).Record(t.Context(), []track.Execution{e}, false)
		if err != nil {
			t.Fatal(err)
		}
		if want := 2 * (1 + 3 + 4 + 3 + 2 + 1); results[0].NMasked != want { // message, output, calls, files
			t.Errorf("%d masked, want %d", results[0].NMasked, want)
		}
		all := files(t, st.Path())
		for _, secret := range secrets {
			if n := bytes.Count(all, []byte(secret)); n != 0 {
				t.Errorf("keep %v: %d copies of %s in the files", keep, n, secret)
			}
		}
		if !bytes.Contains(all, []byte("[masked:github-token]")) {
			t.Errorf("keep %v: no mask either, so that nothing is tested", keep)
		}
		d := executionDetail(t, st, results[0].ID)
		masked := "see [masked:github-token] and DB_PASSWORD=[masked:password] there"
		if d.Message != masked {
			t.Errorf("message %q", d.Message)
		}
		if sum := sha256.Sum256([]byte(masked)); d.Calls[1].Output.Digest != sum || d.Calls[1].Output.Bytes != len(masked) {
			t.Error("the digest is not that of the masked text")
		}
		if e.Message != text || e.Calls[0].Input != `{"command":"`+text+`"}` || e.Files[0].Content != "{"+text {
			t.Error("the execution of the caller was changed")
		}
		// Scores quote something, or this would test nothing.
		if !slices.ContainsFunc(d.Scores, func(s track.RecordedScore) bool { return bytes.Contains(s.Detail, []byte("masked:")) }) {
			t.Errorf("keep %v: no score quotes a mask", keep)
		}
	}
}

func TestKeepText(t *testing.T) {
	st := testdb.New(t)
	texts := func(key string, options agents.Options) (input, output *string) {
		t.Helper()
		results, err := newExecutionRecorder(st, options).Record(t.Context(), []track.Execution{task(key, 1)}, false)
		if err != nil {
			t.Fatal(err)
		}
		d := executionDetail(t, st, results[0].ID)
		if d.Output.Text == nil || d.Calls[0].Input.Digest != sha256.Sum256([]byte("ls 0")) {
			t.Errorf("%s: the final text or the digest is not kept", key)
		}
		return d.Calls[0].Input.Text, d.Calls[0].Output.Text
	}
	check := func(key string, options agents.Options, want bool) {
		t.Helper()
		input, output := texts(key, options)
		if (input != nil) != want || (output != nil) != want || want && (*input != "ls 0" || *output != "fine") {
			t.Errorf("%s: kept %v and %v, want %v", key, input, output, want)
		}
	}
	set := func(keep bool) {
		t.Helper()
		if err := st.Update(t.Context(), func(tx *store.Tx) error { return tx.SetKeepText("l", keep) }); err != nil {
			t.Fatal(err)
		}
	}
	check("off", agents.Options{}, false)
	check("asked for", agents.Options{KeepText: true}, true)
	set(true)
	check("on", agents.Options{}, true)
	set(false)
	check("off again", agents.Options{}, false)
	// What was recorded without texts does not get them later.
	if input, _ := texts("off", agents.Options{KeepText: true}); input != nil {
		t.Errorf("a duplicate brought %q", *input)
	}
}

// What is forgotten stays forgotten when it is imported again: the same, and what completes it.
func TestForgottenStaysForgotten(t *testing.T) {
	testdb.OnlySQLite(t, "it reads the file")
	const needle = "NEEDLE in a haystack"
	say := func(calls int) track.Execution {
		e := task("k", calls)
		e.Message, e.Output, e.Calls[0].Input, e.Calls[0].Error = needle, pointer("Because "+needle), needle, needle
		return e
	}
	st := testdb.New(t)
	recorder := newExecutionRecorder(st, agents.Options{KeepText: true})
	record := func(e track.Execution, open bool) agents.Result {
		t.Helper()
		results, err := recorder.Record(t.Context(), []track.Execution{e}, open)
		if err != nil {
			t.Fatal(err)
		}
		return results[0]
	}
	id := record(say(1), true).ID
	before := executionDetail(t, st, id)
	if !bytes.Contains(files(t, st.Path()), []byte(needle)) {
		t.Fatal("nothing to forget")
	}
	if err := st.Forget(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		e    track.Execution
		open bool
		want track.Disposition
	}{{say(1), true, track.Duplicate}, {say(2), false, track.Replaced}, {say(2), false, track.Duplicate}} {
		result := record(tt.e, tt.open)
		if result.Disposition != tt.want || result.ID != id {
			t.Errorf("%v as %s, want %v as %s", result.Disposition, result.ID, tt.want, id)
		}
		if bytes.Contains(files(t, st.Path()), []byte(needle)) {
			t.Errorf("%v: the text is back", tt.want)
		}
	}
	after := executionDetail(t, st, id)
	if after.NCalls != 2 || after.Score == nil || len(after.Scores[0].Components) != len(before.Scores[0].Components) || after.ForgottenAt.IsZero() {
		t.Errorf("%+v", after)
	}
}

func TestManyCalls(t *testing.T) {
	const n = 10_000
	st := testdb.New(t)
	e := task("k", n)
	e.Calls[n-1].Exit = pointer(7)
	result := recordExecution(t, st, e, false)
	d := executionDetail(t, st, result.ID)
	if d.NCalls != n || len(d.Calls) != n || d.NFailed != 1 || d.Calls[n-1].Key != fmt.Sprint("c", n-1) || *d.Calls[n-1].Exit != 7 {
		t.Errorf("%d and %d calls, %d failed, the last %+v", d.NCalls, len(d.Calls), d.NFailed, d.Calls[len(d.Calls)-1])
	}
	if again := recordExecution(t, st, e, false); again.Disposition != track.Duplicate {
		t.Errorf("%v, want a duplicate", again.Disposition)
	}
}

// Recorders at once, in one store and in stores of their own: nothing is lost, nothing doubled.
func TestRecordExecutionsAtOnce(t *testing.T) {
	testdb.OnlySQLite(t, "its database is a file")
	path := testdb.NewFile(t)
	const recorders, each = 16, 12
	shared := testdb.Open(t, path)
	var mutex sync.Mutex
	counts := map[track.Disposition]int{}
	ids := map[string]map[string]bool{} // by key
	var all sync.WaitGroup
	for r := range recorders {
		st := shared
		if r%2 == 0 {
			st = testdb.Open(t, path)
		}
		all.Go(func() {
			recorder := newExecutionRecorder(st, agents.Options{})
			for i := range each {
				batch := []track.Execution{task(fmt.Sprint("everyone's ", i), 3), task(fmt.Sprint(r, "'s ", i), 1+i%3)}
				results, err := recorder.Record(t.Context(), batch, false)
				if err != nil {
					t.Error(err)
					return
				}
				mutex.Lock()
				for k, result := range results {
					counts[result.Disposition]++
					key := batch[k].Key
					if ids[key] == nil {
						ids[key] = map[string]bool{}
					}
					ids[key][result.ID] = true
				}
				mutex.Unlock()
			}
		})
	}
	all.Wait()
	want := map[track.Disposition]int{track.Recorded: each + recorders*each, track.Duplicate: (recorders - 1) * each}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("dispositions (-want +got):\n%s", diff)
	}
	list, err := shared.Executions(t.Context(), store.ExecutionFilter{})
	if err != nil || len(list) != each+recorders*each {
		t.Fatalf("%d executions, error %v", len(list), err)
	}
	for _, e := range list {
		if known := ids[e.Key]; len(known) != 1 || !known[e.ID] {
			t.Errorf("%s is %s, and was told to be %v", e.Key, e.ID, known)
		}
		if d := executionDetail(t, shared, e.ID); len(d.Calls) != d.NCalls || len(d.Scores) != 2 {
			t.Errorf("%s has %d of %d calls and %d scores", e.Key, len(d.Calls), d.NCalls, len(d.Scores))
		}
	}
}

// The fitness from the database is that of the same scores in memory.
func TestFitnessIsRubricFitness(t *testing.T) {
	st := testdb.New(t)
	recorder := newExecutionRecorder(st, agents.Options{})
	n := 0
	property.Check(t, func(rt *rapid.T) {
		n++
		lineage := fmt.Sprint("l", n)
		version := rapid.SampledFrom([]string{"", "v1"}).Draw(rt, "version")
		under := rapid.SampledFrom([]string{"", "rubric/1", "rubric/2", "own"}).Draw(rt, "rubric")
		executions := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) track.Execution {
			e := task("", rapid.IntRange(0, 3).Draw(rt, "calls"))
			e.Lineage, e.Version = lineage, version
			e.Status = rapid.SampledFrom([]track.ExecutionStatus{track.ExecutionOK, track.ExecutionOK, track.ExecutionOK, track.ExecutionTimeout}).Draw(rt, "status")
			e.StartedAt = time.UnixMicro(int64(rapid.IntRange(-3, 3).Draw(rt, "at"))).UTC() // many at the same time
			e.TaskType = rapid.SampledFrom([]string{"", "coding", "other"}).Draw(rt, "type")
			if rapid.Bool().Draw(rt, "own") {
				e.Score = pointer(rapid.Float64Range(0, 100).Draw(rt, "score"))
			}
			for i := range e.Calls {
				e.Calls[i].Exit = pointer(rapid.IntRange(0, 1).Draw(rt, "exit"))
			}
			return e
		}), 1, 40).Draw(rt, "executions")
		other := task("", 1)
		other.Lineage, other.Version = lineage, "another"
		results, err := recorder.Record(t.Context(), append(slices.Clone(executions), other), false)
		if err != nil {
			rt.Fatal(err)
		}
		var list []rubric.ScoredExecution
		var kinds []string
		failed, own := 0, map[string]bool{}
		for i, e := range executions {
			scored := rubric.ScoredExecution{ID: results[i].ID, At: e.StartedAt, Score: rubric.Score{Rubric: under}}
			inForce := under
			if under == "" {
				inForce = results[i].Rubric
			}
			switch {
			case e.Status != track.ExecutionOK:
				failed++
			case inForce == "own" && e.Score != nil:
				scored.Score.Value, scored.Score.Defined = *e.Score, true
				own[results[i].ID] = true
			case inForce == "rubric/1" || inForce == "rubric/2":
				r, err := rubric.ByName(inForce)
				if err != nil {
					rt.Fatal(err)
				}
				scored.Score = r.Score(agents.RubricInput(e, nil), rubric.Options{})
				scored.Score.Rubric = under
			}
			list, kinds = append(list, scored), append(kinds, inForce)
		}
		if under == "" {
			keepMostFrequent(list, kinds)
		}
		want, wantErr := rubric.Fitness(list, rubric.FitnessOptions{})
		got, err := agents.Fitness(t.Context(), st.Reader, lineage, version, under, nil)
		if (err == nil) != (wantErr == nil) || wantErr != nil && !errors.Is(err, wantErr) {
			rt.Fatalf("error %v, want %v", err, wantErr)
		}
		if got.NExecutions != len(executions) || got.NFailed != failed {
			rt.Fatalf("%d executions, %d failed, want %d and %d", got.NExecutions, got.NFailed, len(executions), failed)
		}
		if wantErr != nil {
			return
		}
		nOwn := 0
		for _, use := range want.Used {
			if own[use.ID] {
				nOwn++
			}
		}
		if got.NOwn != nOwn {
			rt.Fatalf("%d own, want %d", got.NOwn, nOwn)
		}
		// The order of what is not used, and of components, is that of the list.
		byName := cmpopts.SortSlices(func(a, b rubric.ComponentMean) bool { return a.Name < b.Name })
		sorted := cmpopts.SortSlices(func(a, b string) bool { return a < b })
		if diff := cmp.Diff(want, got.FitnessResult, byName, sorted, cmpopts.EquateNaNs()); diff != "" {
			rt.Fatalf("(-want +got):\n%s", diff)
		}
		order := []string{"tool_success_rate", "output_quality", "efficiency", "one_minus_error_rate", "structure_score"}
		if !slices.IsSortedFunc(got.Components, func(a, b rubric.ComponentMean) int { return slices.Index(order, a.Name) - slices.Index(order, b.Name) }) {
			rt.Fatalf("components %+v are not in the order of the rubric", got.Components)
		}
	})
}

func TestLineageHistory(t *testing.T) {
	st := testdb.New(t)
	at := testdb.Clock()
	add := func(version string, score float64) {
		t.Helper()
		at = at.Add(time.Minute)
		e := task("", 1)
		e.Version, e.StartedAt, e.Score = version, at, &score
		recordExecution(t, st, e, false)
	}
	add("v1", 10)
	add("v2", 20)
	add("v1", 30)
	failed := track.Execution{Lineage: "l", Version: "v3", Status: track.ExecutionError, StartedAt: at.Add(time.Hour)}
	recordExecution(t, st, failed, false)
	ask := func(q answer.LineageHistoryQuestion) (answer.LineageHistory, error) {
		return agents.ShowLineageHistory(t.Context(), st.Reader, q)
	}
	h, err := ask(answer.LineageHistoryQuestion{Lineage: "l", Limit: 20})
	if err != nil || len(h.Entries) != 3 || h.NOlder != 0 {
		t.Fatalf("%+v, error %v", h, err)
	}
	// The newest first: 30 with weight 1.0 and 10 with 0.9 make 39/1.9.
	v1, v2, v3 := h.Entries[0], h.Entries[1], h.Entries[2]
	if want := 39 / 1.9; v1.Version != "v1" || v1.Mean.Value != 20 || v1.Mean.N != 2 || v1.SD.Value != math.Sqrt(200) || math.Abs(*v1.Fitness-want) > 1e-12 {
		t.Errorf("v1: mean %+v, sd %+v, fitness %v, want %v", v1.Mean, v1.SD, *v1.Fitness, want)
	}
	if v1.Change != nil || v2.Change == nil || v2.Change.Value != 0 {
		t.Errorf("changes %v, %v; want none, 0", v1.Change, v2.Change)
	}
	if v3.Fitness != nil || v3.Mean.N != 0 || !math.IsNaN(v3.Mean.Value) || v3.Change != nil || v3.NFailed != 1 {
		t.Errorf("v3: %+v, want no score", v3)
	}
	if h, err = ask(answer.LineageHistoryQuestion{Lineage: "l", Component: "tool_success_rate", Limit: 20}); err != nil || h.Entries[0].Mean.N != 0 {
		t.Errorf("own scores have no components: %+v, error %v", h.Entries, err)
	}
	h, err = ask(answer.LineageHistoryQuestion{Lineage: "l", Rubric: "rubric/2", Component: "tool_success_rate", Limit: 2})
	if err != nil || h.NOlder != 1 || len(h.Entries) != 2 || h.Entries[0].Version != "v2" || h.Entries[0].Mean.Value != 1 || h.Entries[0].Mean.N != 1 {
		t.Errorf("newest two: %+v, error %v", h, err)
	}
	// A score under the rubric is no part of the mean of own scores, and the answer says so.
	scored := task("scored", 2)
	scored.Version = "v2"
	recordExecution(t, st, scored, false)
	h, err = ask(answer.LineageHistoryQuestion{Lineage: "l", Limit: 20})
	if err != nil || h.Entries[0].Mean.N != 1 || h.Entries[0].Mean.Value != 20 || h.ScoreFrom != "own" || len(h.OtherKinds) != 1 || h.OtherKinds[0] != (answer.KindOfScore{Kind: "rubric/2", N: 1}) {
		t.Errorf("two kinds of scores: %+v, error %v", h, err)
	}
	if lead := fmt.Sprint(h.Lead()); !strings.Contains(lead, "mean over executions of the own score") || !strings.Contains(lead, "left out 1 score under rubric/2") {
		t.Errorf("two kinds of scores: %s", lead)
	}
	if _, err := ask(answer.LineageHistoryQuestion{Lineage: "x", Limit: 20}); !errors.Is(err, track.ErrNotFound) {
		t.Errorf("%v, want ErrNotFound", err)
	}
}

func TestCompareRubrics(t *testing.T) {
	st := testdb.New(t)
	own := task("own", 1)
	own.Score = pointer(12.0)
	id := recordExecution(t, st, own, false).ID
	plain := recordExecution(t, st, task("plain", 1), false)
	recordExecution(t, st, track.Execution{Lineage: "l", Status: track.ExecutionError}, false)
	a, err := agents.CompareRubrics(t.Context(), st.Reader, answer.GradeChangesQuestion{Lineage: "l", Rubric: "rubric/2"})
	want := []answer.GradeChange{{ID: id, Version: "v1", From: pointer(12.0), To: &plain.Score.Value, FromGrade: "F", ToGrade: string(plain.Score.Grade)}}
	if diff := cmp.Diff(want, a.Items); diff != "" || a.NExecutions != 2 || err != nil {
		t.Errorf("%d compared, error %v (-want +got):\n%s", a.NExecutions, err, diff)
	}
}

// keepMostFrequent takes the scores away that are not of the most frequent kind, the first by name if several are.
func keepMostFrequent(list []rubric.ScoredExecution, kinds []string) {
	n := map[string]int{}
	for i, e := range list {
		if e.Score.Defined {
			n[kinds[i]]++
		}
	}
	kept := ""
	for kind := range n {
		if kept == "" || n[kind] > n[kept] || n[kind] == n[kept] && kind < kept {
			kept = kind
		}
	}
	for i := range list {
		if len(n) > 1 && kinds[i] != kept {
			list[i].Score = rubric.Score{Rubric: list[i].Score.Rubric, Value: math.NaN()}
		}
	}
}
