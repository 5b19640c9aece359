package reports

import (
	"fmt"
	"slices"
	"strings"

	"track/answer"
	"track/reports/document"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// gate returns the verdict by the rules of the spec, with what each of them needs.
func (d stabilityReport) gate() []document.Block {
	if d.isPreview {
		return d.previewedGate()
	}
	blocks := []document.Block{heading("Gate")}
	for _, s := range d.Gate.Scenarios {
		rules := cell(": %s.", s.Rules.String())
		if d.Spec.Declared.Gate == nil {
			rules = cell(": the spec has no rules, so the configuration must be stable, with confidence %v.", s.Rules.Confidence)
		}
		blocks = append(blocks, paragraphOf(verdictText(s.Verdict), rules), d.ruleTable(s))
		blocks = append(blocks, remarkedMetrics(s)...)
		if text := s.LeftOutText(); text != "" {
			blocks = append(blocks, paragraphOf(cell("%s", sentence(text))))
		}
	}
	return append(blocks, paragraphOf(faint(gateLegend(d.Gate))))
}

// ruleTable has the rules about all seeds together, the worst first.
func (d stabilityReport) ruleTable(s verdict.ScenarioOutcome) document.Table {
	t := columns("verdict", "rule", "found", "needs")
	for _, o := range worstFirst(s.Outcomes, func(o verdict.Outcome) bool { return o.Metric == "" }) {
		needs := document.T(o.Need)
		switch {
		case o.Unattainable != "" && o.Need == "":
			needs = document.T(o.Unattainable)
		case o.Verdict == scoring.VerdictPass:
			needs = faint("nothing: the rule is met")
		case o.Verdict == scoring.VerdictFail && o.Need == "":
			needs = document.T("the rule is refuted by these seeds")
		case o.Need == "":
			needs = faint("-")
		}
		text := document.T(found(o))
		if o.Message == strings.Join(d.Stability.Finding.Reasons, "; ") {
			text = cell("see the reasons of the verdict above")
		}
		if p, of := o.ShownP(); p != nil {
			text = append(text, cell("; p %s of %s", format.Short(*p), of)...)
		}
		t.Rows = append(t.Rows, []document.Text{verdictText(o.Verdict), codeCell(o.Rule), text, needs})
	}
	return t
}

// remarkedMetrics has the metrics with a verdict other than PASS, and counts the others.
func remarkedMetrics(s verdict.ScenarioOutcome) []document.Block {
	const shown = 10
	remarked := worstFirst(s.Outcomes, func(o verdict.Outcome) bool { return o.Metric != "" && o.Verdict != scoring.VerdictPass })
	ofMetrics := worstFirst(s.Outcomes, func(o verdict.Outcome) bool { return o.Metric != "" })
	if len(ofMetrics) == 0 {
		return nil
	}
	if len(remarked) == 0 {
		return []document.Block{paragraphOf(cell("All rules on metrics pass (%s).", format.Counted(len(ofMetrics), "check")))}
	}
	t := columns("verdict", "metric", "rule", "found", "#n")
	for _, o := range remarked {
		t.Rows = append(t.Rows, []document.Text{verdictText(o.Verdict), codeCell(o.Metric), codeCell(o.Rule), document.T(found(o)), cell("%d", o.N)})
	}
	intro := paragraphOf(cell("Rules on metrics that do not pass: %d of %s.", len(remarked), format.Counted(len(ofMetrics), "check")))
	return append([]document.Block{intro}, folded(t, shown, "less severe ones")...)
}

// worstFirst returns the outcomes that which holds of.
func worstFirst(outcomes []verdict.Outcome, which func(verdict.Outcome) bool) (list []verdict.Outcome) {
	for _, o := range outcomes {
		if which(o) {
			list = append(list, o)
		}
	}
	rank := func(o verdict.Outcome) int { return slices.Index(scoring.Verdicts(), o.Verdict) }
	slices.SortStableFunc(list, func(a, b verdict.Outcome) int { return rank(b) - rank(a) })
	return list
}

// metrics has a table for each group, the group with the worst metric first, and the status of each metric in each
// seed.
func (d stabilityReport) metrics() []document.Block {
	metrics := slices.Clone(d.Stability.Metrics)
	slices.SortStableFunc(metrics, worseMetric)
	blocks := []document.Block{heading("Metrics, the worst first")}
	if len(metrics) == 0 {
		return append(blocks, paragraphOf(cell("The spec has no metrics.")))
	}
	text := cell(
		"pass is the share of the %d seeds in which the metric is PASS or WARN. n is the number of seeds that have a value. ± is the population standard deviation. The interval is the %s t interval of the mean score.",
		d.Stability.NSeeds, format.Confidence(scoring.DefaultConfidence))
	if slices.ContainsFunc(metrics, func(m scoring.MetricStability) bool { return m.N < d.Stability.NSeeds }) {
		text = append(text, cell(" A seed without a value, such as a failed one, lowers pass, and so can make a metric unstable (pass below %s). The gate counts only seeds that have a value.",
			format.Share(scoring.UnstableMaxPassRate))...)
	}
	text = append(text, intervalNote(metrics)...)
	blocks = append(blocks, paragraphOf(text))
	var groups []string
	for _, m := range metrics {
		if !slices.Contains(groups, m.Group) {
			groups = append(groups, m.Group)
		}
	}
	for _, group := range groups {
		blocks = append(blocks, groupBlocks(group, len(groups), metrics)...)
	}
	return append(append(blocks, judgingBlocks(d.Spec.Declared.Metrics)...), d.heatMap(metrics)...)
}

// intervalNote says which intervals are no t intervals; empty if all are.
func intervalNote(metrics []scoring.MetricStability) (text document.Text) {
	var cut, markov bool
	for _, m := range metrics {
		cut, markov = cut || m.ScoreCI.Cut, markov || m.ScoreCI.Method == stats.MethodMarkov
	}
	if cut {
		text = append(text, cell(" Intervals are cut to 0 to 1, the range of a score.")...)
	}
	if markov {
		text = append(text, cell(" If all scores are equal, or fewer than %d, the interval is that of Markov's inequality, which assumes nothing.", stats.SmallN)...)
	}
	return text
}

// groupBlocks has the metrics of a group; those that passed in every seed, and do not vary much, are folded.
func groupBlocks(group string, nGroups int, metrics []scoring.MetricStability) (blocks []document.Block) {
	const alwaysShown = 5
	t := columns("metric", "pass", "#score", "interval", "#n", "#value", "target", "#weight")
	weight := answer.WeightText(metrics, func(m scoring.MetricStability) float64 { return m.Weight })
	shown := 0
	for _, m := range metrics {
		if m.Group != group {
			continue
		}
		t.Rows = append(t.Rows, metricRow(m, weight))
		if *m.PassRate < 1 || m.Flag != "" {
			shown = len(t.Rows)
		}
	}
	if nGroups > 1 || group != "" {
		name := group
		if name == "" {
			name = "Without a group"
		}
		blocks = append(blocks, subheading(fmt.Sprintf("%s (%s)", name, format.Counted(len(t.Rows), "metric"))))
	}
	return append(blocks, folded(t, max(shown, min(alwaysShown, len(t.Rows))), "PASS or WARN in every seed, and none variable")...)
}

// spread returns a mean with the standard deviation, which one value does not have.
func spread(m scoring.Moments, text func(float64) string) document.Text {
	if m.N == 1 {
		return document.T(text(m.Mean))
	}
	return cell("%s ± %s", text(m.Mean), text(m.Std))
}

func metricRow(m scoring.MetricStability, weight func(float64) string) []document.Text {
	value, score := faint("-"), faint("-")
	if m.NFinite() > 0 {
		value = spread(m.Totals().Value, func(x float64) string { return format.Mean(x, m.Format) })
	}
	if counts := m.NonFinite(); counts != "" {
		value = append(value, cell(" (%s)", counts)...)
	}
	if m.N > 0 {
		score = spread(m.Totals().Score, format.Four)
	}
	pass := document.T(format.Share(*m.PassRate))
	if m.Flag != "" {
		pass = append(pass, cell(", %s", m.Flag)...)
	}
	return []document.Text{
		codeCell(m.Name), pass, score, document.T(format.OrDash(format.Interval(m.ScoreCI, format.Four))), cell("%d", m.N), value,
		document.T(m.Target), document.T(weight(m.Weight)),
	}
}
