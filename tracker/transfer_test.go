package tracker_test

import (
	"crypto/rand"
	"testing"

	"track"
	"track/evolution"
	"track/store"
	"track/tracker"
)

// moved brings the ledger of a lineage, without its trials, to a database.
func (l *loop) moved(to *store.Store) *loop {
	l.t.Helper()
	x, err := tracker.ExportLineage(l.t.Context(), l.st, l.name)
	if err != nil {
		l.t.Fatal(err)
	}
	if _, err := tracker.ImportLineage(l.t.Context(), to, x); err != nil {
		l.t.Fatal(err)
	}
	return &loop{t: l.t, st: to, name: l.name, n: l.n + 100}
}

func (l *loop) elsewhere() int {
	l.t.Helper()
	e, err := l.st.Evolving(l.t.Context(), l.name)
	if err != nil {
		l.t.Fatal(err)
	}
	return e.TrialsElsewhere
}

// Where a ledger is imported, whoever goes on waits for executions made there, and not for as many more as its origin had.
func TestNextAfterImport(t *testing.T) {
	home, away := newShard(t, 0), newShard(t, 30)
	origin := newLoop(t, home.st, calm)
	origin.run("v001", 60, 61, 62, 60, 61)
	origin.propose(text("French"), tracker.ProposeOptions{ID: "m"})
	origin.run("v002", 90, 91, 92, 93, 94)
	if r := origin.decide("m", tracker.DecideOptions{}); !r.Record.Decision.Accepted {
		t.Fatalf("%+v", r.Record.Decision)
	}
	origin.rollback(tracker.RollbackOptions{Previous: true})
	l := origin.moved(away.st)
	if n := l.elsewhere(); n != 10 {
		t.Errorf("%d trials elsewhere", n)
	}
	l.wantNext(tracker.ActionWait, evolution.HoldCooldown, 5, "")
	l.run("v001", 60, 61, 62)
	l.wantNext(tracker.ActionWait, evolution.HoldCooldown, 2, "")
	l.run("v001", 60, 62)
	if s := l.next(); s.Action != tracker.ActionMutate {
		t.Errorf("after the cooldown: %+v", s)
	}
	// What is imported again, or back, counts from its newest entry.
	origin.run("v001", 60)
	if l = origin.moved(away.st); l.elsewhere() != 10 {
		t.Errorf("%d trials elsewhere, of entries that are known", l.elsewhere())
	}
	l.propose(text("Dutch"), tracker.ProposeOptions{}) // at 15, of which 5 are here
	if back := l.moved(home.st); back.elsewhere() != 4 {
		t.Errorf("%d trials elsewhere, where 11 are here and the newest entry counts 15", back.elsewhere())
	}
}

// Databases that come together count each trial once, whichever is merged into which.
func TestMergeTrialsElsewhere(t *testing.T) {
	for _, name := range []string{"home into away", "away into home", "both into a third", "both into a third, away first", "away alone"} {
		t.Run(name, func(t *testing.T) {
			home, away, third := newShard(t, 0), newShard(t, 30), newShard(t, 60)
			origin := newLoop(t, home.st, calm)
			origin.run("v001", 60, 61, 62)
			origin.propose(text("French"), tracker.ProposeOptions{})
			l := origin.moved(away.st)
			l.run("v002", 50, 51)
			l.propose(text("German"), tracker.ProposeOptions{})
			merged, want := third, 0
			switch name {
			case "home into away":
				merged = away
				merged.merge(home)
			case "away into home":
				merged = home
				merged.merge(away)
			case "both into a third":
				merged.merge(home, away)
			case "both into a third, away first":
				merged.merge(away, home)
			case "away alone":
				merged.merge(away)
				want = 3
			}
			l = &loop{t: t, st: merged.st, name: "l", n: 200}
			if n := l.elsewhere(); n != want {
				t.Errorf("%d trials elsewhere, want %d", n, want)
			}
			if m := l.propose(text("Italian"), tracker.ProposeOptions{Parents: []string{"v001"}}); m.Number != 3 {
				t.Errorf("%+v", m)
			}
			var p evolution.Proposal
			entries := l.entries()
			if err := entries[len(entries)-1].Decode(&p); err != nil || p.Executions != 5 {
				t.Errorf("%d executions, %v", p.Executions, err)
			}
			for _, other := range []*shard{home, away} {
				if other != merged {
					merged.merge(other)
				}
			}
			if n := l.elsewhere(); n != 0 {
				t.Errorf("%d trials elsewhere after all came together", n)
			}
		})
	}
}

// A merge of the lineage alone leaves the seeds of its scenario where they are; with these, all is counted here.
func TestMergeLineageAlone(t *testing.T) {
	home, away := newShard(t, 0), newShard(t, 30)
	addSpec(t, home.st, ranges("s", [2]float64{0, 1}))
	o := tracker.NewLineageOptions{
		Name: "theta", Seed: pointer(uint64(7)), Subject: "scenario:s", Root: pointer(`{"theta": 10}`), Settings: evolution.DefaultParameterSettings(),
	}
	if _, _, err := tracker.NewLineage(t.Context(), home.st, o, rand.Reader); err != nil {
		t.Fatal(err)
	}
	origin := &loop{t: t, st: home.st, name: "theta"}
	origin.simulate(`{"theta": 10}`, "c", map[track.SeedNumber]map[string]float64{1: {"a": 0.5}, 2: {"a": 0.6}})
	origin.propose(`{"theta": 11}`, tracker.ProposeOptions{})
	l := &loop{t: t, st: away.st, name: "theta"}
	for _, c := range []struct {
		only store.MergeOptions
		want int
	}{{store.MergeOptions{Lineages: []string{"theta"}}, 2}, {store.MergeOptions{}, 0}} {
		if _, err := tracker.Merge(t.Context(), away.st, home.path, tracker.MergeOptions{MergeOptions: c.only}); err != nil {
			t.Fatal(err)
		}
		if n := l.elsewhere(); n != c.want {
			t.Errorf("%+v: %d trials elsewhere, want %d", c.only, n, c.want)
		}
	}
}
