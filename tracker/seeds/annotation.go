package seeds

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"track"
	"track/answer"
	"track/store"
)

// subject is what annotations with one fate are about.
type subject struct {
	kind          track.AnnotationKind
	scenario      string
	configuration int64
	name          string
}

func subjectOf(a store.Annotation) subject {
	return subject{a.Kind, a.Scenario, a.ConfigurationID, a.Subject}
}

// present returns the annotations that count and that add something, in the order of their times. The list is in that
// order.
func present(list []store.Annotation) []store.Annotation {
	last := map[subject]int{}
	for i, a := range list {
		last[subjectOf(a)] = i
	}
	var kept []store.Annotation
	for i, a := range list {
		if last[subjectOf(a)] == i && !a.Removed {
			kept = append(kept, a)
		}
	}
	return kept
}

// newAnnotations returns what annotations that are present say of one configuration.
func newAnnotations(list []store.Annotation) (a answer.Annotations) {
	for _, x := range list {
		if x.Kind == track.AnnotationTag {
			a.Tags = append(a.Tags, x.Subject)
		} else {
			a.Notes = append(a.Notes, newNote(x.Annotation))
		}
	}
	slices.Sort(a.Tags)
	return a
}

func newNote(a track.Annotation) answer.ConfigurationNote {
	return answer.ConfigurationNote{ID: a.Subject, Text: a.Text, Actor: a.Actor, At: a.At}
}

// annotationsOf returns the tags and the notes of the chosen configuration.
func annotationsOf(ctx context.Context, r *store.Reader, c Choice) (answer.Annotations, error) {
	list, err := r.AnnotationsOf(ctx, c.Scenario, c.Configurations[0].ID)
	return newAnnotations(present(list)), err
}

// annotationsByHash returns the tags and the notes of the configurations of a scenario by their hashes.
func annotationsByHash(ctx context.Context, r *store.Reader, scenario string) (map[string]answer.Annotations, error) {
	list, err := r.Annotations(ctx, scenario)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	of := map[string][]store.Annotation{}
	for _, x := range present(list) {
		of[x.Hash] = append(of[x.Hash], x)
	}
	annotations := map[string]answer.Annotations{}
	for hash, list := range of {
		annotations[hash] = newAnnotations(list)
	}
	return annotations, nil
}

// annotateHistory gives the entries of a history their tags and notes.
func annotateHistory(ctx context.Context, r *store.Reader, a *answer.History, configurations []store.Configuration) error {
	list, err := r.Annotations(ctx, a.Scenario)
	if err != nil || len(list) == 0 {
		return err
	}
	of := map[int64][]store.Annotation{}
	for _, x := range present(list) {
		of[x.ConfigurationID] = append(of[x.ConfigurationID], x)
	}
	for i, c := range configurations {
		a.Entries[i].Annotations = newAnnotations(of[c.ID])
	}
	return nil
}

// AddNote attaches a note to a configuration.
func AddNote(ctx context.Context, st *store.Store, q answer.AddNoteQuestion) (a answer.NoteChange, err error) {
	choice, err := Choose(ctx, st.Reader, q.Of, false)
	if err != nil {
		return a, err
	}
	note := annotationOf(choice, track.AnnotationNote, q.Actor)
	note.Text = q.Text
	masked, problem := st.Texts().Admit(&note)
	if problem != nil {
		return a, problem
	}
	added := note
	err = st.Update(ctx, func(tx *store.Tx) error {
		added, err = annotate(tx, note, time.Time{})
		return err
	})
	return answer.NoteChange{NoteOn: noteOn(choice.Configurations[0].Hash, added), Masked: masked > 0}, err
}

// annotationOf returns an annotation of the chosen configuration.
func annotationOf(c Choice, kind track.AnnotationKind, actor string) track.Annotation {
	return track.Annotation{Kind: kind, Scenario: c.Scenario, Configuration: c.Configurations[0].Configuration, Actor: actor}
}

func noteOn(hash string, a track.Annotation) answer.NoteOn {
	return answer.NoteOn{
		Scenario: a.Scenario, Configuration: track.RecordedConfiguration{Hash: hash, Configuration: a.Configuration}, ConfigurationNote: newNote(a),
	}
}

// annotate stores an annotation with a new ID. It is later than what it changes, which may come from a clock that is
// ahead.
func annotate(tx *store.Tx, a track.Annotation, changed time.Time) (track.Annotation, error) {
	a.At = tx.Now()
	if !a.At.After(changed) {
		a.At = changed.Add(time.Microsecond)
	}
	var err error
	if a.ID, err = NewID(a.At, rand.Reader); err != nil {
		return a, err
	}
	if a.Subject == "" {
		a.Subject = a.ID
	}
	if problem := a.Check(); problem != nil {
		return a, problem
	}
	_, err = tx.AddAnnotation(a)
	return a, err
}

// RemoveNote removes a note. It stays recorded, with the reason.
func RemoveNote(ctx context.Context, st *store.Store, q answer.RemoveNoteQuestion) (a answer.NoteChange, err error) {
	if strings.TrimSpace(q.Reason) == "" {
		return a, fmt.Errorf("%w: the reason for removing the note is empty", track.ErrInvalid)
	}
	err = st.Update(ctx, func(tx *store.Tx) error {
		list, err := tx.Annotations(ctx, "")
		if err != nil {
			return err
		}
		note, err := findNote(present(list), q.ID)
		if err != nil {
			return err
		}
		a = answer.NoteChange{NoteOn: noteOn(note.Hash, note.Annotation), Removed: true, Reason: q.Reason}
		removal := note.Annotation
		removal.Removed, removal.Text, removal.Actor = true, q.Reason, q.Actor
		_, err = annotate(tx, removal, note.At)
		return err
	})
	return a, err
}

// findNote returns the note whose ID is, or ends in, a text.
func findNote(list []store.Annotation, id string) (found store.Annotation, err error) {
	n := 0
	for _, a := range list {
		if a.Kind == track.AnnotationNote && id != "" && strings.HasSuffix(a.Subject, strings.ToUpper(id)) {
			found = a
			n++
		}
	}
	switch n {
	case 0:
		return found, track.WithHint(fmt.Errorf("note %s: %w", id, track.ErrNotFound), track.NewHint("list the notes", "note list"))
	case 1:
		return found, nil
	}
	return found, track.WithHint(fmt.Errorf("%s is %w: %d notes have IDs that end so", id, track.ErrAmbiguous, n), track.NewHint("list the notes", "note list"))
}

// chosenAnnotations returns the annotations that count and that a selector names; all if it is empty.
func chosenAnnotations(ctx context.Context, r *store.Reader, of answer.Selector) ([]store.Annotation, error) {
	if of.Scenario == "" {
		list, err := r.Annotations(ctx, "")
		return present(list), err
	}
	found, _, err := r.Configurations(ctx, of.Scenario, allConfigurations)
	if err != nil {
		return nil, err
	}
	if of.Configuration != "" {
		choice, err := Choose(ctx, r, of, false)
		if err != nil {
			return nil, err
		}
		found = choice.Configurations
	}
	list, err := r.Annotations(ctx, of.Scenario)
	if err != nil || of.Configuration == "" {
		return present(list), err
	}
	return slices.DeleteFunc(present(list), func(a store.Annotation) bool { return a.ConfigurationID != found[0].ID }), nil
}

// ListNotes returns the notes on configurations, the oldest first.
func ListNotes(ctx context.Context, r *store.Reader, q answer.NotesQuestion) (a answer.Notes, err error) {
	list, err := chosenAnnotations(ctx, r, q.Of)
	a.Items = []answer.NoteOn{}
	for _, x := range list {
		if x.Kind == track.AnnotationNote {
			a.Items = append(a.Items, noteOn(x.Hash, x.Annotation))
		}
	}
	return a, err
}

// ListTags returns the configurations that have tags, in the order in which they got the first one.
func ListTags(ctx context.Context, r *store.Reader, q answer.TagsQuestion) (a answer.Tags, err error) {
	list, err := chosenAnnotations(ctx, r, q.Of)
	a.Items = []answer.Tagged{}
	for _, x := range list {
		if x.Kind != track.AnnotationTag {
			continue
		}
		i := slices.IndexFunc(a.Items, func(t answer.Tagged) bool { return t.Scenario == x.Scenario && t.Configuration.Hash == x.Hash })
		if i < 0 {
			i = len(a.Items)
			a.Items = append(a.Items, answer.Tagged{Scenario: x.Scenario, Configuration: track.RecordedConfiguration{Hash: x.Hash, Configuration: x.Configuration}})
		}
		a.Items[i].Tags = append(a.Items[i].Tags, x.Subject)
		slices.Sort(a.Items[i].Tags)
	}
	if q.Tag != "" {
		a.Items = slices.DeleteFunc(a.Items, func(t answer.Tagged) bool { return !slices.Contains(t.Tags, q.Tag) })
	}
	return a, err
}

// AddTags gives a configuration tags. Those that it has stay as they are.
func AddTags(ctx context.Context, st *store.Store, q answer.TagQuestion) (answer.TagChange, error) {
	return changeTags(ctx, st, q, false)
}

// RemoveTags takes tags from a configuration.
func RemoveTags(ctx context.Context, st *store.Store, q answer.TagQuestion) (answer.TagChange, error) {
	return changeTags(ctx, st, q, true)
}

func changeTags(ctx context.Context, st *store.Store, q answer.TagQuestion, remove bool) (a answer.TagChange, err error) {
	choice, err := Choose(ctx, st.Reader, q.Of, false)
	if err != nil {
		return a, err
	}
	a.Scenario, a.Configuration = choice.Scenario, recordedConfiguration(choice.Configurations[0])
	err = st.Update(ctx, func(tx *store.Tx) error {
		a.Added, a.Removed = []string{}, []string{}
		list, err := tx.AnnotationsOf(ctx, choice.Scenario, choice.Configurations[0].ID)
		if err != nil {
			return err
		}
		tags := newAnnotations(present(list)).Tags
		for _, tag := range q.Tags {
			has := slices.Contains(tags, tag)
			if !has && remove {
				err := fmt.Errorf("tag %q of %s: %w", tag, a.Scenario+"@"+track.ShortHash(a.Configuration.Hash), track.ErrNotFound)
				return track.WithHint(err, track.NewHint("list the tags", "tag list", choice.Scenario))
			}
			if has != remove {
				continue
			}
			change := annotationOf(choice, track.AnnotationTag, q.Actor)
			change.Subject, change.Removed = tag, remove
			if _, err := annotate(tx, change, lastChange(list, tag)); err != nil {
				return err
			}
			if remove {
				a.Removed = append(a.Removed, tag)
				tags = slices.DeleteFunc(tags, func(t string) bool { return t == tag })
			} else {
				a.Added, tags = append(a.Added, tag), append(tags, tag)
			}
		}
		slices.Sort(tags)
		a.Tags = append([]string{}, tags...)
		return nil
	})
	return a, err
}

// lastChange returns when a tag was last added or removed; zero for never.
func lastChange(list []store.Annotation, tag string) (at time.Time) {
	for _, a := range list {
		if a.Kind == track.AnnotationTag && a.Subject == tag {
			at = a.At
		}
	}
	return at
}
