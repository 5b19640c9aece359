package scoring

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"track/internal/property"
)

// Generators.

// limits draws numbers at the limits of float64.
var limits = rapid.SampledFrom([]float64{
	0, math.Copysign(0, -1), math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 0x1p-1022,
	math.MaxFloat64, -math.MaxFloat64, 1.5e308, 1e308,
})

// finiteFloat draws every kind of finite float64, and the awkward ones often.
var finiteFloat = rapid.OneOf(limits, limits, rapid.Float64Range(-10, 10),
	rapid.Float64().Filter(func(x float64) bool { return reason(x) == "" }))

var anyFloat = rapid.OneOf(finiteFloat, finiteFloat,
	rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1)}))

// hundredths draws numbers such as share, target and weight have in practice, so that equal values and exact edges
// are common.
func hundredths(lo, hi float64) *rapid.Generator[float64] {
	return rapid.Map(rapid.IntRange(int(100*lo), int(100*hi)), func(n int) float64 { return float64(n) / 100 })
}

// targets draws valid targets whose parameters come from param.
func targets(param *rapid.Generator[float64]) *rapid.Generator[Target] {
	positive := rapid.Map(param, math.Abs).Filter(func(x float64) bool { return x > 0 })
	interval := rapid.Custom(func(t *rapid.T) [2]float64 {
		lo, hi := param.Draw(t, "lo"), param.Draw(t, "hi")
		if lo > hi {
			lo, hi = hi, lo
		}
		if math.IsInf(hi-lo, 0) { // a spec with an infinite width is refused
			lo, hi = lo/2, hi/2
		}
		return [2]float64{lo, hi}
	})
	return rapid.OneOf(
		rapid.Custom(func(t *rapid.T) Target {
			target := MeanTolerance{Target: param.Draw(t, "target"), Tolerance: positive.Draw(t, "tolerance")}
			bounds := interval.Draw(t, "bounds")
			if rapid.Bool().Draw(t, "min") {
				target.Min = &bounds[0]
			}
			if rapid.Bool().Draw(t, "max") {
				target.Max = &bounds[1]
			}
			return target
		}),
		rapid.Map(interval, func(i [2]float64) Target { return Range{Min: i[0], Max: i[1]} }),
		rapid.Map(interval, func(i [2]float64) Target { return PctWithin{Target: i[1], Min: i[0]} }),
		rapid.Custom(func(t *rapid.T) Target {
			return Outlier{MaxOutlier: math.Abs(param.Draw(t, "max")), PenaltyWeight: math.Abs(param.Draw(t, "penalty"))}
		}),
		rapid.Custom(func(t *rapid.T) Target {
			return Boolean{Threshold: param.Draw(t, "threshold"), Invert: rapid.Bool().Draw(t, "invert")}
		}),
	)
}

// specs draws valid specs with up to six metrics.
func specs(param *rapid.Generator[float64]) *rapid.Generator[Spec] {
	weight := rapid.OneOf(hundredths(0, 5), rapid.SampledFrom([]float64{0, math.SmallestNonzeroFloat64, 1e300}))
	return rapid.Custom(func(t *rapid.T) Spec {
		spec := Spec{Scenario: "drawn"}
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,3}`), 1, 6, rapid.ID).Draw(t, "names")
		for _, name := range names {
			spec.Metrics = append(spec.Metrics, Metric{
				Name: name, Weight: weight.Draw(t, "weight"), Target: targets(param).Draw(t, "target"), Format: FormatDefault,
			})
		}
		spec.Metrics[0].Weight += 1 // the weights must not sum to 0
		if problems := spec.Problems(); len(problems) > 0 {
			t.Fatalf("the generator draws invalid specs: %v", problems)
		}
		return spec
	})
}

// drawValues draws a value for every metric of the spec.
func drawValues(t *rapid.T, spec Spec, value *rapid.Generator[float64]) map[string]float64 {
	values := map[string]float64{}
	for _, m := range spec.Metrics {
		values[m.Name] = value.Draw(t, "value of "+m.Name)
	}
	return values
}

// drawSeeds draws at least one assessed seed. Those that failed have crashed or lack the first metric.
func drawSeeds(t *rapid.T, spec Spec, mayFail bool) []Assessment {
	var seeds []Assessment
	for range rapid.IntRange(1, 20).Draw(t, "seeds") {
		outcome := "ok"
		if mayFail {
			outcome = rapid.SampledFrom([]string{"ok", "ok", "crashed", "incomplete"}).Draw(t, "outcome")
		}
		values := drawValues(t, spec, hundredths(-3, 3))
		switch outcome {
		case "crashed":
			seeds = append(seeds, Assessment{})
			continue
		case "incomplete":
			delete(values, spec.Metrics[0].Name)
		}
		seeds = append(seeds, Assess(spec, values))
	}
	return seeds
}

// Properties of Assess.

// TestAssessAnyValue: a spec without problems judges every value there is, and no score or total leaves [0, 1].
func TestAssessAnyValue(t *testing.T) {
	anySpec := rapid.OneOf(specs(limits), specs(finiteFloat))
	property.Check(t, func(t *rapid.T) {
		spec := anySpec.Draw(t, "spec")
		for range 10 {
			checkAssessable(t, spec, drawValues(t, spec, anyFloat))
		}
	})
}

func checkAssessable(t *rapid.T, spec Spec, values map[string]float64) {
	a := Assess(spec, values)
	if !(a.TotalScore >= 0 && a.TotalScore <= 1) { // NaN fails this as well
		t.Errorf("total score %v", a.TotalScore)
	}
	for _, r := range a.Results {
		if !(r.Score >= 0 && r.Score <= 1) {
			t.Errorf("%s: score %v", r.Name, r.Score)
		}
		if r.Reason != "" && (r.Status != Fail || r.Score != 0) {
			t.Errorf("%s: %s with score %v, but %s", r.Name, r.Status, r.Score, r.Reason)
		}
		if value := values[r.Name]; reason(value) != "" && r.Reason != ReasonNonFinite {
			t.Errorf("%s: reason %q for %v", r.Name, r.Reason, value)
		}
	}
	if a.NPass+a.NWarn+a.NFail != len(spec.Metrics) || !a.Scored {
		t.Errorf("%d + %d + %d of %d metrics, scored %v", a.NPass, a.NWarn, a.NFail, len(spec.Metrics), a.Scored)
	}
	if a.Passed() != (a.NFail == 0) {
		t.Errorf("passed %v with %d failed", a.Passed(), a.NFail)
	}
}

// TestScoresInUnitInterval: with parameters of ordinary size, that holds for the targets themselves.
func TestScoresInUnitInterval(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		target := targets(hundredths(-3, 3)).Draw(t, "target")
		value := finiteFloat.Draw(t, "value")
		if score := target.score(value); !(score >= 0 && score <= 1) {
			t.Errorf("%v scores %v for %v", target, score, value)
		}
	})
}

// TestAssessMapOrder: neither the order in which the values were stored nor values that the spec does not know matter.
func TestAssessMapOrder(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		spec := specs(hundredths(-3, 3)).Draw(t, "spec")
		values := drawValues(t, spec, anyFloat)
		want := Assess(spec, values)

		other := map[string]float64{"not in the spec": anyFloat.Draw(t, "unknown")}
		for _, name := range rapid.Permutation(slices.Sorted(maps.Keys(values))).Draw(t, "order") {
			other[name] = values[name]
		}
		if diff := cmp.Diff(want, Assess(spec, other), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("another order (-want +got):\n%s", diff)
		}
	})
}

// TestAssessMetricOrder: a spec with its metrics in another order gives the same verdicts, and the same total but for
// rounding.
func TestAssessMetricOrder(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		spec := specs(hundredths(-3, 3)).Draw(t, "spec")
		values := drawValues(t, spec, anyFloat)
		want := Assess(spec, values)

		spec.Metrics = rapid.Permutation(spec.Metrics).Draw(t, "order")
		got := Assess(spec, values)
		byName := cmpopts.SortSlices(func(a, b Result) bool { return a.Name < b.Name })
		if diff := cmp.Diff(want, got, approx, byName); diff != "" {
			t.Errorf("another order (-want +got):\n%s", diff)
		}
	})
}

// Properties of scores and checks.

// TestMonotonic: of two values, the one farther off scores no more and is judged no better.
func TestMonotonic(t *testing.T) {
	ordinary := hundredths(-3, 3)
	for _, c := range []struct {
		name string
		kind Type
		// farther moves a value away from the target by step.
		farther func(target Target, value, step float64) float64
	}{
		{"MEAN_TOLERANCE", TypeMeanTolerance, func(target Target, value, step float64) float64 {
			return away(target.(MeanTolerance).Target, value, step)
		}},
		{"RANGE", TypeRange, func(target Target, value, step float64) float64 {
			r := target.(Range)
			return away((r.Min+r.Max)/2, value, step)
		}},
		{"PCT_WITHIN", TypePctWithin, func(_ Target, value, step float64) float64 { return value - step }},
		{"OUTLIER", TypeOutlier, func(_ Target, value, step float64) float64 { return value + step }},
		{"BOOLEAN", TypeBoolean, func(target Target, value, step float64) float64 {
			if target.(Boolean).Invert {
				return value + step
			}
			return value - step
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ofKind := targets(ordinary).Filter(func(target Target) bool {
				m, ok := target.(MeanTolerance)
				bounded := ok && (m.Min != nil || m.Max != nil) // not monotonic: see TestHardBoundsNotMonotonic
				return target.Type() == c.kind && !bounded
			})
			property.Check(t, func(t *rapid.T) {
				target := ofKind.Draw(t, "target")
				escalation := failEscalationMultiplier(hundredths(0, 4).Draw(t, "weight"))
				value := ordinary.Draw(t, "value")
				farther := c.farther(target, value, hundredths(0, 6).Draw(t, "step"))
				const rounding = 1e-12 // both formulas of RANGE give .75 at an edge, but for the last bit
				if near, far := target.score(value), target.score(farther); far > near+rounding {
					t.Errorf("%v: %v scores %v, %v scores %v", target, value, near, farther, far)
				}
				near, far := target.check(value, escalation), target.check(farther, escalation)
				if rank(far) < rank(near) {
					t.Errorf("%v, escalation %v: %v is %s, %v is %s", target, escalation, value, near, farther, far)
				}
			})
		})
	}
}

// away returns a value at least as far from centre as value is, on the same side of it.
func away(centre, value, step float64) float64 {
	if value < centre {
		return value - step
	}
	return value + step
}

func rank(s Status) int {
	return slices.Index([]Status{Pass, Warn, Fail}, s)
}

// TestHardBoundsNotMonotonic pins the one type whose status is not monotonic: with an escalation below 1 (weight 3),
// a FAIL that only the escalation causes stays, while one farther off, which fails without it too, is softened.
func TestHardBoundsNotMonotonic(t *testing.T) {
	lower, upper := 0.5, 1.5
	target := MeanTolerance{Target: 1, Tolerance: 0.1, Min: &lower, Max: &upper}
	for _, c := range []struct {
		value float64
		want  Status
	}{
		{1.05, Pass}, // within tolerance
		{1.15, Fail}, // beyond 0.1*2*0.5, within 0.1*2
		{1.25, Warn}, // beyond both, inside the bounds
		{1.55, Fail}, // outside the bounds
	} {
		if got := target.check(c.value, 0.5); got != c.want {
			t.Errorf("%v: %s, want %s", c.value, got, c.want)
		}
	}
}

// TestEscalationWidens: a larger escalation never makes a status worse, and no escalation touches a PASS.
func TestEscalationWidens(t *testing.T) {
	unbounded := targets(hundredths(-3, 3)).Filter(func(target Target) bool {
		m, ok := target.(MeanTolerance)
		return !ok || m.Min == nil && m.Max == nil // a softened FAIL returns when the escalation reaches it
	})
	property.Check(t, func(t *rapid.T) {
		target := unbounded.Draw(t, "target")
		value := hundredths(-9, 9).Draw(t, "value")
		escalation := hundredths(0.5, 5).Draw(t, "escalation")
		larger := escalation + hundredths(0, 3).Draw(t, "increase")
		narrow, wide := target.check(value, escalation), target.check(value, larger)
		if rank(wide) > rank(narrow) {
			t.Errorf("%v, value %v: %s with escalation %v, %s with %v", target, value, narrow, escalation, wide, larger)
		}
		if (narrow == Pass) != (wide == Pass) {
			t.Errorf("%v, value %v: escalation changes a PASS: %s, %s", target, value, narrow, wide)
		}
	})
}

// TestWeightEscalates: a heavier metric fails no later, and its multiplier stays within [0.5, 5].
func TestWeightEscalates(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		weight := finiteFloat.Draw(t, "weight")
		heavier := weight + hundredths(0, 5).Draw(t, "increase")
		light, heavy := failEscalationMultiplier(weight), failEscalationMultiplier(heavier)
		if !(0.5 <= heavy && heavy <= light && light <= 5) {
			t.Errorf("multipliers %v for weight %v, %v for %v", light, weight, heavy, heavier)
		}
	})
}

// TestImprovementMonotonic: a larger gain is judged no worse and scores no less; a larger base or a smaller weight
// forgives more.
func TestImprovementMonotonic(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		delta, gain := hundredths(-1, 1).Draw(t, "delta"), hundredths(0, 2).Draw(t, "gain")
		weight, heavier := hundredths(0, 3).Draw(t, "weight"), hundredths(0, 3).Draw(t, "extra weight")
		base, larger := hundredths(0, 1).Draw(t, "base"), hundredths(0, 1).Draw(t, "extra base")
		status := CheckImprovement(delta, weight, base)
		for _, c := range []struct {
			change string
			better Status
		}{
			{"larger delta", CheckImprovement(delta+gain, weight, base)},
			{"larger base", CheckImprovement(delta, weight, base+larger)},
		} {
			if rank(c.better) > rank(status) {
				t.Errorf("%s: %s after %s", c.change, c.better, status)
			}
		}
		if worse := CheckImprovement(delta, weight+heavier, base); rank(worse) < rank(status) {
			t.Errorf("heavier: %s after %s", worse, status)
		}
		if scoreImprovement(delta+gain) < scoreImprovement(delta) {
			t.Errorf("delta %v scores more than %v", delta, delta+gain)
		}
	})
}

// Properties of Aggregate.

// TestAggregateSeedOrder: the order of the seeds changes nothing but the rounding of sums, and with it what hangs on
// a standard deviation that lies on a limit but for rounding.
func TestAggregateSeedOrder(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		spec := specs(hundredths(-3, 3)).Draw(t, "spec")
		seeds := drawSeeds(t, spec, true)
		shuffled := rapid.Permutation(seeds).Draw(t, "order")
		want, got := Aggregate(spec, seeds), Aggregate(spec, shuffled)
		if near(want.Totals().Score.Std, StableMaxStd) {
			got.Stable = want.Stable
		}
		for i, m := range want.Metrics {
			if near(m.Totals().Score.Std, variableMinStd) {
				got.Metrics[i].Flag = m.Flag
			}
		}
		if diff := cmp.Diff(want, got, approx); diff != "" {
			t.Errorf("another order (-want +got):\n%s", diff)
		}
	})
}

// TestAggregateCrashedSeed: one more crashed seed raises no pass rate and changes no mean or standard deviation.
func TestAggregateCrashedSeed(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		spec := specs(hundredths(-3, 3)).Draw(t, "spec")
		seeds := drawSeeds(t, spec, true)
		at := rapid.IntRange(0, len(seeds)).Draw(t, "at")
		before := Aggregate(spec, seeds)
		after := Aggregate(spec, slices.Insert(slices.Clone(seeds), at, Assessment{}))

		if after.NSeeds != before.NSeeds+1 || after.NFailed != before.NFailed+1 {
			t.Errorf("%d seeds, %d failed; before %d, %d", after.NSeeds, after.NFailed, before.NSeeds, before.NFailed)
		}
		if now, was := *after.PassRate, numberOrNaN(before.PassRate); float64(was) < now || now == float64(was) && was > 0 {
			t.Errorf("pass rate %v, before %v", now, was)
		}
		if after.Stable && !before.Stable {
			t.Error("stable only with the crashed seed")
		}
		if diff := cmp.Diff(before.Totals().Score, after.Totals().Score, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("total scores (-before +after):\n%s", diff)
		}
		for i, m := range after.Metrics {
			if was := numberOrNaN(before.Metrics[i].PassRate); *m.PassRate > float64(was) {
				t.Errorf("%s: pass rate %v, before %v", m.Name, *m.PassRate, was)
			}
			if diff := cmp.Diff(before.Metrics[i].Totals(), m.Totals(), cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("%s (-before +after):\n%s", m.Name, diff)
			}
		}
	})
}

// TestAggregateNoFailedSeed: with no failed seed every figure equals, to the last bit, that of an aggregate which
// does not know failed seeds.
func TestAggregateNoFailedSeed(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		spec := specs(hundredths(-3, 3)).Draw(t, "spec")
		seeds := drawSeeds(t, spec, false)
		got := figuresOf(Aggregate(spec, seeds))
		// Aggregate corrects a standard deviation for the rounding of the mean, which the origin does not: they may differ
		// by that.
		sameUpToRounding := cmp.Comparer(func(a, b jsonNumber) bool {
			return math.Float64bits(float64(a)) == math.Float64bits(float64(b)) || math.Abs(float64(a-b)) <= 1e-15*max(1, math.Abs(float64(a)))
		})
		if diff := cmp.Diff(survivorsOnly(spec, seeds), got, noFlags[1], sameUpToRounding); diff != "" {
			t.Errorf("Aggregate (-want +got):\n%s", diff)
		}
	})
}

// survivorsOnly is the stability test as the origin defines it, over seeds that were all scored.
func survivorsOnly(spec Spec, seeds []Assessment) stabilityFigures {
	n := float64(len(seeds))
	meanStd := func(x func(Assessment) float64) (mean, std jsonNumber) {
		sum, squares := 0.0, 0.0
		for _, s := range seeds {
			sum += x(s)
		}
		for _, s := range seeds {
			d := x(s) - sum/n
			squares += float64(d * d)
		}
		return jsonNumber(sum / n), jsonNumber(math.Sqrt(squares / n))
	}
	share := func(holds func(Assessment) bool) jsonNumber {
		hits := 0.0
		for _, s := range seeds {
			if holds(s) {
				hits++
			}
		}
		return jsonNumber(hits / n)
	}
	total := func(s Assessment) float64 { return s.TotalScore }
	f := stabilityFigures{NSeeds: len(seeds), MetricStats: map[string]metricFigures{}}
	f.MeanScore, f.StdScore = meanStd(total)
	byTotal := func(a, b Assessment) int { return int(math.Copysign(1, a.TotalScore-b.TotalScore)) }
	f.MinScore = jsonNumber(slices.MinFunc(seeds, byTotal).TotalScore)
	f.MaxScore = jsonNumber(slices.MaxFunc(seeds, byTotal).TotalScore)
	f.PassRate = share(func(s Assessment) bool { return s.NFail == 0 })
	f.CombinedScore = f.MeanScore * f.PassRate * (1 - f.StdScore)
	f.IsStable = f.PassRate >= 0.9 && f.StdScore <= 0.15
	for i, m := range spec.Metrics {
		var mf metricFigures
		mf.MeanValue, mf.StdValue = meanStd(func(s Assessment) float64 { return s.Results[i].Value })
		mf.MeanScore, mf.StdScore = meanStd(func(s Assessment) float64 { return s.Results[i].Score })
		mf.PassRate = share(func(s Assessment) bool { return s.Results[i].Status != Fail })
		f.MetricStats[m.Name] = mf
	}
	return f
}
