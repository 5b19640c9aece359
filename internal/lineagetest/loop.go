// Package lineagetest runs a lineage in tests, from its creation to its decisions.
package lineagetest

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"track"
	"track/answer"
	"track/evolution"
	"track/internal/testdb"
	"track/store"
	"track/tracker/agents"
	"track/tracker/lineages"
)

// Loop is a lineage of an agent that scores itself.
type Loop struct {
	T     testing.TB
	Store *store.Store
	Name  string
	N     int // executions so far
}

// New begins the lineage l with the root v001, decided by threshold unless edit says otherwise.
func New(t testing.TB, st *store.Store, edit func(*evolution.Settings)) *Loop {
	t.Helper()
	settings := evolution.DefaultSettings()
	settings.ScoreFrom, settings.Policy = track.RubricOwn, "threshold"
	settings.Params = []byte(`{"explore":-3,"explore_p":0.2,"marginal":0,"significant":5}`)
	if edit != nil {
		edit(&settings)
	}
	seed, root := uint64(42), "Be brief, and answer in English."
	o := lineages.NewOptions{Name: "l", Seed: &seed, Subject: lineages.SubjectAgent, Root: &root, Settings: settings}
	if _, created, err := lineages.New(t.Context(), st, o, rand.Reader); err != nil || !created {
		t.Fatal(created, err)
	}
	return &Loop{T: t, Store: st, Name: "l"}
}

// Execution returns the next execution of a version, with the score 0 unless edit says otherwise.
func (l *Loop) Execution(version string, edit func(*track.Execution)) track.Execution {
	l.N++
	score := 0.0
	e := track.Execution{
		Lineage: l.Name, Version: version, Key: fmt.Sprintf("e%03d", l.N), Task: fmt.Sprint("t", l.N), Status: track.ExecutionOK, Score: &score,
		StartedAt: testdb.Clock().Add(time.Duration(l.N) * time.Minute),
	}
	edit(&e)
	return e
}

// Record records an execution.
func (l *Loop) Record(e track.Execution, open bool) {
	l.T.Helper()
	if _, err := agents.NewRecorder(l.Store, agents.Options{}, rand.Reader).Record(l.T.Context(), []track.Execution{e}, open); err != nil {
		l.T.Fatalf("execution %s: %v", e.Key, err)
	}
}

// Run records executions of a version with scores, one task each: task t1 and so on for every version.
func (l *Loop) Run(version string, scores ...float64) {
	l.T.Helper()
	for i, score := range scores {
		l.Record(l.Execution(version, func(e *track.Execution) { e.Score, e.Task = &score, fmt.Sprint("t", i+1) }), false)
	}
}

// Fail records executions that end with a status other than ok.
func (l *Loop) Fail(version string, status track.ExecutionStatus, n int) {
	l.T.Helper()
	for range n {
		l.Record(l.Execution(version, func(e *track.Execution) { e.Status = status }), false)
	}
}

// Text returns a content that no rule refuses as a child of another text.
func Text(name string) string { return "Be brief, and answer in " + name + "." }

// Try proposes a child.
func (l *Loop) Try(child string, o answer.ProposeQuestion) (lineages.ProposeResult, error) {
	o.Child = &child
	return lineages.Propose(l.T.Context(), l.Store, l.Name, o)
}

// Propose proposes a child.
func (l *Loop) Propose(child string, o answer.ProposeQuestion) lineages.ProposeResult {
	l.T.Helper()
	r, err := l.Try(child, o)
	if err != nil {
		l.T.Fatal(err)
	}
	return r
}

// Decide decides a mutation.
func (l *Loop) Decide(mutation string, o answer.DecideQuestion) lineages.DecideResult {
	l.T.Helper()
	r, err := lineages.Decide(l.T.Context(), l.Store, l.Name, mutation, o)
	if err != nil {
		l.T.Fatal(err)
	}
	return r
}

// Evolve proposes a child of the active version, runs it, and decides it.
func (l *Loop) Evolve(child string, scores ...float64) lineages.DecideResult {
	l.T.Helper()
	p := l.Propose(Text(child), answer.ProposeQuestion{})
	l.Run(p.Child, scores...)
	return l.Decide(p.Key, answer.DecideQuestion{})
}

// Set changes settings.
func (l *Loop) Set(edit func(*evolution.Settings)) {
	l.T.Helper()
	change := func(s *evolution.Settings) error {
		edit(s)
		return nil
	}
	if _, _, err := lineages.ChangeSettings(l.T.Context(), l.Store, l.Name, change, "test", time.Time{}); err != nil {
		l.T.Fatal(err)
	}
}

// Next asks what to do.
func (l *Loop) Next() answer.Next {
	l.T.Helper()
	s, err := lineages.NextAction(l.T.Context(), l.Store, answer.NextQuestion{Lineage: l.Name})
	if err != nil {
		l.T.Fatal(err)
	}
	return s
}

// Rollback goes back.
func (l *Loop) Rollback(o answer.RollbackQuestion) answer.Rollback {
	l.T.Helper()
	o.Lineage = l.Name
	r, err := lineages.RollBack(l.T.Context(), l.Store, o)
	if err != nil {
		l.T.Fatal(err)
	}
	return r
}

// Lineage returns the stored lineage.
func (l *Loop) Lineage() store.Evolving {
	l.T.Helper()
	e, err := l.Store.Evolving(l.T.Context(), l.Name)
	if err != nil {
		l.T.Fatal(err)
	}
	return e
}

// Entries returns the ledger.
func (l *Loop) Entries() []evolution.Entry {
	l.T.Helper()
	entries, err := l.Store.Entries(l.T.Context(), l.Lineage(), store.EntryFilter{})
	if err != nil {
		l.T.Fatal(err)
	}
	return entries
}

// Head returns the name of the active version.
func (l *Loop) Head() string {
	l.T.Helper()
	return l.Lineage().Head
}

// Kinds returns the kinds of the entries, in their order.
func (l *Loop) Kinds() string {
	l.T.Helper()
	var list []string
	for _, e := range l.Entries() {
		list = append(list, string(e.Kind))
	}
	return strings.Join(list, " ")
}

// CheckReplay replays the lineage, strictly.
func (l *Loop) CheckReplay() lineages.ReplayReport {
	l.T.Helper()
	r, err := lineages.Replay(l.T.Context(), l.Store.Reader, l.Name, answer.ReplayQuestion{Strict: true})
	if err != nil || len(r.Differences) > 0 || r.Verified != r.Decisions {
		l.T.Errorf("replay: %v, %d of %d verified, %v", err, r.Verified, r.Decisions, r.Differences)
	}
	return r
}

// Calm makes settings under which nothing but what a test is about holds a mutation back.
func Calm(s *evolution.Settings) {
	s.Loop.MutationRate, s.Loop.MinBetween, s.Loop.StableMean = 1, 0, 101
}

// WantNext asks what to do and compares the answer.
func (l *Loop) WantNext(action answer.Action, hold evolution.Hold, executions int, reason string) answer.Next {
	l.T.Helper()
	s := l.Next()
	if s.Action != action || s.Hold != hold || s.Executions != executions || !strings.Contains(s.Reason, reason) {
		l.T.Errorf("%s, held %q, %d executions, %q; want %s, %q, %d, %q", s.Action, s.Hold, s.Executions, s.Reason, action, hold, executions, reason)
	}
	return s
}
