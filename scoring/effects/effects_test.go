package effects

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"track/scoring/stats"
)

func number(x float64) Value { return Value{Text: strconv.FormatFloat(x, 'g', -1, 64), Number: x} }

func word(s string) Value { return Value{Text: s, IsText: true} }

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-9*(1+math.Abs(want)) }

func nearInterval(got stats.Interval, want [2]float64) bool {
	return near(got.Lo, want[0]) && near(got.Hi, want[1])
}

// The vectors come from testdata/effects.py.
func TestEffectsVectors(t *testing.T) {
	type level struct {
		Mean, Effect float64
		CI           [2]float64
		EffectCI     [2]float64 `json:"effect_ci"`
	}
	var v struct {
		Configurations []struct {
			X      float64
			Rule   string
			Values []float64
		}
		X, Rule   []level
		XShare    float64 `json:"x_share"`
		RuleShare float64 `json:"rule_share"`
		Ranking   []int
		Second    struct {
			N    int
			Mean float64
			CI   [2]float64
		}
	}
	text, err := os.ReadFile("testdata/effects.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	var list []Configuration
	for _, c := range v.Configurations {
		configuration := Configuration{Values: []Value{word(c.Rule), number(c.X), number(7)}}
		for s, x := range c.Values {
			configuration.Outcomes = append(configuration.Outcomes, Outcome{uint64(s), x})
		}
		list = append(list, configuration)
	}
	a, err := Analyse([]string{"rule", "x", "scale"}, list, Options{Confidence: 0.95})
	if err != nil {
		t.Fatal(err)
	}
	if !a.Paired || a.Factorial || a.NCommonSeeds != 5 || !slices.Equal(a.Constant, []string{"scale"}) {
		t.Errorf("%+v", a)
	}
	for i, r := range a.Ranking {
		if r.Index != v.Ranking[i] {
			t.Errorf("rank %d: configuration %d, want %d", i+1, r.Index, v.Ranking[i])
		}
	}
	if d := a.Ranking[1].ToBest; d.N != v.Second.N || !near(d.Mean, v.Second.Mean) || !nearInterval(d.Interval, v.Second.CI) {
		t.Errorf("second: %+v, want %+v", d, v.Second)
	}
	for _, e := range a.Effects {
		want, share := v.X, v.XShare
		if e.Parameter == "rule" {
			want, share = v.Rule, v.RuleShare
		}
		if !near(e.Share, share) || len(e.Levels) != len(want) || e.BySeed || e.Binned != (e.Parameter == "x") {
			t.Fatalf("%s: %+v, want share %v and %d levels", e.Parameter, e, share, len(want))
		}
		for k, l := range e.Levels {
			w := want[k]
			if !near(l.Mean, w.Mean) || !near(l.Effect, w.Effect) || !nearInterval(l.Interval, w.CI) || !nearInterval(l.EffectInterval, w.EffectCI) {
				t.Errorf("%s, level %d: %+v, want %+v", e.Parameter, k, l, w)
			}
		}
	}
}

// factorial returns a grid of 3 × 2 whose outcome is additive, with noise of seeds that all configurations share.
func factorial(noise []float64) (list []Configuration) {
	for _, a := range []float64{1, 2, 3} {
		for _, b := range []string{"x", "y"} {
			c := Configuration{Values: []Value{number(a), word(b)}}
			for s, e := range noise {
				effect := 10 * a
				if b == "y" {
					effect++
				}
				c.Outcomes = append(c.Outcomes, Outcome{uint64(s), effect + e})
			}
			list = append(list, c)
		}
	}
	return list
}

// In a factorial the noise that seeds have in common cancels: the intervals of additive effects have no width, and
// those of means do.
func TestCommonSeedsCancel(t *testing.T) {
	a, err := Analyse([]string{"a", "b"}, factorial([]float64{-4, 1, 3}), Options{Confidence: 0.95})
	if err != nil {
		t.Fatal(err)
	}
	if !a.Factorial || !a.Paired || a.Effects[0].Parameter != "a" || a.Effects[1].Range != 1 {
		t.Fatalf("%+v", a)
	}
	for k, want := range []float64{-10, 0, 10} {
		l := a.Effects[0].Levels[k]
		if l.Effect != want || !near(l.EffectInterval.Lo, want) || !near(l.EffectInterval.Hi, want) || l.Interval.Hi-l.Interval.Lo < 5 || l.NConfigurations != 2 || l.NSeeds != 6 {
			t.Errorf("level %d: %+v, want the effect %v", k, l, want)
		}
	}
	if d := a.Ranking[1].ToBest; d.Mean != -1 || d.Interval.Lo != -1 || d.Interval.Hi != -1 {
		t.Errorf("second: %+v", d)
	}
}

// Other seeds for each configuration leave nothing to pair.
func TestDifferentSeedsAreNotPaired(t *testing.T) {
	list := factorial([]float64{-4, 1, 3})
	for i := range list {
		for k := range list[i].Outcomes {
			list[i].Outcomes[k].Seed += uint64(10 * i)
		}
	}
	a, err := Analyse([]string{"a", "b"}, list, Options{Confidence: 0.95})
	if err != nil || a.Paired || a.NCommonSeeds != 0 || a.Effects[0].BySeed || a.Ranking[1].ToBest != nil {
		t.Errorf("%+v, error %v", a, err)
	}
}

func TestPanelsAndHeatmap(t *testing.T) {
	list := factorial([]float64{-1, 1})
	panels, err := Against([]string{"a", "b"}, list, "a", "b", Options{Confidence: 0.95})
	if err != nil || len(panels) != 2 || panels[1].Name != "y" || len(panels[1].Points) != 3 || panels[1].Levels[2].Mean != 31 || !panels[1].Levels[2].Interval.Defined() {
		t.Errorf("%+v, error %v", panels, err)
	}
	h, err := NewHeatmap([]string{"a", "b"}, list, "a", "b")
	if err != nil || h.Cells[1][2].Mean != 31 || h.Cells[0][0].NSeeds != 2 || !slices.Equal(h.YLevels, []string{"x", "y"}) {
		t.Errorf("%+v, error %v", h, err)
	}
	if _, err := Against([]string{"a", "b"}, list, "c", "", Options{Confidence: 0.95}); err == nil {
		t.Error("an unknown parameter is accepted")
	}
}

func TestOneConfiguration(t *testing.T) {
	if _, err := Analyse([]string{"a"}, []Configuration{{Values: []Value{number(1)}, Outcomes: []Outcome{{1, 2}}}}, Options{Confidence: 0.95}); !errors.Is(err, ErrOneConfiguration) {
		t.Errorf("error %v", err)
	}
}

// One seed each, equal means, and parameters that move together have no numbers instead of wrong ones.
func TestDegenerateDesigns(t *testing.T) {
	var list []Configuration
	for i := range 3 {
		list = append(list, Configuration{Values: []Value{number(float64(i)), number(float64(-i))}, Outcomes: []Outcome{{0, 5}}})
	}
	a, err := Analyse([]string{"a", "b"}, list, Options{Confidence: 0.95})
	if err != nil || a.Paired || !math.IsNaN(a.Effects[0].Share) || a.Effects[0].Spearman != nil || a.Effects[0].NoTest != "all means are equal" || a.Ranking[0].Interval.Defined() {
		t.Errorf("%+v, error %v", a, err)
	}
}

func BenchmarkAnalyse(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	var list []Configuration
	for range 10_000 {
		c := Configuration{Values: []Value{number(rng.Float64()), number(rng.Float64()), number(rng.Float64()), number(rng.Float64())}}
		for s := range 10 {
			c.Outcomes = append(c.Outcomes, Outcome{uint64(s), rng.Float64()})
		}
		list = append(list, c)
	}
	for b.Loop() {
		if _, err := Analyse([]string{"a", "b", "c", "d"}, list, Options{Confidence: 0.95}); err != nil {
			b.Fatal(err)
		}
	}
}

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
