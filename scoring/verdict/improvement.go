package verdict

import "track/scoring"

// Limits of a paired comparison.
const (
	minMatched     = 0.8 // smallest share of paired seeds among all seeds of both sides
	TargetPower    = 0.8 // of the detectable effect, and of "about k more pairs"
	drawSeed       = 1   // of the sign flips beyond 20 pairs
	maxSeedsQuoted = 10_000
)

// JudgedSeed is a seed with its scores under the spec of a comparison.
type JudgedSeed struct {
	Number  uint64
	Failed  string    // why it has no total score; empty where it has one
	Repeats bool      // it measured exactly what an earlier seed of its side did: it counts once
	Passed  bool      // scored, and no metric failed
	Total   float64   // 0..1; 0 where it failed
	Values  []float64 // of each metric of the spec, in its own unit; NaN where the seed has none, nil where it crashed
	Scores  []float64 // of each metric of the spec, 0..1; NaN where the seed has no value, nil where it crashed
}

// Difference says on which side of the margins the interval of the mean difference lies.
type Difference string

// The differences.
const (
	Better     Difference = "better"     // the lower end is above the margin
	Worse      Difference = "worse"      // the upper end is below minus the margin
	Equivalent Difference = "equivalent" // both ends are within the margins, which must be above 0
	Undecided  Difference = "undecided"
)

// Options of a comparison.
type Options struct {
	Confidence float64 `json:"confidence"`           // of intervals; 1 - Confidence is the level of tests
	Margin     float64 `json:"margin"`               // smallest difference of total scores that matters, 0 or more
	Base       float64 `json:"max_degradation_base"` // of [scoring.DegradationThreshold]
	Look       Look    `json:"look"`

	// Seeds of each side that were withdrawn, and that no other measurement replaced.
	WithdrawnCandidate int `json:"n_withdrawn_candidate,omitzero"`
	WithdrawnBaseline  int `json:"n_withdrawn_baseline,omitzero"`
}

// Improvement is a candidate against its baseline, paired by seed. A seed that failed on one side scores 0 there: it
// is a failure of its side, not a missing pair.
type Improvement struct {
	NCandidate  int            `json:"n_candidate"` // seeds of the candidate
	NBaseline   int            `json:"n_baseline"`
	NPairs      int            `json:"n_pairs"`
	NRepeated   int            `json:"n_repeated_pairs,omitzero"` // seeds of both sides that are no pair, because one repeats what an earlier seed measured
	Unmatched   UnmatchedSeeds `json:"unmatched"`
	Failed      FailedSeeds    `json:"failed"`
	Pairs       SeedNumbers    `json:"pairs"`       // in the order in which the candidate's seeds were recorded
	Differences []float64      `json:"differences"` // of the total scores of the pairs, candidate minus baseline
	Options
	Metrics       []MetricDelta   `json:"metrics"`                 // in the order of the spec
	Values        []ValueDelta    `json:"values"`                  // in the order of the spec; without metrics that have no two finite pairs
	NeverRecorded []NeverRecorded `json:"never_recorded,omitzero"` // metrics that are compared by nothing
	NPass         int             `json:"n_point_pass"`            // metrics with this point comparison
	NWarn         int             `json:"n_point_warn"`
	NFail         int             `json:"n_point_fail"`
	Score         *float64        `json:"improvement_score"` // weighted mean of those of the metrics; nil without weights
	NBetter       int             `json:"n_better"`          // metrics of which the data show a gain: decided, and MeanDelta above 0
	NWorse        int             `json:"n_worse"`
	Degraded      []string        `json:"degraded"`          // metrics whose point comparison is FAIL
	Total         *TotalDelta     `json:"total"`             // nil without pairs
	Unpaired      *Unpaired       `json:"unpaired,omitzero"` // if less than 80 % of the seeds are paired and both sides have two scores
	Difference    Difference      `json:"difference"`
	Finding
	Warnings []Warning `json:"warnings"`

	scoresAlike bool // the total score is within the margins, and values are not
	unconfirmed bool // the interval decided, the exact test did not
}

// Alpha is the level of the test of the total score.
func (o Options) Alpha() float64 {
	if o.Look.Alpha > 0 {
		return o.Look.Alpha
	}
	return 1 - o.Confidence
}

// JointAlpha is the level of the tests of metrics together, and of those of values.
func (o Options) JointAlpha() float64 {
	if o.Look.JointAlpha > 0 {
		return o.Look.JointAlpha
	}
	return 1 - o.Confidence
}

// MatchedShare is the share of paired seeds among all seeds of both sides; 0 for none.
func (i Improvement) MatchedShare() float64 {
	all := i.NPairs + len(i.Unmatched.Candidate) + len(i.Unmatched.Baseline)
	if all == 0 {
		return 0
	}
	return float64(i.NPairs) / float64(all)
}

// Compare judges a candidate against a baseline. The seeds of each side have different numbers, scores in the order
// of spec, and stand in the order in which they were recorded.
func Compare(spec scoring.Spec, candidate, baseline []JudgedSeed, o Options) (Improvement, error) {
	o.Look = o.Look.spend(1-o.Confidence, len(spec.Metrics))
	p := pair(candidate, baseline)
	never := neverRecorded(spec, p)
	if len(never) > 0 { // totals over different metrics cannot be compared
		candidate, baseline = overCommon(spec, never, candidate), overCommon(spec, never, baseline)
		p = pair(candidate, baseline)
	}
	i := Improvement{
		NeverRecorded: never,
		NCandidate:    len(candidate), NBaseline: len(baseline), NPairs: len(p.candidate), NRepeated: p.repeated,
		Unmatched: UnmatchedSeeds{p.unmatchedCandidate, p.unmatchedBaseline},
		Failed:    FailedSeeds{failures(p.candidate), failures(p.baseline)}, Options: o, Difference: Undecided,
	}
	if i.NPairs > 0 {
		if err := i.compareTotals(p); err != nil {
			return i, err
		}
		if err := i.compareMetrics(spec, p); err != nil {
			return i, err
		}
		if err := i.compareValues(spec, p); err != nil {
			return i, err
		}
	}
	if i.MatchedShare() < minMatched {
		i.Unpaired = compareUnpaired(candidate, baseline, o)
	}
	i.warn()
	i.decide()
	return i, nil
}
