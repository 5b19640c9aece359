package lineages

import (
	"context"
	"maps"
	"slices"

	"track/answer"
	"track/evolution"
	"track/store"
)

func CompareVersions(ctx context.Context, r *store.Reader, q answer.CompareVersionsQuestion) (a answer.VersionComparison, err error) {
	err = r.Snapshot(ctx, func(r *store.Reader) error {
		l, err := Load(ctx, r, q.Of[0].Lineage)
		if err != nil {
			return err
		}
		names := make([]string, len(q.Of))
		for i, v := range q.Of {
			if _, err := r.VersionState(ctx, l.Name, v.Version); err != nil {
				return err
			}
			names[i] = v.Version
		}
		trials, err := loadTrials(ctx, r, l, names...)
		if err != nil {
			return err
		}
		a, err = compareVersions(l, trials, names)
		if err != nil {
			return err
		}
		return addTotals(ctx, r, l, &a)
	})
	return a, err
}

func compareVersions(l Lineage, trials recorded, names []string) (a answer.VersionComparison, err error) {
	a = answer.VersionComparison{Lineage: l.Name, Score: l.Settings.ScoreFrom, Times: l.Settings.Times(), Scale: l.Settings.Scale, Differences: []answer.VersionDifference{}}
	worst, err := worstOf(l, trials, names)
	if err != nil {
		return a, err
	}
	var first VersionTrials
	cells, held := map[string][]answer.TaskCell{}, map[string]bool{}
	for i, name := range names {
		own, err := trials.of(name)
		if err != nil {
			return a, err
		}
		own.Trials, own.Held = evolution.WithFailures(own.Trials, worst), evolution.WithFailures(own.Held, worst)
		all := slices.Concat(own.Trials, own.Held)
		a.Versions = append(a.Versions, comparedVersion(name, all, own.Unscored+own.Unjudged))
		for _, t := range own.Held {
			held[t.Key] = true
		}
		addCells(cells, all, i, len(names))
		if i == 0 {
			first = own
			continue
		}
		d, err := versionDifference(first, own, l.Settings.Scale)
		if err != nil {
			return a, err
		}
		d.From, d.To = names[0], name
		a.Differences = append(a.Differences, d)
	}
	for _, task := range slices.Sorted(maps.Keys(cells)) {
		a.Tasks = append(a.Tasks, answer.ComparedTask{Task: task, Holdout: held[task], Cells: cells[task]})
	}
	return a, nil
}

// worstOf returns the score that failed trials of versions count as; nil for none.
func worstOf(l Lineage, trials recorded, names []string) (*float64, error) {
	var all [][]evolution.Trial
	for _, name := range names {
		own, err := trials.of(name)
		if err != nil {
			return nil, err
		}
		all = append(all, own.Trials, own.Held)
	}
	return l.Settings.Failures.Worst(l.Settings.Scale, all...), nil
}

// versionDifference compares the tasks that decide, and the holdout tasks apart.
func versionDifference(first, second VersionTrials, scale *evolution.Scale) (d answer.VersionDifference, err error) {
	if d.TaskGain, _, err = evolution.GainByTask(first.Trials, second.Trials, scale); err != nil || len(first.Held)+len(second.Held) == 0 {
		return d, err
	}
	held, _, err := evolution.GainByTask(first.Held, second.Held, scale)
	d.Holdout = &held
	return d, err
}

func comparedVersion(name string, trials []evolution.Trial, without int) answer.ComparedVersion {
	v := answer.ComparedVersion{Version: name, NWithout: without, Truths: []answer.Truth{}}
	sum := 0.0
	for _, t := range trials {
		if t.Failed != "" {
			v.NFailed++
		}
		if t.Score != nil {
			v.N++
			sum += *t.Score
		}
	}
	if v.N > 0 {
		mean := sum / float64(v.N)
		v.Mean = &mean
	}
	return v
}

// addCells adds what a version did on each task.
func addCells(cells map[string][]answer.TaskCell, trials []evolution.Trial, version, n int) {
	means := evolution.TaskMeans(trials)
	for _, t := range trials {
		if t.Key == "" {
			continue
		}
		if cells[t.Key] == nil {
			cells[t.Key] = make([]answer.TaskCell, n)
		}
		c := &cells[t.Key][version]
		if t.Failed != "" {
			c.NFailed++
		}
		if m := means[t.Key]; t.Score != nil && c.Score == nil {
			mean := m.Mean()
			c.Score, c.N = &mean, m.N
		}
	}
}

// addTotals adds what the executions of the versions cost, and what is known to be true of them.
func addTotals(ctx context.Context, r *store.Reader, l Lineage, a *answer.VersionComparison) error {
	if l.scenario() != "" {
		return nil
	}
	for i := range a.Versions {
		v := &a.Versions[i]
		sums := map[string]evolution.TaskMean{}
		list, err := r.Executions(ctx, store.ExecutionFilter{Lineage: l.Name, Version: &v.Version})
		if err != nil {
			return err
		}
		for _, e := range list {
			if e.CostUSD != nil {
				cost := *e.CostUSD
				if v.CostUSD != nil {
					cost += *v.CostUSD
				}
				v.CostUSD, v.NCost = &cost, v.NCost+1
			}
		}
		labels, err := r.VersionLabels(ctx, l.Evolving, v.Version)
		if err != nil {
			return err
		}
		for _, label := range labels {
			m := sums[label.Name]
			sums[label.Name] = evolution.TaskMean{Sum: m.Sum + label.Value, N: m.N + 1}
		}
		for _, name := range slices.Sorted(maps.Keys(sums)) {
			v.Truths = append(v.Truths, answer.Truth{Name: name, N: sums[name].N, Mean: sums[name].Mean()})
		}
	}
	return nil
}
