package scoring

import "strings"

// Reasons why a metric failed that are not its distance from the target.
const (
	ReasonMissing   = "missing" // or "missing: …", with the reason why it could not be computed
	ReasonNonFinite = "not finite"
	// reasonNoScore marks a finite value for which the formula gives no finite score. Only a range at the limits of
	// float64 does that: one whose bounds sum to infinity, or whose half-width rounds to 0.
	reasonNoScore = "no finite score"
)

// Result is the judgement of one metric of one seed.
type Result struct {
	Name   string
	Value  float64 // as measured; may be NaN or infinite; 0 where Reason is ReasonMissing
	Status Status
	Score  float64 // 0..1; 0 where the value is missing, but then it enters no mean
	Reason string  // empty, or why the metric failed other than by its value
}

// Missing says that the seed carried no value for the metric.
func (r Result) Missing() bool { return strings.HasPrefix(r.Reason, ReasonMissing) }

// Assessment is the judgement of one seed under one spec.
type Assessment struct {
	Results             []Result // in the order of the spec; empty for a seed that crashed
	TotalScore          float64  // weighted mean of the scores, 0..1; 0 and meaningless unless Scored
	Scored              bool     // false for a seed that crashed or lacks a metric
	NPass, NWarn, NFail int      // counts over all metrics of the spec; a missing metric counts in NFail
}

// Passed says that the seed was scored and no metric failed.
func (a Assessment) Passed() bool { return a.Scored && a.NFail == 0 }

// Assess judges the values of one seed, by metric name. Values that the spec does not know are ignored here. A
// missing value makes its metric FAIL and leaves the seed without a total score; NaN and infinities score 0 and are
// FAIL in every type, and so does a value without a finite score (see [reasonNoScore]). The spec must have no
// [Spec.Problems].
func Assess(spec Spec, values map[string]float64) Assessment {
	return assess(spec, func(name string) (float64, string) { return lookUp(values, name) })
}

// lookUp returns a value, or why there is none.
func lookUp(values map[string]float64, name string) (value float64, missing string) {
	value, ok := values[name]
	if !ok {
		return 0, ReasonMissing
	}
	return value, ""
}

func assess(spec Spec, value func(name string) (value float64, missing string)) Assessment {
	a := Assessment{Results: make([]Result, len(spec.Metrics)), Scored: true}
	var sum, weights float64
	for i, m := range spec.Metrics {
		x, missing := value(m.Name)
		r := judge(m, x, missing)
		a.Results[i] = r
		switch r.Status {
		case Pass:
			a.NPass++
		case Warn:
			a.NWarn++
		case Fail:
			a.NFail++
		}
		a.Scored = a.Scored && missing == ""
		sum += float64(r.Score * m.Weight)
		weights += m.Weight
	}
	if a.Scored {
		a.TotalScore = sum / weights
	}
	return a
}

func judge(m Metric, value float64, missing string) Result {
	r := Result{Name: m.Name, Value: value}
	switch {
	case missing != "":
		r.Status, r.Reason = Fail, missing
		return r
	case !finite(value):
		r.Status, r.Reason = Fail, ReasonNonFinite
		return r
	}
	score := m.Target.score(value)
	if !finite(score) {
		r.Status, r.Reason = Fail, reasonNoScore
		return r
	}
	r.Status = m.Target.check(value, failEscalationMultiplier(m.Weight))
	r.Score = score
	return r
}
