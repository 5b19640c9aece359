package effects

import (
	"math/rand/v2"
	"slices"
	"testing"

	"track/scoring/stats"
)

// Seeds above a threshold crash from k = 4 on, and all of k = 6: the levels against the rest, with p-values of R's
// fisher.test, times the numbers of Holm.
func TestLossesThatDependOnAParameter(t *testing.T) {
	var list []Counted
	for k, lost := range []int{0, 0, 0, 35, 25, 60} {
		list = append(list, Counted{Values: []Value{number(float64(k + 1)), word("same")}, N: 60, NLost: lost})
	}
	l, err := FindLosses([]string{"k", "constant"}, list, 0.95)
	if err != nil || l.N != 360 || l.NLost != 120 || len(l.Levels) != 6 || !slices.Equal(l.DependOn, []string{"k"}) {
		t.Fatalf("%+v, error %v", l, err)
	}
	for i, want := range []bool{false, false, false, true, false, true} {
		if l.Levels[i].Excess != want {
			t.Errorf("%+v", l.Levels[i])
		}
	}
	if p := l.Levels[4]; !near(p.P, 0.136783768499291) || !near(p.PAdjusted, p.P) || !near(l.Levels[5].PAdjusted, 6*stats.FisherExact(60, 60, 120, 360)) {
		t.Errorf("%+v", l.Levels)
	}
}

// In a grid with holes and other numbers of seeds, the parameter that crashes is named, and one that ran more seeds
// where it crashes is not.
func TestLossesInAGridWithHoles(t *testing.T) {
	var list []Counted
	for k := range 4 {
		for b := range 3 {
			if k == 0 && b == 2 {
				continue
			}
			c := Counted{Values: []Value{number(float64(k)), number(float64(b))}, N: 20}
			if b == 0 {
				c.N = 60
			}
			if k == 3 {
				c.NLost = c.N / 2
			}
			list = append(list, c)
		}
	}
	l, err := FindLosses([]string{"k", "b"}, list, 0.95)
	if err != nil || !slices.Equal(l.DependOn, []string{"k"}) || !l.Levels[3].Excess || l.Levels[3].Test != "Mantel–Haenszel test" {
		t.Errorf("%+v, error %v", l, err)
	}
}

// Configurations that lose all or nothing, in a random design: parameters that do nothing are seldom accused, though
// seeds of a configuration are lost together.
func TestLossesOfWholeConfigurations(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	accused, draws := 0, 200
	names := []string{"a", "b", "c", "d"}
	for range draws {
		var list []Counted
		for range 40 {
			c := Counted{N: 20, NLost: 20 * rng.IntN(2)}
			for range names {
				c.Values = append(c.Values, number(rng.Float64()))
			}
			list = append(list, c)
		}
		l, err := FindLosses(names, list, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if len(l.DependOn) > 0 {
			accused++
		}
	}
	if share := float64(accused) / float64(draws); share > 0.09 {
		t.Errorf("%v of the analyses accuse a parameter, want at most 0.05", share)
	}
}

func TestNoLosses(t *testing.T) {
	l, err := FindLosses([]string{"k"}, []Counted{{[]Value{number(1)}, 5, 0}, {[]Value{number(2)}, 5, 0}}, 0.95)
	if err != nil || len(l.Levels) > 0 || l.N != 10 {
		t.Errorf("%+v, error %v", l, err)
	}
}
