package tracker_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/answer"
	"track/store"
	"track/tracker/seeds"
)

func configured(label string) answer.Selector {
	return answer.Selector{Scenario: "s", Configuration: label}
}

// annotate gives a configuration a note and a tag, and removes another note and another tag.
func (s *shard) annotate(label, tag string) {
	s.t.Helper()
	for _, text := range []string{"the run of the paper", "about another run"} {
		a, err := seeds.AddNote(s.t.Context(), s.st, answer.AddNoteQuestion{Of: configured(label), Text: text, Author: answer.Author{Actor: "me"}})
		if err == nil && text == "about another run" {
			_, err = seeds.RemoveNote(s.t.Context(), s.st, answer.RemoveNoteQuestion{ID: a.ID, Change: answer.Change{Reason: "a mistake", Actor: "me"}})
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	s.tag(label, tag, "slow")
	s.untag(label, "slow")
}

func (s *shard) tag(label string, tags ...string) {
	s.t.Helper()
	if _, err := seeds.AddTags(s.t.Context(), s.st, answer.TagQuestion{Of: configured(label), Tags: tags}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shard) untag(label string, tags ...string) {
	s.t.Helper()
	if _, err := seeds.RemoveTags(s.t.Context(), s.st, answer.TagQuestion{Of: configured(label), Tags: tags}); err != nil {
		s.t.Fatal(err)
	}
}

// annotations returns the tags and the notes of a database.
func (s *shard) annotations() (list []string) {
	s.t.Helper()
	tags, err := seeds.ListTags(s.t.Context(), s.st.Reader, answer.TagsQuestion{})
	if err != nil {
		s.t.Fatal(err)
	}
	notes, err := seeds.ListNotes(s.t.Context(), s.st.Reader, answer.NotesQuestion{})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, t := range tags.Items {
		list = append(list, fmt.Sprintf("%s %s", t.Configuration.Label, t.Tags))
	}
	for _, n := range notes.Items {
		list = append(list, fmt.Sprintf("%s: %s", n.Configuration.Label, n.Text))
	}
	slices.Sort(list)
	return list
}

// Of what several databases added and removed, the last act counts, in whatever order they are merged.
func TestAnnotationsConverge(t *testing.T) {
	made := func() []*shard {
		list := []*shard{newShard(t, 0), newShard(t, 10), newShard(t, 20)}
		for _, s := range list {
			s.seed(1, "a", map[string]float64{"a": 0.5}, seeds.Options{})
		}
		list[0].tag("a", "released", "slow")
		list[1].merge(list[0])
		list[2].merge(list[0])
		list[1].untag("a", "released")
		list[2].untag("a", "slow", "released")
		list[2].tag("a", "released")
		if _, err := seeds.AddNote(t.Context(), list[2].st, answer.AddNoteQuestion{Of: configured("a"), Text: "seen twice"}); err != nil {
			t.Fatal(err)
		}
		return list
	}
	want := []string{"a [released]", "a: seen twice"}
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {2, 0, 1}} {
		list, to := made(), newShard(t, 40)
		for _, i := range order {
			to.merge(list[i])
			to.mergeLines(list[i])
		}
		if diff := cmp.Diff(want, to.annotations()); diff != "" {
			t.Errorf("merged in the order %v (-want +got):\n%s", order, diff)
		}
		before := to.dump()["annotation"]
		to.merge(list...)
		if diff := cmp.Diff(before, to.dump()["annotation"]); diff != "" {
			t.Errorf("merged again (-before +after):\n%s", diff)
		}
	}
}

// What comes from a clock that is ahead can be removed.
func TestAnnotationOfTomorrow(t *testing.T) {
	s := newShard(t, 0)
	s.seed(1, "a", map[string]float64{"a": 0.5}, seeds.Options{})
	tomorrow := track.Annotation{
		ID: "01J9ZC5Q0D0000000000000000", Kind: track.AnnotationTag, Scenario: "s", Configuration: track.Configuration{Label: "a"}, Subject: "released",
		At: s.st.Now().Add(24 * time.Hour),
	}
	if err := s.st.Update(t.Context(), func(tx *store.Tx) error { _, err := tx.AddAnnotation(tomorrow); return err }); err != nil {
		t.Fatal(err)
	}
	if got := s.annotations(); len(got) != 1 {
		t.Fatal(got)
	}
	s.untag("a", "released")
	if got := s.annotations(); len(got) > 0 {
		t.Errorf("still there: %v", got)
	}
	s.tag("a", "released")
	if got := s.annotations(); len(got) != 1 {
		t.Errorf("added again: %v", got)
	}
}

// Lines bring notes and tags, once.
func TestAnnotationLines(t *testing.T) {
	s := newShard(t, 0)
	text := `{"kind":"tag","id":"01J9ZC5Q0D0000000000000000","scenario":"s","configuration":{"label":"a"},"tag":"released","at":"2026-01-02T03:04:05Z"}
{"kind":"tag","id":"01J9ZC5Q0D0000000000000001","scenario":"s","configuration":{"label":"a"},"tag":"slow","at":"2026-01-02T03:04:05Z"}
{"kind":"tag","id":"01J9ZC5Q0D0000000000000002","scenario":"s","configuration":{"label":"a"},"tag":"slow","removed":true,"at":"2026-01-02T03:04:05Z"}
{"kind":"note","id":"01J9ZC5Q0D0000000000000003","scenario":"s","configuration":{"label":"a"},"text":"password=kD82hfQz91LmXw34","actor":"me","at":"2026-01-02T03:04:05Z"}
{"kind":"note","id":"01J9ZC5Q0D0000000000000004","scenario":"s","configuration":{"label":"a"},"text":"wrong","at":"2026-01-02T03:04:05Z"}
{"kind":"note","id":"01J9ZC5Q0D0000000000000005","scenario":"s","configuration":{"label":"a"},"note":"01J9ZC5Q0D0000000000000004","removed":true,"at":"2026-01-02T03:04:06Z"}
`
	if got := s.batch(text); got.Recorded != 6 {
		t.Errorf("recorded: %+v", got)
	}
	if got := s.batch(text); got.Duplicates != 6 {
		t.Errorf("recorded again: %+v", got)
	}
	s.ingest(text)
	if diff := cmp.Diff([]string{"a [released]", "a: password=[masked:password]"}, s.annotations()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	bad := `{"kind":"tag","id":"1","scenario":"s","tag":"x","at":"2026-01-02T03:04:05Z"}
{"kind":"tag","id":"01J9ZC5Q0D0000000000000006","scenario":"s","at":"2026-01-02T03:04:05Z"}
{"kind":"tag","id":"01J9ZC5Q0D0000000000000006","scenario":"s","tag":"x","at":"today"}
{"kind":"note","id":"01J9ZC5Q0D0000000000000006","scenario":"s","text":" ","at":"2026-01-02T03:04:05Z"}
{"kind":"note","id":"01J9ZC5Q0D0000000000000006","scenario":"s","text":"x","tag":"x","at":"2026-01-02T03:04:05Z"}
`
	if got := s.batch(bad); got.Rejected != 5 {
		t.Errorf("bad lines: %+v", got)
	}
}
