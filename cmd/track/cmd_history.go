package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/reports"
	"track/reports/chart"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
	"track/tracker/seeds"
)

type historyOptions struct {
	seeds.HistoryOptions
	lineage bool
	plot    string
}

func (p *program) historyCommand() *cli.Command {
	var o historyOptions
	return &cli.Command{
		Name:      "history",
		Usage:     "show the score history of a scenario over its configurations, or of an agent over its versions",
		UsageText: "track history SCENARIO|LINEAGE [FLAGS]",
		Description: `One line for each configuration, in the order of their first seeds, all judged under one spec; of a lineage, one for each version. From five stable configurations on,
it predicts where the mean of the next one is expected; from twenty on, it marks changes of level. Both report and never decide.

Examples:
   track history growth_plus
   track history growth_plus --metric unemployment_rate_mean --plot unemployment.svg
   track history growth_plus --limit 100 --format csv
   track history sepa --metric tool_success_rate`,
		BashComplete: p.completeScenarios,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "spec", DefaultText: "the newest", Usage: "judge under this `VERSION` of the spec", Destination: &o.SpecVersion},
			&cli.IntFlag{Name: "limit", Usage: "the newest `N` configurations", Value: 20, Destination: &o.Limit},
			&cli.StringFlag{Name: "metric", Usage: "the mean value of this `METRIC`, of a lineage of this component, instead of the score", Destination: &o.Metric},
			&cli.BoolFlag{Name: "lineage", Usage: "of the lineage, where a scenario has the same name", Destination: &o.lineage},
			&cli.StringFlag{Name: "plot", Usage: "draw it to `FILE`.svg or .png", Destination: &o.plot},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track history takes one SCENARIO or LINEAGE")
			}
			if scenario, _, given := strings.Cut(c.Args().First(), "@"); given {
				return usage("track history takes a scenario: track history %s shows all of its configurations", scenario)
			}
			if o.Limit < 1 {
				return usage("--limit: %d is not a number from 1", o.Limit)
			}
			return p.history(c.Context, c.Args().First(), o)
		},
	}
}

func (p *program) history(ctx context.Context, scenario string, o historyOptions) error {
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	lineage := o.lineage
	if !lineage {
		if lineage, err = isLineage(ctx, st.Reader, scenario); err != nil {
			return err
		}
	}
	if lineage {
		return p.lineageHistory(ctx, st.Reader, scenario, o)
	}
	history, err := seeds.LoadHistory(ctx, st.Reader, scenario, o.HistoryOptions)
	if err != nil {
		return err
	}
	if o.plot != "" {
		if err := p.plot(o.plot, historyChart(history)); err != nil {
			return err
		}
	}
	v, err := historyView(history)
	if err != nil {
		return err
	}
	return p.write(v)
}

type historyDocument struct {
	Scenario     string                 `json:"scenario"`
	Spec         specRef                `json:"spec"`
	Metric       string                 `json:"metric,omitempty"`
	NOlder       int                    `json:"n_older_configurations"`
	Entries      []historyEntryDocument `json:"entries"`
	Prediction   predictionDocument     `json:"prediction"`
	ChangePoints []changeDocument       `json:"change_points"`
	Lag1         *float64               `json:"lag1_autocorrelation"` // null where change points were not looked for
	Warnings     []warningDocument      `json:"warnings"`
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

type historyEntryDocument struct {
	Configuration configurationDocument `json:"configuration"`
	FirstRecorded string                `json:"first_recorded"`
	NSeeds        int                   `json:"n_seeds"`
	NScored       int                   `json:"n_scored"`
	NFailed       int                   `json:"n_failed"`
	NUnassessed   int                   `json:"n_unassessed"`
	NEnvironments int                   `json:"n_environments"`
	PassRate      *float64              `json:"pass_rate"`
	MeanScore     *float64              `json:"mean_score"`
	StdScore      *float64              `json:"std_score"`
	StdKind       string                `json:"std_kind"`
	CombinedScore *float64              `json:"combined_score"`
	Stable        *bool                 `json:"stable"`
	Verdict       scoring.Verdict       `json:"verdict,omitempty"`
	Estimates     *estimatesDocument    `json:"estimates"` // null where some seeds were never judged under the spec
	Metric        *historyMetric        `json:"metric,omitempty"`
	Change        *float64              `json:"change"` // of mean_score, or of the metric's mean, to the entry before
	Warnings      []warningDocument     `json:"warnings"`
}

type historyMetric struct {
	metricDocument `json:",inline"`
	ValueCI        ci `json:"value_ci"` // 95 % t interval of mean_value
}

// historyLine is an entry with what is shown of it: the total score, or a metric.
type historyLine struct {
	entry     historyEntryDocument
	estimates verdict.Estimates
	mean      *float64
	interval  stats.Interval // of mean
	n         int
}

func newHistoryLine(e seeds.HistoryEntry, previous *float64) historyLine {
	l := historyLine{entry: historyEntryDocument{
		Configuration: newConfigurationDocument(e.Hash, e.Configuration.Configuration), FirstRecorded: timeText(e.CreatedAt),
		NSeeds: e.NSeeds, NScored: e.NScored, NFailed: e.NFailed - e.NUnassessed, NUnassessed: e.NUnassessed, NEnvironments: e.NEnvironments,
		StdKind: populationStd, Warnings: []warningDocument{},
	}}
	if e.NUnassessed > 0 { // a part of the seeds would pass for the whole
		return l
	}
	judged := verdict.Judge(e.Stability, e.Coverage, scoring.DefaultConfidence)
	l.estimates = judged.Estimates
	d, n := &l.entry, e.NScored
	d.PassRate, d.Stable = e.PassRate, &e.Stable
	d.MeanScore, d.StdScore, d.CombinedScore = e.MeanScore, e.StdScore, e.CombinedScore
	d.Verdict = judged.Verdict
	estimates := newEstimates(l.estimates)
	d.Estimates, d.Warnings = &estimates, newWarnings(judged.Warnings)
	l.mean, l.interval, l.n = d.MeanScore, l.estimates.Mean.Interval, n
	if m := e.Metric; m != nil {
		values := valueSummary(*m)
		l.interval, l.n = values.MeanInterval(scoring.DefaultConfidence), m.N
		d.Metric = &historyMetric{newMetricDocument(*m), newCI(l.interval)}
		l.mean = d.Metric.MeanValue
	}
	if previous != nil && l.mean != nil {
		change := *l.mean - *previous
		d.Change = &change
	}
	return l
}

// valueSummary returns what the intervals of the mean value of a metric need.
func valueSummary(m scoring.MetricStability) stats.Summary {
	value := m.Totals().Value
	return stats.Summary{N: value.N, Mean: value.Mean, PopulationSD: value.Std}
}

func historyLines(h seeds.History) (lines []historyLine) {
	var previous *float64
	for _, e := range h.Entries {
		line := newHistoryLine(e, previous)
		if line.mean != nil {
			previous = line.mean
		}
		lines = append(lines, line)
	}
	return lines
}

// analyse looks at what the lines show, oldest first. A stable configuration is an accepted one.
func analyse(lines []historyLine) verdict.History {
	points := make([]verdict.HistoryPoint, len(lines))
	for i, l := range lines {
		points[i] = verdict.HistoryPoint{Mean: orNaN(l.mean), Accepted: l.entry.Stable != nil && *l.entry.Stable}
	}
	return verdict.AnalyseHistory(points)
}

func historyView(h seeds.History) (view, error) {
	lines := historyLines(h)
	analysis := analyse(lines)
	d := historyDocument{
		Scenario: h.Scenario, Spec: newSpecRef(h.Stored), NOlder: h.NOlder, Entries: []historyEntryDocument{},
		Prediction: predictionDocument{analysis.NAccepted, newCI(analysis.Prediction)}, ChangePoints: []changeDocument{},
		Lag1: analysis.Lag1, Warnings: newWarnings(analysis.Warnings),
	}
	if h.Metric != nil {
		d.Metric = h.Metric.Name
	}
	for _, c := range analysis.ChangePoints {
		d.ChangePoints = append(d.ChangePoints, changeDocument{c.Index, c.Before, c.After, c.Confirmed})
	}
	v := view{lines: []any{}, rows: grid{columns: []string{
		"label", "revision", "params", "configuration", "first_recorded", "n_seeds", "n_failed", "pass_rate", "mean_score", "std_score", "combined_score", "change", "stable",
		"n", "mean", "mean_lo", "mean_hi", "verdict",
	}}}
	var means []float64
	for i, l := range lines {
		e, entry := h.Entries[i], l.entry
		d.Entries = append(d.Entries, entry)
		v.lines = append(v.lines, entry)
		means = append(means, orNaN(l.mean))
		meanCI := newCI(l.interval)
		v.rows.cells = append(v.rows.cells, []any{
			e.Label, e.Revision.String(), string(e.Params.JSON()), e.Hash, entry.FirstRecorded, e.NSeeds, entry.NFailed, entry.PassRate, entry.MeanScore,
			entry.StdScore, entry.CombinedScore, entry.Change, stableText(entry.Stable), l.n, l.mean, end(meanCI, 0), end(meanCI, 1), string(entry.Verdict),
		})
	}
	var all []track.Params
	for _, e := range h.Entries {
		all = append(all, e.Params)
	}
	params, err := seeds.ParameterLines(all)
	v.document = d
	v.page = []any{historyHeading(h), historyGrid(h, lines, params), sparkText(h, means, analysis)}
	if notes := footnotes(analysis.Warnings); notes != "" {
		v.page = append(v.page, notes)
	}
	return v, err
}

func historyHeading(h seeds.History) string {
	what := "total score"
	if h.Metric != nil {
		what = "value of " + h.Metric.Name + ", " + h.Metric.Description()
	}
	heading := fmt.Sprintf("%s, spec version %d; mean over seeds of the %s with its 95%% t interval, change to the line above", h.Scenario, h.Stored.Version, what)
	if h.NOlder > 0 {
		heading += fmt.Sprintf("; %d older configurations are left out (--limit)", h.NOlder)
	}
	unassessed := 0
	for _, e := range h.Entries {
		unassessed += e.NUnassessed
	}
	if unassessed > 0 {
		heading += fmt.Sprintf("\n%d seeds were never scored under this version: track rescore %s --spec %d", unassessed, h.Scenario, h.Stored.Version)
	}
	return heading
}

func historyGrid(h seeds.History, lines []historyLine, params []string) grid {
	g := grid{columns: []string{
		"label", "revision", "differing params", "configuration", "first recorded", "n", "no score", "pass", "Wilson", "mean", "95% interval", "sd", "95% interval", "combined", "box", "change", "verdict", "notes",
	}}
	number := func(x float64) string { return format.Fixed(x, 4) }
	if h.Metric != nil {
		number = func(x float64) string { return valueCell(x, h.Metric.Format).text }
	}
	for i, l := range lines {
		e, entry := h.Entries[i], l.entry
		row := []any{
			e.Label, e.Revision.String(), shorten(params[i]), seeds.ShortHash(e.Hash), people(e.CreatedAt), e.NSeeds, entry.NFailed,
		}
		if entry.Estimates == nil {
			row = append(row, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, "not all scored")
			g.cells = append(g.cells, row)
			continue
		}
		sd, sdInterval := l.estimates.SD.Value, l.estimates.SD.Interval
		if m := e.Metric; m != nil {
			values := valueSummary(*m)
			sd, sdInterval = values.SD(), values.SDInterval(scoring.DefaultConfidence)
		}
		var mean, spread, change any
		if l.mean != nil {
			mean = shown{number(*l.mean), *l.mean}
		}
		if sd == sd {
			spread = shown{number(sd), sd}
		}
		if entry.Change != nil {
			change = shown{format.Signed(*entry.Change), *entry.Change}
		}
		var codes []string
		for _, w := range entry.Warnings {
			codes = append(codes, w.Code)
		}
		g.cells = append(g.cells, append(row,
			optionalPercent(entry.PassRate), intervalText(l.estimates.PassRate.Interval, format.Share), mean, intervalText(l.interval, number),
			spread, intervalText(sdInterval, number), entry.CombinedScore, intervalText(l.estimates.Combined.Interval, func(x float64) string { return format.Fixed(x, 3) }),
			change, string(entry.Verdict), strings.Join(codes, ", ")))
	}
	return g
}

// sparkText draws the means, and says what they let expect.
func sparkText(h seeds.History, means []float64, a verdict.History) string {
	var b strings.Builder
	fmt.Fprintf(&b, "mean  %s", chart.Sparkline(means, 0))
	known := func(i int) string {
		return fmt.Sprintf("%s (%s)", h.Entries[i].Label, seeds.ShortHash(h.Entries[i].Hash))
	}
	for _, text := range reports.HistorySentences(a, known) {
		b.WriteString("\n" + text)
	}
	return b.String()
}

// historyChart draws the means with their intervals, the prediction and the confirmed changes of level.
func historyChart(h seeds.History) chart.History {
	lines := historyLines(h)
	analysis := analyse(lines)
	c := chart.History{Title: h.Scenario, XLabel: "configuration", YLabel: "mean total score", Interval: "95 % t interval"}
	if h.Metric != nil {
		c.Title, c.YLabel = h.Scenario+", "+h.Metric.Name, "mean value"
	}
	labels := historyLabels(h)
	for i, l := range lines {
		label := labels[i]
		c.Points = append(c.Points, chart.Estimate{Label: label, N: l.n, Mean: orNaN(l.mean), Lo: l.interval.Lo, Hi: l.interval.Hi})
		if l.mean == nil {
			c.Points[i].Lo, c.Points[i].Hi = math.NaN(), math.NaN()
		}
	}
	if p := analysis.Prediction; p.Defined() {
		c.Prediction = &chart.Prediction{Name: "95 % prediction", Lo: p.Lo, Hi: p.Hi}
	}
	for _, change := range analysis.ChangePoints {
		if change.Confirmed {
			c.ChangePoints = append(c.ChangePoints, change.Index)
		}
	}
	return c
}

func orNaN(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

func optionalPercent(x *float64) any {
	if x == nil {
		return nil
	}
	return shown{format.Percent(*x), *x}
}

func stableText(stable *bool) any {
	switch {
	case stable == nil:
		return nil
	case *stable:
		return "yes"
	}
	return "no"
}

// historyLabels tell the configurations apart: by label, else by the parameters that differ, else by hash.
func historyLabels(h seeds.History) []string {
	const most = 24
	var all []track.Params
	uses := map[string]int{}
	for _, e := range h.Entries {
		all = append(all, e.Params)
		uses[e.Label]++
	}
	params, err := seeds.ParameterLines(all)
	labels := make([]string, len(h.Entries))
	for i, e := range h.Entries {
		switch {
		case e.Label != "" && uses[e.Label] == 1:
			labels[i] = e.Label
		case err == nil && params[i] != "":
			labels[i] = cutLine(params[i], most)
		case e.Label != "":
			labels[i] = e.Label
		default:
			labels[i] = seeds.ShortHash(e.Hash)
		}
	}
	return labels
}
