package tracker_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"track"
	"track/evolution"
	"track/store"
	"track/tracker"
)

// loop is a lineage of an agent that scores itself.
type loop struct {
	t    testing.TB
	st   *store.Store
	name string
	n    int // executions so far
}

// newLoop begins the lineage l with the root v001, decided by threshold unless edit says otherwise.
func newLoop(t testing.TB, st *store.Store, edit func(*evolution.Settings)) *loop {
	t.Helper()
	settings := evolution.DefaultSettings()
	settings.Rubric = tracker.RubricOwn
	if edit != nil {
		edit(&settings)
	}
	o := tracker.NewLineageOptions{Name: "l", Seed: pointer(uint64(42)), Subject: tracker.SubjectAgent, Root: pointer("Be brief, and answer in English."), Settings: settings}
	if _, created, err := tracker.NewLineage(t.Context(), st, o, rand.Reader); err != nil || !created {
		t.Fatal(created, err)
	}
	return &loop{t: t, st: st, name: "l"}
}

func (l *loop) execution(version string, edit func(*track.Execution)) track.Execution {
	l.n++
	e := track.Execution{
		Lineage: l.name, Version: version, Key: fmt.Sprintf("e%03d", l.n), Task: fmt.Sprint("t", l.n), Status: track.ExecutionOK, Score: pointer(0.0),
		StartedAt: clock().Add(time.Duration(l.n) * time.Minute),
	}
	edit(&e)
	return e
}

// run records executions of a version with scores, one task each: task t1 and so on for every version.
func (l *loop) run(version string, scores ...float64) {
	l.t.Helper()
	for i, score := range scores {
		recordExecution(l.t, l.st, l.execution(version, func(e *track.Execution) { e.Score, e.Task = pointer(score), fmt.Sprint("t", i+1) }), false)
	}
}

// fails records executions that end with a status other than ok.
func (l *loop) fails(version string, status track.ExecutionStatus, n int) {
	l.t.Helper()
	for range n {
		recordExecution(l.t, l.st, l.execution(version, func(e *track.Execution) { e.Status = status }), false)
	}
}

// text is a content that no rule refuses as a child of another text.
func text(name string) string { return "Be brief, and answer in " + name + "." }

func (l *loop) try(child string, o tracker.ProposeOptions) (tracker.ProposeResult, error) {
	o.Child = child
	return tracker.Propose(l.t.Context(), l.st, l.name, o)
}

func (l *loop) propose(child string, o tracker.ProposeOptions) tracker.ProposeResult {
	l.t.Helper()
	r, err := l.try(child, o)
	if err != nil {
		l.t.Fatal(err)
	}
	return r
}

func (l *loop) decide(mutation string, o tracker.DecideOptions) tracker.DecideResult {
	l.t.Helper()
	r, err := tracker.Decide(l.t.Context(), l.st, l.name, mutation, o)
	if err != nil {
		l.t.Fatal(err)
	}
	return r
}

// evolve proposes a child of the version in force, runs it, and decides on it.
func (l *loop) evolve(child string, scores ...float64) tracker.DecideResult {
	l.t.Helper()
	p := l.propose(text(child), tracker.ProposeOptions{})
	l.run(p.Child, scores...)
	return l.decide(p.Key, tracker.DecideOptions{})
}

func (l *loop) set(edit func(*evolution.Settings)) {
	l.t.Helper()
	change := func(s *evolution.Settings) error {
		edit(s)
		return nil
	}
	if _, _, err := tracker.ChangeSettings(l.t.Context(), l.st, l.name, change, "test", time.Time{}); err != nil {
		l.t.Fatal(err)
	}
}

func (l *loop) next() tracker.NextStep {
	l.t.Helper()
	s, err := tracker.Next(l.t.Context(), l.st, l.name, false, time.Time{})
	if err != nil {
		l.t.Fatal(err)
	}
	return s
}

func (l *loop) rollback(o tracker.RollbackOptions) tracker.RollbackResult {
	l.t.Helper()
	r, err := tracker.Rollback(l.t.Context(), l.st, l.name, o)
	if err != nil {
		l.t.Fatal(err)
	}
	return r
}

func (l *loop) entries() []evolution.Entry {
	l.t.Helper()
	e, err := l.st.Evolving(l.t.Context(), l.name)
	if err != nil {
		l.t.Fatal(err)
	}
	entries, err := l.st.Entries(l.t.Context(), e, store.EntryFilter{})
	if err != nil {
		l.t.Fatal(err)
	}
	return entries
}

func (l *loop) head() string {
	l.t.Helper()
	e, err := l.st.Evolving(l.t.Context(), l.name)
	if err != nil {
		l.t.Fatal(err)
	}
	return e.Head
}

// kinds are those of the entries, in their order.
func (l *loop) kinds() string {
	l.t.Helper()
	var list []string
	for _, e := range l.entries() {
		list = append(list, string(e.Kind))
	}
	return strings.Join(list, " ")
}

// sound replays the lineage, strictly.
func (l *loop) sound() tracker.ReplayReport {
	l.t.Helper()
	r, err := tracker.Replay(l.t.Context(), l.st, l.name, tracker.ReplayOptions{Strict: true})
	if err != nil || len(r.Differences) > 0 || r.Verified != r.Decisions {
		l.t.Errorf("replay: %v, %d of %d verified, %v", err, r.Verified, r.Decisions, r.Differences)
	}
	return r
}

// warned says whether a decision has a warning that contains a text.
func warned(r tracker.DecideResult, code evolution.Warning, message string) bool {
	for _, w := range r.Warnings {
		if w.Code == code && strings.Contains(w.Message, message) {
			return true
		}
	}
	return false
}

func wantHint(t testing.TB, err, sentinel error, message, hint string) {
	t.Helper()
	if !errors.Is(err, sentinel) || !strings.Contains(err.Error(), message) || !strings.Contains(fmt.Sprint(track.Hints(err)), hint) {
		t.Errorf("%v (hints %q), want %v: %q, hint %q", err, track.Hints(err), sentinel, message, hint)
	}
}
