package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"track"

	"track/answer"
	"track/reports/chart"
	"track/reports/document"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// Scenario returns the report of everything about one scenario.
func Scenario(a answer.ScenarioReport) document.Document {
	d := newScenarioReport(a)
	return document.Document{Title: d.title(), Blocks: d.blocks()}
}

func (d scenarioReport) title() string {
	title := "Scenario " + d.Spec.Scenario
	if t := d.Spec.Declared.Title; t != "" && t != d.Spec.Scenario {
		title += ": " + t
	}
	return title
}

func (d scenarioReport) blocks() []document.Block {
	return slices.Concat(d.summary(), d.spec(), d.history(), d.stability(), d.stabilityReport.failing(), d.improvement(), d.warnings(), d.stabilityReport.provenance(), d.reproduce())
}

// scenarioReport is the answer with the reports that are its sections.
type scenarioReport struct {
	answer.ScenarioReport
	stabilityReport   stabilityReport
	improvementReport *improvementReport
}

func newScenarioReport(a answer.ScenarioReport) scenarioReport {
	d := scenarioReport{ScenarioReport: a, stabilityReport: stabilityReport{StabilityReport: a.Stability}}
	if a.Improvement != nil {
		d.improvementReport = &improvementReport{*a.Improvement}
	}
	return d
}

// summary returns where the scenario stands, in a few lines.
func (d scenarioReport) summary() []document.Block {
	s := d.stabilityReport
	list := document.List{Items: []document.Text{
		slices.Concat(cell("Stability of "), codeCell(s.Selector()), cell(" (%s): ", s.Name()), verdictText(s.Stability.Finding.Verdict), cell(": %s; %s.", answer.StableText(s.Stability.Stability, s.Stability.Finding.Verdict), meanText(s.Stability.Estimates))),
	}}
	for _, g := range s.Gate.Scenarios {
		if s.isPreview {
			break
		}
		list.Items = append(list.Items, slices.Concat(cell("Gate: "), verdictText(g.Verdict), cell(": %s.", g.Rules.String())))
	}
	if i := d.improvementReport; i != nil && s.isPreview {
		list.Items = append(list.Items, slices.Concat(cell("A comparison with the baseline "), codeCell(i.Baseline.Selector()), cell(" has %s.", format.Counted(i.Improvement.NPairs, "pair"))))
	} else if i != nil {
		list.Items = append(list.Items, slices.Concat(cell("Against the baseline "), codeCell(i.Baseline.Selector()), cell(": "), verdictText(i.Improvement.Verdict), cell(": %s.", i.differenceText())))
	} else {
		list.Items = append(list.Items, cell("Against a baseline: %s.", d.NoBaseline))
	}
	list.Items = append(list.Items, cell("Failing seeds: %d of %d. Configurations in the history: %d.",
		len(s.Stability.FailingSeeds), len(s.Seeds), len(d.History.Entries)+d.History.NOlder))
	return []document.Block{list}
}

// meanText writes the mean score with its interval and n.
func meanText(e verdict.Estimates) string {
	if e.NScored == 0 {
		return "no seed has a score"
	}
	text := fmt.Sprintf("score %s (n = %d, ", format.Four(e.Score.Value), e.NSeeds)
	if !wide(e.Score.Interval) {
		return text + "no interval)"
	}
	return text + fmt.Sprintf("%s %s interval %s)", format.Confidence(e.Score.Interval.Confidence), e.Score.Interval.Method, format.Interval(e.Score.Interval, format.Four))
}

// spec returns what the seeds are judged by.
func (d scenarioReport) spec() []document.Block {
	const alwaysShown = 10
	declared := d.Spec.Declared
	blocks := []document.Block{heading("Spec"), paragraphOf(
		cell("Version %d of %d, ", d.Spec.Version, d.NSpecs), codeCell(d.Spec.Hash), cell(": %s, total weight %v.", format.Counted(len(declared.Metrics), "metric"), totalWeight(declared)),
	)}
	list := []string{"Gate: the spec has no rules, so a configuration must be stable."}
	if declared.Gate != nil {
		list[0] = "Gate: " + declared.Gate.String() + "."
	}
	base := fmt.Sprintf("the mean of a metric may fall by %v/weight", scoring.DefaultMeanDegradationBase)
	if i := declared.Improvement; i != nil {
		base = fmt.Sprintf("the mean of a metric may fall by %v/weight", i.MaxDegradationBase)
		if i.Baseline != "" {
			base += ", against the seeds of " + i.Baseline
		}
	}
	list = append(list, "Improvement: "+base+".")
	if p := d.Pinned; p != nil {
		list = append(list, fmt.Sprintf("Baseline: %s is pinned by %s: %s", answer.Side{Scenario: p.Scenario, Configuration: *p.Configuration}.Name(), format.OrDash(p.Actor), p.Reason))
	}
	if d.NPinsBefore > 0 {
		list = append(list, fmt.Sprintf("%s: track baseline show %s", format.Counted(d.NPinsBefore, "earlier pin"), shellWord(d.Spec.Scenario)))
	}
	t := columns("metric", "target", "type", "#weight", "#share", "group", "value", "PASS", "WARN", "FAIL")
	weight, weightText := totalWeight(declared), answer.WeightText(declared.Metrics, func(m scoring.Metric) float64 { return m.Weight })
	for _, m := range declared.Metrics {
		t.Rows = append(t.Rows, append([]document.Text{
			codeCell(m.Name), document.T(m.Description()), document.T(string(m.Target.Type())), document.T(weightText(m.Weight)),
			document.T(format.Percent(m.Weight / weight)), document.T(format.OrDash(m.Group)), document.T(m.Computed()),
		}, bandCells(m)...))
	}
	return append(append(blocks, bullets(list)...), folded(t, alwaysShown, "in the order of the spec")...)
}

func totalWeight(s scoring.Spec) (sum float64) {
	for _, m := range s.Metrics {
		sum += m.Weight
	}
	return sum
}

// history returns one line for each configuration, the newest first.
func (d scenarioReport) history() []document.Block {
	const alwaysShown = 10
	h := d.History
	blocks := []document.Block{heading("History")}
	means := make([]float64, len(h.Entries))
	for i, e := range h.Entries {
		mean, _ := e.Mean()
		means[i] = mean.Value
	}
	text := slices.Concat(codeCell(chart.Sparkline(means, 60)), cell(" mean total score of %s, the oldest first", format.Counted(len(h.Entries), "configuration")))
	if h.NOlder > 0 {
		text = append(text, cell("; %s not shown", format.Counted(h.NOlder, "older configuration"))...)
	}
	var sentences []string
	known := func(i int) string { return fmt.Sprintf("%s (%s)", h.Entries[i].Name(), entrySelector(h, i)) }
	for _, s := range answer.HistorySentences(h.Analysis, known, format.Four) {
		sentences = append(sentences, sentence(s))
	}
	for _, w := range h.Analysis.Warnings {
		sentences = append(sentences, sentence(w.Message))
	}
	blocks = append(blocks, paragraphOf(text, document.T(".")))
	blocks = append(blocks, bullets(sentences)...)
	if len(h.Entries) > 1 {
		blocks = append(blocks, document.Picture{Name: "history", Alt: "Mean total score of " + format.Counted(len(h.Entries), "configuration") + ", with its 95% " + intervalName(h.MeanIntervals()) + ": " + historyAlt(h) + ".", Chart: HistoryChart(h)})
	}
	if text := stepsText(d.Steps); text != "" {
		blocks = append(blocks, paragraphOf(document.T(text)))
	}
	return append(blocks, folded(historyTable(h, d.Steps), alwaysShown, "older configurations")...)
}

// entrySelector names the configuration of an entry in commands.
func entrySelector(h answer.History, i int) string {
	return answer.Selector{Scenario: h.Scenario, Configuration: track.ShortHash(h.Entries[i].Configuration.Hash)}.String()
}

// historyAlt says from where to where the mean went.
func historyAlt(h answer.History) string {
	var words []string
	for _, i := range []int{0, len(h.Entries) - 1} {
		mean, _ := h.Entries[i].Mean()
		words = append(words, fmt.Sprintf("%s %s", h.Entries[i].Name(), format.Short(mean.Value)))
	}
	return strings.Join(words, " → ")
}

func historyTable(h answer.History, steps []*answer.Step) document.Table {
	t := columns("configuration", "label", "differing parameters", "#seeds", "pass rate", "score", "change, seed by seed", "verdict")
	for i, e := range slices.Backward(h.Entries) {
		row := []document.Text{codeCell(entrySelector(h, i)), labelCell(e), document.T(format.OrDash(cut(e.Differing, 120))), cell("%d", e.NSeeds)}
		if e.NUnassessed > 0 {
			note := cell("%s not scored under this version", format.Counted(e.NUnassessed, "seed"))
			t.Rows = append(t.Rows, append(row, faint("-"), faint("-"), faint("-"), note))
			continue
		}
		change := "-"
		if s := steps[i]; s != nil {
			change = fmt.Sprintf("%s, n = %d", withInterval(s.Mean, s.Interval, format.Signed), s.NPairs)
		}
		t.Rows = append(t.Rows, append(row,
			document.T(withInterval(e.Estimates.PassRate.Value, e.Estimates.PassRate.Interval, format.Share)),
			document.T(meanCell(*e.Estimates)), document.T(change), verdictText(e.Verdict)))
	}
	return t
}

// labelCell returns the label of a configuration, and its tags if it has any.
func labelCell(e answer.HistoryEntry) document.Text {
	text := document.T(format.OrDash(e.Configuration.Label))
	if len(e.Tags) > 0 {
		text = append(text, cell(" [%s]", e.TagText())...)
	}
	return text
}

// meanCell returns a mean score with its interval, and the number of seeds that it is the mean of.
func meanCell(e verdict.Estimates) string {
	if e.NScored == 0 {
		return "no seed has a score"
	}
	return fmt.Sprintf("%s, n = %d", withInterval(e.Score.Value, e.Score.Interval, format.Four), e.NSeeds)
}

// stepsText says what the changes in the table are; empty if there are none.
func stepsText(steps []*answer.Step) string {
	if !slices.ContainsFunc(steps, func(s *answer.Step) bool { return s != nil }) {
		return ""
	}
	return "n is the number of seeds that have a score. The change is the mean difference of total scores from the previous configuration, over the seeds of both. " +
		"A seed without a score counts as 0 in it. Intervals: 95% t, cut to 0 to 1; for pass rates Clopper–Pearson, each end one-sided."
}

// withInterval writes an estimate with its interval, if that says anything.
func withInterval(x float64, i stats.Interval, text func(float64) string) string {
	switch {
	case math.IsNaN(x):
		return "-"
	case !wide(i):
		return text(x)
	}
	return fmt.Sprintf("%s (%s)", text(x), format.Interval(i, text))
}

// stability returns the report of the configuration as a section.
func (d scenarioReport) stability() []document.Block {
	s := d.stabilityReport
	changes := s.changes()
	if s.Previous != nil && d.improvementReport != nil && s.Previous.Baseline.Selector() == d.improvementReport.Baseline.Selector() {
		changes = append(changes[:1:1], paragraphOf(cell("The previous configuration is the baseline: see below.")))
	}
	return append([]document.Block{heading("Stability")}, deeper(slices.Concat(s.summary(), s.gate(), s.metrics(), s.scores(), changes))...)
}

// improvement returns the report of the comparison with the baseline as a section.
func (d scenarioReport) improvement() []document.Block {
	title := heading("Improvement against the baseline")
	if d.improvementReport == nil {
		return []document.Block{title, paragraphOf(cell("Not compared: %s.", d.NoBaseline))}
	}
	i := *d.improvementReport
	if d.stabilityReport.isPreview {
		return append([]document.Block{title}, deeper(slices.Concat(i.measured(), i.unmatched(), i.differences()))...)
	}
	return append([]document.Block{title}, deeper(slices.Concat(i.summary(), i.degraded(), i.forest(), i.paired(), i.metrics(), i.unmatched(), i.differences()))...)
}

// warnings returns those of all sections.
func (d scenarioReport) warnings() []document.Block {
	list := d.stabilityReport.warningTexts()
	if d.improvementReport != nil {
		for _, w := range d.improvementReport.warningTexts() {
			list = append(list, "Against the baseline: "+w)
		}
	}
	return warningBlocks(list)
}

func (d scenarioReport) reproduce() []document.Block {
	scenario, spec := shellWord(d.Spec.Scenario), fmt.Sprintf(" --spec %d", d.Spec.Version)
	selector := shellWord(d.stabilityReport.Selector())
	history := fmt.Sprintf("%s --limit %d", spec, d.Limit)
	lines := []string{"track spec show " + shellWord(fmt.Sprintf("%s@%d", d.Spec.Scenario, d.Spec.Version)), "track history " + scenario + history, "track stability " + selector + spec}
	for i, f := range d.stabilityReport.Stability.FailingSeeds {
		if i == 3 {
			lines = append(lines, fmt.Sprintf("# and so on for %d more failing seeds", len(d.stabilityReport.Stability.FailingSeeds)-i))
			break
		}
		lines = append(lines, fmt.Sprintf("track show seed %s %s%s", selector, f.Number, spec))
	}
	if d.improvementReport != nil {
		lines = append(lines, d.improvementReport.command("track improvement"))
	}
	lines = append(lines, sweepLines(d.stabilityReport.Runs)...)
	lines = append(lines, "track report scenario "+selector+history+" -o report.md", "track report scenario "+selector+history+" --check report.md")
	blocks := reproduceBlocks(d.stabilityReport.Side, lines)
	return append(blocks, paragraphOf(cell("Schema version %d.", d.Schema)))
}
