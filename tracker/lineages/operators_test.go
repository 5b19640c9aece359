package lineages_test

import (
	"slices"
	"testing"
	"time"

	"track/answer"
	"track/evolution"
	"track/internal/lineagetest"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/tracker/lineages"
)

// How operators did: tried, accepted, refused, withdrawn, with what they cost and gained.
func TestOperators(t *testing.T) {
	l := newLoop(t, testdb.New(t), lineagetest.Calm)
	l.Run("v001", 60)
	step := func(child, operator string, cost float64, score float64) {
		t.Helper()
		p := l.Propose(lineagetest.Text(child), answer.ProposeQuestion{Operator: operator, CostUSD: &cost})
		l.Run(p.Child, score)
		l.Decide(p.Key, answer.DecideQuestion{})
	}
	step("French", "step_reorder", 1, 70)
	step("German", "step_reorder", 3, 50)
	step("Dutch", "example_inject", 2, 80)
	l.Propose(lineagetest.Text("Danish"), answer.ProposeQuestion{Operator: "zoo"})
	if _, err := lineages.Withdraw(t.Context(), l.Store, "l", l.Propose(lineagetest.Text("Czech"), answer.ProposeQuestion{Operator: "ant"}).Key, "no", time.Time{}); err != nil {
		t.Fatal(err)
	}
	l.Propose("x", answer.ProposeQuestion{Operator: "step_reorder"})
	l.Rollback(answer.RollbackQuestion{To: "v002"})
	reports, err := lineages.ShowOperators(t.Context(), l.Store.Reader, answer.OperatorsQuestion{Lineage: "l"})
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]answer.Operator{}
	var names []string
	for _, r := range reports.Operators {
		byName[r.Operator], names = r, append(names, r.Operator)
	}
	if want := []string{"ant", "zoo"}; !slices.Equal(names[len(names)-2:], want) || len(names) != len(evolution.DefaultOperators())+2 {
		t.Errorf("%v", names)
	}
	o := byName["step_reorder"]
	if o.Proposed != 3 || o.Accepted != 1 || o.Rejected != 1 || o.Refused != 1 || o.RolledBack != 0 || *o.CostUSD != 4 || o.Gain != 10 || *o.CostPerPoint != 0.4 || o.AcceptRate.Value != 0.5 || o.Delta.Value != -5 || !o.Listed {
		t.Errorf("%+v", o)
	}
	sum := 0.0
	for _, o := range byName {
		if o.Proposed != o.Accepted+o.Rejected+o.Refused+o.Withdrawn+o.Open {
			t.Errorf("the outcomes do not add up: %+v", o)
		}
		sum += o.Weight
	}
	if !trackertest.Near(sum, 1) || byName["zoo"].Weight != 0 {
		t.Errorf("the weights are not probabilities of the listed operators: %v", sum)
	}
	if o := byName["example_inject"]; o.Proposed != 1 || o.Accepted != 1 || o.RolledBack != 1 || o.Gain != 10 {
		t.Errorf("%+v", o)
	}
	if z, a := byName["zoo"], byName["ant"]; z.Open != 1 || a.Withdrawn != 1 || z.Delta != nil || a.AcceptRate != nil {
		t.Errorf("%+v %+v", z, a)
	}
	if u := byName["persona_adjust"]; u.Proposed != 0 || u.Weight <= o.Weight {
		t.Errorf("%+v", u)
	}
	// What would be drawn next is what is drawn.
	before, err := lineages.ShowOperators(t.Context(), l.Store.Reader, answer.OperatorsQuestion{Lineage: "l", Suggest: true})
	if err != nil || before.Suggestion.Pending {
		t.Fatal(before, err)
	}
	suggested := before.Suggestion
	if _, err := lineages.Withdraw(t.Context(), l.Store, "l", l.Entries()[len(l.Entries())-5].Mutation, "no", time.Time{}); err != nil {
		t.Fatal(err)
	}
	l.Set(func(s *evolution.Settings) { s.Loop.Cooldown = 0 })
	s := l.Next()
	if s.Action != answer.ActionMutate || s.Operator != suggested.Operator || s.Considered.Operator.Raw != suggested.Draw.Raw {
		t.Errorf("suggested %+v, %+v", suggested, s)
	}
	if again, err := lineages.ShowOperators(t.Context(), l.Store.Reader, answer.OperatorsQuestion{Lineage: "l", Suggest: true}); err != nil || !again.Suggestion.Pending || again.Suggestion.Operator != suggested.Operator {
		t.Errorf("%+v %v", again, err)
	}
	l.CheckReplay()
}
