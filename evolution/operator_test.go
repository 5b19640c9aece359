package evolution_test

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"track/evolution"
	"track/internal/property"
)

func operatorDraw(seed uint64) evolution.Draw {
	return evolution.NewDraw(evolution.DrawKey{Seed: seed, Lineage: "l", Mutation: "m", Label: evolution.LabelOperator})
}

// The signals in their order, at their limits; a signal that was not measured calls for nothing.
func TestSignalsChooseTheOperator(t *testing.T) {
	all := evolution.Signals{ErrorRate: ptr(0.31), Efficiency: ptr(0.49), OutputQuality: ptr(0.59), StructureScore: ptr(0.49)}
	for _, c := range []struct {
		s    evolution.Signals
		want string
	}{
		{all, "constraint_add"},
		{evolution.Signals{ErrorRate: ptr(0.3), Efficiency: ptr(0.49), OutputQuality: ptr(0.1)}, "step_reorder"},
		{evolution.Signals{Efficiency: ptr(0.5), OutputQuality: ptr(0.59), StructureScore: ptr(0.1)}, "example_inject"},
		{evolution.Signals{OutputQuality: ptr(0.6), StructureScore: ptr(0.49)}, "format_change"},
		{evolution.Signals{StructureScore: ptr(0.5)}, ""},
		{evolution.Signals{}, ""},
	} {
		choice, err := evolution.ChooseOperator(evolution.DefaultOperators(), c.s, nil, operatorDraw(1))
		if err != nil {
			t.Fatal(err)
		}
		if c.want != "" && (choice.Operator.Name != c.want || choice.DrawUsed || choice.Weights != nil) || c.want == "" && (choice.Reason != "roulette" || !choice.DrawUsed) {
			t.Errorf("%+v, want %s", choice, c.want)
		}
	}
	// A lineage whose own list lacks the operator goes on with the next signal.
	own := []evolution.Operator{{Name: "format_change", Risk: evolution.Medium}, {Name: "mine", Risk: evolution.High}}
	choice, err := evolution.ChooseOperator(own, all, nil, operatorDraw(1))
	if err != nil || choice.Operator.Name != "format_change" {
		t.Errorf("%v %+v", err, choice)
	}
	if left := evolution.WithoutRisk(own, evolution.High); len(left) != 1 || len(own) != 2 || own[1].Name != "mine" {
		t.Errorf("%v of %v", left, own)
	}
}

func TestOperatorWeights(t *testing.T) {
	for _, c := range []struct {
		h    evolution.OperatorHistory
		want float64
	}{
		{evolution.OperatorHistory{}, 1.5},
		{evolution.OperatorHistory{Uses: 2}, 1},
		{evolution.OperatorHistory{Uses: 2, Improved: true, AvgDelta: 10}, 1.1},
		{evolution.OperatorHistory{Uses: 2, AvgDelta: -10}, 0.5},
		{evolution.OperatorHistory{Uses: 2, Improved: true, AvgDelta: -10}, 0.45},
		{evolution.OperatorHistory{Uses: 2, Improved: true, AvgDelta: -90}, 0.1},
	} {
		if got := c.h.Weight(); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v: %v, want %v", c.h, got, c.want)
		}
	}
	h := evolution.Histories{}
	for _, d := range []*float64{ptr(4.0), ptr(-10.0), nil} {
		h.Add("a", d)
	}
	if got := h["a"]; got.Uses != 3 || !got.Improved || math.Abs(got.AvgDelta+2) > 1e-12 {
		t.Errorf("%+v", got)
	}
}

// Each operator is chosen as often as its weight says.
func TestRouletteFollowsTheWeights(t *testing.T) {
	list := []evolution.Operator{{"a", evolution.Low}, {"b", evolution.Low}, {"c", evolution.Low}}
	h := evolution.Histories{"a": {Uses: 1}, "b": {Uses: 1, AvgDelta: -1}} // 1, 0.5, 1.5
	const n = 20_000
	count := map[string]float64{}
	for seed := range uint64(n) {
		choice, err := evolution.ChooseOperator(list, evolution.Signals{}, h, operatorDraw(seed))
		if err != nil {
			t.Fatal(err)
		}
		count[choice.Operator.Name]++
	}
	for name, want := range map[string]float64{"a": 1.0 / 3, "b": 1.0 / 6, "c": 0.5} {
		if got := count[name] / n; math.Abs(got-want) > 4*math.Sqrt(want/n) {
			t.Errorf("%s: %.4f, want %.4f", name, got, want)
		}
	}
}

func TestOperatorErrors(t *testing.T) {
	low := func(names ...string) (list []evolution.Operator) {
		for _, n := range names {
			list = append(list, evolution.Operator{Name: n, Risk: evolution.Low})
		}
		return list
	}
	for name, c := range map[string]struct {
		list []evolution.Operator
		h    evolution.Histories
		draw evolution.Draw
		want error
	}{
		"none":       {nil, nil, operatorDraw(1), evolution.ErrNoOperator},
		"twice":      {low("a", "a"), nil, operatorDraw(1), evolution.ErrOperatorList},
		"no name":    {low(""), nil, operatorDraw(1), evolution.ErrOperatorList},
		"odd risk":   {[]evolution.Operator{{"a", "low"}}, nil, operatorDraw(1), evolution.ErrOperatorList},
		"NaN":        {low("a"), evolution.Histories{"a": {AvgDelta: math.NaN()}}, operatorDraw(1), evolution.ErrOperatorList},
		"other draw": {low("a"), nil, drawn(t, true), evolution.ErrDraw},
	} {
		if _, err := evolution.ChooseOperator(c.list, evolution.Signals{}, c.h, c.draw); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Weights are never below 0.1, and a choice is always of the list.
func TestChoiceProperties(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		h := evolution.Histories{}
		for _, o := range evolution.DefaultOperators() {
			for range rapid.IntRange(0, 3).Draw(t, "uses") {
				h.Add(o.Name, ptr(rapid.Float64Range(-100, 100).Draw(t, "delta")))
			}
		}
		c, err := evolution.ChooseOperator(evolution.DefaultOperators(), evolution.Signals{}, h, operatorDraw(rapid.Uint64().Draw(t, "seed")))
		if err != nil || c.Operator.Name == "" || len(c.Weights) != 8 {
			t.Fatalf("%v %+v", err, c)
		}
		for _, w := range c.Weights {
			if w < 0.1 || w > 2.25 {
				t.Fatal(c.Weights)
			}
		}
	})
}
