package scoring

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"track/scoring/numeric"
)

// failEscalationMultiplier widens or narrows the WARN band by a metric's weight: clamp(5 - 2*weight, 0.5, 5). Heavy
// metrics (weight 3) fail early (0.5), light ones (weight 0.5) late (4).
func failEscalationMultiplier(weight float64) float64 {
	return maxOf(0.5, minOf(5, 5-float64(2*weight)))
}

// scoreMeanTolerance is 1 on target, 0.5 at a distance of tolerance, and 0 from twice the tolerance. A tolerance of 0,
// of either sign, is an error in a spec, and scores 0.
func scoreMeanTolerance(actual, target, tolerance float64) float64 {
	if tolerance == 0 {
		return 0
	}
	return maxOf(0, 1-float64(math.Abs(actual-target)/tolerance/2))
}

// scoreRange is 1 at the centre of [lower, upper], 0.75 at both edges, and falls to 0 outside, by the overshoot in
// widths of the range. A range of width 0 scores 1 on its value and 0 elsewhere.
func scoreRange(actual, lower, upper float64) float64 {
	width := upper - lower
	if width == 0 {
		if actual == lower {
			return 1
		}
		return 0
	}
	if lower <= actual && actual <= upper {
		centre := float64((lower + upper) / 2)
		return 1 - float64(0.25*(math.Abs(actual-centre)/(width/2)))
	}
	overshoot := actual - upper
	if actual < lower {
		overshoot = lower - actual
	}
	return maxOf(0, 0.75-overshoot/width)
}

// scorePctWithinTarget is 1 from target up, 0.75 to 1 between lower and target, and falls in proportion to 0 below
// lower. All three are shares, 0.05 for 5 %.
func scorePctWithinTarget(actual, target, lower float64) float64 {
	switch {
	case actual >= target:
		return 1
	case actual >= lower:
		return 0.75 + float64(0.25*((actual-lower)/(target-lower)))
	case lower > 0:
		return maxOf(0, 0.75*(1-(lower-actual)/lower))
	}
	return 0
}

// scoreOutlierPenalty is 1 up to maxOutlier and decays exponentially beyond it, at the rate penaltyWeight (2 where a
// spec names none) per multiple of maxOutlier. With maxOutlier 0 any outlier scores 0. outlier and maxOutlier are
// shares.
func scoreOutlierPenalty(outlier, maxOutlier, penaltyWeight float64) float64 {
	if outlier <= maxOutlier {
		return 1
	}
	if maxOutlier == 0 {
		return 0
	}
	return maxOf(0, numeric.Exp(-penaltyWeight*(outlier-maxOutlier)/maxOutlier))
}

// scoreBoolean is 1 where [checkBoolean] passes and 0 elsewhere.
func scoreBoolean(actual, threshold float64, invert bool) float64 {
	if checkBoolean(actual, threshold, invert) == Pass {
		return 1
	}
	return 0
}

// CombinedFormula is the formula of the combined score over the names that its arguments have in results.
const CombinedFormula = "score_of_seeds_that_ran * pass_rate * (1 - std_score)"

// combinedScore returns mean * passRate * (1 - std), with the population standard deviation of the scores. It rewards
// small n: never rank by it across different numbers of seeds.
func combinedScore(mean, passRate, std float64) float64 {
	return mean * passRate * (1 - std)
}

// maxOf returns a unless b > a, so a NaN in second place yields a: the rule the published vectors follow. math.Max
// would propagate the NaN.
func maxOf(a, b float64) float64 {
	if b > a {
		return b
	}
	return a
}

// minOf returns a unless b < a; see [maxOf].
func minOf(a, b float64) float64 {
	if b < a {
		return b
	}
	return a
}

// Status is the verdict on one metric of one seed.
type Status string

// The statuses, from best to worst.
const (
	Pass Status = "PASS"
	Warn Status = "WARN"
	Fail Status = "FAIL"
)

// PackedStatus is a [Status] in one byte, for one of each metric in each of many seeds. Its zero value is no status.
type PackedStatus int8

// Pack returns a status in one byte.
func Pack(s Status) PackedStatus {
	switch s {
	case Pass:
		return 1
	case Warn:
		return 2
	case Fail:
		return 3
	}
	return 0
}

// Status returns the status; empty for none.
func (p PackedStatus) Status() Status { return [...]Status{"", Pass, Warn, Fail}[p] }

// MarshalText implements [encoding.TextMarshaler].
func (p PackedStatus) MarshalText() ([]byte, error) { return []byte(p.Status()), nil }

// WorstStatus returns Fail if any status is Fail, else Warn if any is Warn, else Pass; Pass for none at all.
func WorstStatus(statuses ...Status) Status {
	worst := Pass
	for _, s := range statuses {
		switch s {
		case Fail:
			return Fail
		case Warn:
			worst = Warn
		}
	}
	return worst
}

// Value is a number that was measured, or follows from measured ones. It may be NaN or infinite. In JSON these are
// the strings "NaN", "Infinity" and "-Infinity", because null is a number that does not exist.
type Value float64

// MarshalJSON writes the value.
func (v Value) MarshalJSON() ([]byte, error) {
	switch x := float64(v); {
	case math.IsNaN(x):
		return []byte(`"NaN"`), nil
	case math.IsInf(x, 1):
		return []byte(`"Infinity"`), nil
	case math.IsInf(x, -1):
		return []byte(`"-Infinity"`), nil
	default:
		return json.Marshal(x)
	}
}

// UnmarshalJSON reads what [Value.MarshalJSON] writes.
func (v *Value) UnmarshalJSON(text []byte) error {
	var x float64
	switch string(text) {
	case `"NaN"`:
		x = math.NaN()
	case `"Infinity"`:
		x = math.Inf(1)
	case `"-Infinity"`:
		x = math.Inf(-1)
	default:
		if err := json.Unmarshal(text, &x); err != nil {
			return fmt.Errorf("%s is not a number", text)
		}
	}
	*v = Value(x)
	return nil
}

// percentFactor lies between a share and the same share in percent.
const percentFactor = 100

// MeantAsPercent returns the value that was probably meant, if one is a hundred times as large as the target wants it,
// or as small: 6.5 for 0.065 ± 0.02. The value must FAIL, a tenth or ten times of it must not PASS, and a
// hundredth or a hundred times must. A target that 0 meets tells nothing. No share is above 1, whatever its target.
func (m Metric) MeantAsPercent(value float64) (meant float64, isPercent bool) {
	if m.Target == nil || !finite(value) || value == 0 {
		return 0, false
	}
	check := func(x float64) Status { return m.Target.check(x, failEscalationMultiplier(m.Weight)) }
	if _, is := m.Target.(Boolean); is {
		return 0, false
	}
	if m.IsShare() && value > 1 {
		meant = value / percentFactor
		return meant, meant <= 1
	}
	if check(value) != Fail || check(0) == Pass {
		return 0, false
	}
	for _, factor := range [...]float64{1. / percentFactor, percentFactor} {
		tenth := float64(value / 10)
		if factor > 1 {
			tenth = float64(value * 10)
		}
		if meant = float64(value * factor); check(meant) == Pass && check(tenth) != Pass {
			return meant, true
		}
	}
	return 0, false
}

// IsShare says whether the values of the metric are shares, from 0 to 1.
func (m Metric) IsShare() bool {
	switch m.Target.(type) {
	case Outlier, PctWithin:
		return true
	}
	return false
}

// ContradictionTolerance is the largest relative difference between a given value and the same one computed from
// series.
const ContradictionTolerance = 1e-9

// ComputedValue is the value that a metric with a source (see [Metric].From) has for one seed.
type ComputedValue struct {
	Metric string  `json:"metric"`
	Value  float64 `json:"value"` // may be NaN or infinite; NaN where Reason says why there is none
	Reason string  `json:"reason,omitempty"`
}

// Contradiction is a value that was given although the series of the seed say another.
type Contradiction struct {
	Metric          string
	Given, Computed float64
}

// Compute finds the values of the metrics of the spec that have a source and are not given, in its order. A given
// value stands; but unless givenWins, or nothing can be computed, it must not differ from the computed one by more
// than [ContradictionTolerance].
func (s Spec) Compute(given map[string]float64, series func(string) ([]float64, bool), givenWins bool) ([]ComputedValue, []Contradiction) {
	var values []ComputedValue
	var contradictions []Contradiction
	for _, m := range s.Metrics {
		if m.From == nil {
			continue
		}
		known, isGiven := given[m.Name]
		if isGiven && (givenWins || series == nil) {
			continue
		}
		find := series
		if find == nil {
			find = func(string) ([]float64, bool) { return nil, false }
		}
		value, reason := m.From.Compute(find)
		switch {
		case !isGiven:
			values = append(values, ComputedValue{m.Name, value, reason})
		case reason == "" && !close(known, value):
			contradictions = append(contradictions, Contradiction{m.Name, known, value})
		}
	}
	return values, contradictions
}

// close has an absolute floor as well: the rounding of a sum that is 0 has no relative size.
func close(a, b float64) bool {
	const floor = 1e-15
	if a == b || math.IsNaN(a) && math.IsNaN(b) {
		return true
	}
	return math.Abs(a-b) <= max(floor, ContradictionTolerance*max(math.Abs(a), math.Abs(b))) && finite(a) && finite(b)
}

// Series returns the names of the series that metrics are computed from, sorted.
func (s Spec) Series() (names []string) {
	for _, m := range s.Metrics {
		if m.From != nil {
			names = append(names, m.From.Series)
			if m.From.With != "" {
				names = append(names, m.From.With)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// AssessComputed is [Assess] for a spec with sources: computed is what [Spec.Compute] returns.
func AssessComputed(spec Spec, given map[string]float64, computed []ComputedValue) Assessment {
	byName := make(map[string]ComputedValue, len(computed))
	for _, c := range computed {
		byName[c.Metric] = c
	}
	return assess(spec, func(name string) (float64, string) {
		if c, ok := byName[name]; ok {
			if c.Reason != "" {
				return 0, ReasonMissing + ": " + c.Reason
			}
			return c.Value, ""
		}
		return lookUp(given, name)
	})
}

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
