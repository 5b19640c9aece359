package tracker_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/answer"
	"track/importer/lines"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/tracker/exchange"
	"track/tracker/seeds"
)

// readBatch reads JSON lines as the command does.
func readBatch(r io.Reader) iter.Seq2[lines.Record, error] {
	return lines.Read("f.jsonl", r)
}

func line(scenario string, number int, value float64) string {
	return fmt.Sprintf(`{"kind":"seed","scenario":%q,"seed":"%d","values":{"a":%v}}`+"\n", scenario, number, value)
}

func TestRecordAll(t *testing.T) {
	st := testdb.New(t)
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	var text strings.Builder
	var want []string
	var wantNumbers []track.SeedNumber
	n := 0
	add := func(line string) {
		text.WriteString(line)
		n++
	}
	problem := func(format string, args ...any) {
		want = append(want, fmt.Sprintf("%d ", n)+fmt.Sprintf(format, args...))
	}
	for i := range 1000 { // several chunks
		add(line("s", i, 0.5))
		wantNumbers = append(wantNumbers, track.SeedNumber(i))
		switch i {
		case 0, 255, 256, 700:
			add("not JSON\n")
			problem("false : not JSON")
			add(`{"kind":"seed","scenario":"s","seed":"1","values":{"a":"x"}}` + "\n")
			problem(`false values.a: "x" is not a number`)
			add(line("s", i, 0.5)) // a duplicate
			add(line("s", i, 0.25))
			problem("true values: seed %d of s is recorded with other values under this configuration (a: recorded 0.5, now 0.25)", i)
		}
	}
	add(line("later", 1, 1))
	add(line("later", 2, 1))
	add(`{"kind":"seed","scenario":"s","seed":"5000","values":{"a":1,"z":1,"y":1}}` + "\n")
	add(`{"kind":"seed","scenario":"s","seed":"5001","outcome":"error"}` + "\n")
	add(`{"kind":"seed","scenario":"s","seed":"5002","outcome":"error","configuration":{"commit":"c0ffee"}}` + "\n")
	add(`{"kind":"seed","scenario":"never","seed":"1","outcome":"error"}`)
	wantNumbers = append(wantNumbers, 5000, 5001, 5002)

	var got []string
	progress := 0
	summary, err := exchange.RecordAll(t.Context(), trackertest.NewRecorder(st, seeds.Options{}), readBatch(strings.NewReader(text.String())), exchange.BatchObserver{
		Problem: func(p exchange.BatchProblem) {
			got = append(got, fmt.Sprintf("%d %v %s: %s", p.Line, p.Conflict, p.Field, p.Message))
		},
		Progress: func(entries int) {
			if entries <= progress {
				t.Errorf("progress went from %d to %d", progress, entries)
			}
			progress = entries
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	wantSummary := exchange.BatchSummary{
		Recorded: 1006, Duplicates: 4, Conflicts: 4, Rejected: 8, Scored: 1001, WithoutRevision: 1005,
		WithoutSpec: []string{"later"}, UnknownMetrics: []string{"y (s)", "z (s)"},
	}
	if diff := cmp.Diff(wantSummary, summary); diff != "" || progress != n {
		t.Errorf("%d of %d entries (-want +got):\n%s", progress, n, diff)
	}
	for i, w := range want {
		if i >= len(got) || !strings.HasPrefix(got[i], w) {
			t.Errorf("problem %d: got %q, want %q", i, got[min(i, len(got)-1)], w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d problems, want %d", len(got), len(want))
	}
	if diff := cmp.Diff(wantNumbers, trackertest.Numbers(t, st, "s")); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}

	// Once more: nothing but duplicates and the same problems. In another way: everything replaced.
	again, err := exchange.RecordAll(t.Context(), trackertest.NewRecorder(st, seeds.Options{}), readBatch(strings.NewReader(text.String())), exchange.BatchObserver{})
	if diff := cmp.Diff(exchange.BatchSummary{Duplicates: 1010, Conflicts: 4, Rejected: 8}, again); diff != "" || err != nil {
		t.Errorf("again: error %v (-want +got):\n%s", err, diff)
	}
	replaced, err := exchange.RecordAll(t.Context(), trackertest.NewRecorder(st, seeds.Options{Replace: true}), trackertest.Lines(
		trackertest.Seed("s", 1, map[string]float64{"a": 0.75}), trackertest.Seed("s", 1, map[string]float64{"a": 0.75}), trackertest.Seed("s", 2, map[string]float64{"a": 0.5}),
	), exchange.BatchObserver{})
	if diff := cmp.Diff(exchange.BatchSummary{Replaced: 1, Duplicates: 2, Scored: 1, WithoutRevision: 1}, replaced); diff != "" || err != nil {
		t.Errorf("replaced: error %v (-want +got):\n%s", err, diff)
	}
}

func TestRecordAllOfNothing(t *testing.T) {
	st := testdb.New(t)
	summary, err := exchange.RecordAll(t.Context(), trackertest.NewRecorder(st, seeds.Options{}), trackertest.Lines(), exchange.BatchObserver{})
	if diff := cmp.Diff(exchange.BatchSummary{}, summary); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}

// An error of the input ends the batch; what came before it is recorded and counted.
func TestRecordAllBrokenInput(t *testing.T) {
	st := testdb.New(t)
	unplugged := errors.New("unplugged")
	for _, before := range []int{0, 1, 300} {
		scenario := fmt.Sprint("s", before)
		broken := func(yield func(lines.Record, error) bool) {
			for i := range before {
				if !yield(lines.Record{Line: i + 1, Seed: trackertest.Seed(scenario, track.SeedNumber(i), map[string]float64{"a": 1})}, nil) {
					return
				}
			}
			if yield(lines.Record{Line: before + 1}, unplugged) {
				t.Error("asked for more after an error")
			}
		}
		summary, err := exchange.RecordAll(t.Context(), trackertest.NewRecorder(st, seeds.Options{}), broken, exchange.BatchObserver{})
		trackertest.WantError(t, err, unplugged)
		if summary.Recorded != before || len(trackertest.Numbers(t, st, scenario)) != before {
			t.Errorf("%d counted, %d recorded, want %d", summary.Recorded, len(trackertest.Numbers(t, st, scenario)), before)
		}
	}
}

// A seed that cannot be judged as asked ends the batch; its transaction is gone, and not counted.
func TestRecordAllWithoutVersion(t *testing.T) {
	st := testdb.New(t)
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	summary, err := exchange.RecordAll(t.Context(), trackertest.NewRecorder(st, seeds.Options{SpecVersion: 1}), trackertest.Lines(
		trackertest.Seed("s", 1, map[string]float64{"a": 1}), trackertest.Seed("other", 1, map[string]float64{"a": 1}),
	), exchange.BatchObserver{})
	trackertest.WantError(t, err, track.ErrNotFound)
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("%v does not name the line", err)
	}
	if got := trackertest.Numbers(t, st, "s"); summary.Recorded != len(got) {
		t.Errorf("%d counted, %v recorded", summary.Recorded, got)
	}
}

func TestRecordAllCancelled(t *testing.T) {
	st := testdb.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	summary, err := exchange.RecordAll(ctx, trackertest.NewRecorder(st, seeds.Options{}), trackertest.Lines(trackertest.Seed("s", 1, map[string]float64{"a": 1})), exchange.BatchObserver{})
	trackertest.WantError(t, err, context.Canceled)
	if got := trackertest.Numbers(t, st, "s"); summary.Recorded != 0 || got != nil {
		t.Errorf("%d counted, %v recorded, want none", summary.Recorded, got)
	}
	// In the middle, while the input stands still.
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	never := make(chan struct{})
	defer close(never)
	waiting := func(yield func(lines.Record, error) bool) {
		for i := range 256 {
			if !yield(lines.Record{Line: i + 1, Seed: trackertest.Seed("s", track.SeedNumber(i), map[string]float64{"a": 1})}, nil) {
				return
			}
		}
		<-never
	}
	done := 0
	summary, err = exchange.RecordAll(ctx, trackertest.NewRecorder(st, seeds.Options{}), waiting, exchange.BatchObserver{Progress: func(entries int) {
		if done = entries; done == 256 {
			cancel()
		}
	}})
	trackertest.WantError(t, err, context.Canceled)
	if got := trackertest.Numbers(t, st, "s"); summary.Recorded != 256 || len(got) != 256 {
		t.Errorf("%d counted, %d recorded, want 256", summary.Recorded, len(got))
	}
}

// What a slow simulation writes into a pipe is recorded, and there for others, a second later: not when the next
// buffer is full.
func TestRecordAllSlowInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := testdb.New(t)
		trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
		other := testdb.Open(t, st.Path()) // as another process would
		source, sink := io.Pipe()
		type outcome struct {
			summary exchange.BatchSummary
			err     error
		}
		finished := make(chan outcome)
		go func() {
			summary, err := exchange.RecordAll(t.Context(), trackertest.NewRecorder(st, seeds.Options{}), readBatch(source), exchange.BatchObserver{})
			finished <- outcome{summary, err}
		}()
		send := func(text string) {
			t.Helper()
			if _, err := io.WriteString(sink, text); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		expect := func(when string, want ...track.SeedNumber) {
			t.Helper()
			if diff := cmp.Diff(want, trackertest.Numbers(t, other, "s")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", when, diff)
			}
		}
		send(line("s", 1, 0.5))
		expect("at once")
		time.Sleep(1100 * time.Millisecond) // of the bubble: it passes when everything waits
		synctest.Wait()
		expect("after a second", 1)
		send(line("s", 2, 0.5) + "not JSON\n" + line("s", 3, 0.5)[:20])
		time.Sleep(1100 * time.Millisecond)
		synctest.Wait()
		expect("after a line and a half", 1, 2)
		send(line("s", 3, 0.5)[20:])

		// A spec that comes meanwhile is in force for what follows, and for no seed before it.
		if added, err := seeds.AddSpec(t.Context(), other, trackertest.Ranges("s", [2]float64{0, 2}), nil); err != nil || added.Version != 2 {
			t.Fatal(added, err)
		}
		time.Sleep(1100 * time.Millisecond)
		synctest.Wait()
		expect("after the other half", 1, 2, 3)
		for number, version := range map[track.SeedNumber]int{1: 1, 2: 1, 3: 2} {
			if got := trackertest.Find(t, other, "s", number).Assessed; !cmp.Equal(got, []int{version}) {
				t.Errorf("seed %s is assessed under %v, want %d", number, got, version)
			}
		}
		send(strings.Repeat(line("s", 3, 0.5), 256)) // a whole chunk does not wait
		if err := sink.Close(); err != nil {
			t.Fatal(err)
		}
		o := <-finished
		want := exchange.BatchSummary{Recorded: 3, Duplicates: 256, Rejected: 1, Scored: 3, WithoutRevision: 3}
		if diff := cmp.Diff(want, o.summary); diff != "" || o.err != nil {
			t.Errorf("error %v (-want +got):\n%s", o.err, diff)
		}
	})
}

// A first spec that comes meanwhile judges what is recorded, and what is not yet.
func TestFirstSpecInMidBatch(t *testing.T) {
	st := testdb.New(t)
	other := testdb.Open(t, st.Path())
	added := false
	summary, err := exchange.RecordAll(t.Context(), trackertest.NewRecorder(st, seeds.Options{}), func(yield func(lines.Record, error) bool) {
		for i := range 1000 {
			if !yield(lines.Record{Line: i + 1, Seed: trackertest.Seed("s", track.SeedNumber(i), map[string]float64{"a": 0.5, "own": float64(i) + 0.5})}, nil) {
				return
			}
		}
	}, exchange.BatchObserver{Progress: func(int) {
		if !added {
			trackertest.AddSpec(t, other, trackertest.Ranges("s", [2]float64{0, 1}))
		}
		added = true
	}})
	if err != nil || summary.Recorded != 1000 || summary.Scored == 0 || summary.Scored == 1000 {
		t.Errorf("%+v, %v: the spec did not come in the middle", summary, err)
	}
	stability, err := seeds.Stability(t.Context(), st.Reader, answer.Selector{Scenario: "s"}, seeds.StabilityOptions{})
	if err != nil || stability.NSeeds != 1000 || stability.NScored != 1000 || stability.NPassed != 1000 {
		t.Errorf("%+v, %v, want all 1000 judged", stability.Stability, err)
	}
}

// A batch reads ahead of the database by some chunks, however long the input is.
func TestRecordAllReadsAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := testdb.New(t)
		read := 0
		resume := make(chan struct{})
		finished := make(chan error)
		go func() {
			_, err := exchange.RecordAll(t.Context(), trackertest.NewRecorder(st, seeds.Options{}), func(yield func(lines.Record, error) bool) {
				for read = range 5000 {
					if !yield(lines.Record{Line: read + 1, Err: &track.FieldError{Message: "bad"}}, nil) {
						return
					}
				}
			}, exchange.BatchObserver{Progress: func(int) { <-resume }})
			finished <- err
		}()
		synctest.Wait()
		if read > 4*376+10 { // chunks of a batch
			t.Errorf("%d entries read while the first chunk is recorded", read)
		}
		close(resume)
		if err := <-finished; err != nil {
			t.Error(err)
		}
		if read != 4999 {
			t.Errorf("%d entries read, want all", read+1)
		}
	})
}

func TestSummaryIsBounded(t *testing.T) {
	st := testdb.New(t)
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	var list []track.Seed
	for i := range 150 {
		list = append(list,
			trackertest.Seed("s", track.SeedNumber(i), map[string]float64{"a": 1, fmt.Sprintf("z%03d", i): 1}),
			trackertest.Seed(fmt.Sprintf("other%03d", i), 1, map[string]float64{"a": 1}))
	}
	summary, err := exchange.RecordAll(t.Context(), trackertest.NewRecorder(st, seeds.Options{}), trackertest.Lines(list...), exchange.BatchObserver{})
	if err != nil || summary.Recorded != 300 || len(summary.WithoutSpec) != 100 || len(summary.UnknownMetrics) != 100 || !slices.IsSorted(summary.WithoutSpec) {
		t.Errorf("%d recorded, %d and %d names, error %v", summary.Recorded, len(summary.WithoutSpec), len(summary.UnknownMetrics), err)
	}
}

// Several batches at once, of one process or many: each seed is recorded once, and judged once.
func TestRecordAllAtOnce(t *testing.T) {
	st := testdb.New(t)
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	const batches, each, shared = 4, 300, 100
	results := make(chan exchange.BatchSummary, batches)
	for b := range batches {
		mine := testdb.Open(t, st.Path())
		var list []track.Seed
		for i := range each {
			number := track.SeedNumber(i) // the first are common to all
			if i >= shared {
				number = track.SeedNumber(1000*(b+1) + i)
			}
			list = append(list, trackertest.Seed("s", number, map[string]float64{"a": 0.5, "own": float64(number) + 0.5}))
		}
		go func() {
			summary, err := exchange.RecordAll(t.Context(), trackertest.NewRecorder(mine, seeds.Options{}), trackertest.Lines(list...), exchange.BatchObserver{})
			if err != nil {
				t.Error(err)
			}
			results <- summary
		}()
	}
	var total exchange.BatchSummary
	for range batches {
		r := <-results
		total.Recorded += r.Recorded
		total.Duplicates += r.Duplicates
		total.Scored += r.Scored
	}
	want := exchange.BatchSummary{Recorded: shared + batches*(each-shared), Duplicates: (batches - 1) * shared, Scored: shared + batches*(each-shared)}
	if diff := cmp.Diff(want, total); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	stability, err := seeds.Stability(t.Context(), st.Reader, answer.Selector{Scenario: "s"}, seeds.StabilityOptions{})
	if err != nil || stability.NPassed != want.Recorded || stability.Metrics[0].NNotFailed != want.Recorded {
		t.Errorf("%+v, %v, want %d passed", stability.Stability, err, want.Recorded)
	}
}

func TestSweepWithWrongSpec(t *testing.T) {
	st := testdb.New(t)
	for text, want := range map[string]string{
		`{"scenario":"other","metrics":[{"name":"a","type":"RANGE","min":0,"max":1}]}`: "is of scenario other",
		`{"scenario":"s","metrics":[]}`: "metric",
		`7`:                             "",
	} {
		var problems []exchange.BatchProblem
		entries := func(yield func(lines.Record, error) bool) {
			yield(lines.Record{Line: 3, Sweep: &track.Sweep{ID: "01", Scenario: "s", Plan: "{}", Spec: text}}, nil)
		}
		observer := exchange.BatchObserver{Problem: func(p exchange.BatchProblem) { problems = append(problems, p) }}
		summary, err := exchange.RecordAll(t.Context(), seeds.NewRecorder(st, seeds.Options{}, rand.Reader), entries, observer)
		if err != nil || summary.Rejected != 1 || len(problems) != 1 || problems[0].Field != "spec" || problems[0].Line != 3 || !strings.Contains(problems[0].Message, want) {
			t.Errorf("%s: %v, %+v, %+v, want %q", text, err, summary, problems, want)
		}
	}
}
