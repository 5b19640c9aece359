package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"track"
	"track/store"
)

func testVersions(t *testing.T, st *store.Store) {
	at := func(n int64) time.Time { return time.UnixMicro(n).UTC() }
	add := func(version string, status track.ExecutionStatus, micros int64) {
		addExecutions(t, st, store.ExecutionRecord{Execution: track.Execution{Version: version, Status: status, StartedAt: at(micros)}})
	}
	add("b", track.ExecutionOK, 300)
	add("a", track.ExecutionOK, 200)
	add("c", track.ExecutionOK, 100)
	add("c", track.ExecutionTimeout, 900)
	add("", track.ExecutionError, 250)
	add("a", track.ExecutionInvalid, 150) // read later, older than all but one
	got, err := st.Versions(t.Context(), "l")
	want := []store.VersionSummary{
		{Lineage: "l", Version: "c", NExecutions: 2, NFailed: 1, First: at(100), Last: at(900)},
		{Lineage: "l", Version: "a", NExecutions: 2, NFailed: 1, First: at(150), Last: at(200)},
		{Lineage: "l", Version: "", NExecutions: 1, NFailed: 1, First: at(250), Last: at(250)},
		{Lineage: "l", Version: "b", NExecutions: 1, First: at(300), Last: at(300)},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	if newest, err := st.NewestVersion(t.Context(), "l"); newest != "c" || err != nil {
		t.Errorf("newest %q and error %v, want c", newest, err)
	}
	_, err = st.Versions(t.Context(), "x")
	_, errNewest := st.NewestVersion(t.Context(), "x")
	nosuch := "nosuch"
	errScores := st.CheckLineage(t.Context(), "l", &nosuch)
	for _, tt := range []struct {
		err  error
		hint string
	}{{err, "the lineages are: l"}, {errNewest, "the lineages are: l"}, {errScores, "there are: l@c, l@a, l@, l@b"}} {
		if hints := fmt.Sprint(track.Hints(tt.err)); !errors.Is(tt.err, track.ErrNotFound) || hints != "["+tt.hint+"]" {
			t.Errorf("%v with hint %q, want %q", tt.err, hints, tt.hint)
		}
	}
	none, b, nosuch := "", "b", "nosuch"
	for version, found := range map[*string]bool{nil: true, &none: true, &b: true, &nosuch: false} {
		if err := st.CheckLineage(t.Context(), "l", version); (err == nil) != found {
			t.Errorf("%v: %v, want found %v", version, err, found)
		}
	}
}

func testTrialScores(t *testing.T, st *store.Store) {
	own := append(scored("rubric/2", 50, "D"), scored("own", 75, "B")...)
	own[1].Components = nil
	ids := addExecutions(
		t, st,
		store.ExecutionRecord{Execution: track.Execution{Version: "v", StartedAt: time.UnixMicro(2)}, Rubric: "own", Scores: own},
		store.ExecutionRecord{Execution: track.Execution{Version: "v", StartedAt: time.UnixMicro(3), Task: "t"}, Rubric: "rubric/2", Scores: scored("rubric/2", 60, "C")},
		store.ExecutionRecord{Execution: track.Execution{Version: "v", StartedAt: time.UnixMicro(1), Status: track.ExecutionTimeout}},
		store.ExecutionRecord{Execution: track.Execution{Version: "w"}, Rubric: "rubric/2", Scores: scored("rubric/2", 1, "F")},
		store.ExecutionRecord{Execution: track.Execution{Lineage: "m", Version: "v"}, Rubric: "rubric/2", Scores: scored("rubric/2", 2, "F")},
	)
	row := func(id string, at int64, status track.ExecutionStatus, task, rubric string, score *float64, grade string, components []track.ComponentValue) store.Trial {
		return store.Trial{ID: id, Version: "v", Key: id, At: time.UnixMicro(at).UTC(), Started: true, Status: status, Task: task, Rubric: rubric, Score: score, Grade: grade, Components: components}
	}
	number := func(x float64) *float64 { return &x }
	parts := func(score float64) []track.ComponentValue { return scored("", score, "")[0].Components }
	failed := row(ids[2], 1, track.ExecutionTimeout, "", "", nil, "", nil)
	for rubric, want := range map[string][]store.Trial{
		"": {
			row(ids[1], 3, track.ExecutionOK, "t", "rubric/2", number(60), "C", parts(60)),
			row(ids[0], 2, track.ExecutionOK, "", "own", number(75), "B", nil), failed,
		},
		"rubric/2": {
			row(ids[1], 3, track.ExecutionOK, "t", "rubric/2", number(60), "C", parts(60)),
			row(ids[0], 2, track.ExecutionOK, "", "rubric/2", number(50), "D", parts(50)), failed,
		},
		"own": {
			row(ids[1], 3, track.ExecutionOK, "t", "", nil, "", nil),
			row(ids[0], 2, track.ExecutionOK, "", "own", number(75), "B", nil), failed,
		},
	} {
		got, err := st.Trials(t.Context(), "l", store.TrialFilter{Versions: []string{"v"}, Rubric: rubric, Components: true})
		slices.Reverse(got)
		if diff := cmp.Diff(want, got, cmpopts.SortSlices(func(a, b track.ComponentValue) bool { return a.Name < b.Name })); diff != "" || err != nil {
			t.Errorf("%q: error %v (-want +got):\n%s", rubric, err, diff)
		}
	}
	undated, err := st.Trials(t.Context(), "l", store.TrialFilter{Versions: []string{"w"}})
	if err != nil || len(undated) != 1 || undated[0].Started || undated[0].At.IsZero() {
		t.Errorf("one that has no start time: %+v, error %v; want the time of recording in its place", undated, err)
	}
}

func testTrials(t *testing.T, st *store.Store) {
	truths := func(reward float64) map[string]float64 { return map[string]float64{"reward": reward, "steps": 3} }
	ids := addExecutions(
		t, st,
		store.ExecutionRecord{Execution: track.Execution{Version: "v", Task: "t", Truths: truths(1)}, Rubric: "rubric/2", Scores: scored("rubric/2", 60, "C")},
		store.ExecutionRecord{Execution: track.Execution{Task: "t", Truths: truths(0)}},                            // never scored
		store.ExecutionRecord{Execution: track.Execution{Status: track.ExecutionTimeout, Truths: truths(0)}},       // failed
		store.ExecutionRecord{Execution: track.Execution{}, Rubric: "rubric/2", Scores: scored("rubric/2", 1, "")}, // nothing is known
		store.ExecutionRecord{Execution: track.Execution{Lineage: "m", Truths: truths(1)}},
	)
	got, err := st.Trials(t.Context(), "l", store.TrialFilter{Truth: "reward", Rubric: "rubric/2", Components: true})
	sixty, one, none := 60.0, 1.0, 0.0
	want := []store.Trial{
		{ID: ids[0], Version: "v", Key: ids[0], Task: "t", At: st.Now(), Status: track.ExecutionOK, Rubric: "rubric/2", Grade: "C", Truth: &one, Score: &sixty, Components: scored("", 60, "")[0].Components}, {ID: ids[1], Key: ids[1], Task: "t", At: st.Now(), Status: track.ExecutionOK, Truth: &none},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	for _, tt := range []struct{ lineage, truth, hint string }{
		{"l", "nosuch", "known of its executions: [reward steps]"}, {"n", "reward", "the lineages are: l, m"},
	} {
		_, err := st.Trials(t.Context(), tt.lineage, store.TrialFilter{Truth: tt.truth, Rubric: "rubric/2"})
		if hints := fmt.Sprint(track.Hints(err)); !errors.Is(err, track.ErrNotFound) || hints != "["+tt.hint+"]" {
			t.Errorf("%s of %s: %v with hint %q, want %q", tt.truth, tt.lineage, err, hints, tt.hint)
		}
	}
}
