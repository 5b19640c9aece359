package effects

import (
	"math/rand/v2"
	"testing"
)

// inert returns a grid of parameters that do nothing, with noise of the seeds of each configuration.
func inert(rng *rand.Rand, parameters, configurations, seeds int, grid bool) (names []string, list []Configuration) {
	for k := range parameters {
		names = append(names, string(rune('a'+k)))
	}
	for i := range configurations {
		var c Configuration
		rest := i
		for range names {
			x := float64(rng.IntN(3))
			if grid {
				x, rest = float64(rest%3), rest/3
			}
			c.Values = append(c.Values, number(x))
		}
		for s := range seeds {
			c.Outcomes = append(c.Outcomes, Outcome{uint64(s), rng.NormFloat64()})
		}
		list = append(list, c)
	}
	return names, list
}

// All intervals of the effects of inert parameters hold 0 in at least 95 % of analyses: the binomial range of 400 draws
// is 92.5 % to 97.5 % (p = 0.98). Of single intervals, with 20 parameters, hardly any analysis would have that.
func TestIntervalsOfInertParametersHoldZeroTogether(t *testing.T) {
	for _, c := range []struct {
		name                              string
		parameters, configurations, seeds int
		grid                              bool
	}{{"random design", 20, 60, 2, false}, {"grid", 3, 27, 5, true}} {
		rng := rand.New(rand.NewPCG(1, 2))
		held, draws := 0, 400
		for range draws {
			names, list := inert(rng, c.parameters, c.configurations, c.seeds, c.grid)
			d, err := newData(names, list, Options{Confidence: 0.95})
			if err != nil {
				t.Fatal(err)
			}
			var a Analysis
			if err := d.addEffects(&a); err != nil { // without rank correlations, whose permutations take most of the time
				t.Fatal(err)
			}
			if holdZero(a) {
				held++
			}
			if a.Factorial != c.grid || a.NSimultaneous != 3*c.parameters {
				t.Fatalf("%s: %+v", c.name, a)
			}
		}
		if share := float64(held) / float64(draws); share < 0.925 || share > 0.975 {
			t.Errorf("%s: all hold 0 in %v of the analyses, want about 0.95", c.name, share)
		}
	}
}

func holdZero(a Analysis) bool {
	for _, e := range a.Effects {
		for _, l := range e.Levels {
			if !l.EffectInterval.Contains(0) {
				return false
			}
		}
	}
	return true
}

func effectsOf(t *testing.T, names []string, list []Configuration) (a Analysis) {
	t.Helper()
	a, err := Analyse(names, list, Options{Confidence: 0.95})
	if err != nil {
		t.Fatal(err)
	}
	return a
}
