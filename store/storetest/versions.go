package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/store"
)

// What is known of a version comes back, is brought up to date, and filled where it has gaps; its content never
// changes.
func testPromptVersions(t *testing.T, st *store.Store) {
	content, other, score, better := "prompt", "another prompt", 71.5, 80.0
	created := time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)
	first := track.Version{
		Lineage: "l", Name: "v2", Parent: "v1", Operator: "o", Content: &content, Status: "current", Note: "n", Source: "sepa", SourceScore: &score,
		SourceParentScore: &score, CreatedAt: created,
	}
	for _, step := range []struct {
		name string
		add  track.Version
		fill bool
		want store.VersionChange
	}{
		{"new", first, false, store.VersionAdded},
		{"the same", first, false, store.VersionSame},
		{"nothing known", track.Version{Lineage: "l", Name: "v2"}, false, store.VersionSame},
		{"filled where it is known", track.Version{Lineage: "l", Name: "v2", Parent: "v0", Status: "gone", SourceScore: &better, CreatedAt: created.Add(1)}, true, store.VersionSame},
		{"another content", track.Version{Lineage: "l", Name: "v2", Content: &other, Status: "gone"}, false, store.VersionConflict},
		{"a newer score", track.Version{Lineage: "l", Name: "v2", SourceScore: &better}, false, store.VersionUpdated},
		{"a gap filled", track.Version{Lineage: "l", Name: "v1", Operator: "written"}, true, store.VersionAdded},
	} {
		var got store.VersionChange
		update(t, st, func(tx *store.Tx) (err error) {
			got, err = tx.AddVersion(step.add, step.fill)
			return err
		})
		if got != step.want {
			t.Errorf("%s: %d, want %d", step.name, got, step.want)
		}
	}
	want := first
	want.SourceScore = &better
	got, err := st.Version(t.Context(), "l", "v2")
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	parent, err := st.Version(t.Context(), "l", "v1")
	if diff := cmp.Diff(track.Version{Lineage: "l", Name: "v1", Operator: "written"}, parent); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := st.Version(t.Context(), "l", "v9"); !errors.Is(err, track.ErrNotFound) {
		t.Errorf("a version that is not there: %v", err)
	}
}

// An execution takes the place of one that was recorded before its source was complete, under its id, with nothing left
// of the other.
func testReplacedExecution(t *testing.T, st *store.Store) {
	record := func(calls int, open bool) store.ExecutionRecord {
		duration := time.Duration(calls) * time.Second
		r := store.ExecutionRecord{
			Execution: track.Execution{
				ID: newID(), Lineage: "l", Source: "s", Key: "k", Status: track.ExecutionOK, Duration: &duration, Truths: map[string]float64{string(rune('a' + calls)): 1},
			},
			Digest: [32]byte{byte(calls)}, RecordedAt: st.Now(), Open: open, Rubric: "r",
			Scores: []track.RecordedScore{{Rubric: "r", Detail: []byte("{}"), Components: []track.ComponentValue{{Name: "c"}}}},
		}
		for i := range calls {
			r.Calls = append(r.Calls, track.ToolCall{Tool: "Bash", Answered: !open || i < calls-1})
			r.Inputs, r.Outputs = append(r.Inputs, track.RecordedText{}), append(r.Outputs, nil)
		}
		return r
	}
	first, second := record(2, true), record(3, false)
	update(t, st, func(tx *store.Tx) error {
		existing, err := tx.AddExecution(first)
		if existing != nil {
			t.Error("something was there before")
		}
		return err
	})
	found, err := st.FindExecution(t.Context(), second)
	if err != nil || found == nil || found.Same || !found.Open || found.ULID != first.ID || found.NCalls != 2 || found.NAnswered != 1 || found.Duration != 2*time.Second || found.Forgotten {
		t.Fatalf("found %+v, %v", found, err)
	}
	update(t, st, func(tx *store.Tx) error {
		existing, err := tx.AddExecution(second)
		if err != nil {
			return err
		}
		second.ID = existing.ULID
		return tx.ReplaceExecution(*existing, second)
	})
	list, err := st.Executions(t.Context(), store.ExecutionFilter{})
	if err != nil || len(list) != 1 || list[0].ID != first.ID || list[0].NCalls != 3 || list[0].Open {
		t.Errorf("%+v, %v", list, err)
	}
	detail, err := st.Execution(t.Context(), first.ID)
	if err != nil || len(detail.Calls) != 3 || len(detail.Truths) != 1 || detail.Truths["d"] != 1 || len(detail.Scores) != 1 {
		t.Errorf("%d calls, truths %v, %v", len(detail.Calls), detail.Truths, err)
	}
	if none, err := st.FindExecution(t.Context(), store.ExecutionRecord{Execution: track.Execution{Lineage: "l", Source: "s", Key: "another"}}); none != nil || err != nil {
		t.Errorf("%+v, %v", none, err)
	}
}
