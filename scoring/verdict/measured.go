package verdict

import (
	"math"

	"track/scoring"
)

// Measured is what the seeds measured next to the limit of a rule. It disregards chance and is no verdict: a gate
// decides by bounds and tests.
type Measured struct {
	Rule   string   `json:"rule"`
	Of     string   `json:"of"`    // what was measured: such as "pass rate"
	Value  *float64 `json:"value"` // nil if there is nothing to measure
	Limit  float64  `json:"limit"`
	AtMost bool     `json:"at_most,omitzero"` // Value may be at most Limit, otherwise at least
	Margin *float64 `json:"margin"`           // how far Value is on the allowed side of Limit; negative on the other side
	Met    bool     `json:"met"`
	N      int      `json:"n"` // seeds or pairs
}

// What rules measure.
const (
	MeasuredSeeds    = "seeds"
	MeasuredPassRate = "pass rate"
	MeasuredMetrics  = "metrics within their loss" // of no_degradation
	measuredSD       = "sd"
	measuredSpread   = "population sd" // of stable
	measuredScore    = "score"
)

func newMeasured(rule, of string, n int, value, limit float64, atMost bool) Measured {
	m := Measured{Rule: rule, Of: of, Limit: limit, AtMost: atMost, N: n}
	if math.IsNaN(value) {
		return m
	}
	margin := value - limit
	if atMost {
		margin = limit - value
	}
	m.Value, m.Margin, m.Met = &value, &margin, margin >= 0
	return m
}

// measured returns what the seeds measured of each rule that applies.
func (in GateInput) measured(e Estimates) (list []Measured) {
	add := func(rule, of string, n int, value, limit float64, atMost bool) {
		list = append(list, newMeasured(rule, of, n, value, limit, atMost))
	}
	rules, n := in.Rules, e.NSeeds
	if c := in.Coverage; c.NPlanned > 0 {
		add(RulePlanned, MeasuredSeeds, n, float64(c.NPlanned-c.NMissing), float64(c.NPlanned), false)
	}
	if rules.MinSeeds > 0 {
		add(ruleMinSeeds, MeasuredSeeds, n, float64(n), float64(rules.MinSeeds), false)
	}
	if rules.MinPassRate != nil {
		add(RuleMinPassRate, MeasuredPassRate, n, e.PassRate.Value, *rules.MinPassRate, false)
	}
	if rules.Stable {
		sd := math.NaN()
		if e.NScored > 0 {
			sd = in.Stability.Totals().Score.Std
		}
		add(ruleStable, MeasuredPassRate, n, e.PassRate.Value, scoring.StableMinPassRate, false)
		add(ruleStable, measuredSpread, e.NScored, sd, scoring.StableMaxStd, true)
	}
	if rules.MaxStd != nil {
		add(ruleMaxStd, measuredSD, e.NScored, e.SD.Value, *rules.MaxStd, true)
	}
	if rules.MinScore != nil {
		add(ruleMinScore, measuredScore, e.NSeeds, e.Score.Value, *rules.MinScore, false)
	}
	if rules.NoDegradation {
		list = append(list, in.measuredLosses())
	}
	return list
}

// measuredLosses counts the guarded metrics whose mean loss is within what they may lose.
func (in GateInput) measuredLosses() Measured {
	if in.Improvement == nil {
		return newMeasured(RuleNoDegradation, MeasuredMetrics, 0, math.NaN(), 0, false)
	}
	guarded, _ := judge{in: in}.guarded()
	all, within := len(guarded), 0
	for _, m := range guarded {
		if m.Status != scoring.Fail {
			within++
		}
	}
	for _, never := range in.Improvement.NeverRecorded {
		if in.Rules.LeavesOut(never.info) == "" {
			all++
		}
	}
	return newMeasured(RuleNoDegradation, MeasuredMetrics, in.Improvement.NPairs, float64(within), float64(all), false)
}
