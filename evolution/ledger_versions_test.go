package evolution_test

import (
	"fmt"
	"testing"

	"track/evolution"
)

const threeTrials = `{"explore":-3,"explore_p":0.2,"marginal":0,"n_min":3,"significant":5}`

// resealed is a ledger whose decisions were edited before they were sealed.
func resealed(t *testing.T, entries []evolution.Entry, edit func(*evolution.Record)) ([]evolution.Entry, evolution.Head) {
	t.Helper()
	var list []evolution.Entry
	var last evolution.Entry
	for _, e := range entries {
		var r evolution.Record
		if e.Kind == evolution.KindDecision {
			if err := e.Decode(&r); err != nil {
				t.Fatal(err)
			}
			edit(&r)
			sealed, err := evolution.NewEntry(last, e.Lineage, e.Kind, r, e.HeadAfter, e.At)
			if err != nil {
				t.Fatal(err)
			}
			e = sealed
		} else {
			e.Prev = last.Hash
			e.Hash, _ = e.ContentHash()
		}
		list, last = append(list, e), e
	}
	return list, evolution.Head{Number: last.Number, Hash: last.Hash}
}

// withFailures adds failed trials to a side.
func withFailures(list []evolution.Trial, n int) []evolution.Trial {
	for k := range n {
		list = append(list, evolution.Trial{ID: fmt.Sprintf("failed%d", k), Key: fmt.Sprintf("f%d", k), At: epoch, Failed: "timeout"})
	}
	return list
}

// Two mutations under bands, whose evidence grows in turn: each waits for three trials of each side, and then decides.
func TestReplayBandsInTurn(t *testing.T) {
	b := newBook(t, "l")
	b.set(func(s *evolution.Settings) {
		s.Policy, s.Params = "bands", []byte(threeTrials)
	})
	first, second := b.propose("a", "v002", "v001"), b.propose("b", "v003", "v001")
	var states []evolution.State
	for n := 1; n <= 3; n++ {
		states = append(states, b.decide(first, nil, pairs(repeat(6, n)...)).State, b.decide(second, nil, pairs(repeat(-9, n)...)).State)
	}
	if got, want := fmt.Sprint(states), "[continue continue continue continue accept reject]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	r := evolution.ReplayLedger(b.entries, b.end())
	if len(r.Differences) > 0 || r.Verified != 6 || r.Head != "v002" {
		t.Errorf("%d verified, %s is active: %v", r.Verified, r.Head, r.Differences)
	}
}

// A child that mostly fails is given up under bands, after six failures if it needs three scores; under "decide/2" it
// waited.
func TestBandsGiveUp(t *testing.T) {
	p := policy(t, "bands", "")
	for failed, want := range map[int]evolution.State{5: evolution.Continue, 6: evolution.Reject} {
		e := pairs(9, 9)
		e.Parent, e.Child = trials("p", 50, 50, 50), withFailures(e.Child, failed)
		d, err := evolution.Judge(p, e, drawn(t, true))
		if err != nil || d.State != want || (d.Label == evolution.ChildFailed) != (want == evolution.Reject) {
			t.Errorf("%d failures: %s %s %v", failed, d.State, d.Label, err)
		}
		e.Child = append(trials("c", 59, 59, 59), e.Child[2:]...)
		if d, err := evolution.Judge(p, e, drawn(t, true)); err != nil || d.State != evolution.Accept {
			t.Errorf("%d failures and three scores: %s %v", failed, d.State, err)
		}
	}
}

// Ledgers of earlier rules replay: "decide/2" waited for a failing child, and "decide/1" reported another noise.
func TestReplayEarlierRules(t *testing.T) {
	b := newBook(t, "l")
	b.set(func(s *evolution.Settings) { s.Policy, s.Params = "bands", []byte(threeTrials) })
	m := b.propose("a", "v002", "v001")
	e := pairs(9, 9)
	b.decide(m, nil, e)
	first, end := resealed(t, b.entries, func(r *evolution.Record) {
		r.Evidence.Child = withFailures(r.Evidence.Child, 9)
		r.Decision.FailedChild = 9
	})
	if r := evolution.ReplayLedger(first, end); len(r.Differences) == 0 {
		t.Error("by the present rules, a child that failed nine times is given up")
	}
	for _, version := range []string{"decide/1", "decide/2"} {
		list, end := resealed(t, b.entries, func(r *evolution.Record) {
			r.Decision.Version = version
			if version == "decide/1" {
				r.Decision.Noise.Method = "as reported then"
			}
		})
		if r := evolution.ReplayLedger(list, end); len(r.Differences) > 0 || r.Verified != 1 {
			t.Errorf("%s: %d verified, %v", version, r.Verified, r.Differences)
		}
	}
	waited, end := resealed(t, b.entries, func(r *evolution.Record) {
		r.Evidence.Child = withFailures(r.Evidence.Child, 9)
		r.Decision.Version, r.Decision.FailedChild = "decide/2", 9
	})
	for _, d := range evolution.ReplayLedger(waited, end).Differences {
		if d.Field == "decision.state" || d.Field == "decision.label" || d.Field == "decision.need" {
			t.Errorf("decide/2 waited: %v", d)
		}
	}
}
