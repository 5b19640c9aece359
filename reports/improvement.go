package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"track"
	"track/answer"
	"track/reports/document"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/verdict"
)

// Improvement returns the report of a candidate against its baseline, seed by seed.
func Improvement(a answer.ImprovementReport) document.Document {
	d := improvementReport{a}
	return document.Document{
		Title: "Improvement of " + d.title(),
		Blocks: slices.Concat(
			d.summary(), d.degraded(), d.forest(), d.paired(), d.metrics(), judgingBlocks(d.Declared), d.unmatched(), d.differences(), d.warnings(), d.provenance(), d.reproduce(),
		),
	}
}

type improvementReport struct{ answer.ImprovementReport }

// title names the sides in a few words.
func (d improvementReport) title() string {
	if d.Candidate.Scenario == d.Baseline.Scenario {
		candidate, baseline := d.changed(func(p answer.ParameterChange) string { return p.After }), d.changed(func(p answer.ParameterChange) string { return p.Before })
		if candidate == baseline && d.Candidate.Name() == d.Baseline.Name() {
			return d.Candidate.Selector() + " over " + d.Baseline.Selector()
		}
		return d.Candidate.Scenario + ": " + d.Candidate.Name() + candidate + " over " + d.Baseline.Name() + baseline
	}
	return d.Candidate.Scenario + " over " + d.Baseline.Scenario
}

// changed returns the parameters in which one side differs, as " (theta=14)"; empty if there are none.
func (d improvementReport) changed(side func(answer.ParameterChange) string) string {
	const most = 60
	var words []string
	for _, p := range d.Parameters {
		if value := side(p); value != "" {
			words = append(words, p.Name+"="+value)
		}
	}
	if len(words) == 0 {
		return ""
	}
	return " (" + cut(strings.Join(words, " "), most) + ")"
}

// summary returns the verdict with what it rests on.
func (d improvementReport) summary() []document.Block {
	i := d.Improvement
	var sentences []string
	for _, reason := range i.Reasons {
		sentences = append(sentences, sentence(reason))
	}
	for _, need := range i.Needs {
		sentences = append(sentences, "Needed: "+need+".")
	}
	blocks := []document.Block{paragraphOf(verdictText(i.Verdict), cell(": %s (%s).", foundText(i), format.Counted(i.NPairs, "pair"))), d.sides()}
	blocks = append(blocks, bullets(sentences)...)
	blocks = append(blocks, heading("What the verdict rests on"))
	if i.NPairs == 0 {
		return append(blocks, paragraphOf(cell("The two sides have no seed in common, so there are no pairs to compare.")))
	}
	return append(blocks, totalTable(i.Improvement), paragraphOf(cell(
		"%s, each of the same seed on both sides, judged under %s spec version %d. A seed without a score on one side counts as 0 there. The level of the tests is %s. The margin, the smallest difference that matters, is %v.",
		format.Counted(i.NPairs, "pair"), d.Spec.Scenario, d.Spec.Version, format.Fixed(i.Options.Alpha(), 3), i.Options.Margin)))
}

// differenceWords say what was found.
var differenceWords = map[verdict.Difference]string{
	verdict.Better: "the candidate is better", verdict.Worse: "the candidate is worse", verdict.Equivalent: "no difference that matters",
	verdict.Undecided: "the seeds do not show which one is better",
}

// foundText says what was found, without numbers.
func foundText(i answer.Improvement) string {
	if i.IsIdentical() {
		return "the scores of the two are identical"
	}
	return differenceWords[i.Difference]
}

// differenceText says what was found, with its numbers.
func (d improvementReport) differenceText() string {
	i := d.Improvement
	text := foundText(i)
	if i.NPairs > 0 {
		text += "; " + d.meanDifference()
	}
	return text
}

// meanDifference says how far the total scores of pairs differ.
func (d improvementReport) meanDifference() string {
	i := d.Improvement
	text := fmt.Sprintf("mean difference of total scores %s over %s", format.Signed(i.Total.MeanDelta), format.Counted(i.NPairs, "pair"))
	if i.Total.Interval.Defined() {
		text += fmt.Sprintf(" (%s %s interval %s)", format.Confidence(i.Total.Interval.Confidence), i.Total.Interval.Method, format.Interval(i.Total.Interval, format.Signed))
	}
	return text
}

// sides says what is compared.
func (d improvementReport) sides() document.Table {
	var total verdict.TotalDelta
	if d.Improvement.Total != nil {
		total = *d.Improvement.Total
	}
	t := columns("", "configuration", "label", "revision", "#seeds", "#mean score over pairs")
	for _, side := range []struct {
		name string
		c    answer.Side
		n    int
		mean float64
	}{{"candidate", d.Candidate, d.Improvement.NCandidate, total.Candidate}, {"baseline", d.Baseline, d.Improvement.NBaseline, total.Baseline}} {
		mean := "-"
		if d.Improvement.NPairs > 0 {
			mean = format.Four(side.mean)
		}
		t.Rows = append(t.Rows, []document.Text{
			document.T(side.name), codeCell(side.c.Selector()), document.T(format.OrDash(side.c.Configuration.Label)), document.T(format.OrDash(side.c.Configuration.Revision.String())),
			cell("%d", side.n), document.T(mean),
		})
	}
	return t
}

// worstChange sorts metrics: the degraded ones first, then those that lost the most.
func worstChange(a, b verdict.MetricDelta) int {
	rank := map[scoring.Status]int{scoring.Fail: 0, scoring.Warn: 1, scoring.Pass: 2}
	if a.Status != b.Status {
		return rank[a.Status] - rank[b.Status]
	}
	return worse(a.MeanDelta, b.MeanDelta)
}

func (d improvementReport) worstMetrics() []verdict.MetricDelta {
	metrics := slices.Clone(d.Improvement.Metrics)
	slices.SortStableFunc(metrics, worstChange)
	return metrics
}

// degraded returns the metrics that lost more than the spec allows.
func (d improvementReport) degraded() []document.Block {
	i := d.Improvement
	blocks := []document.Block{heading(fmt.Sprintf("Metrics degraded by the point comparison (%d of %d)", i.NFail, len(i.Metrics)))}
	switch {
	case i.NPairs == 0:
		return append(blocks, paragraphOf(cell("Nothing was compared.")))
	case i.NFail == 0:
		return append(blocks, paragraphOf(cell("None: the mean of no metric fell by more than base/weight, with base %v.", i.Options.Base)))
	}
	metrics := d.worstMetrics()
	return append(blocks, folded(d.metricTable(metrics[:i.NFail]), 20, "degraded too")...)
}

// metrics returns all of them but the degraded ones, which have a section of their own.
func (d improvementReport) metrics() []document.Block {
	const alwaysShown = 5
	i := d.Improvement
	title := "Metrics, the worst first"
	if i.NFail > 0 {
		title = fmt.Sprintf("The other metrics (%d of %d), the worst first", len(i.Metrics)-i.NFail, len(i.Metrics))
	}
	blocks := []document.Block{heading(title)}
	if len(i.Metrics) == 0 {
		return append(blocks, paragraphOf(cell("Nothing was compared.")))
	}
	metrics := d.worstMetrics()[i.NFail:]
	shown, nDecided := alwaysShown, 0
	for _, m := range i.Metrics {
		if m.IsDecided {
			nDecided++
		}
	}
	for k, m := range metrics {
		if m.IsDecided || m.Status != scoring.Pass {
			shown = max(shown, k+1)
		}
	}
	blocks = append(blocks, paragraphOf(cell(
		"%s. The point comparison looks at the mean of these seeds alone, and says nothing of others: %d PASS (the mean did not fall), %d WARN (it fell by at most base/weight, with base %v), %d FAIL (it fell by more). ",
		format.Counted(len(i.Metrics), "metric"), i.NPass, i.NWarn, i.Options.Base, i.NFail),
		cell("What the data decide: %d of the changes are significant; ~ marks the others: %s, p above %s. The intervals hold for all metrics together.",
			nDecided, i.MetricTest(), format.PValue(i.Options.JointAlpha()))))
	if text := d.undecidable(); text != "" {
		blocks = append(blocks, paragraphOf(cell("%s", text)))
	}
	if len(metrics) == 0 {
		return append(blocks, paragraphOf(cell("None.")))
	}
	return append(blocks, folded(d.metricTable(metrics), shown, "PASS and not significant")...)
}

// undecidable says that no change can be significant with so few pairs; empty if one can. The smallest p of n pairs
// is 2/2^n, for any number of metrics.
func (d improvementReport) undecidable() string {
	n, m, alpha := d.Improvement.NPairs, len(d.Improvement.Metrics), d.Improvement.Options.JointAlpha()
	least := min(1, math.Ldexp(1, 1-n))
	if n == 0 || m == 0 || least <= alpha {
		return ""
	}
	return fmt.Sprintf("With %s, no change of a metric can be significant: the smallest possible p is %s, above %s.", format.Counted(n, "pair"), format.PValue(least), format.PValue(alpha))
}

func (d improvementReport) metricTable(metrics []verdict.MetricDelta) document.Table {
	interval := "interval"
	if len(metrics) > 0 {
		interval = format.Confidence(metrics[0].Interval.Confidence) + " " + metrics[0].Interval.Method + " interval"
	}
	t := columns("point comparison", "metric", "#mean delta", interval, "change", "#may lose", "#p ("+d.Improvement.MetricCorrection()+")", "#won/lost/tied", "#baseline → candidate", "#weight")
	weight := answer.WeightText(d.Improvement.Metrics, func(m verdict.MetricDelta) float64 { return m.Weight })
	for _, m := range metrics {
		t.Rows = append(t.Rows, []document.Text{
			statusText(m.Status), codeCell(m.Name), document.T(format.Signed(m.MeanDelta)), document.T(format.OrDash(format.Interval(m.Interval, format.Signed))),
			document.T(answer.ChangeText(m)), document.T(format.Four(m.Threshold)), document.T(format.PValue(m.PMaxT)),
			cell("%d/%d/%d", m.Wins, m.Losses, m.Ties), cell("%s → %s", format.Four(m.Baseline), format.Four(m.Candidate)), document.T(weight(m.Weight)),
		})
	}
	return t
}

// unmatched returns the seeds that are in no pair, and those that failed in one.
func (d improvementReport) unmatched() []document.Block {
	i := d.Improvement
	blocks := []document.Block{heading(fmt.Sprintf("Unmatched seeds (%d)", len(i.Unmatched.Candidate)+len(i.Unmatched.Baseline)))}
	var list []string
	for _, side := range []struct {
		name  string
		seeds []uint64
	}{{"candidate", i.Unmatched.Candidate}, {"baseline", i.Unmatched.Baseline}} {
		if len(side.seeds) > 0 {
			list = append(list, fmt.Sprintf("Only on the side of the %s, and left out: %d (%s).", side.name, len(side.seeds), seedsText(side.seeds)))
		}
	}
	if len(list) == 0 {
		list = append(list, "None: both sides have the same seeds.")
	}
	if i.NPairs > 0 {
		list = append(list, fmt.Sprintf("Matched: %d pairs, %s of the seeds of both sides together.", i.NPairs, format.Share(i.MatchedShare())))
	}
	blocks = append(blocks, bullets(list)...)
	return append(blocks, d.failedPairs()...)
}

// withoutScoreText counts the paired seeds that have no score on one side, and those on both.
func (d improvementReport) withoutScoreText() string {
	sides := map[uint64]int{}
	for _, s := range slices.Concat(d.Improvement.Failed.Candidate, d.Improvement.Failed.Baseline) {
		sides[s.Number]++
	}
	var counts [3]int // by the number of sides
	for _, n := range sides {
		counts[n]++
	}
	text := format.Counted(counts[1], "paired seed") + " without a score on one side"
	switch {
	case counts[2] > 0 && counts[1] > 0:
		text += fmt.Sprintf(", %d on both", counts[2])
	case counts[2] > 0:
		text = format.Counted(counts[2], "paired seed") + " without a score on both sides"
	}
	return text + "; the missing score counts as 0:"
}

// failedPairs returns the seeds that score 0 on one side or both.
func (d improvementReport) failedPairs() []document.Block {
	t := columns("#seed", "side", "why it has no score")
	for _, side := range []struct {
		name  string
		seeds []verdict.FailedSeed
	}{{"candidate", d.Improvement.Failed.Candidate}, {"baseline", d.Improvement.Failed.Baseline}} {
		for _, s := range side.seeds {
			t.Rows = append(t.Rows, []document.Text{cell("%d", s.Number), document.T(side.name), document.T(cut(s.Reason, 200))})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	intro := paragraphOf(cell("%s", d.withoutScoreText()))
	return append([]document.Block{intro}, folded(t, 10, "without a score")...)
}

func (d improvementReport) warnings() []document.Block { return warningBlocks(d.warningTexts()) }

// warningTexts returns the warnings about the numbers.
func (d improvementReport) warningTexts() (list []string) {
	for _, w := range d.Improvement.Warnings {
		list = append(list, sentence(w.Message))
	}
	return list
}

// differences returns what the sides differ in, next to their results.
func (d improvementReport) differences() []document.Block {
	return []document.Block{heading("What differs"), differenceTable("baseline", "candidate", d.Baseline, d.Candidate, d.Parameters)}
}

// differenceTable has the code, the label and the parameters that differ.
func differenceTable(nameBefore, nameAfter string, before, after answer.Side, parameters []answer.ParameterChange) document.Block {
	t := columns("", nameBefore, nameAfter)
	side := func(s string) document.Text {
		if s == "" {
			return faint("not set")
		}
		return document.T(cut(s, 120))
	}
	add := func(name document.Text, b, a string) {
		if b != a {
			t.Rows = append(t.Rows, []document.Text{name, side(b), side(a)})
		}
	}
	add(document.T("scenario"), before.Scenario, after.Scenario)
	add(document.T("label"), before.Configuration.Label, after.Configuration.Label)
	add(document.T("commit"), before.Configuration.Revision.Commit, after.Configuration.Revision.Commit)
	add(document.T("uncommitted changes"), changesText(before), changesText(after))
	for _, p := range parameters {
		add(slices.Concat(cell("parameter "), codeCell(p.Name)), p.Before, p.After)
	}
	if len(t.Rows) == 0 {
		return paragraphOf(cell("No recorded label, code or parameter differs."))
	}
	return t
}

// changesText says whether the code differed from its commit.
func changesText(c answer.Side) string {
	switch {
	case c.Configuration.Revision.Unknown != "":
		return "state of the code unknown"
	case !c.Configuration.Revision.Dirty:
		return "none known"
	case c.Configuration.Revision.DiffHash == "":
		return "yes, not recorded which"
	}
	return "yes, " + track.ShortHash(c.Configuration.Revision.DiffHash)
}
