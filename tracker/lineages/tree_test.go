package lineages_test

import (
	"crypto/rand"
	"slices"
	"testing"

	"track"
	"track/answer"
	"track/evolution"
	"track/internal/lineagetest"
	"track/internal/testdb"
	"track/store"
	"track/tracker/agents"
	"track/tracker/lineages"
)

// TestShowTree shows a lineage with an accepted, a rejected and an open child: the path leads from the root to the active
// version, and each version has its parent and the state of its mutation.
func TestShowTree(t *testing.T) {
	t.Parallel()
	l := newLoop(t, testdb.New(t), nil)
	l.Run("v001", 50, 60, 55)
	l.Evolve("German", 70, 80, 75)
	l.Evolve("Dutch", 20, 10, 15)
	l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{})
	tree, err := lineages.ShowTree(t.Context(), l.Store.Reader, answer.LineageQuestion{Lineage: "l"})
	if err != nil {
		t.Fatal(err)
	}
	want := []answer.TreeVersion{
		{Version: "v001", OnPath: true},
		{Version: "v002", Parents: []string{"v001"}, State: evolution.MutationAccepted, OnPath: true},
		{Version: "v003", Parents: []string{"v002"}, State: evolution.MutationRejected},
		{Version: "v004", Parents: []string{"v002"}, State: evolution.MutationProposed},
	}
	if len(tree.Items) != len(want) || tree.Head != "v002" {
		t.Fatalf("%d versions, active %s", len(tree.Items), tree.Head)
	}
	for i, v := range tree.Items {
		if w := want[i]; v.Version != w.Version || !slices.Equal(v.Parents, w.Parents) || v.State != w.State || v.OnPath != w.OnPath || v.Unchanged || v.Number != i+1 {
			t.Errorf("version %d is %+v, want %+v", i, v, w)
		}
	}
	if tree.Items[1].Delta == nil || tree.Items[1].Fitness == nil || tree.Items[3].Fitness != nil {
		t.Errorf("numbers: %+v", tree.Items)
	}
}

// TestTreeAgreesWithHistory holds that the tree, the history and the fitness of a version count the same executions and
// the same kind of score: not those of before the lineage with scores of another kind, and not holdout tasks.
func TestTreeAgreesWithHistory(t *testing.T) {
	t.Parallel()
	l := newLoop(t, testdb.New(t), func(s *evolution.Settings) {
		s.ScoreFrom, s.Holdout = track.RubricOwn, &evolution.Holdout{Tasks: []string{"held"}}
	})
	l.Record(l.Execution("v001", func(e *track.Execution) { e.Score = nil }), false)
	l.Run("v001", 50, 61)
	l.Record(l.Execution("v001", func(e *track.Execution) { e.Task, e.Score = "held", new(5.0) }), false)
	tree, err := lineages.ShowTree(t.Context(), l.Store.Reader, answer.LineageQuestion{Lineage: "l"})
	if err != nil {
		t.Fatal(err)
	}
	history, err := agents.ShowLineageHistory(t.Context(), l.Store.Reader, answer.LineageHistoryQuestion{Lineage: "l", Limit: 20})
	if err != nil {
		t.Fatal(err)
	}
	v, e := tree.Items[0], history.Entries[0]
	if v.N != 2 || e.Mean.N != 2 || e.Mean.Value != 55.5 || v.Fitness == nil || e.Fitness == nil || *v.Fitness != *e.Fitness || e.NHoldout != 1 || history.ScoreFrom != track.RubricOwn {
		t.Errorf("the tree has %+v, the history %+v", v, e)
	}
	all, err := agents.ShowLineageHistory(t.Context(), l.Store.Reader, answer.LineageHistoryQuestion{Lineage: "l", Rubric: track.RubricOwn, Limit: 20})
	if err != nil || all.Entries[0].Mean.N != 3 || all.Entries[0].NHoldout != 0 || all.ScoreFrom != "" {
		t.Errorf("under a rubric all executions count: %+v, error %v", all, err)
	}
}

// TestTreeOfImported holds that the root of the tree is the version that the lineage began with, also if that was made
// from an earlier one.
func TestTreeOfImported(t *testing.T) {
	t.Parallel()
	st := testdb.New(t)
	for _, v := range []track.Version{{Lineage: "l", Name: "v0", Status: "archived"}, {Lineage: "l", Name: "v1", Parent: "v0", Status: "active"}} {
		if err := st.Update(t.Context(), func(tx *store.Tx) error {
			_, err := tx.AddVersion(v, true)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	seed := uint64(1)
	o := lineages.NewOptions{Name: "l", Seed: &seed, Subject: lineages.SubjectAgent, Settings: evolution.DefaultSettings()}
	if _, _, err := lineages.New(t.Context(), st, o, rand.Reader); err != nil {
		t.Fatal(err)
	}
	tree, err := lineages.ShowTree(t.Context(), st.Reader, answer.LineageQuestion{Lineage: "l"})
	if err != nil || len(tree.Items) != 2 {
		t.Fatalf("%+v, error %v", tree, err)
	}
	before, root := tree.Items[0], tree.Items[1]
	if before.Root || before.OnPath || !root.Root || !root.OnPath || !slices.Equal(root.Parents, []string{"v0"}) {
		t.Errorf("before the lineage: %+v; its root: %+v", before, root)
	}
	if text := tree.Lead()[1].Text; text != "2 versions: 1 root, 1 without a mutation" {
		t.Error(text)
	}
}
