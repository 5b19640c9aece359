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
		choice, err := evolution.ChooseOperator(evolution.Roulette, evolution.DefaultOperators(), c.s, nil, operatorDraw(1))
		if err != nil {
			t.Fatal(err)
		}
		if c.want != "" && (choice.Operator.Name != c.want || choice.DrawUsed || choice.Weights != nil) || c.want == "" && (choice.Reason != "roulette" || !choice.DrawUsed) {
			t.Errorf("%+v, want %s", choice, c.want)
		}
	}
	// A lineage whose own list lacks the operator goes on with the next signal.
	own := []evolution.Operator{{Name: "format_change", Risk: evolution.Medium}, {Name: "mine", Risk: evolution.High}}
	choice, err := evolution.ChooseOperator(evolution.Thompson, own, all, nil, operatorDraw(1))
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
		h.Add("a", d, d != nil && *d > 0)
	}
	if got := h["a"]; got.Uses != 3 || !got.Improved || got.Accepted != 1 || math.Abs(got.Success-(0.75+1.0/9)) > 1e-12 || math.Abs(got.AvgDelta+2) > 1e-12 {
		t.Errorf("%+v", got)
	}
}

// Each operator is chosen as often as its weight says, under both rules.
func TestDrawsFollowTheWeights(t *testing.T) {
	list := []evolution.Operator{{"a", evolution.Low}, {"b", evolution.Medium}, {"c", evolution.High}}
	h := evolution.Histories{}
	for _, d := range []float64{4, -1, 2} {
		h.Add("a", &d, d > 0)
	}
	h.Add("b", ptr(-1.0), false)
	const n = 50 * property.Draws
	for _, rule := range []evolution.OperatorRule{evolution.Thompson, evolution.Roulette} {
		count, sum := map[string]float64{}, 0.0
		weights := rule.Weights(list, h)
		for _, w := range weights {
			sum += w
		}
		for seed := range uint64(n) {
			choice, err := evolution.ChooseOperator(rule, list, evolution.Signals{}, h, operatorDraw(seed))
			if err != nil {
				t.Fatal(err)
			}
			count[choice.Operator.Name]++
		}
		for i, o := range list {
			want := weights[i] / sum
			if got := count[o.Name] / n; math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/n) {
				t.Errorf("%s, %s: %.4f, want %.4f", rule, o.Name, got, want)
			}
		}
	}
}

// The operator is the first whose cumulated weight is above u times the sum of the weights: what another language needs
// to repeat a choice. Weights and u are recorded.
func TestOperatorFromItsDraw(t *testing.T) {
	list := evolution.DefaultOperators()
	for seed := range uint64(200) {
		choice, err := evolution.ChooseOperator(evolution.Thompson, list, evolution.Signals{}, nil, operatorDraw(seed))
		if err != nil {
			t.Fatal(err)
		}
		sum, cumulated, i := 0.0, 0.0, 0
		for _, w := range choice.Weights {
			sum += w
		}
		for ; cumulated+choice.Weights[i] <= operatorDraw(seed).U*sum; i++ {
			cumulated += choice.Weights[i]
		}
		if choice.Operator != list[i] {
			t.Fatalf("seed %d: %s, want %s", seed, choice.Operator.Name, list[i].Name)
		}
	}
}

// Probabilities to be the best that are known: of Beta(1, 1) against Beta(1+k, 1) it is 1/(k+2); equal operators have
// equal weights; and 5 of 5 accepted outweigh an operator of high risk that was never tried, whatever they gained.
func TestThompsonWeights(t *testing.T) {
	two := []evolution.Operator{{"a", evolution.Low}, {"b", evolution.Low}}
	for k, want := range map[int]float64{0: 1.0 / 2, 1: 1.0 / 3, 5: 1.0 / 7} {
		h := evolution.Histories{"b": {Uses: k, Success: float64(k)}}
		if w := evolution.Thompson.Weights(two, h); math.Abs(w[0]-(0.95*want+0.025)) > 1e-3 || math.Abs(w[0]+w[1]-1) > 1e-12 {
			t.Errorf("%d: %v, want %v", k, w, 0.95*want+0.025)
		}
	}
	list := evolution.DefaultOperators()
	for _, gain := range []float64{0.01, 1, 30} {
		for i, o := range list {
			h := evolution.Histories{}
			for range 5 {
				h.Add(o.Name, &gain, true)
			}
			w := evolution.Thompson.Weights(list, h)
			for j, other := range list {
				if j != i && (o.Risk != evolution.High && w[i] <= w[j] || other.Risk == evolution.High && w[i] < 2*w[j]) {
					t.Errorf("5 of 5 by %s, each +%v: %.3f, never tried %s: %.3f", o.Name, gain, w[i], other.Name, w[j])
				}
			}
		}
	}
	h := evolution.Histories{}
	for range 40 {
		h.Add("constraint_add", ptr(-4.0), false)
	}
	if w := evolution.Thompson.Weights(list, h)[2]; w < 0.05/8 || w > 0.01 {
		t.Errorf("an operator that never helped keeps a share of 5 %% among eight: %.4f", w)
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
		if _, err := evolution.ChooseOperator(evolution.Thompson, c.list, evolution.Signals{}, c.h, c.draw); !errors.Is(err, c.want) {
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
				h.Add(o.Name, ptr(rapid.Float64Range(-100, 100).Draw(t, "delta")), rapid.Bool().Draw(t, "accepted"))
			}
		}
		c, err := evolution.ChooseOperator(evolution.Roulette, evolution.DefaultOperators(), evolution.Signals{}, h, operatorDraw(rapid.Uint64().Draw(t, "seed")))
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
