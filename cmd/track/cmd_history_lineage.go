package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"track"
	"track/reports/chart"
	"track/scoring/format"
	"track/scoring/rubric"
	"track/scoring/stats"
	"track/scoring/verdict"
	"track/store"
	"track/tracker/agents"
)

// isLineage says that a name is no scenario, but a lineage.
func isLineage(ctx context.Context, st *store.Reader, name string) (bool, error) {
	scenarios, err := st.Scenarios(ctx)
	if err != nil || slices.Contains(scenarios, name) {
		return false, err
	}
	lineages, err := st.Lineages(ctx)
	return slices.Contains(lineages, name), err
}

// lineageHistory shows the score history of the versions of an agent.
func (p *program) lineageHistory(ctx context.Context, st *store.Reader, lineage string, o historyOptions) error {
	if o.Spec != 0 {
		return usage("--spec: %s is a lineage, which has no spec", lineage)
	}
	if err := checkComponent(o.Metric); err != nil {
		return err
	}
	h, err := agents.LoadLineageHistory(ctx, st, lineage, "", o.Metric, o.Limit)
	if err != nil {
		return err
	}
	if o.plot != "" {
		if err := p.plot(o.plot, lineageChart(h)); err != nil {
			return err
		}
	}
	return p.write(lineageHistoryView(h))
}

// checkComponent refuses a component that no rubric has.
func checkComponent(name string) error {
	if name == "" {
		return nil
	}
	r, err := rubric.ByName(rubric.Default)
	if err != nil {
		return err
	}
	var names []string
	for _, part := range r.Parts {
		if part.Name == name {
			return nil
		}
		names = append(names, part.Name)
	}
	return track.WithHint(fmt.Errorf("component %s: %w", name, track.ErrNotFound), track.Hint{Text: fmt.Sprintf("the components are: %v", names)})
}

type lineageHistoryDocument struct {
	Lineage      string                 `json:"lineage"`
	Component    string                 `json:"component,omitempty"`
	NOlder       int                    `json:"n_older_versions"`
	Entries      []lineageEntryDocument `json:"entries"`
	Prediction   predictionDocument     `json:"prediction"`
	ChangePoints []changeDocument       `json:"change_points"`
	Warnings     []warningDocument      `json:"warnings"`
}

type lineageEntryDocument struct {
	Version     string            `json:"version"`
	First       string            `json:"first"`
	Last        string            `json:"last"`
	NExecutions int               `json:"n_executions"`
	NFailed     int               `json:"n_failed"`
	Mean        estimateDocument  `json:"mean"`
	SD          estimateDocument  `json:"sd"`
	Fitness     *float64          `json:"fitness"`
	Grade       string            `json:"grade"`
	EffectiveN  *float64          `json:"effective_n"`
	Change      *float64          `json:"change"` // of mean, to the entry before
	Warnings    []warningDocument `json:"warnings"`
}

// lineageLine is an entry with its summary.
type lineageLine struct {
	entry    lineageEntryDocument
	interval stats.Interval
	sd       stats.Interval
}

func lineageLines(h agents.LineageHistory) (lines []lineageLine) {
	var previous *float64
	for _, e := range h.Entries {
		l := lineageLine{entry: lineageEntryDocument{
			Version: e.Version, First: timeText(e.First), Last: timeText(e.Last), NExecutions: e.NExecutions, NFailed: e.NFailed, Warnings: []warningDocument{},
		}}
		summary, err := stats.Summarize(e.Scores)
		if errors.Is(err, stats.ErrEmpty) {
			summary = stats.Summary{}
		}
		l.interval, l.sd = summary.MeanInterval(0.95), summary.SDInterval(0.95)
		l.entry.Mean = estimateDocument{number(summary.Mean, summary.N), summary.N, newCI(l.interval), stats.MethodT}
		l.entry.SD = estimateDocument{number(summary.SD(), max(0, summary.N-1)), summary.N, newCI(l.sd), stats.MethodChiSquare}
		if summary.N > 0 {
			for _, w := range summary.Warnings() {
				l.entry.Warnings = append(l.entry.Warnings, warningDocument{string(w), w.Message()})
			}
		}
		if f := e.Fitness; f != nil {
			l.entry.Fitness, l.entry.Grade, l.entry.EffectiveN = &f.Value, string(f.Grade), &f.EffectiveN
		}
		if mean := l.entry.Mean.Value; mean != nil {
			if previous != nil {
				change := *mean - *previous
				l.entry.Change = &change
			}
			previous = mean
		}
		lines = append(lines, l)
	}
	return lines
}

// analyseLineage looks at the means; every version that has scores counts as accepted, for none is known to be refused.
func analyseLineage(lines []lineageLine) verdict.History {
	points := make([]verdict.HistoryPoint, len(lines))
	for i, l := range lines {
		points[i] = verdict.HistoryPoint{Mean: orNaN(l.entry.Mean.Value), Accepted: true}
	}
	return verdict.AnalyseHistory(points)
}

func lineageHistoryView(h agents.LineageHistory) view {
	lines := lineageLines(h)
	analysis := analyseLineage(lines)
	d := lineageHistoryDocument{
		Lineage: h.Lineage, Component: h.Component, NOlder: h.NOlder, Entries: []lineageEntryDocument{},
		Prediction: predictionDocument{analysis.NAccepted, newCI(analysis.Prediction)}, ChangePoints: []changeDocument{}, Warnings: newWarnings(analysis.Warnings),
	}
	for _, c := range analysis.ChangePoints {
		d.ChangePoints = append(d.ChangePoints, changeDocument{c.Index, c.Before, c.After, c.Confirmed})
	}
	v := view{lines: []any{}, rows: grid{columns: []string{
		"version", "first", "n_executions", "n_failed", "n", "mean", "mean_lo", "mean_hi", "sd", "fitness", "effective_n", "grade", "change",
	}}}
	table := grid{columns: []string{"version", "first", "executions", "failed", "n", "mean", "95% interval", "sd", "95% interval", "fitness", "grade", "effective n", "change"}}
	two := func(x float64) string { return format.Fixed(x, 2) }
	cell := func(x *float64) any {
		if x == nil {
			return nil
		}
		return shown{two(*x), *x}
	}
	var means []float64
	for i, l := range lines {
		e := l.entry
		d.Entries = append(d.Entries, e)
		v.lines = append(v.lines, e)
		means = append(means, orNaN(e.Mean.Value))
		table.cells = append(table.cells, []any{
			e.Version, people(h.Entries[i].First), e.NExecutions, e.NFailed, e.Mean.N, cell(e.Mean.Value), intervalText(l.interval, two), cell(e.SD.Value), intervalText(l.sd, two),
			cell(e.Fitness), e.Grade, cell(e.EffectiveN), cell(e.Change),
		})
		v.rows.cells = append(v.rows.cells, []any{
			e.Version, e.First, e.NExecutions, e.NFailed, e.Mean.N, e.Mean.Value, end(e.Mean.CI, 0), end(e.Mean.CI, 1), e.SD.Value, e.Fitness, e.EffectiveN, e.Grade, e.Change,
		})
	}
	what := "score in force"
	if h.Component != "" {
		what = h.Component
	}
	heading := fmt.Sprintf("%s; mean over executions of the %s with its 95%% t interval, change to the line above", h.Lineage, what)
	if h.NOlder > 0 {
		heading += fmt.Sprintf("; %d older versions are left out (--limit)", h.NOlder)
	}
	text := "mean  " + chart.Sparkline(means, 0)
	if analysis.Prediction.Defined() {
		text += fmt.Sprintf("\nnext mean expected in %s to %s (95%% t prediction interval from %d versions; it reports, it does not decide)",
			two(analysis.Prediction.Lo), two(analysis.Prediction.Hi), analysis.NAccepted)
	}
	v.document, v.page = d, []any{heading, table, text}
	if notes := footnotes(analysis.Warnings); notes != "" {
		v.page = append(v.page, notes)
	}
	return v
}

func lineageChart(h agents.LineageHistory) chart.History {
	lines := lineageLines(h)
	analysis := analyseLineage(lines)
	c := chart.History{Title: h.Lineage, XLabel: "version", YLabel: "mean score", Interval: "95 % t interval"}
	if h.Component != "" {
		c.YLabel = "mean of " + h.Component
	}
	for _, l := range lines {
		c.Points = append(c.Points, chart.Estimate{Label: l.entry.Version, N: l.entry.Mean.N, Mean: orNaN(l.entry.Mean.Value), Lo: l.interval.Lo, Hi: l.interval.Hi})
	}
	if p := analysis.Prediction; p.Defined() {
		c.Prediction = &chart.Prediction{Name: "95 % prediction interval of the next", Lo: p.Lo, Hi: p.Hi}
	}
	for _, change := range analysis.ChangePoints {
		if change.Confirmed {
			c.ChangePoints = append(c.ChangePoints, change.Index)
		}
	}
	return c
}

type predictionDocument struct {
	NAccepted int `json:"n_accepted"` // stable configurations, which it is computed from
	CI        ci  `json:"ci"`
}

type changeDocument struct {
	Index     int     `json:"index"` // of the first entry of the new level
	Before    float64 `json:"before"`
	After     float64 `json:"after"`
	Confirmed bool    `json:"confirmed"`
}

func orNaN(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}
