package stats

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"track/internal/property"
)

var (
	value      = rapid.Float64Range(-1e6, 1e6)
	score      = rapid.Float64Range(0, 1)
	tied       = rapid.Map(rapid.IntRange(-3, 3), func(i int) float64 { return float64(i) / 10 })
	confidence = rapid.Float64Range(0.5, 0.999)
)

func samples(t *rapid.T, element *rapid.Generator[float64], lo, hi int) []float64 {
	return rapid.SliceOfN(element, lo, hi).Draw(t, "values")
}

// contains allows for the rounding of the ends.
func contains(i Interval, x float64) bool {
	slack := 1e-9 * (1 + math.Abs(x))
	return i.Lo-slack <= x && x <= i.Hi+slack
}

func TestIntervalsContainTheirEstimate(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		xs, c := samples(t, value, 2, 30), confidence.Draw(t, "confidence")
		m, err := NewMean(xs, c)
		if err != nil || !contains(m.Interval, m.Mean) {
			t.Fatalf("mean %+v, %v", m, err)
		}
		p, err := NewPrediction(xs, c)
		if err != nil || p.Interval.Lo > m.Interval.Lo || p.Interval.Hi < m.Interval.Hi {
			t.Fatalf("prediction %+v inside %+v, %v", p, m, err)
		}
		n := rapid.IntRange(1, 200).Draw(t, "n")
		k := rapid.IntRange(0, n).Draw(t, "k")
		for _, method := range []func(int, int, float64) (Proportion, error){
			Wilson, ClopperPearson, ClopperPearsonLower,
		} {
			p, err := method(k, n, c)
			if err != nil || !contains(p.Interval, p.Value) || p.Interval.Lo < 0 || p.Interval.Hi > 1 {
				t.Fatalf("%+v, %v", p, err)
			}
		}
	})
}

func TestBoxContainsItsEstimate(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		scores := samples(t, rapid.OneOf(score, rapid.SampledFrom([]float64{0, 1})), 2, 30)
		seeds := len(scores) + rapid.IntRange(0, 5).Draw(t, "crashed")
		passed := rapid.IntRange(0, len(scores)).Draw(t, "passed")
		c, err := NewCombined(scores, passed, seeds, confidence.Draw(t, "confidence"))
		if err != nil || !contains(c.Interval, c.Value) || c.Interval.Lo < 0 || c.Interval.Hi > 1 {
			t.Fatalf("%+v, %v", c, err)
		}
	})
}

// A shift moves the mean and its interval, a factor scales them, and the order does not matter.
func TestMeanFollowsItsUnits(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		xs := samples(t, rapid.Float64Range(-100, 100), 2, 20)
		shift, factor := rapid.Float64Range(-100, 100).Draw(t, "shift"), rapid.Float64Range(0.1, 10).Draw(t, "factor")
		moved := make([]float64, len(xs))
		for i, x := range xs {
			moved[len(xs)-1-i] = shift + factor*x
		}
		a, _ := NewMean(xs, 0.95)
		b, _ := NewMean(moved, 0.95)
		for _, pair := range [][2]float64{
			{a.Mean, b.Mean}, {a.Interval.Lo, b.Interval.Lo}, {a.Interval.Hi, b.Interval.Hi},
		} {
			if math.Abs(shift+factor*pair[0]-pair[1]) > 1e-6 {
				t.Fatalf("%+v became %+v", a, b)
			}
		}
	})
}

func TestQuantileIsMonotone(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		xs := samples(t, rapid.Float64(), 1, 20)
		ps := rapid.SliceOfN(score, 2, 20).Draw(t, "p")
		slices.Sort(ps)
		last := slices.Min(xs)
		for _, p := range append(ps, 1) {
			q, err := NewQuantile(xs, p)
			if err != nil || q.Value < last {
				t.Fatalf("quantile %v of %v is %v after %v, %v", p, xs, q.Value, last, err)
			}
			last = q.Value
		}
		if last != slices.Max(xs) {
			t.Fatalf("quantile 1 of %v is %v", xs, last)
		}
	})
}

func TestTrimmedMeanIsWithinWhatItKeeps(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		xs := samples(t, value, 1, 40)
		m, err := NewTrimmedMean(xs, rapid.Float64Range(0, 0.49).Draw(t, "cut"))
		sorted := slices.Sorted(slices.Values(xs))
		lo, hi := sorted[m.EachSide], sorted[len(xs)-1-m.EachSide]
		if err != nil || m.Mean < lo-1e-6 || m.Mean > hi+1e-6 {
			t.Fatalf("%+v of %v, %v", m, sorted, err)
		}
	})
}

func TestAdjustedPValues(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(score, 0, 20).Draw(t, "p")
		holm, err := Holm(p, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		bh, err := BenjaminiHochberg(p, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p {
			if holm.P[i] < p[i] || holm.P[i] > 1 || bh.P[i] < p[i]-1e-15 || bh.P[i] > holm.P[i]+1e-15 {
				t.Fatalf("p %v, holm %v, bh %v", p[i], holm.P[i], bh.P[i])
			}
			for j := range p {
				if p[i] < p[j] && (holm.P[i] > holm.P[j] || bh.P[i] > bh.P[j]) {
					t.Fatalf("not monotone: %v, holm %v, bh %v", p, holm.P, bh.P)
				}
			}
		}
	})
}

// valid says that all p are in (0, 1] and that one tail is at least a half.
func valid(p PValues) bool {
	ok := func(v float64) bool { return v > 0 && v <= 1 }
	return ok(p.TwoSided) && ok(p.Greater) && ok(p.Less) && max(p.Greater, p.Less) >= 0.5
}

// mirrored says that b is a with greater and less exchanged.
func mirrored(a, b PValues) bool {
	near := func(x, y float64) bool { return math.Abs(x-y) <= 1e-12 }
	return near(a.TwoSided, b.TwoSided) && near(a.Greater, b.Less) && near(a.Less, b.Greater)
}

func negated(xs []float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = -x
	}
	return out
}

func TestSignFlipIsSymmetric(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		d := samples(t, rapid.OneOf(value, tied), 1, 24) // both exact and drawn
		a, err := SignFlip(d, 7)
		if err != nil {
			t.Fatal(err)
		}
		b, err := SignFlip(negated(d), 7)
		if err != nil || !valid(a.P) || !mirrored(a.P, b.P) || a.P.TwoSided < a.MinP*(1-1e-12) {
			t.Fatalf("%+v\n%+v, %v", a, b, err)
		}
	})
}

func TestSignedRankIsSymmetric(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		d := samples(t, rapid.OneOf(value, tied), 1, 130) // both exact and approximate
		zeros := rapid.SampledFrom([]Zeros{DropZeros, prattZeros}).Draw(t, "zeros")
		a, err := WilcoxonSignedRank(d, zeros)
		if err != nil {
			t.Fatal(err)
		}
		b, err := WilcoxonSignedRank(negated(d), zeros)
		if err != nil || !valid(a.P) || !mirrored(a.P, b.P) || a.WPlus != b.WMinus {
			t.Fatalf("%+v\n%+v, %v", a, b, err)
		}
	})
}

func TestTwoSampleTestsAreSymmetric(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		element := rapid.OneOf(value, tied)
		x, y := samples(t, element, 1, 8), samples(t, element, 1, 8)
		a, err := NewMannWhitney(x, y)
		if err != nil {
			t.Fatal(err)
		}
		b, err := NewMannWhitney(y, x)
		if err != nil || !valid(a.P) || !mirrored(a.P, b.P) || a.U+b.U != float64(len(x)*len(y)) {
			t.Fatalf("%+v\n%+v, %v", a, b, err)
		}
		prob, err := NewProbImprovementUnpaired(x, y)
		if err != nil || math.Abs(prob.Value-a.U/float64(prob.N)) > 1e-12 {
			t.Fatalf("%+v, but U %v, %v", prob, a.U, err)
		}
		c, err := PermuteTwoSample(x, y, 7)
		if err != nil {
			t.Fatal(err)
		}
		d, err := PermuteTwoSample(y, x, 7)
		if err != nil || !valid(c.P) || !mirrored(c.P, d.P) || c.P.TwoSided < c.MinP*(1-1e-12) {
			t.Fatalf("%+v\n%+v, %v", c, d, err)
		}
	})
}

// The exact two-sample permutation test of the ranks is the Mann–Whitney test, and the sign flip of the signed ranks
// the signed-rank test: two implementations that share nothing.
func TestRankTestsArePermutationTestsOfRanks(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		x, y := samples(t, tied, 1, 7), samples(t, tied, 1, 7)
		a, err := NewMannWhitney(x, y)
		if err != nil {
			t.Fatal(err)
		}
		b, err := PermuteTwoSample(midRanks(x, x, y), midRanks(y, x, y), 0)
		if err != nil || math.Abs(a.P.Greater-b.P.Greater) > 1e-9 || math.Abs(a.PAbsDev-b.PAbsDev) > 1e-9 {
			t.Fatalf("%+v\n%+v, %v", a, b, err)
		}
		c, err := WilcoxonSignedRank(x, prattZeros)
		if err != nil {
			t.Fatal(err)
		}
		signed := midRanks(absolute(x), absolute(x))
		for i := range signed {
			switch {
			case x[i] < 0:
				signed[i] = -signed[i]
			case x[i] == 0:
				signed[i] = 0
			}
		}
		d, err := SignFlip(signed, 0)
		if err != nil || math.Abs(c.P.Greater-d.P.Greater) > 1e-9 || math.Abs(c.P.Less-d.P.Less) > 1e-9 {
			t.Fatalf("%+v\n%+v, %v", c, d, err)
		}
	})
}

func absolute(xs []float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = math.Abs(x)
	}
	return out
}

// midRanks ranks xs among all groups by counting: 1/2 + those below + half of those equal.
func midRanks(xs []float64, groups ...[]float64) []float64 {
	all := slices.Concat(groups...)
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = 0.5
		for _, v := range all {
			switch {
			case v < x:
				out[i]++
			case v == x:
				out[i] += 0.5
			}
		}
	}
	return out
}

func TestTTestAgreesWithItsInterval(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 20).Draw(t, "n")
		a, b := samples(t, score, n, n), samples(t, score, n, n)
		paired, err := PairedT(a, b, 0.95)
		if err != nil {
			t.Skip(err) // equal differences
		}
		welch, err := WelchT(a, b, 0.95)
		if err != nil {
			t.Skip(err)
		}
		for _, test := range []TTest{paired, welch} {
			if math.Abs(test.P.TwoSided-0.05) > 1e-6 && (test.P.TwoSided < 0.05) == test.Interval.Contains(0) {
				t.Fatalf("%+v", test)
			}
		}
	})
}

func TestPowerGrows(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		d := Design{
			Alpha:       rapid.Float64Range(0.0005, 0.2).Draw(t, "alpha"),
			Alternative: rapid.SampledFrom([]Alternative{TwoSided, oneSided}).Draw(t, "alternative"),
		}
		n, dz := rapid.IntRange(2, 60).Draw(t, "n"), rapid.Float64Range(0, 3).Draw(t, "dz")
		here, err1 := d.Power(dz, n)
		larger, err2 := d.Power(dz+0.1, n)
		more, err3 := d.Power(dz, n+1)
		if err1 != nil || err2 != nil || err3 != nil || here < d.Alpha-1e-9 || larger < here-1e-9 || more < here-1e-9 {
			t.Fatalf("%+v n %d dz %v: %v, %v, %v", d, n, dz, here, larger, more)
		}
		target := rapid.Float64Range(0.5, 0.99).Draw(t, "power")
		detectable, err := d.DetectableDz(n, target)
		if err != nil {
			t.Fatal(err)
		}
		if reached, err := d.Power(detectable, n); err != nil || math.Abs(reached-target) > 1e-6 {
			t.Fatalf("%+v n %d: dz %v has power %v, not %v, %v", d, n, detectable, reached, target, err)
		}
		needed, err := d.seedsNeeded(detectable*(1+1e-9), target)
		if err != nil || needed != n {
			t.Fatalf("%+v: %d seeds needed for what %d detect, %v", d, needed, n, err)
		}
	})
}

func TestSequencesOnlyShrink(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		scores := samples(t, rapid.OneOf(score, rapid.SampledFrom([]float64{0, 1})), 1, 20)
		for _, sequence := range []func([]float64, float64) (ConfidenceSequence, error){
			BettingSequence, BernsteinSequence,
		} {
			c, err := sequence(scores, 0.9)
			if err != nil || !slices.IsSorted(c.Lo) || !slices.IsSortedFunc(c.Hi, func(a, b float64) int {
				if a > b {
					return -1
				}
				return 0
			}) {
				t.Fatalf("%+v, %v", c, err)
			}
			flipped := make([]float64, len(scores))
			for i, s := range scores {
				flipped[i] = 1 - s
			}
			m, err := sequence(flipped, 0.9)
			if err != nil || math.Abs(m.last().Lo-(1-c.last().Hi)) > 1e-9 || math.Abs(m.last().Hi-(1-c.last().Lo)) > 1e-9 {
				t.Fatalf("%+v mirrored is %+v, %v", c.last(), m.last(), err)
			}
		}
	})
}

// At the start of each look E is 1 in expectation: its mean over all signs of the same sizes is 1.
func TestSymmetricEValueIsFair(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		sizes := samples(t, rapid.OneOf(value, tied), 1, 8)
		sum := 0.0
		for signs := range 1 << len(sizes) {
			d := slices.Clone(sizes)
			for i := range d {
				if signs>>i&1 == 1 {
					d[i] = -d[i]
				}
			}
			e, err := SymmetricEValue(d)
			if err != nil {
				t.Fatal(err)
			}
			sum += e.TwoSided[len(d)-1]
		}
		if mean := sum / float64(int(1)<<len(sizes)); math.Abs(mean-1) > 1e-9 {
			t.Fatalf("mean E %v of %v", mean, sizes)
		}
	})
}

// No segmentation of a short series is cheaper than the optimal one: all of them are tried.
func TestOptimalPartitionIsOptimal(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		xs := samples(t, rapid.OneOf(score, tied), 1, 9)
		penalty, minSize := rapid.Float64Range(0, 1).Draw(t, "penalty"), rapid.IntRange(1, 3).Draw(t, "min size")
		p, err := optimalPartition(xs, penalty, minSize)
		if err != nil {
			t.Fatal(err)
		}
		best := math.Inf(1)
		for cuts := range 1 << (len(xs) - 1) {
			best = min(best, segmentationCost(xs, cuts, penalty, minSize))
		}
		if len(xs) < minSize {
			if !math.IsNaN(p.Cost) {
				t.Fatalf("%+v", p)
			}
		} else if math.Abs(p.Cost-best) > 1e-9 {
			t.Fatalf("%+v, but %v is possible", p, best)
		}
	})
}

// segmentationCost is infinite where a segment is too short; bit i of cuts begins a segment at i+1.
func segmentationCost(xs []float64, cuts int, penalty float64, minSize int) float64 {
	cost, from := -penalty, 0
	for to := 1; to <= len(xs); to++ {
		if to < len(xs) && cuts>>(to-1)&1 == 0 {
			continue
		}
		if to-from < minSize {
			return math.Inf(1)
		}
		sd, _ := PopulationSD(xs[from:to])
		cost += penalty + sd*sd*float64(to-from)
		from = to
	}
	return cost
}

// Nothing that is not a number passes, and inputs stay as they were.
func TestNonFiniteIsRefused(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		xs := []float64{0.1, bad, 0.3}
		ok := []float64{0.1, 0.2, 0.3}
		for name, err := range map[string]error{
			"NewMean": second(NewMean(xs, 0.95)), "NewSD": second(NewSD(xs, 0.95)),
			"NewPrediction": second(NewPrediction(xs, 0.95)), "Median": second(Median(xs)),
			"NewQuantile": second(NewQuantile(xs, 0.5)), "NewIQM": second(NewIQM(xs)),
			"NewCombined": second(NewCombined(xs, 1, 3, 0.95)), "PairedT": second(PairedT(ok, xs, 0.95)),
			"WelchT": second(WelchT(xs, ok, 0.95)), "SignFlip": second(SignFlip(xs, 1)),
			"Differences":        second(Differences(xs, ok)),
			"NewProbImprovement": second(NewProbImprovement(xs, ok, 0.95)),
			"Wilcoxon":           second(WilcoxonSignedRank(xs, DropZeros)),
			"MannWhitney":        second(NewMannWhitney(ok, xs)),
			"PermuteTwoSample":   second(PermuteTwoSample(ok, xs, 1)),
			"NewEffect":          second(NewEffect(xs, ok, EffectDz)),
			"SymmetricEValue":    second(SymmetricEValue(xs)),
			"BettingSequence":    second(BettingSequence(xs, 0.95)),
			"NoiseSD":            second(noiseSD(xs)), "Lag1": second(Lag1(xs)),
			"OptimalPartition": second(optimalPartition(xs, 1, 1)), "Divisive": second(divisive(xs, 1)),
		} {
			if !isNonFinite(err) {
				t.Errorf("%s(%v): got %v, want ErrNonFinite", name, bad, err)
			}
		}
	}
}
