package answer

import (
	"fmt"
	"slices"

	"track/answer/param"
	"track/scoring"
	"track/scoring/verdict"
)

// PairedQuestion asks to compare a candidate with its baseline, seed by seed.
type PairedQuestion struct {
	Candidate Selector
	Baseline  *Selector // nil for the one that the spec or a pin names
	Spec      int       // version of the spec of the baseline's scenario; 0 for the newest
	Margin    float64
	Base      *float64 // of the degradation threshold; nil for that of the candidate's spec
	Judging
}

func (q *PairedQuestion) Params() param.List {
	return append(param.List{
		{Name: "candidate", Arg: true, Required: true, Unit: "SCENARIO[@CONFIGURATION]", Help: "compare this candidate", Value: selectorValue(&q.Candidate)},
		baselineParam(&q.Baseline, "compare with this `SCENARIO[@CONFIGURATION]` (default: the one that the spec names, or the pinned one)"),
		specParam(&q.Spec, "judge under this `VERSION` of the baseline's spec"),
		marginParam(&q.Margin),
		baseParam(&q.Base),
	}, q.Judging.Params()...)
}

func (q *PairedQuestion) Check() error {
	if err := checkMargin(q.Margin); err != nil {
		return err
	}
	if err := checkBase(q.Base); err != nil {
		return err
	}
	if err := q.Judging.Check(); err != nil {
		return err
	}
	return CheckLooks(q.Plan, q.Confidence)
}

// ImprovementQuestion asks whether a candidate is better than its baseline.
type ImprovementQuestion struct {
	PairedQuestion
	OnlyChanged bool     // only the metrics that the data decide, and the degraded ones
	Groups      []string // only the metrics of these groups; none for all
	Metrics     []string // only these; none for all
}

func (q *ImprovementQuestion) Params() param.List {
	return append(q.PairedQuestion.Params(), param.List{
		{Name: "only-changed", Help: "show only metrics with a significant change, and degraded ones", Value: param.Switch(&q.OnlyChanged)},
		{Name: "group", Unit: "GROUP", Help: "show only the metrics of this `GROUP`; may be repeated", Value: param.Texts(&q.Groups)},
		{Name: "metric", Unit: "METRIC", Help: "show only this `METRIC`; may be repeated", Value: param.Texts(&q.Metrics)},
	}...)
}

// Shows reports whether a metric is one of those that were asked for; changed says that its score or value changed.
func (q *ImprovementQuestion) Shows(m verdict.MetricDelta, changed bool) bool {
	switch {
	case len(q.Metrics) > 0 && !slices.Contains(q.Metrics, m.Name):
	case len(q.Groups) > 0 && !slices.Contains(q.Groups, m.Group):
	case q.OnlyChanged && m.Status != scoring.Fail && !changed:
	default:
		return true
	}
	return false
}

// BaselineSource says where a baseline comes from.
type BaselineSource string

// The sources of baselines.
const (
	BaselineGiven  BaselineSource = "given"
	BaselineSpec   BaselineSource = "spec" // the candidate's spec names its scenario
	BaselinePinned BaselineSource = "pinned"
)

// Improvement is a candidate against its baseline, paired by seed.
type Improvement struct {
	Candidate      Side           `json:"candidate"`
	Baseline       Side           `json:"baseline"`
	BaselineSource BaselineSource `json:"baseline_source"`
	Spec           ScenarioSpec   `json:"spec"` // that both sides are judged under: the baseline's

	verdict.Improvement
	NHidden    int    `json:"n_hidden_metrics"`         // metrics that were not asked for
	Unrecorded string `json:"unrecorded_look,omitzero"` // why this interim analysis could not be recorded; empty if it was
}

func (a Improvement) Lead() []Sentence {
	source := map[BaselineSource]string{BaselineGiven: "given", BaselineSpec: "named by the spec", BaselinePinned: "pinned"}[a.BaselineSource]
	lead := []Sentence{
		{Kind: Heading, Text: "candidate  " + a.Candidate.String()},
		{Kind: Heading, Text: fmt.Sprintf("baseline   %s  (%s)", a.Baseline, source), Joined: true},
		{Kind: Heading, Text: fmt.Sprintf("%d pairs of seeds, scored under %s spec version %d, degradation base %v",
			a.NPairs, a.Spec.Scenario, a.Spec.Version, a.Base), Joined: true},
	}
	lead = append(append(lead, a.Candidate.Newest.note(a.Candidate)...), a.Baseline.Newest.note(a.Baseline)...)
	found := string(a.Difference)
	if a.IsIdentical() {
		found = "identical"
	}
	lead = append(lead, leadOf(a.Finding, found)...)
	return append(lead, unrecordedLook(a.Unrecorded)...)
}

// unrecordedLook says that an interim analysis could not be recorded; nothing if it was.
func unrecordedLook(why string) []Sentence {
	if why == "" {
		return nil
	}
	return []Sentence{{Kind: Warning, Text: "this interim analysis (look) is not recorded, so later ones will not count it: " + why}}
}
