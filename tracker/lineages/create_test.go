package lineages_test

import (
	"strings"
	"testing"

	cryptorand "crypto/rand"

	"track"
	"track/answer"
	"track/evolution"
	"track/internal/lineagetest"
	"track/internal/testdb"
	"track/store"
	"track/tracker/lineages"
)

// Lineages that were only recorded go on with the versions that they have.
func TestAdoptLineage(t *testing.T) {
	options := func(head string) lineages.NewOptions {
		return lineages.NewOptions{Name: "l", Seed: pointer(uint64(1)), Subject: lineages.SubjectAgent, Head: head, Settings: evolution.DefaultSettings()}
	}
	begin := func(st *store.Store, o lineages.NewOptions) (lineages.Lineage, bool, error) {
		return lineages.New(t.Context(), st, o, cryptorand.Reader)
	}
	add := func(st *store.Store, name, status, content string) {
		t.Helper()
		v := track.Version{Lineage: "l", Name: name, Status: status}
		if content != "" {
			v.Content = &content
		}
		if err := st.Update(t.Context(), func(tx *store.Tx) error {
			_, err := tx.AddVersion(v, true)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	// One that its source calls active is active.
	st := testdb.New(t)
	add(st, "first", "archived", "")
	add(st, "second", "active", lineagetest.Text("French"))
	l, created, err := begin(st, options(""))
	if err != nil || !created || l.Head != "second" {
		t.Fatalf("%v %v %+v", err, created, l)
	}
	if again, created, err := begin(st, options("")); err != nil || created || again.End != l.End {
		t.Errorf("again: %v %v %+v", err, created, again)
	}
	if _, _, err := begin(st, options("first")); err == nil {
		t.Error("with another root")
	} else {
		wantHint(t, err, track.ErrConflict, "with another root", "lineage show l")
	}
	other := options("")
	other.Seed = pointer(uint64(2))
	if _, _, err := begin(st, other); err == nil || !strings.Contains(err.Error(), "another seed") {
		t.Error(err)
	}
	loop := &loop{&lineagetest.Loop{T: t, Store: st, Name: "l"}}
	child := loop.Propose(lineagetest.Text("German"), answer.ProposeQuestion{Parents: []string{"second", "first"}})
	if child.Child != "v003" || len(child.Refusals) > 0 {
		t.Errorf("%+v", child)
	}
	loop.Run("second", 60, 61, 62)
	loop.Run("v003", 70, 71, 73)
	if r := loop.Decide(child.Key, answer.DecideQuestion{Policy: evolution.Greedy{}}); r.HeadAfter != "v003" {
		t.Errorf("%+v", r)
	}
	loop.CheckReplay()
	// Among several, somebody has to say.
	st = testdb.New(t)
	add(st, "a", "", "")
	add(st, "b", "", "")
	if _, _, err := begin(st, options("")); err == nil {
		t.Error("one of two was taken")
	} else {
		wantHint(t, err, track.ErrInvalid, "2 versions: a, b", "head=VERSION")
	}
	if names, err := st.EvolvingNames(t.Context()); err != nil || len(names) > 0 {
		t.Errorf("%v %v", names, err)
	}
	if l, _, err := begin(st, options("b")); err != nil || l.Head != "b" {
		t.Errorf("%v %+v", err, l)
	}
	// With no version at all, none is active until one is made so.
	st = testdb.New(t)
	if l, _, err := begin(st, options("")); err != nil || l.Head != "" {
		t.Errorf("%v %+v", err, l)
	}
	if s, err := lineages.NextAction(t.Context(), st, answer.NextQuestion{Lineage: "l"}); err != nil || s.Action != answer.ActionStop || !strings.Contains(s.Reason, "no version is active") {
		t.Errorf("%v %+v", err, s)
	}
}
