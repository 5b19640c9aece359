package tracker_test

import (
	"crypto/rand"
	"testing"

	"track"
	"track/answer"
	"track/evolution"
	"track/internal/lineagetest"
	"track/internal/trackertest"
	"track/store"
	"track/tracker/exchange"
	"track/tracker/lineages"
)

// moved brings the ledger of a lineage, without its trials, to a database.
func moved(l *lineagetest.Loop, to *store.Store) *lineagetest.Loop {
	l.T.Helper()
	x, err := lineages.Export(l.T.Context(), l.Store.Reader, l.Name)
	if err != nil {
		l.T.Fatal(err)
	}
	if _, err := importLineage(l.T, to, x); err != nil {
		l.T.Fatal(err)
	}
	return &lineagetest.Loop{T: l.T, Store: to, Name: l.Name, N: l.N + 100}
}

func elsewhere(l *lineagetest.Loop) int {
	l.T.Helper()
	return l.Lineage().TrialsElsewhere
}

// Where a ledger is imported, whoever goes on waits for executions made there, and not for as many more as its origin
// had.
func TestNextAfterImport(t *testing.T) {
	home, away := newShard(t, 0), newShard(t, 30)
	origin := lineagetest.New(t, home.st, lineagetest.Calm)
	origin.Run("v001", 60, 61, 62, 60, 61)
	origin.Propose(lineagetest.Text("French"), answer.ProposeQuestion{ID: "m"})
	origin.Run("v002", 90, 91, 92, 93, 94)
	if r := origin.Decide("m", answer.DecideQuestion{}); !r.Record.Decision.Accepted {
		t.Fatalf("%+v", r.Record.Decision)
	}
	origin.Rollback(answer.RollbackQuestion{Previous: true})
	l := moved(origin, away.st)
	if n := elsewhere(l); n != 10 {
		t.Errorf("%d trials elsewhere", n)
	}
	l.WantNext(answer.ActionWait, evolution.HoldCooldown, 5, "")
	l.Run("v001", 60, 61, 62)
	l.WantNext(answer.ActionWait, evolution.HoldCooldown, 2, "")
	l.Run("v001", 60, 62)
	if s := l.Next(); s.Action != answer.ActionMutate {
		t.Errorf("after the cooldown: %+v", s)
	}
	// What is imported again, or back, counts from its newest entry.
	origin.Run("v001", 60)
	if l = moved(origin, away.st); elsewhere(l) != 10 {
		t.Errorf("%d trials elsewhere, of entries that are known", elsewhere(l))
	}
	l.Propose(lineagetest.Text("Dutch"), answer.ProposeQuestion{}) // at 15, of which 5 are here
	if back := moved(l, home.st); elsewhere(back) != 4 {
		t.Errorf("%d trials elsewhere, where 11 are here and the newest entry counts 15", elsewhere(back))
	}
}

// Databases that come together count each trial once, whichever is merged into which.
func TestMergeTrialsElsewhere(t *testing.T) {
	for _, name := range []string{"home into away", "away into home", "both into a third", "both into a third, away first", "away alone"} {
		t.Run(name, func(t *testing.T) {
			home, away, third := newShard(t, 0), newShard(t, 30), newShard(t, 60)
			origin := lineagetest.New(t, home.st, lineagetest.Calm)
			origin.Run("v001", 60, 61, 62)
			origin.Propose(lineagetest.Text("French"), answer.ProposeQuestion{})
			l := moved(origin, away.st)
			l.Run("v002", 50, 51)
			l.Propose(lineagetest.Text("German"), answer.ProposeQuestion{})
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
			l = &lineagetest.Loop{T: t, Store: merged.st, Name: "l", N: 200}
			if n := elsewhere(l); n != want {
				t.Errorf("%d trials elsewhere, want %d", n, want)
			}
			if m := l.Propose(lineagetest.Text("Italian"), answer.ProposeQuestion{Parents: []string{"v001"}}); m.Number != 3 {
				t.Errorf("%+v", m)
			}
			var p evolution.Proposal
			entries := l.Entries()
			if err := entries[len(entries)-1].Decode(&p); err != nil || p.Executions != 5 {
				t.Errorf("%d executions, %v", p.Executions, err)
			}
			for _, other := range []*shard{home, away} {
				if other != merged {
					merged.merge(other)
				}
			}
			if n := elsewhere(l); n != 0 {
				t.Errorf("%d trials elsewhere after all came together", n)
			}
		})
	}
}

// A merge of the lineage alone leaves the seeds of its scenario where they are; with these, all is counted here.
func TestMergeLineageAlone(t *testing.T) {
	home, away := newShard(t, 0), newShard(t, 30)
	trackertest.AddSpec(t, home.st, trackertest.Ranges("s", [2]float64{0, 1}))
	o := lineages.NewOptions{
		Name: "theta", Seed: pointer(uint64(7)), Subject: "scenario:s", Root: pointer(`{"theta": 10}`), Settings: evolution.DefaultParameterSettings(),
	}
	if _, _, err := lineages.New(t.Context(), home.st, o, rand.Reader); err != nil {
		t.Fatal(err)
	}
	origin := &lineagetest.Loop{T: t, Store: home.st, Name: "theta"}
	origin.Simulate(`{"theta": 10}`, "c", map[track.SeedNumber]map[string]float64{1: {"a": 0.5}, 2: {"a": 0.6}})
	origin.Propose(`{"theta": 11}`, answer.ProposeQuestion{})
	l := &lineagetest.Loop{T: t, Store: away.st, Name: "theta"}
	for _, c := range []struct {
		only exchange.Parts
		want int
	}{{exchange.Parts{Lineages: []string{"theta"}}, 2}, {exchange.Parts{}, 0}} {
		merged := answer.NewMergedFile("")
		if err := exchange.Merge(t.Context(), away.st, home.st, &merged, exchange.MergeOptions{Parts: c.only}); err != nil {
			t.Fatal(err)
		}
		if n := elsewhere(l); n != c.want {
			t.Errorf("%+v: %d trials elsewhere, want %d", c.only, n, c.want)
		}
	}
}
