package reports

import (
	"fmt"

	"track/reports/document"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/verdict"
)

// changes says what is different from the configuration before: what was run, and what came of it.
func (d stabilityReport) changes() []document.Block {
	if d.Previous == nil {
		return []document.Block{
			heading("What changed since the previous configuration"),
			paragraphOf(cell("No earlier configuration has the same parameters.")),
		}
	}
	p := improvementReport{*d.Previous}
	blocks := []document.Block{
		heading("What changed since " + p.Baseline.Name()),
		paragraphOf(cell("The previous configuration is "), codeCell(p.Baseline.Selector()), document.T(".")),
		differenceTable("before", "now", p.Baseline, p.Candidate, p.Parameters),
	}
	i := p.Improvement
	if i.NPairs == 0 {
		return append(blocks, paragraphOf(cell("The two configurations have no seed in common, so their scores are not compared.")))
	}
	command := paragraphOf(cell("The whole comparison: "), codeCell(p.command("track improvement")))
	if d.isPreview {
		return append(blocks, paragraphOf(cell("%s The candidate is this configuration.", sentence(p.meanDifference()))), command)
	}
	blocks = append(blocks, paragraphOf(
		verdictText(i.Verdict), cell(": %s; p %s (%s). The candidate is this configuration.", p.differenceText(), format.PValue(i.Total.P), i.Total.PMethod)))
	blocks = append(blocks, p.notable()...)
	return append(blocks, command)
}

// notable returns the metrics that are degraded or changed significantly.
func (d improvementReport) notable() []document.Block {
	i := d.Improvement
	var list []verdict.MetricDelta
	for _, m := range d.worstMetrics() {
		if m.Status == scoring.Fail || m.IsDecided {
			list = append(list, m)
		}
	}
	if len(list) == 0 {
		return []document.Block{paragraphOf(cell("By the point comparison none of %s is degraded, and no change is significant.", format.Counted(len(i.Metrics), "metric")))}
	}
	return append([]document.Block{paragraphOf(cell("%s, %d of them degraded by the point comparison or changed significantly:", format.Counted(len(i.Metrics), "metric"), len(list)))},
		folded(d.metricTable(list), 10, "degraded or changed significantly")...)
}

// command returns the command that compares the same seeds in the same way.
func (d improvementReport) command(verb string) string {
	o := d.Improvement.Options
	line := fmt.Sprintf("%s %s --baseline %s --spec %d --base %v", verb, shellWord(d.Candidate.Selector()), shellWord(d.Baseline.Selector()), d.Spec.Version, o.Base)
	if o.Margin != 0 {
		line += fmt.Sprintf(" --margin %v", o.Margin)
	}
	if o.Confidence != scoring.DefaultConfidence {
		line += fmt.Sprintf(" --confidence %v", o.Confidence)
	}
	for i, n := range o.Look.Plan {
		if i == 0 {
			line += fmt.Sprintf(" --plan %d", n)
		} else {
			line += fmt.Sprintf(",%d", n)
		}
	}
	if o.Look.Anytime {
		line += " --anytime"
	}
	return line + seedsFlag(d.Ranges)
}

func seedsFlag(ranges string) string {
	if ranges == "" {
		return ""
	}
	return " --seeds " + shellWord(ranges)
}
