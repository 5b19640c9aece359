package reports

import (
	"track/answer"
	"track/evolution"
	"track/reports/document"
	"track/scoring/format"
	"track/scoring/stats"
)

// holdout compares what versions gained on the tasks that decide with what they gained on holdout tasks.
func (l *lineageReport) holdout() []document.Block {
	const mostShown = 10
	root, n := l.versions[l.root], 0
	for _, v := range l.Versions {
		n += len(v.Holdout)
	}
	if n == 0 && l.Settings.Holdout == nil {
		return nil
	}
	t := columns("version", "#tasks that decide", "#gain", "95% interval", "#holdout tasks", "#gain", "95% interval")
	var verdict []document.Block
	for _, v := range l.Versions {
		if v.Label == l.root || len(v.Holdout) == 0 {
			continue
		}
		g, err := l.gainOf(root, v.Trials, v.Holdout)
		if err != nil {
			continue // scores whose squares overflow say nothing
		}
		t.Rows = append(t.Rows, append(append([]document.Text{codeCell(v.Label)}, l.gainCells(g.decide)...), l.gainCells(g.held)...))
		if text := g.text(l.change); v.Label == l.replayed.Head && text != "" {
			verdict = []document.Block{document.Paragraph{Text: document.Text{word(v.Label), plain(": "), strong("%s", text)}}}
		}
	}
	blocks := []document.Block{document.Heading{Level: 2, Text: "Holdout tasks"}}
	blocks = append(blocks, paragraph(plain("%s of holdout tasks never decided. Gains are mean differences to the first version, %s, paired by task, with paired t intervals.",
		counted(n, "trial", "trials"), format.OrDash(l.root))))
	if len(t.Rows) == 0 {
		return append(blocks, paragraph(plain("No two versions have run on one: run the first and the active version on them.")))
	}
	return append(append(blocks, verdict...), folded(t, mostShown, "later versions")...)
}

// holdoutGain is what a version gained on the tasks that decide and on holdout tasks, with the difference of the two.
type holdoutGain struct {
	decide, held evolution.TaskGain
	gap          *stats.TTest // by Welch's method; nil if one of them has fewer than two tasks
}

func (l *lineageReport) gainOf(root answer.ReportedVersion, trials, held []evolution.Trial) (g holdoutGain, err error) {
	var onDecide, onHeld []float64
	if g.decide, onDecide, err = evolution.GainByTask(root.Trials, trials, l.Settings.Scale); err != nil {
		return g, err
	}
	if g.held, onHeld, err = evolution.GainByTask(root.Holdout, held, l.Settings.Scale); err != nil {
		return g, err
	}
	if gap, err := stats.WelchT(onDecide, onHeld, evolution.Confidence); err == nil {
		g.gap = &gap
	}
	return g, nil
}

func (l *lineageReport) gainCells(g evolution.TaskGain) []document.Text {
	if g.Gain == nil {
		return []document.Text{cell("0"), cell("-"), cell("-")}
	}
	return []document.Text{cell("%d", g.NTasks), document.T(l.change(g.Gain.Mean)), document.T(format.Interval(g.Gain.Interval, l.change))}
}

// text says what the two gains show together.
func (g holdoutGain) text(change func(float64) string) string {
	decide, held := g.decide.Gain, g.held.Gain
	switch {
	case decide == nil || held == nil:
		return ""
	case !decide.Interval.Defined() || decide.Interval.Lo <= 0:
		return "no gain is shown on the tasks that decide."
	case held.Interval.Defined() && held.Interval.Lo > 0:
		return "the gain shows on holdout tasks as well."
	case g.gap != nil && g.gap.Interval.Defined() && g.gap.Interval.Lo > 0:
		return "overfitted: the gain on the tasks that decide does not show on holdout tasks, and is larger than theirs by " +
			change(decide.Mean-held.Mean) + " (95% Welch interval " + format.Interval(g.gap.Interval, change) + ")."
	}
	return "the gain on the tasks that decide is not shown on holdout tasks: run more of them."
}
