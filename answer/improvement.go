package answer

import (
	"fmt"
	"slices"
	"strings"

	"track/answer/param"
	"track/scoring"
	"track/scoring/format"
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
	found := map[verdict.Difference]string{
		verdict.Better: "the candidate is better", verdict.Worse: "the candidate is worse", verdict.Equivalent: "no difference that matters", verdict.Undecided: "the seeds do not show which one is better",
	}[a.Difference]
	if a.IsIdentical() {
		found = "the scores of the two are identical"
	}
	lead := leadOf(a.Finding, found)
	for i, text := range []string{
		"candidate: " + a.Candidate.String(), fmt.Sprintf("baseline: %s (%s)", a.Baseline, source),
		fmt.Sprintf("%d pairs of seeds, scored under %s spec version %d, degradation base %v", a.NPairs, a.Spec.Scenario, a.Spec.Version, a.Base),
	} {
		lead = append(lead, Sentence{Kind: Heading, Text: text, Joined: i > 0})
	}
	lead = append(append(lead, a.Candidate.Newest.note(a.Candidate)...), a.Baseline.Newest.note(a.Baseline)...)
	return append(lead, unrecordedLook(a.Unrecorded)...)
}

// unrecordedLook says that an interim analysis could not be recorded; nothing if it was.
func unrecordedLook(why string) []Sentence {
	if why == "" {
		return nil
	}
	return []Sentence{{Kind: Warning, Text: "this interim analysis (look) is not recorded, so later ones will not count it: " + why}}
}

func (a Improvement) Tables() []Table {
	total := Table{Name: "total", HiddenIfEmpty: true, Columns: Columns{
		{Name: "name", Head: "total score"}, {Name: "value", Head: " "}, {Name: "interval", Head: " "}, {Name: "method"},
	}.wrap("method")}
	for _, r := range TotalRows(a.Improvement) {
		total.Rows = append(total.Rows, []any{r.Name, r.Value, r.Detail, r.Method})
	}
	metrics := a.metricsTable()
	metrics.Notes = append(append(a.counts(), a.leftOut()...), warningNotes(a.Warnings)...)
	return []Table{total, metrics, a.valuesTable()}
}

func (a Improvement) metricsTable() Table {
	confidence := a.Confidence
	if len(a.Metrics) > 0 {
		confidence = a.Metrics[0].Interval.Confidence
	}
	t := Table{Name: "metrics", Main: true, Grouped: true, Columns: Columns{
		{Name: "group"}, {Name: "metric"}, {Name: "weight"}, {Name: "baseline_score_over_pairs", Head: "baseline"}, {Name: "candidate_score_over_pairs", Head: "candidate"},
		{Name: "change", For: ForPeople}, {Name: "mean_delta", Head: "mean delta"}, {Name: "ci_lo", For: ForData}, {Name: "ci_hi", For: ForData},
		{Name: "interval", Head: format.Confidence(confidence) + " interval", For: ForPeople}, {Name: "threshold", Head: "may lose"}, {Name: "improvement_score", Head: "improvement score"}, {Name: "point_comparison", Head: "point comparison"},
		{Name: "p", For: ForData}, {Name: "p_max_t", Head: "p " + a.MetricCorrection()}, {Name: "decided", For: ForData},
		{Name: "wins", For: ForData}, {Name: "losses", For: ForData}, {Name: "ties", For: ForData}, {Name: "wins_losses_ties", Head: "W/L/T", For: ForPeople},
	}.drop("weight", "threshold", "wins_losses_ties", "baseline_score_over_pairs", "candidate_score_over_pairs", "improvement_score", "p_max_t", "point_comparison", "interval")}
	weight := WeightText(a.Metrics, func(m verdict.MetricDelta) float64 { return m.Weight })
	for _, m := range a.Metrics {
		t.Rows = append(t.Rows, []any{
			m.Group, m.Name, numberCell(m.Weight, weight), m.Baseline, m.Candidate, ChangeText(m), numberCell(m.MeanDelta, format.Signed),
			defined(m.Interval.Lo), defined(m.Interval.Hi), intervalCell(m.Interval, format.Signed), numberCell(m.Threshold, format.Four), m.Score, string(m.Status),
			m.P, numberCell(m.PMaxT, format.PValue), m.IsDecided, m.Wins, m.Losses, m.Ties, fmt.Sprintf("%d/%d/%d", m.Wins, m.Losses, m.Ties),
		})
	}
	return t
}

// valuesTable shows the values of metrics that moved; with a margin also those that are not shown to lie within theirs.
func (a Improvement) valuesTable() Table {
	i := a.Improvement
	t := Table{Name: "values", HiddenIfEmpty: true, Columns: Columns{
		{Name: "metric", Head: "value of"}, {Name: "n_pairs", Head: "pairs"}, {Name: "baseline_mean_over_pairs", Head: "baseline"}, {Name: "candidate_mean_over_pairs", Head: "candidate"},
		{Name: "mean_delta", Head: "mean delta"}, {Name: "ci_lo", For: ForData}, {Name: "ci_hi", For: ForData},
		{Name: "interval", Head: format.Confidence(1-i.JointAlpha()) + " interval", For: ForPeople}, {Name: "shift_in_sds", Head: "sd"}, {Name: "margin"},
		{Name: "p_holm", Head: "p " + i.ValueCorrection()}, {Name: "moved"}, {Name: "within", For: ForData}, {Name: "correlation"},
	}.drop("correlation", "margin", "n_pairs", "interval", "shift_in_sds")}
	nLeft := 0
	for _, v := range i.Values {
		if !v.Moved && (i.Options.Margin == 0 || v.Margin == nil || v.Within) {
			nLeft++
			continue
		}
		write := func(x float64) string { return format.Mean(x, v.Format) }
		t.Rows = append(t.Rows, []any{
			v.Metric, v.NPairs, Cell{write(v.Baseline), v.Baseline}, Cell{write(v.Candidate), v.Candidate}, Cell{verdict.SignedValue(v.MeanDelta, v.Format), v.MeanDelta},
			defined(v.Interval.Lo), defined(v.Interval.Hi), intervalCell(v.Interval, func(x float64) string { return verdict.SignedValue(x, v.Format) }),
			optionalCell(v.Shift, func(x float64) string { return format.Fixed(x, 1) }), optionalCell(v.Margin, write),
			numberCell(v.PHolm, format.PValue), movedText(v), v.Within, optionalCell(v.Correlation, func(x float64) string { return format.Fixed(x, 2) }),
		})
	}
	if len(t.Rows) > 0 {
		text := i.ValueTest() + "; the intervals hold for all values together"
		if nLeft > 0 {
			text += fmt.Sprintf("; %s not listed, which are not shown to have moved", format.Counted(nLeft, "value"))
		}
		t.Notes = []Sentence{{Kind: Note, Text: text}}
	}
	return t
}

// movedText says whether a value moved, or is shown to lie within its margin.
func movedText(v verdict.ValueDelta) string {
	switch {
	case v.Moved:
		return "moved"
	case v.NEqual == v.NPairs:
		return "equal"
	case v.Margin != nil && v.Within:
		return "within"
	}
	return "~"
}

// ChangeText returns "better" or "worse" if the data show a change of a metric, else "~".
func ChangeText(m verdict.MetricDelta) string {
	switch {
	case !m.IsDecided:
		return "~"
	case m.MeanDelta < 0:
		return "worse"
	}
	return "better"
}

// counts says how many metrics have which status, and what ~ means.
func (a Improvement) counts() []Sentence {
	n := len(a.Metrics) + a.NHidden
	if n == 0 {
		return nil
	}
	text := fmt.Sprintf("%s; point comparison of the mean deltas at base %v, which says nothing of other seeds: %d PASS, %d WARN, %d FAIL", format.Counted(n, "metric"), a.Base, a.NPass, a.NWarn, a.NFail)
	if a.NHidden > 0 {
		text += fmt.Sprintf("; %d are not shown", a.NHidden)
	}
	notes := []Sentence{{Kind: Note, Text: text}}
	if len(a.Degraded) > 0 {
		notes = append(notes, Sentence{Kind: Note, Text: "degraded by the point comparison: " + strings.Join(a.Degraded, ", "), Joined: true})
	}
	return append(notes, Sentence{Kind: Note, Joined: true, Text: fmt.Sprintf(
		"what the data decide: %d better, %d worse, %d ~ (not decided): %s, p above %s; the intervals hold for all metrics together",
		a.NBetter, a.NWorse, n-a.NBetter-a.NWorse, a.MetricTest(), format.PValue(a.JointAlpha()))})
}

// leftOut names the seeds that are in no pair, and those that failed.
func (a Improvement) leftOut() (notes []Sentence) {
	add := func(name, seeds string) {
		if seeds != "" {
			notes = append(notes, Sentence{Kind: Note, Text: name + ": " + seeds, Joined: len(notes) > 0})
		}
	}
	add("only in the candidate", shortList(numberTexts(a.Unmatched.Candidate)))
	add("only in the baseline", shortList(numberTexts(a.Unmatched.Baseline)))
	add("failed in the candidate", failedText(a.Failed.Candidate))
	add("failed in the baseline", failedText(a.Failed.Baseline))
	return notes
}

func numberTexts(numbers []uint64) []string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = fmt.Sprint(n)
	}
	return texts
}

// failedText names seeds by the reason why they failed: "1, 2 (timeout); 3 (error: no money)".
func failedText(seeds []verdict.FailedSeed) string {
	var reasons []string
	numbers := map[string][]uint64{}
	for _, s := range seeds {
		if numbers[s.Reason] == nil {
			reasons = append(reasons, s.Reason)
		}
		numbers[s.Reason] = append(numbers[s.Reason], s.Number)
	}
	for i, reason := range reasons {
		reasons[i] = shortList(numberTexts(numbers[reason])) + " (" + Shorten(reason) + ")"
	}
	return shortList(reasons)
}

// shortList joins the first of many words.
func shortList(words []string) string {
	const most = 20
	if len(words) > most {
		return strings.Join(words[:most], ", ") + fmt.Sprintf(" and %d more; the format json lists all", len(words)-most)
	}
	return strings.Join(words, ", ")
}

// TotalRow is a line on the difference of total scores.
type TotalRow struct{ Name, Value, Detail, Method string }

// TotalRows returns the difference of the total scores of a comparison with what a reader needs in order to trust it;
// none without pairs.
func TotalRows(i verdict.Improvement) (rows []TotalRow) {
	t := i.Total
	if t == nil {
		return nil
	}
	add := func(name, value, detail, format string, args ...any) {
		rows = append(rows, TotalRow{name, value, detail, fmt.Sprintf(format, args...)})
	}
	add("baseline → candidate", format.Four(t.Baseline)+" → "+format.Four(t.Candidate), "", "means over %s", format.Counted(i.NPairs, "pair"))
	add("mean delta", format.Signed(t.MeanDelta), format.OrDash(format.Interval(t.Interval, format.Signed)), "%s %s interval%s",
		format.Confidence(t.Interval.Confidence), t.Interval.Method, beyond(t.Interval, -1, "difference"))
	add("p", format.PValue(t.P), "", "%s", t.PMethod)
	if i.Score != nil {
		add("improvement score", format.Four(*i.Score), "", "of each metric max(0, min(1, 1 + mean delta)), weighted mean; 1 is no loss")
	}
	if r := t.Correlation; r != nil && !i.Look.Anytime {
		what := "pairs differ by about as much as unpaired seeds would"
		switch {
		case *r > 0.3:
			what = "pairs differ by less than as many unpaired seeds would: common random numbers"
		case *r < -0.3:
			what = "pairs differ by more than as many unpaired seeds would"
		}
		add("correlation of pairs", format.Fixed(*r, 2), "", "Pearson, of the total scores; %s", what)
	}
	losses := format.Counted(t.Losses, "loss")
	if t.Losses != 1 {
		losses = fmt.Sprintf("%d losses", t.Losses)
	}
	add("P(improvement)", format.Four(t.PImprovement), "", "%s, %s, %s; a tie counts half", format.Counted(t.Wins, "win"), losses, format.Counted(t.Ties, "tie"))
	if won := t.WinShareCI; t.WinShare != nil && won.Defined() {
		add("wins without ties", format.Four(*t.WinShare), format.Interval(won, format.Four), "%s Wilson interval over %s",
			format.Confidence(won.Confidence), format.Counted(t.Wins+t.Losses, "pair"))
	}
	if t.Detectable != nil && t.DetectableDz != nil && !i.Look.Anytime {
		add("detectable effect", format.Four(*t.Detectable), "", "power %v with %s, at the observed sd: %.2f sds (dz)",
			verdict.TargetPower, format.Counted(i.NPairs, "pair"), *t.DetectableDz)
	}
	if u := i.Unpaired; u != nil {
		add("unpaired delta", format.Signed(u.MeanDelta), format.Short(u.Interval.Lo)+" to "+format.Short(u.Interval.Hi),
			"%s (%d and %d seeds), p %s", u.Method, u.NCandidate, u.NBaseline, format.PValue(u.P))
	}
	return rows
}
