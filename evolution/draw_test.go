package evolution_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"track/evolution"
	"track/internal/property"
)

// The vectors of the reference: anybody, in any language, must draw these.
func TestDrawVectors(t *testing.T) {
	for _, v := range []struct {
		key evolution.DrawKey
		raw string
		u   float64
	}{
		{evolution.DrawKey{Seed: 42, Lineage: "main", Mutation: "m-0001", Label: "explore"}, "ae08d83393bfd301", 0.6798224569245115},
		{evolution.DrawKey{}, "051310155fe97be4", 0.019822125643178867},
		{evolution.DrawKey{Seed: math.MaxUint64, Lineage: "agents/sepa", Mutation: "01J9ZK3V", Label: "explore"}, "13b3c33d36dc2a56", 0.07696171040048283},
	} {
		d := evolution.NewDraw(v.key)
		if d.Raw.String() != v.raw || d.U != v.u || d.Algorithm != "sha256-u53/1" {
			t.Errorf("%+v: %s %v, want %s %v", v.key, d.Raw, d.U, v.raw, v.u)
		}
	}
}

// The generator of pcg-dxsm/1 is that of math/rand/v2, and the next draw goes on where this one ended.
func TestPCGDraw(t *testing.T) {
	own := rand.NewPCG(1, 2)
	state, err := own.MarshalBinary()
	if err != nil || len(state) != 20 {
		t.Fatal(err, len(state))
	}
	for range 3 {
		d, err := evolution.NewPCGDraw(state, evolution.DrawKey{Label: "explore"})
		if err != nil {
			t.Fatal(err)
		}
		if want := own.Uint64(); uint64(d.Raw) != want || d.U != float64(want>>11)/(1<<53) {
			t.Errorf("%s %v, want %016x", d.Raw, d.U, want)
		}
		if err := d.Verify(); err != nil {
			t.Error(err)
		}
		if state, err = d.PCGState(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := evolution.NewPCGDraw(state[:19], evolution.DrawKey{}); !errors.Is(err, evolution.ErrDraw) {
		t.Errorf("19 bytes of state: %v", err)
	}
	if _, err := evolution.NewDraw(evolution.DrawKey{}).PCGState(); err == nil {
		t.Error("a keyed draw has a state")
	}
}

// An edit of any stored field of a draw is found from its own row.
func TestVerifyFindsEdits(t *testing.T) {
	keyed := evolution.NewDraw(evolution.DrawKey{Seed: 1, Lineage: "l", Mutation: "m", Attempt: 2, Label: "explore"})
	state, _ := rand.NewPCG(3, 4).MarshalBinary()
	pcg, err := evolution.NewPCGDraw(state, evolution.DrawKey{})
	if err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string]func() evolution.Draw{
		"seed":      func() evolution.Draw { d := keyed; d.Seed++; return d },
		"lineage":   func() evolution.Draw { d := keyed; d.Lineage = "k"; return d },
		"mutation":  func() evolution.Draw { d := keyed; d.Mutation = ""; return d },
		"attempt":   func() evolution.Draw { d := keyed; d.Attempt = 3; return d },
		"label":     func() evolution.Draw { d := keyed; d.Label = "mutate"; return d },
		"raw":       func() evolution.Draw { d := keyed; d.Raw++; return d },
		"u":         func() evolution.Draw { d := keyed; d.U /= 2; return d },
		"algorithm": func() evolution.Draw { d := keyed; d.Algorithm = "sha256-u53/2"; return d },
		"a state":   func() evolution.Draw { d := keyed; d.StateBefore = "00"; return d },
		"before":    func() evolution.Draw { d := pcg; d.StateBefore = d.StateAfter; return d },
		"no hex":    func() evolution.Draw { d := pcg; d.StateBefore = "x"; return d },
		"after":     func() evolution.Draw { d := pcg; d.StateAfter = d.StateBefore; return d },
		"pcg raw":   func() evolution.Draw { d := pcg; d.Raw ^= 1; return d },
	} {
		if err := edit().Verify(); !errors.Is(err, evolution.ErrDraw) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if keyed.Verify() != nil || pcg.Verify() != nil {
		t.Error("what nobody edited differs")
	}
}

// Draws survive JSON bit for bit; a seed is a string there.
func TestDrawJSON(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		d := evolution.NewDraw(keys.Draw(t, "key"))
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		var back evolution.Draw
		if err := json.Unmarshal(text, &back); err != nil || back != d {
			t.Fatalf("%v\n%+v\n%+v", err, d, back)
		}
	})
	var raw evolution.Raw
	for _, text := range []string{"", "1", "00000000000000AB", "0000000000000000f", "000000000000000g", "+000000000000001"} {
		if raw.UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q is read as raw", text)
		}
	}
}

var keys = rapid.Custom(func(t *rapid.T) evolution.DrawKey {
	text := rapid.StringOf(rapid.RuneFrom([]rune("ab\x00é")))
	return evolution.DrawKey{
		Seed: rapid.Uint64().Draw(t, "seed"), Lineage: text.Draw(t, "lineage"), Mutation: text.Draw(t, "mutation"),
		Attempt: rapid.IntRange(0, 12).Draw(t, "attempt"), Label: text.Draw(t, "label"),
	}
})

// Different keys, also those whose fields are the same text cut elsewhere, have different draws.
func TestDrawsOfDifferentKeysDiffer(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		a, b := keys.Draw(t, "a"), keys.Draw(t, "b")
		if (a == b) != (evolution.NewDraw(a).Raw == evolution.NewDraw(b).Raw) {
			t.Fatalf("%+v and %+v", a, b)
		}
	})
}

// A million draws from keys that differ as little as real ones do are uniform: in 1000 cells (chi-square), against the
// uniform distribution (Kolmogorov–Smirnov in cells), in each of 53 bits, and one after the other. Limits at about 5
// sd.
func TestDrawsAreUniform(t *testing.T) {
	const n, cells = 1_000_000, 1000
	for name, key := range map[string]func(i int) evolution.DrawKey{
		"consecutive seeds": func(i int) evolution.DrawKey {
			return evolution.DrawKey{Seed: uint64(i), Lineage: "main", Mutation: "m-0001", Label: "explore"}
		},
		"consecutive mutations": func(i int) evolution.DrawKey {
			return evolution.DrawKey{Seed: 42, Lineage: "main", Mutation: fmt.Sprintf("m-%06d", i), Label: "explore"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var count [cells]int
			var ones [64]int
			serial, last := 0.0, 0.0
			for i := range n {
				d := evolution.NewDraw(key(i))
				count[int(d.U*cells)]++
				for rest := uint64(d.Raw) >> 11; rest != 0; rest &= rest - 1 {
					ones[bits.TrailingZeros64(rest)]++
				}
				serial += (d.U - 0.5) * last
				last = d.U - 0.5
			}
			chi, below, ks := 0.0, 0, 0.0
			for c, k := range count {
				chi += (float64(k) - n/cells) * (float64(k) - n/cells) / (n / cells)
				below += k
				ks = max(ks, math.Abs(float64(below)/n-float64(c+1)/cells))
			}
			if limit := 5 * math.Sqrt(2*(cells-1)); math.Abs(chi-(cells-1)) > limit {
				t.Errorf("chi-square %v with %d degrees of freedom", chi, cells-1)
			}
			if ks > 2.3/math.Sqrt(n) { // P < 1e-4
				t.Errorf("largest distance %v", ks)
			}
			for bit := range 53 {
				if math.Abs(float64(ones[bit])-n/2) > 5*math.Sqrt(n)/2 {
					t.Errorf("bit %d is 1 in %d of %d", bit, ones[bit], n)
				}
			}
			if math.Abs(serial) > 5*math.Sqrt(n)/12 { // each product has the sd 1/12
				t.Errorf("draws follow on one another: %v", serial/n)
			}
		})
	}
}

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
