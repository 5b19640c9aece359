package reports

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"track"
	"track/answer"
	"track/evolution"
	"track/reports/chart"
	"track/reports/document"
	"track/scoring"
	"track/scoring/effects"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// HistoryChart draws the means of configurations with their intervals, the prediction and the changes of level.
func HistoryChart(h answer.History) chart.History {
	c := chart.History{Title: h.Scenario, XLabel: "configuration", YLabel: "mean total score", Interval: "95% " + intervalName(h.MeanIntervals())}
	if h.Metric != nil {
		c.Title, c.YLabel = h.Scenario+", "+h.Metric.Name, "mean value"
	}
	labels := historyLabels(h)
	lines := h.Lines()
	for i, e := range h.Entries {
		mean, _ := e.Mean()
		c.Points = append(c.Points, chart.Estimate{Label: labels[i], Line: lines[i], N: mean.N, Mean: mean.Value, Lo: mean.Interval.Lo, Hi: mean.Interval.Hi})
	}
	return withAnalysis(c, h.Analysis)
}

// LineageHistoryChart draws the means of the versions of a lineage.
func LineageHistoryChart(h answer.LineageHistory) chart.History {
	c := chart.History{Title: h.Lineage, XLabel: "version", YLabel: "mean score", Interval: "95% " + intervalName(h.MeanIntervals())}
	if h.Component != "" {
		c.YLabel = "mean of " + h.Component
	}
	for _, e := range h.Entries {
		c.Points = append(c.Points, chart.Estimate{Label: e.Version, N: e.Mean.N, Mean: e.Mean.Value, Lo: e.Mean.Interval.Lo, Hi: e.Mean.Interval.Hi})
	}
	return withAnalysis(c, h.Analysis)
}

// intervalName names the methods of intervals, such as "t interval" or "t or Markov interval".
func intervalName(list []stats.Interval) string {
	return strings.TrimSpace(format.Methods(list) + " interval")
}

// withAnalysis adds the prediction and the changes of level to a chart.
func withAnalysis(c chart.History, a verdict.History) chart.History {
	if p := a.Prediction; p.Defined() {
		c.Prediction = &chart.Prediction{Name: fmt.Sprintf("95%% prediction for n = %d", a.NNext), Lo: p.Lo, Hi: p.Hi}
	}
	for _, change := range a.ChangePoints {
		c.ChangePoints = append(c.ChangePoints, change.Index)
	}
	return c
}

// historyLabels tells the configurations apart by what differs between them: the label, then the parameters, then the
// revision of the code, and by the hash if all of these are alike.
func historyLabels(h answer.History) []string {
	const longest = 24
	parts := []func(answer.HistoryEntry) string{
		func(e answer.HistoryEntry) string { return e.Configuration.Label },
		func(e answer.HistoryEntry) string { return cut(e.Differing, longest) },
		func(e answer.HistoryEntry) string { return e.Configuration.Revision.String() },
		func(e answer.HistoryEntry) string { return track.ShortHash(e.Configuration.Hash) },
	}
	labels := make([]string, len(h.Entries))
	for _, part := range parts {
		uses := map[string]int{}
		for _, label := range labels {
			uses[label]++
		}
		different := map[string]bool{}
		for _, e := range h.Entries {
			different[part(e)] = true
		}
		for i, e := range h.Entries {
			if text := part(e); text != "" && uses[labels[i]] > 1 && len(different) > 1 {
				labels[i] = strings.TrimSpace(labels[i] + " " + text)
			}
		}
	}
	if len(labels) == 1 {
		labels[0] = h.Entries[0].Name()
	}
	return labels
}

// FrontChart draws the versions of a lineage by two objectives.
func FrontChart(a answer.LineageFront) chart.Front {
	c := chart.Front{
		Title: a.Lineage + ": " + a.Y.Name + " against " + a.X.Name, XLabel: "mean " + a.X.Label(), YLabel: "mean " + a.Y.Label(), Interval: "95% t interval",
		MinimizeX: a.X.Minimize, MinimizeY: a.Y.Minimize,
	}
	estimate := func(name string, e verdict.Estimate) chart.Estimate {
		return chart.Estimate{Label: name, N: e.N, Mean: e.Value, Lo: e.Interval.Lo, Hi: e.Interval.Hi}
	}
	for _, v := range a.Items {
		c.Points = append(c.Points, chart.FrontPoint{X: estimate(v.Version, v.X), Y: estimate(v.Version, v.Y), Front: v.Front, Active: v.Active, Root: v.Root})
	}
	return c
}

// matrixCells are the cells of a matrix as charts have them.
var matrixCells = map[byte]chart.Status{
	answer.CellPass: chart.Pass, answer.CellWarn: chart.Warn, answer.CellFail: chart.Fail, answer.CellFailed: chart.Broken,
	answer.CellUnjudged: chart.Unscored, answer.CellNotThere: chart.Absent,
}

// MatrixChart draws the status of many seeds. Seeds without a result are hatched if rows are metrics: they have none in
// any row.
func MatrixChart(m answer.Matrix) chart.HeatMap {
	subject := m.Scenario
	if m.By == answer.ByScenario {
		subject = "label " + m.Label
	}
	h := chart.HeatMap{Title: subject + ": " + m.By + " by seed", XLabel: "seed", One: strings.TrimSuffix(m.By, "s"), Many: m.By}
	for i, seed := range m.Seeds {
		failed := m.By == answer.ByMetric && len(m.Items) > 0 && m.Items[0].Cells[i] == answer.CellFailed
		h.Seeds = append(h.Seeds, chart.HeatColumn{Label: seed.String(), Failed: failed})
	}
	for _, item := range m.Items {
		row := chart.HeatRow{Name: item.Name, Cells: make([]chart.Status, len(item.Cells))}
		for i := range len(item.Cells) {
			row.Cells[i] = matrixCells[item.Cells[i]]
		}
		h.Rows = append(h.Rows, row)
	}
	return h
}

// SeriesChart draws series of one seed.
func SeriesChart(v answer.SeriesValues) chart.Line {
	line := chart.Line{Title: fmt.Sprintf("%s, seed %s", v.Scenario, v.Seed), XLabel: "point", YLabel: "value"}
	if len(v.Series) == 1 {
		line.YLabel = v.Series[0].Name
	}
	for _, s := range v.Series {
		line.Series = append(line.Series, chart.Named{Name: s.Name, Y: s.Values})
	}
	return line
}

// BandChart draws a series over the seeds of a configuration: median, quartiles and range.
func BandChart(a answer.SeriesBands) chart.Band {
	title := fmt.Sprintf("%s %s, %s over seeds", a.Scenario, cmp.Or(a.Label, track.ShortHash(a.Configuration)), a.Name)
	c := chart.Band{Title: title, XLabel: "point", YLabel: a.Name, NSeeds: len(a.Seeds)}
	for _, p := range a.Points {
		c.Points = append(c.Points, chart.BandPoint{At: float64(p.At), N: p.N, Low: p.Low, Q1: p.Q1, Median: p.Median, Q3: p.Q3, High: p.High})
	}
	for _, s := range a.Seeds {
		c.Seeds = append(c.Seeds, s.Values)
	}
	return c
}

// ParamsChart draws the score or the metric of an analysis against a parameter.
func ParamsChart(a answer.ParamsAnalysis) chart.Parameter {
	return parameterChart(a, a.PlotOf, a.PlotBy, a.Panels)
}

func parameterChart(a answer.ParamsAnalysis, parameter, by string, panels []effects.Panel) chart.Parameter {
	c := chart.Parameter{
		Title: fmt.Sprintf("%s, mean %s against %s", a.Scenario, a.Outcome(), parameter), XLabel: parameter, YLabel: a.Outcome(), By: by,
		IntervalName: format.Confidence(a.Confidence) + " interval",
	}
	for _, e := range a.Effects {
		if e.Parameter == parameter && len(e.Levels) > 0 && math.IsNaN(e.Levels[0].Lo) {
			for _, l := range e.Levels {
				c.XNames = append(c.XNames, l.Name)
			}
		}
	}
	for _, p := range panels {
		panel := chart.ParameterPanel{Name: p.Name}
		for _, point := range p.Points {
			panel.Points = append(panel.Points, chart.Dot{X: point.X, Y: point.Mean})
		}
		for _, l := range p.Levels {
			panel.Levels = append(panel.Levels, chart.ParameterLevel{From: l.Lo, To: l.Hi, Mean: l.Mean, Lo: l.Interval.Lo, Hi: l.Interval.Hi})
		}
		c.Panels = append(c.Panels, panel)
	}
	return c
}

// MeansChart draws the heat map of an analysis.
func MeansChart(a answer.ParamsAnalysis, h effects.Heatmap) chart.Grid {
	c := chart.Grid{
		Title: fmt.Sprintf("%s, mean %s by %s and %s", a.Scenario, a.Outcome(), h.X, h.Y), XLabel: h.X, One: "value of " + h.Y, Many: "values of " + h.Y,
		Columns: h.XLevels, Text: a.Number(),
	}
	for i, row := range slices.Backward(h.Cells) {
		values := make([]float64, len(row))
		for k, cell := range row {
			values[k] = cell.Mean
		}
		c.Rows = append(c.Rows, chart.GridRow{Name: h.Y + " " + h.YLevels[i], Values: values})
	}
	return c
}

// cut returns s, shortened to at most that many characters.
func cut(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}

const unitOfScores = "total score (0 to 1)"

// ScoresPicture shows the total scores of all seeds of a configuration.
func ScoresPicture(s answer.Stability, seeds answer.SeedScores) document.Picture {
	ofRan := s.Estimates.OfRan
	c := chart.Distribution{
		Title: "Total scores of " + s.Scenario, XLabel: unitOfScores, Failed: s.NSeeds - s.NOK, Missing: s.NOK - s.NScored,
		Interval: format.Confidence(ofRan.Interval.Confidence) + " " + ofRan.Interval.Method + " interval", Lo: 0, Hi: 1,
	}
	for _, seed := range seeds.Seeds {
		if seed.Scored {
			c.Values, c.Labels = append(c.Values, seed.Score), append(c.Labels, seed.Number.String())
		}
	}
	alt := "Total scores of " + format.Counted(s.NScored, "seed")
	if c.Failed > 0 {
		alt += "; " + format.Counted(c.Failed, "failed seed") + " without a score"
	}
	if c.Missing > 0 {
		alt += "; " + format.Counted(c.Missing, "seed") + " without a score because values are missing"
	}
	if s.Estimates.NScored > 0 {
		c.Mean = &chart.Estimate{N: s.Estimates.NScored, Mean: ofRan.Value, Lo: math.NaN(), Hi: math.NaN()}
		alt += "; score of seeds that ran " + format.Four(ofRan.Value)
		if i := ofRan.Interval; i.Defined() && i.Lo < i.Hi { // if all values are equal, it says nothing about others
			c.Mean.Lo, c.Mean.Hi = i.Lo, i.Hi
			alt += fmt.Sprintf(" (%s %s)", c.Interval, format.Interval(i, format.Four))
		}
	}
	return document.Picture{Name: "scores", Alt: alt + ".", Chart: c}
}

// MatrixPicture shows the status of each metric in each seed.
func MatrixPicture(m answer.Matrix) document.Picture {
	var pass, warn, fail int
	for _, row := range m.Items {
		pass, warn, fail = pass+row.NPass, warn+row.NWarn, fail+row.NFail
	}
	alt := fmt.Sprintf("Status of %s in %s: PASS %d, WARN %d, FAIL %d", format.Counted(len(m.Items), "metric"), format.Counted(len(m.Seeds), "seed"), pass, warn, fail)
	if len(m.Items) > 0 && m.Items[0].NFailed > 0 {
		alt += "; " + format.Counted(m.Items[0].NFailed, "failed seed")
	}
	return document.Picture{Name: "heatmap", Alt: alt + ".", Chart: MatrixChart(m)}
}

var chartStatuses = map[scoring.Status]chart.Status{scoring.Pass: chart.Pass, scoring.Warn: chart.Warn, scoring.Fail: chart.Fail}

// ForestPicture shows the mean difference of each metric. It is false without metrics.
func ForestPicture(metrics []verdict.MetricDelta, nPairs int) (p document.Picture, ok bool) {
	if len(metrics) == 0 {
		return p, false
	}
	interval := metrics[0].Interval
	c := chart.Forest{
		Title: "Change of each metric", XLabel: "mean difference of score, candidate minus baseline",
		Interval: format.Confidence(interval.Confidence) + " " + interval.Method + " interval",
	}
	counts := map[scoring.Status]int{}
	for _, m := range metrics {
		row := chart.Difference{Estimate: chart.Estimate{Label: m.Name, N: nPairs, Mean: m.MeanDelta, Lo: m.Interval.Lo, Hi: m.Interval.Hi}, Status: chartStatuses[m.Status]}
		if !math.IsInf(m.Threshold, 0) {
			row.Loss = -m.Threshold
		}
		counts[m.Status]++
		c.Rows = append(c.Rows, row)
	}
	alt := fmt.Sprintf("Mean difference of %s over %s; point comparison: %d PASS, %d WARN, %d FAIL.", format.Counted(len(metrics), "metric"), format.Counted(nPairs, "pair"),
		counts[scoring.Pass], counts[scoring.Warn], counts[scoring.Fail])
	return document.Picture{Name: "forest", Alt: alt, Chart: c}, true
}

// PairsPicture shows what became of each seed. It is false without pairs.
func PairsPicture(a answer.PairedScores, unmatched verdict.UnmatchedSeeds) (p document.Picture, ok bool) {
	c := chart.Paired{
		Title: "Total scores by seed", XLabel: "seed", YLabel: unitOfScores, Lo: 0, Hi: 1,
		OnlyBaseline: len(unmatched.Baseline), OnlyCandidate: len(unmatched.Candidate),
	}
	var higher, lower, failed int
	score := func(x float64, why string) float64 {
		if why != "" {
			failed++
			return math.NaN()
		}
		return x
	}
	for _, pair := range a.Pairs {
		c.Pairs = append(c.Pairs, chart.Pair{
			Label: fmt.Sprint(pair.Number), Baseline: score(pair.Baseline, pair.BaselineFailed), Candidate: score(pair.Candidate, pair.CandidateFailed),
		})
		if pair.Candidate > pair.Baseline {
			higher++
		} else if pair.Candidate < pair.Baseline {
			lower++
		}
	}
	alt := fmt.Sprintf("Total scores of %s of seeds: the candidate is higher in %d, lower in %d, equal in %d", format.Counted(len(a.Pairs), "pair"), higher, lower, len(a.Pairs)-higher-lower)
	if failed > 0 {
		alt += fmt.Sprintf("; %s without a score, which counts as 0", format.Counted(failed, "side"))
	}
	return document.Picture{Name: "pairs", Alt: alt + ".", Chart: c}, len(a.Pairs) > 0
}

// HistoryPicture shows the means of configurations. It is false for a single one.
func HistoryPicture(h answer.History) (p document.Picture, ok bool) {
	if len(h.Entries) < 2 {
		return p, false
	}
	alt := fmt.Sprintf("Mean total score of %s, with its 95%% %s.", format.Counted(len(h.Entries), "configuration"), intervalName(h.MeanIntervals()))
	return document.Picture{Name: "history", Alt: alt, Chart: HistoryChart(h)}, true
}

// ParamsPictures show the outcome of an analysis against each parameter, and its heat map.
func ParamsPictures(r answer.ParamsReport) (list []document.Picture) {
	for i, panels := range r.Plots {
		parameter := r.Effects[i].Parameter
		alt := fmt.Sprintf("Mean %s of %s against %s.", r.Outcome(), format.Counted(r.NConfigurations, "configuration"), parameter)
		list = append(list, document.Picture{Name: fmt.Sprintf("parameter-%d", i+1), Alt: alt, Chart: parameterChart(r.ParamsAnalysis, parameter, "", panels)})
	}
	if h := r.Heatmap; h != nil {
		alt := fmt.Sprintf("Mean %s for each pair of values of %s and %s.", r.Outcome(), h.X, h.Y)
		list = append(list, document.Picture{Name: "means", Alt: alt, Chart: MeansChart(r.ParamsAnalysis, *h)})
	}
	return list
}

// LineagePicture shows the scores of the candidates of a lineage, and a sparkline of them.
func LineagePicture(t answer.LineageTree, m answer.Mutations, d answer.Decisions) document.Picture {
	c := chart.Lineage{Title: "Scores of " + t.Lineage, XLabel: "mutation", YLabel: "score", Interval: "95% interval of the difference", Minimize: t.Scale != nil && t.Scale.Minimize}
	if t.Scale == nil {
		c.Most = 100
	}
	last := map[string]answer.ReviewedDecision{}
	rootScore := math.NaN()
	for _, one := range slices.Backward(d.Items) { // the oldest first
		last[one.Mutation] = one
	}
	versions := map[string]answer.TreeVersion{}
	for _, v := range t.Items {
		versions[v.Version] = v
		if !v.Root {
			continue
		}
		for _, one := range d.Items {
			if one.Parent == v.Version && one.OldScore != nil {
				rootScore = *one.OldScore // of the first decision against it
			}
		}
		if math.IsNaN(rootScore) && v.Fitness != nil {
			rootScore = *v.Fitness
		}
		if !math.IsNaN(rootScore) && len(c.Candidates) == 0 {
			c.XLabel = "mutation (0: the root)"
			root := chart.Candidate{Decision: chart.Root, OnPath: v.OnPath, Head: v.Version == t.Head}
			root.Label, root.N, root.Mean, root.Lo, root.Hi = v.Version, v.N, rootScore, math.NaN(), math.NaN()
			c.Candidates = append(c.Candidates, root)
		}
	}
	decisions := map[evolution.MutationState]chart.Decision{
		evolution.MutationAccepted: chart.Accepted, evolution.MutationRejected: chart.Rejected, evolution.MutationRefused: chart.Refused,
	}
	numbers := map[string]int{}
	for _, one := range slices.Backward(m.Items) { // the oldest first
		v := versions[one.Child]
		numbers[one.Child] = one.Number
		p := chart.Candidate{Number: one.Number, Decision: decisions[one.State], OnPath: v.OnPath && v.Mutation == one.ID, Head: one.Child == t.Head && v.Mutation == one.ID}
		p.Label, p.Mean, p.Lo, p.Hi = one.Child, math.NaN(), math.NaN(), math.NaN()
		switch d, decided := last[one.ID]; {
		case decided && d.NewScore != nil:
			p.Mean, p.N = *d.NewScore, d.NChild
			if d.CI != nil && d.OldScore != nil {
				after := func(gain float64) float64 { return t.Scale.Score(t.Scale.Gain(*d.OldScore) + gain) }
				lo, hi := after(d.CI.Lo), after(d.CI.Hi)
				p.Lo, p.Hi = min(lo, hi), max(lo, hi)
			}
		case v.N == 0 && v.NFailed > 0 && p.Decision != chart.Refused:
			p.Decision = chart.Failed
		case v.Fitness != nil:
			p.Mean, p.N = *v.Fitness, v.N
		}
		c.Candidates = append(c.Candidates, p)
	}
	for _, r := range d.Rollbacks {
		before := 0
		for _, one := range m.Items {
			if !one.ProposedAt.After(r.At) {
				before = max(before, one.Number)
			}
		}
		c.Rollbacks = append(c.Rollbacks, chart.Rollback{After: before, To: numbers[r.To], Name: r.To})
	}
	alt := "Scores of the candidates of " + t.Lineage
	if line := c.LineName(); line != "" {
		alt += ", with a line of the " + line
	}
	return document.Picture{Name: "scores", Alt: alt + ".", Chart: c}
}

// TasksPicture shows the scores of versions on each task.
func TasksPicture(a answer.VersionComparison) document.Picture {
	const most = 40
	c := chart.Grid{Title: "Scores of " + a.Lineage + " by task", XLabel: "version", One: "task", Many: "tasks", Low: "worst", High: "best", Minimize: a.Scale != nil && a.Scale.Minimize}
	if a.Scale == nil {
		c.Scale = [2]float64{0, 100}
	}
	for _, v := range a.Versions {
		c.Columns = append(c.Columns, v.Version)
	}
	for _, task := range a.Tasks[:min(most, len(a.Tasks))] {
		row := chart.GridRow{Name: task.Task}
		if task.Holdout {
			row.Name += " (holdout)"
		}
		for _, cell := range task.Cells {
			score := math.NaN()
			if cell.Score != nil {
				score = *cell.Score
			}
			row.Values = append(row.Values, score)
		}
		c.Rows = append(c.Rows, row)
	}
	return document.Picture{Name: "tasks", Alt: "Mean scores of the versions of the path on each task, as in the table. The stronger the colour, the better the score.", Chart: c}
}

// WorstFirst sorts metrics: the degraded ones first, then those that lost the most.
func WorstFirst(metrics []verdict.MetricDelta) {
	rank := map[scoring.Status]int{scoring.Fail: 0, scoring.Warn: 1, scoring.Pass: 2}
	slices.SortStableFunc(metrics, func(a, b verdict.MetricDelta) int {
		return cmp.Or(rank[a.Status]-rank[b.Status], cmp.Compare(a.MeanDelta, b.MeanDelta))
	})
}
