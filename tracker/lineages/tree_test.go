package lineages_test

import (
	"slices"
	"testing"

	"track/answer"
	"track/evolution"
	"track/internal/lineagetest"
	"track/internal/testdb"
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
	l.Propose(lineagetest.Text("French"), lineages.ProposeOptions{})
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
