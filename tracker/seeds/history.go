package seeds

import (
	"context"
	"fmt"

	"track"
	"track/answer"
	"track/scoring"
	"track/scoring/stats"
	"track/scoring/verdict"
	"track/store"
)

// ShowHistory aggregates the newest configurations of a scenario.
func ShowHistory(ctx context.Context, r *store.Reader, q answer.HistoryQuestion) (answer.History, error) {
	a, _, err := loadHistory(ctx, r, q)
	return a, err
}

// historySources are what a history was made of.
type historySources struct {
	spec           specInUse
	configurations []store.Configuration // of the entries
}

func loadHistory(ctx context.Context, r *store.Reader, q answer.HistoryQuestion) (a answer.History, from historySources, err error) {
	newestFirst, total, err := r.Configurations(ctx, q.Scenario, q.Limit)
	if err != nil {
		return a, from, err
	}
	if from.spec, err = loadSpecInUse(ctx, r, q.Scenario, q.Spec); err != nil {
		return a, from, err
	}
	a = answer.History{Scenario: q.Scenario, Spec: specRef(from.spec.stored), NOlder: total - len(newestFirst), Entries: make([]answer.HistoryEntry, len(newestFirst))}
	var metric *scoring.Metric
	if q.Metric != "" {
		if metric, err = findMetric(from.spec.decoded, q.Metric); err != nil {
			return a, from, err
		}
		info := metric.Info()
		a.Metric = &info
	}
	from.configurations = make([]store.Configuration, len(newestFirst))
	params := make([]track.Params, len(newestFirst))
	totals, err := historyTotals(ctx, r, from.spec, newestFirst)
	if err != nil {
		return a, from, err
	}
	for i, c := range newestFirst {
		at := len(newestFirst) - 1 - i
		from.configurations[at], params[at] = c, c.Params
		if a.Entries[at], err = historyEntry(ctx, r, from.spec, c, totals[i], metric); err != nil {
			return a, from, err
		}
	}
	if err := annotateHistory(ctx, r, &a, from.configurations); err != nil {
		return a, from, err
	}
	return a, from, completeHistory(&a, params, q.Next)
}

// completeHistory adds what follows from all entries together.
func completeHistory(a *answer.History, params []track.Params, next int) error {
	differing, err := parameterLines(params)
	if err != nil {
		return err
	}
	o := verdict.HistoryOptions{Next: next, Scores: a.Metric == nil}
	points := make([]verdict.HistoryPoint, len(a.Entries))
	lines, previous := a.Lines(), map[string]verdict.HistoryPoint{} // by line
	for i := range a.Entries {
		e := &a.Entries[i]
		e.Differing = differing[i]
		mean, sd := e.Mean()
		points[i] = verdict.HistoryPoint{N: mean.N, Mean: mean.Value, SD: sd.Value, Accepted: e.Stable, Line: lines[i]}
		if e.Change = verdict.ChangeBetween(previous[lines[i]], points[i], o); mean.N > 0 {
			previous[lines[i]] = points[i]
		}
	}
	a.Analysis = verdict.AnalyseHistory(points, o)
	return nil
}

// historyTotals returns the totals of configurations, in their order.
func historyTotals(ctx context.Context, r *store.Reader, spec specInUse, configurations []store.Configuration) ([]store.Totals, error) {
	sel := store.Selection{Scenario: spec.stored.Scenario, SpecID: spec.stored.ID}
	for _, c := range configurations {
		sel.Configurations = append(sel.Configurations, c.ID)
	}
	return r.TotalsByConfiguration(ctx, sel)
}

func historyEntry(ctx context.Context, r *store.Reader, spec specInUse, c store.Configuration, totals store.Totals, metric *scoring.Metric) (e answer.HistoryEntry, err error) {
	sel := store.Selection{Scenario: spec.stored.Scenario, Configurations: []int64{c.ID}, SpecID: spec.stored.ID}
	s := scoring.NewStability(spec.decoded, totals.SeedTotals, nil)
	e = answer.HistoryEntry{
		Configuration: recordedConfiguration(c), FirstRecorded: c.CreatedAt, NUnassessed: totals.NUnassessed, NEnvironments: totals.NEnvironments, Stability: s,
	}
	if e.NUnassessed > 0 { // a part of the seeds would pass for all of them
		e.Stability = scoring.Stability{NSeeds: s.NSeeds, NScored: s.NScored, NFailed: s.NFailed - totals.NUnassessed}
		return e, nil
	}
	coverage, err := coverageOf(ctx, r, sel)
	if err != nil {
		return e, err
	}
	judged := verdict.Judge(s, coverage, scoring.DefaultConfidence)
	e.Verdict, e.Estimates, e.Warnings = judged.Verdict, &judged.Estimates, judged.Warnings
	if metric != nil {
		e.Metric, err = historyMetric(ctx, r, sel, totals.SeedTotals, *metric)
	}
	return e, err
}

func historyMetric(ctx context.Context, r *store.Reader, sel store.Selection, totals scoring.SeedTotals, metric scoring.Metric) (*answer.HistoryMetric, error) {
	found, err := r.OneMetricTotals(ctx, sel, metric.Name)
	if err != nil {
		return nil, err
	}
	s := scoring.NewStability(scoring.Spec{Metrics: []scoring.Metric{metric}}, totals, []scoring.MetricTotals{found})
	value := found.Value
	values := stats.Summary{N: value.N, Mean: value.Mean, PopulationSD: value.Std}
	return &answer.HistoryMetric{
		MetricStability: s.Metrics[0],
		Mean:            verdict.Estimate{Value: value.Mean, N: value.N, Interval: values.MeanInterval(scoring.DefaultConfidence)},
		SD:              verdict.Estimate{Value: values.SD(), N: value.N, Interval: values.SDInterval(scoring.DefaultConfidence)},
	}, nil
}

// findMetric returns the metric of a spec with this name.
func findMetric(spec scoring.Spec, name string) (*scoring.Metric, error) {
	var known []string
	for _, m := range spec.Metrics {
		if m.Name == name {
			return &m, nil
		}
		known = append(known, m.Name)
	}
	err := didYouMean(fmt.Errorf("spec of %s has no metric %q: %w", spec.Scenario, name, track.ErrNotFound), name, known)
	return nil, track.WithHint(err, track.NewHint("list its metrics", "spec show", spec.Scenario))
}
