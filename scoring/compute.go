package scoring

import (
	"math"
	"slices"
)

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
