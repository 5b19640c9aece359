package lineages_test

import (
	"fmt"
	"testing"

	"track"
	"track/answer"
	"track/evolution"
	"track/internal/lineagetest"
	"track/internal/testdb"
	"track/store"
	"track/tracker/lineages"
)

// maxStatements is how large statements an answer about a lineage may take, however large versions the lineage has.
const maxStatements = 25

// The number of statements that an answer about a lineage takes does not grow with its versions.
func TestStatements(t *testing.T) {
	for name, grow := range map[string]func(*testing.T, int) *loop{"agent": growAgent, "simulation": growSimulation} {
		t.Run(name, func(t *testing.T) {
			many := 60
			if testing.Short() {
				many = 20
			}
			small, large := countStatements(t, grow(t, 5)), countStatements(t, grow(t, many))
			for question, n := range large {
				t.Logf("%s: %d", question, n)
				if n > maxStatements || n != small[question] {
					t.Errorf("%s: %d statements for %d versions, %d for 5; want at most %d", question, n, many, small[question], maxStatements)
				}
			}
		})
	}
}

// growAgent returns a lineage of an agent with n versions, each of which was accepted after a rejection, and one more
// that is to be decided.
func growAgent(t *testing.T, n int) *loop {
	l := newLoop(t, testdb.New(t), lineagetest.Calm)
	l.Run("v001", 10)
	for i := 2; i <= n; i++ {
		p := l.Propose(lineagetest.Text(fmt.Sprint("language ", i)), answer.ProposeQuestion{ID: fmt.Sprint("m", i)})
		for _, score := range []float64{1, 10 + float64(i), 10 + float64(i), 10 + float64(i)} {
			l.Run(p.Child, score)
			l.Decide(p.Key, answer.DecideQuestion{})
		}
	}
	p := l.Propose(lineagetest.Text("the last language"), answer.ProposeQuestion{ID: "open"})
	l.Run(p.Child, 90, 90, 90, 90, 90)
	return l
}

// growSimulation returns a lineage of parameters with n versions, each of which was accepted, and one more that is to
// be decided.
func growSimulation(t *testing.T, n int) *loop {
	l := simulation(t)
	propose := func(i int) string {
		params := fmt.Sprintf(`{"theta":%d}`, 10+i)
		p := l.Propose(params, answer.ProposeQuestion{ID: fmt.Sprint("m", i)})
		b := 1 + 1/float64(i+1)
		l.Simulate(params, "c", map[track.SeedNumber]map[string]float64{1: {"a": 0.5, "b": b}, 2: {"a": 0.5, "b": b}, 3: {"a": 0.5, "b": b}})
		return p.Key
	}
	l.Simulate(`{"theta":10}`, "c", map[track.SeedNumber]map[string]float64{1: {"a": 0.5, "b": 3}, 2: {"a": 0.5, "b": 3}, 3: {"a": 0.5, "b": 3}})
	for i := 1; i < n; i++ {
		if d := l.Decide(propose(i), answer.DecideQuestion{}); !d.Record.Decision.Accepted {
			t.Fatalf("%+v", d.Record.Decision)
		}
	}
	propose(n)
	return l
}

// countStatements returns how large statements the answers about a lineage take.
func countStatements(t *testing.T, l *loop) map[string]int64 {
	t.Helper()
	ctx, r := t.Context(), l.Store.Reader
	mutations, err := r.Mutations(ctx, l.Lineage(), store.MutationFilter{})
	if err != nil {
		t.Fatal(err)
	}
	open := mutations[len(mutations)-1].Key
	counts := map[string]int64{}
	for question, ask := range map[string]func() error{
		"report": func() error { _, err := lineages.Review(ctx, r, l.Name); return err },
		"export": func() error { _, err := lineages.Export(ctx, r, l.Name); return err },
		"overview": func() error {
			_, err := lineages.ShowLineage(ctx, r, answer.LineageQuestion{Lineage: l.Name})
			return err
		},
		"versions": func() error {
			_, err := lineages.ListVersions(ctx, r, answer.OptionalLineageQuestion{Lineage: l.Name})
			return err
		},
		"version": func() error {
			_, err := lineages.ShowVersion(ctx, r, answer.VersionQuestion{Of: answer.VersionSelector{Lineage: l.Name, Version: "v002"}})
			return err
		},
		"front": func() error {
			_, err := lineages.ShowFront(ctx, r, answer.FrontQuestion{Lineage: l.Name})
			return err
		},
		"operators": func() error {
			_, err := lineages.ShowOperators(ctx, r, answer.OperatorsQuestion{Lineage: l.Name})
			return err
		},
		"suggestion": func() error {
			_, err := lineages.ShowOperators(ctx, r, answer.OperatorsQuestion{Lineage: l.Name, Suggest: true})
			return err
		},
		"draws": func() error {
			_, err := lineages.ListDraws(ctx, r, answer.OptionalLineageQuestion{Lineage: l.Name})
			return err
		},
		"mutation": func() error {
			_, err := lineages.ShowMutation(ctx, r, answer.MutationQuestion{Lineage: l.Name, Mutation: mutations[0].Key})
			return err
		},
		"replay": func() error { _, err := lineages.Replay(ctx, r, l.Name, answer.ReplayQuestion{}); return err },
		"strict replay": func() error {
			_, err := lineages.Replay(ctx, r, l.Name, answer.ReplayQuestion{Strict: true})
			return err
		},
		"counterfactual replay": func() error {
			_, err := lineages.Replay(ctx, r, l.Name, answer.ReplayQuestion{Counterfactual: evolution.Greedy{}})
			return err
		},
		"next": func() error {
			_, err := lineages.NextAction(ctx, l.Store, answer.NextQuestion{Lineage: l.Name, DryRun: true})
			return err
		},
		"decision": func() error {
			_, err := lineages.Decide(ctx, l.Store, l.Name, open, answer.DecideQuestion{DryRun: true})
			return err
		},
	} {
		n := int64(0)
		r.Hear(func(string, []any) { n++ })
		if err := ask(); err != nil {
			t.Fatalf("%s: %v", question, err)
		}
		counts[question] = n
	}
	return counts
}
