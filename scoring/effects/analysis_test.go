package effects

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// gridOf returns a full grid of the levels for each of n parameters, with the outcomes of a model and normal noise.
func gridOf(n int, levels []float64, seeds int, sd float64, model func(x []float64) float64) (names []string, list []Configuration) {
	rng := rand.New(rand.NewPCG(3, 4))
	for k := range n {
		names = append(names, string(rune('a'+k)))
	}
	x := make([]float64, n)
	var fill func(k int)
	fill = func(k int) {
		if k < n {
			for _, x[k] = range levels {
				fill(k + 1)
			}
			return
		}
		var c Configuration
		for _, v := range x {
			c.Values = append(c.Values, number(v))
		}
		for s := range seeds {
			c.Outcomes = append(c.Outcomes, Outcome{uint64(s), model(x) + sd*rng.NormFloat64()})
		}
		list = append(list, c)
	}
	fill(0)
	return names, list
}

func equallySpaced(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = -math.Pi + 2*math.Pi*(float64(i)+0.5)/float64(n)
	}
	return list
}

// The indices are computed by hand. For a·b with a and b in 0, 0.5, 1: E(a) = 1/2 and Var(a) = 1/6, so V = (5/12)² -
// 1/16 = 1/9, V(a) = 1/24, and S(a) = 3/8. Those of Ishigami's function are of the continuous ranges (Ishigami and
// Homma 1990), which midpoints of 12 parts approximate.
func TestSharesOfKnownModels(t *testing.T) {
	unit := []float64{0, 0.5, 1}
	centred := func(x float64) float64 { return x - 0.5 }
	for _, c := range []struct {
		name         string
		n            int
		levels       []float64
		model        func(x []float64) float64
		first, total []float64
		within       float64
	}{
		{"additive", 2, unit, func(x []float64) float64 { return x[0] + 2*x[1] }, []float64{0.2, 0.8}, []float64{0.2, 0.8}, 0.01},
		{"product", 3, unit, func(x []float64) float64 { return x[0] * x[1] }, []float64{0.375, 0.375, 0}, []float64{0.625, 0.625, 0}, 0.01},
		{"pure interaction", 3, unit, func(x []float64) float64 { return centred(x[0]) * centred(x[1]) }, []float64{0, 0, 0}, []float64{1, 1, 0}, 0.01},
		{"of three", 3, []float64{0, 1}, func(x []float64) float64 { return centred(x[0]) * centred(x[1]) * centred(x[2]) }, []float64{0, 0, 0}, []float64{1, 1, 1}, 0.01},
		{"Ishigami", 3, equallySpaced(12), func(x []float64) float64 {
			return math.Sin(x[0]) + 7*math.Pow(math.Sin(x[1]), 2) + 0.1*math.Pow(x[2], 4)*math.Sin(x[0])
		}, []float64{0.3139, 0.4424, 0}, []float64{0.5576, 0.4424, 0.2437}, 0.02},
	} {
		for _, sd := range []float64{0, 0.02} {
			names, list := gridOf(c.n, c.levels, 4, sd, c.model)
			a := effectsOf(t, names, list)
			sum := 0.0
			for _, e := range a.Effects {
				k := slices.Index(names, e.Parameter)
				sum += c.first[k]
				if math.Abs(e.Share-c.first[k]) > c.within || math.Abs(e.Total-c.total[k]) > c.within {
					t.Errorf("%s, noise %v: %s has %v and %v, want %v and %v", c.name, sd, e.Parameter, e.Share, e.Total, c.first[k], c.total[k])
				}
			}
			if math.Abs(a.Variance.Unexplained-(1-sum)) > 2*c.within || (sd == 0) != (a.Variance.Noise == 0) {
				t.Errorf("%s, noise %v: %+v", c.name, sd, a.Variance)
			}
		}
	}
}

// A replicated grid with holes, other numbers of seeds, and other seeds: what single parameters do not explain is found
// all the same.
func TestSharesOfUnbalancedGrids(t *testing.T) {
	names, list := gridOf(3, []float64{0, 0.5, 1}, 6, 0.02, func(x []float64) float64 { return 1.6 * (x[0] - 0.5) * (x[1] - 0.5) })
	list = slices.DeleteFunc(list, func(c Configuration) bool {
		at := c.Values[0].Number + 2*c.Values[1].Number + 4*c.Values[2].Number
		return at == 2.5 || at == 7
	})
	for i := range list {
		list[i].Outcomes = list[i].Outcomes[:3+i%4]
		for k := range list[i].Outcomes {
			list[i].Outcomes[k].Seed += uint64(100 * i)
		}
	}
	a := effectsOf(t, names, list)
	if a.Factorial || a.Paired {
		t.Fatalf("%+v", a)
	}
	for _, e := range a.Effects {
		if want := map[string]float64{"a": 1, "b": 1, "c": 0}[e.Parameter]; math.Abs(e.Total-want) > 0.1 || e.Share > 0.1 {
			t.Errorf("%s: share %v, total %v, want 0 and %v", e.Parameter, e.Share, e.Total, want)
		}
	}
	if v := a.Variance; v.Unexplained < 0.9 || v.Interactions[0].A != "a" || v.Interactions[0].B != "b" || *v.Interactions[0].PAdjusted > 0.001 || *v.Interactions[1].PAdjusted < 0.05 {
		t.Errorf("%+v", v)
	}
}

// In a random design of numbers, an interaction is found from ranges of values; a third number does nothing.
func TestSharesOfARandomDesign(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var list []Configuration
	for range 150 {
		x, y, z := rng.Float64(), rng.Float64(), rng.Float64()
		c := Configuration{Values: []Value{number(x), number(y), number(z)}}
		for s := range 3 {
			c.Outcomes = append(c.Outcomes, Outcome{uint64(s), (x-0.5)*(y-0.5) + 0.01*rng.NormFloat64()})
		}
		list = append(list, c)
	}
	a := effectsOf(t, []string{"x", "y", "z"}, list)
	v := a.Variance
	if i := v.Interactions[0]; i.A != "x" || i.B != "y" || i.Share < 0.6 || *i.PAdjusted > 0.001 || *v.Interactions[1].P < 0.01 {
		t.Errorf("%+v", v)
	}
	if a.Effects[2].Parameter != "z" || a.Effects[2].Total > 0.15 || a.Effects[0].Total < 0.6 || v.Unexplained < 0.8 {
		t.Errorf("%+v", a.Effects)
	}
}

// The tests of interactions of an additive model reject 5 % of the time: in a replicated grid, and in a design without
// noise of its own where the residuals are the noise. The binomial range of 400 draws is 2.9 % to 7.5 % (p = 0.95).
func TestInteractionsOfAnAdditiveModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, seeds := range []int{1, 4} {
		rejected, draws := 0, 400
		for range draws {
			names, list := gridOf(3, []float64{0, 1, 2}, seeds, 0, func(x []float64) float64 { return x[0] + x[1] })
			for i := range list {
				for k := range list[i].Outcomes {
					list[i].Outcomes[k].Value += rng.NormFloat64()
				}
			}
			d, err := newData(names, list, Options{Confidence: 0.95})
			if err != nil {
				t.Fatal(err)
			}
			c := decomposition{data: d, factorial: true, total: 1}
			c.addNoise()
			if *c.interaction(0, 1).P <= 0.05 {
				rejected++
			}
		}
		if share := float64(rejected) / float64(draws); share < 0.029 || share > 0.075 {
			t.Errorf("%d seeds: %v rejected, want 0.05", seeds, share)
		}
	}
}

// Seeds that differ more than configurations leave nothing to divide, and two equal effects no shares.
func TestNoShares(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	names, list := inert(rng, 2, 9, 5, true)
	a := effectsOf(t, names, list)
	if v := a.Variance; v.NoShares != "the means of configurations differ no more than seeds explain" || *v.P < 0.05 || !math.IsNaN(a.Effects[0].Total) || !math.IsNaN(v.Unexplained) {
		t.Errorf("%+v", v)
	}
	for i := range list {
		for s := range list[i].Outcomes {
			list[i].Outcomes[s].Value = float64(s)
		}
	}
	if v := effectsOf(t, names, list).Variance; v.NoShares != "all means are equal" {
		t.Errorf("%+v", v)
	}
}

// Differences that are errors of rounding are none: equal outcomes whose means differ in the last bit show no effect.
func TestRoundingIsNoEffect(t *testing.T) {
	names, list := gridOf(3, []float64{0, 0.5, 1}, 10, 0, func(x []float64) float64 { return (x[0] - 0.5) * (x[1] - 0.5) })
	noise := rand.New(rand.NewPCG(1, 1))
	for s := range 10 {
		e := noise.NormFloat64()
		for i := range list {
			list[i].Outcomes[s].Value += e
		}
	}
	a := effectsOf(t, names, list)
	if !holdZero(a) || a.Effects[0].Range != 0 || a.Effects[2].Parameter != "c" || a.Effects[2].Total != 0 || *a.Variance.Interactions[1].P != 1 {
		t.Errorf("%+v", a)
	}
}

// One parameter alone explains everything, and too few configurations have no interactions.
func TestInteractionsThatCannotBeKnown(t *testing.T) {
	names, list := gridOf(1, []float64{0, 1, 2}, 3, 0.1, func(x []float64) float64 { return x[0] })
	if a := effectsOf(t, names, list); a.Effects[0].Share != 1 || a.Effects[0].Total != 1 || a.Variance.Unexplained != 0 {
		t.Errorf("%+v", a)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	list = nil
	for range 6 {
		x, y := rng.Float64(), rng.Float64()
		list = append(list, Configuration{Values: []Value{number(x), number(y)}, Outcomes: []Outcome{{0, x * y}}})
	}
	a := effectsOf(t, []string{"x", "y"}, list)
	if i := a.Variance.Interactions[0]; i.P != nil || !math.IsNaN(i.Share) || !math.IsNaN(a.Effects[0].Total) {
		t.Errorf("%+v", a.Variance)
	}
}
