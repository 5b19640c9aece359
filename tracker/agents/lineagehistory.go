package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"track"
	"track/answer"
	"track/evolution"
	"track/scoring/rubric"
	"track/scoring/stats"
	"track/scoring/verdict"
	"track/store"
)

// ShowLineageHistory aggregates the newest versions of a lineage: their scores, or a component of them.
func ShowLineageHistory(ctx context.Context, r *store.Reader, q answer.LineageHistoryQuestion) (a answer.LineageHistory, err error) {
	if err := checkComponent(q.Component); err != nil {
		return a, err
	}
	versions, err := r.Versions(ctx, q.Lineage)
	if err != nil {
		return a, err
	}
	d := deciding{rubric: q.Rubric, times: 1, asked: true}
	if q.Component == "" { // scores of other kinds have no components
		if d, err = loadDeciding(ctx, r, q.Lineage, q.Rubric); err != nil {
			return a, err
		}
	}
	a = answer.LineageHistory{Lineage: q.Lineage, Rubric: q.Rubric, ScoreBasis: d.basis(), Component: q.Component, NOlder: max(0, len(versions)-q.Limit)}
	points := []verdict.HistoryPoint{}
	o := verdict.HistoryOptions{Next: q.Next}
	shown, err := scoredVersions(ctx, r, versions[a.NOlder:], d)
	if err != nil {
		return a, err
	}
	if a.OtherKinds = keepOneKind(shown, d); len(a.OtherKinds) > 0 {
		a.ScoreFrom = evolution.ScoreSource(a.OtherKinds[0].Kind)
		a.OtherKinds = a.OtherKinds[1:]
	}
	var previous verdict.HistoryPoint
	for _, v := range shown {
		entry, err := lineageHistoryEntry(ctx, r, v, d.rubric, q.Component)
		if err != nil {
			return a, err
		}
		point := verdict.HistoryPoint{N: entry.Mean.N, Mean: entry.Mean.Value, SD: entry.SD.Value, Accepted: true}
		if entry.Change = verdict.ChangeBetween(previous, point, o); point.N > 0 {
			previous = point
		}
		a.Entries, points = append(a.Entries, entry), append(points, point)
	}
	a.Analysis = verdict.AnalyseHistory(points, o)
	return a, nil
}

// checkComponent returns an error if no rubric has the component.
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

// scoredVersion is a version with its executions.
type scoredVersion struct {
	store.VersionSummary
	trials   []store.Trial
	nHoldout int
}

func scoredVersions(ctx context.Context, r *store.Reader, versions []store.VersionSummary, d deciding) ([]scoredVersion, error) {
	list := make([]scoredVersion, len(versions))
	for i, v := range versions {
		trials, nHoldout, err := d.trials(ctx, r, v.Lineage, v.Version)
		if err != nil {
			return nil, err
		}
		list[i] = scoredVersion{v, trials, nHoldout}
	}
	return list, nil
}

// keepOneKind takes away all active scores but those of the most frequent kind: a mean of scores under different
// rubrics says nothing, and decisions refuse it too. It returns the kinds with their numbers of scores, the one that
// is kept first; nothing if there is one kind, or if a kind was chosen.
func keepOneKind(list []scoredVersion, d deciding) (kinds []answer.KindOfScore) {
	if d.rubric != "" || d.asked {
		return nil
	}
	n := map[string]int{}
	for _, v := range list {
		for _, t := range v.trials {
			if t.Score != nil {
				n[t.Rubric]++
			}
		}
	}
	if len(n) < 2 {
		return nil
	}
	for kind, n := range n {
		kinds = append(kinds, answer.KindOfScore{Kind: kind, N: n})
	}
	slices.SortFunc(kinds, func(a, b answer.KindOfScore) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Kind, b.Kind)) })
	for _, v := range list {
		for i := range v.trials {
			if t := &v.trials[i]; t.Rubric != kinds[0].Kind {
				t.Score, t.Components = nil, nil
			}
		}
	}
	return kinds
}

func lineageHistoryEntry(ctx context.Context, r *store.Reader, v scoredVersion, rubricName, component string) (e answer.LineageHistoryEntry, err error) {
	e = answer.LineageHistoryEntry{Version: v.Version, First: v.First, Last: v.Last, NExecutions: v.NExecutions, NFailed: v.NFailed, NHoldout: v.nHoldout}
	if e.Mean, e.SD, e.Warnings, err = estimateScores(scoresOf(v.trials, component)); err != nil {
		return e, err
	}
	byTask, err := r.IsRun(ctx, v.Lineage)
	if err != nil {
		return e, err
	}
	report, err := fitnessOf(v.Lineage, v.Version, v.trials, rubricName, rubric.FitnessOptions{ByTask: byTask})
	if err == nil {
		err = dropGrade(ctx, r, &report)
	}
	switch {
	case errors.Is(err, rubric.ErrNoScores):
		return e, nil
	case err == nil:
		e.Fitness, e.Grade, e.EffectiveN = &report.Value, report.Grade, &report.EffectiveN
	}
	return e, err
}

// scoresOf returns the scores of executions that have one, or the values of a component.
func scoresOf(trials []store.Trial, component string) (scores []float64) {
	for _, t := range trials {
		if x := t.Score; component == "" && x != nil {
			scores = append(scores, *x)
		}
		for _, c := range t.Components {
			if c.Name == component && c.Value != nil {
				scores = append(scores, *c.Value)
			}
		}
	}
	return scores
}

func estimateScores(scores []float64) (mean, sd verdict.Estimate, warnings []stats.Warning, err error) {
	s, err := stats.Summarize(scores)
	if errors.Is(err, stats.ErrEmpty) {
		s, err = stats.Summary{Mean: math.NaN(), PopulationSD: math.NaN()}, nil
	}
	if s.N > 0 {
		warnings = s.Warnings()
	}
	mean = verdict.Estimate{Value: s.Mean, N: s.N, Interval: s.MeanInterval(0.95)}
	sd = verdict.Estimate{Value: s.SD(), N: s.N, Interval: s.SDInterval(0.95)}
	return mean, sd, warnings, err
}

// ForgetExecutions removes the texts of executions. Their scores, counts and digests stay.
func ForgetExecutions(ctx context.Context, st *store.Store, q answer.ForgetExecutionQuestion) (a answer.ForgottenExecutions, err error) {
	for _, id := range q.IDs {
		execution, err := st.Execution(ctx, id)
		if err != nil {
			return a, err
		}
		a.Forgotten = append(a.Forgotten, execution.ID)
	}
	return a, st.Forget(ctx, a.Forgotten...)
}
