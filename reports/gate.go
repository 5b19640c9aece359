package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"track/reports/escape"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/verdict"
)

// GateMarkdown writes a gate for a job summary: the verdict, what failed and what is undecided, what would change
// that, and the rest folded.
func GateMarkdown(w io.Writer, g verdict.Gate) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s track gate: %s\n\n", icon(g.Verdict), g.Verdict)
	for _, text := range g.Unattainable() {
		fmt.Fprintf(&b, "> **Cannot be met:** %s\n\n", escape.Markdown(text))
	}
	scenarioTable(&b, g)
	var needs []string
	open, rest := 0, 0
	for _, s := range g.Scenarios {
		for _, o := range s.Outcomes {
			if needsAttention(s, o) {
				open++
			} else {
				rest++
			}
			if o.Need != "" && !slices.Contains(needs, needText(s, o)) {
				needs = append(needs, needText(s, o))
			}
		}
	}
	if open > 0 {
		b.WriteString("\n### Failed and undecided\n\n")
		outcomeTable(&b, g, needsAttention)
	}
	if len(needs) > 0 {
		b.WriteString("\n### What would change this\n\n")
		for _, need := range shorten(needs) {
			fmt.Fprintf(&b, "- %s\n", escape.Markdown(need))
		}
	}
	leftOutMarkdown(&b, g)
	if warnings := gateWarnings(g); len(warnings) > 0 {
		b.WriteString("\n### Warnings\n\n")
		for _, warning := range warnings {
			fmt.Fprintf(&b, "- %s\n", escape.Markdown(warning))
		}
	}
	if rest > 0 {
		fmt.Fprintf(&b, "\n<details><summary>%d that hold</summary>\n\n", rest)
		outcomeTable(&b, g, func(s verdict.ScenarioOutcome, o verdict.Outcome) bool { return !needsAttention(s, o) })
		b.WriteString("\n</details>\n")
	}
	fmt.Fprintf(&b, "\n%s\n", gateLegend(g))
	_, err := io.WriteString(w, b.String())
	return err
}

// leftOutMarkdown lists the metrics that the rules leave out, with the reasons.
func leftOutMarkdown(b *strings.Builder, g verdict.Gate) {
	if !slices.ContainsFunc(g.Scenarios, func(s verdict.ScenarioOutcome) bool { return len(s.LeftOut) > 0 }) {
		return
	}
	b.WriteString("\n### Not guarded\n\n")
	for _, s := range g.Scenarios {
		for _, out := range s.LeftOut {
			fmt.Fprintf(b, "- %s: %s, mean delta %s: %s\n", escape.Markdown(s.Name), escape.Markdown(out.Metric), format.Signed(out.MeanDelta), escape.Markdown(out.Reason))
		}
	}
}

// gateLegend says what the verdicts of a gate mean.
func gateLegend(g verdict.Gate) string {
	return fmt.Sprintf("PASS: the bound is met at the required confidence. FAIL: the bound is refuted, after Holm's correction for %s. INCONCLUSIVE: neither.",
		format.Counted(g.NTests, "test"))
}

// needsAttention reports whether an outcome failed, is undecided, or is a WARN that the rules count as a failure.
func needsAttention(s verdict.ScenarioOutcome, o verdict.Outcome) bool {
	switch o.Verdict {
	case scoring.VerdictPass:
		return false
	case scoring.VerdictWarn:
		return slices.Contains(s.Rules.FailOn, o.Verdict)
	}
	return true
}

func needText(s verdict.ScenarioOutcome, o verdict.Outcome) string {
	what := o.Rule
	if o.Metric != "" {
		what += " of " + o.Metric
	}
	return s.Name + ": " + what + ": " + o.Need
}

// shorten cuts a long list.
func shorten(list []string) []string {
	const most = 12
	if len(list) <= most {
		return list
	}
	return append(slices.Clone(list[:most]), fmt.Sprintf("and %d more", len(list)-most))
}

func gateWarnings(g verdict.Gate) (list []string) {
	for _, s := range g.Scenarios {
		for _, w := range s.Warnings {
			list = append(list, s.Name+": "+w.Message)
		}
		for _, w := range s.ComparisonWarnings {
			list = append(list, s.Name+", against the baseline: "+w.Message)
		}
	}
	return list
}

func scenarioTable(b *strings.Builder, g verdict.Gate) {
	b.WriteString("| scenario | verdict | seeds | pass rate | score | rules |\n|---|---|---:|---|---|---|\n")
	for _, s := range g.Scenarios {
		e := s.Estimates
		rate, mean := "-", "-"
		if e.NSeeds > 0 {
			rate = fmt.Sprintf("%s (%s to %s)", format.Share(e.PassRate.Value), format.Share(e.PassRate.Interval.Lo), format.Share(e.PassRate.Interval.Hi))
		}
		if e.NScored > 0 {
			mean = format.Short(e.Score.Value)
			if e.Score.Interval.Defined() {
				mean += fmt.Sprintf(" (%s to %s)", format.Short(e.Score.Interval.Lo), format.Short(e.Score.Interval.Hi))
			}
		}
		fmt.Fprintf(b, "| %s | %s %s | %d | %s | %s | %s |\n", escape.Markdown(s.Name), icon(s.Verdict), s.Verdict, e.NSeeds, rate, mean, escape.Markdown(s.Rules.String()))
	}
}

func outcomeTable(b *strings.Builder, g verdict.Gate, show func(verdict.ScenarioOutcome, verdict.Outcome) bool) {
	b.WriteString("| verdict | scenario | rule | metric | found | p |\n|---|---|---|---|---|---|\n")
	type row struct {
		s verdict.ScenarioOutcome
		o verdict.Outcome
	}
	var rows []row
	for _, s := range g.Scenarios {
		for _, o := range s.Outcomes {
			if show(s, o) {
				rows = append(rows, row{s, o})
			}
		}
	}
	rank := func(r row) int { return slices.Index(scoring.Verdicts(), r.o.Verdict) }
	slices.SortStableFunc(rows, func(a, b row) int { return rank(b) - rank(a) })
	for _, r := range rows {
		p := "-"
		shown, of := r.o.ShownP()
		if shown != nil {
			p = format.Short(*shown) + " of " + of
		}
		fmt.Fprintf(b, "| %s %s | %s | %s | %s | %s | %s |\n", icon(r.o.Verdict), r.o.Verdict, escape.Markdown(r.s.Name), escape.Markdown(r.o.Rule), escape.Markdown(r.o.Metric), escape.Markdown(found(r.o)), p)
	}
}

// found returns what an outcome says, with its code where it has one.
func found(o verdict.Outcome) string {
	switch {
	case o.Reason == "":
		return o.Message
	case o.Message == "":
		return o.Reason
	}
	return o.Reason + ": " + o.Message
}

func icon(v scoring.Verdict) string {
	switch v {
	case scoring.VerdictPass:
		return "✅"
	case scoring.VerdictWarn:
		return "⚠️"
	case scoring.VerdictFail:
		return "❌"
	}
	return "❔"
}
