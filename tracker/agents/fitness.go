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
	"track/scoring/format"
	"track/scoring/rubric"
	"track/store"
)

// ShowFitness returns the fitness of a version of a lineage. If the question names none, it is the active version, or
// in a lineage without a ledger the version that was executed last.
func ShowFitness(ctx context.Context, r *store.Reader, q answer.FitnessQuestion) (a answer.Fitness, err error) {
	version := q.Of.Version
	if version == nil {
		chosen, err := activeOrNewest(ctx, r, q.Of.Lineage)
		if err != nil {
			return a, err
		}
		version = &chosen
	}
	a, err = Fitness(ctx, r, q.Of.Lineage, *version, q.Rubric, q.Cut)
	if errors.Is(err, rubric.ErrNoScores) {
		err = track.WithHint(fmt.Errorf("%s@%s: %w: %s, none with a score", a.Lineage, a.Version, track.ErrNotFound, format.Counted(a.NExecutions, "execution")),
			track.NewHint("list the executions", "executions", a.Lineage+"@"+a.Version))
	}
	return a, err
}

// Fitness aggregates the executions of a version: the scores under a rubric, or those that decide if it is empty. In a
// run of another evolver, all tasks count equally, unless a share is to be cut.
func Fitness(ctx context.Context, r *store.Reader, lineage, version, rubricName string, cut *float64) (answer.Fitness, error) {
	d, err := loadDeciding(ctx, r, lineage, rubricName)
	if err != nil {
		return answer.Fitness{}, err
	}
	scores, nHoldout, err := d.trials(ctx, r, lineage, version)
	if err != nil {
		return answer.Fitness{Lineage: lineage, Version: version}, err
	}
	options := rubric.FitnessOptions{Cut: cut}
	if cut == nil {
		if options.ByTask, err = r.IsRun(ctx, lineage); err != nil {
			return answer.Fitness{}, err
		}
	}
	kinds := keepOneKind([]scoredVersion{{trials: scores}}, d)
	report, err := fitnessOf(lineage, version, scores, d.rubric, options)
	if err == nil {
		err = dropGrade(ctx, r, &report)
	}
	report.ScoreBasis, report.NHoldout = d.basis(), nHoldout
	if len(kinds) > 0 {
		report.ScoreFrom, report.OtherKinds = evolution.ScoreSource(kinds[0].Kind), kinds[1:]
	}
	return report, err
}

// activeOrNewest returns the active version of a lineage; the version that was executed last if none is active.
func activeOrNewest(ctx context.Context, r *store.Reader, lineage string) (string, error) {
	evolving, err := r.Evolving(ctx, lineage)
	switch {
	case err == nil && evolving.Head != "":
		return evolving.Head, nil
	case err != nil && !errors.Is(err, track.ErrNotFound):
		return "", err
	}
	return r.NewestVersion(ctx, lineage)
}

// dropGrade drops the grade of scores that are on a scale of their own: the bands of grades are of scores from 0 to
// 100.
func dropGrade(ctx context.Context, r *store.Reader, report *answer.Fitness) error {
	if report.NOwn == 0 {
		return nil
	}
	unbounded, err := r.IsUnbounded(ctx, report.Lineage)
	if unbounded {
		report.Grade = ""
	}
	return err
}

// versionTrials returns the executions of a version with their components, the newest first.
func versionTrials(ctx context.Context, st *store.Reader, lineage, version, rubricName string) ([]store.Trial, error) {
	trials, err := st.Trials(ctx, lineage, store.TrialFilter{Versions: []string{version}, Rubric: rubricName, Components: true})
	if err == nil && len(trials) == 0 {
		err = st.CheckLineage(ctx, lineage, &version)
	}
	slices.Reverse(trials)
	return trials, err
}

func fitnessOf(lineage, version string, scores []store.Trial, rubricName string, options rubric.FitnessOptions) (answer.Fitness, error) {
	report := answer.Fitness{Lineage: lineage, Version: version, NExecutions: len(scores)}
	own, undated, measured := map[string]bool{}, map[string]bool{}, map[string]float64{}
	list := make([]rubric.ScoredExecution, len(scores))
	for i, s := range scores {
		if s.Status != track.ExecutionOK {
			report.NFailed++
		}
		own[s.ID] = s.Rubric == track.RubricOwn
		undated[s.ID], measured[s.ID] = !s.Started, measuredShare(s.Rubric, s.Components)
		list[i] = rubric.ScoredExecution{ID: s.ID, At: s.At, Task: s.Task, Score: scoreOf(s, rubricName)}
	}
	var err error
	options.AnyScale = true // scores were checked when they were recorded
	report.FitnessResult, err = rubric.Fitness(list, options)
	sortComponents(report.Components)
	for _, use := range report.Used {
		if own[use.ID] {
			report.NOwn++
		}
		if undated[use.ID] {
			report.NUndated++
		}
		report.MeasuredShare += measured[use.ID] / float64(len(report.Used))
	}
	return report, err
}

// measuredShare returns the share of a rubric's weight that could be measured in an execution.
func measuredShare(rubricName string, components []track.ComponentValue) float64 {
	r, err := rubric.ByName(rubricName)
	if err != nil {
		return 1 // the caller's own score
	}
	share := 0.0
	for _, c := range components {
		for _, part := range r.Parts {
			if part.Name == c.Name && c.Value != nil {
				share += part.Weight
			}
		}
	}
	return share
}

// sortComponents puts components in the order of the default rubric.
func sortComponents(list []rubric.ComponentMean) {
	r, err := rubric.ByName(rubric.Default)
	if err != nil {
		return // cannot be: it is the default
	}
	rank := func(name string) int {
		return slices.IndexFunc(r.Parts, func(p rubric.Part) bool { return p.Name == name })
	}
	slices.SortFunc(list, func(a, b rubric.ComponentMean) int { return cmp.Compare(rank(a.Name), rank(b.Name)) })
}

// scoreOf returns a recorded score as package rubric takes it.
func scoreOf(s store.Trial, rubricName string) rubric.Score {
	score := rubric.Score{Rubric: rubricName, Value: math.NaN()}
	if s.Score != nil {
		score.Value, score.Defined, score.Grade = *s.Score, true, rubric.GradeOf(*s.Score)
	}
	for _, c := range s.Components {
		score.Components = append(score.Components, rubric.Component{Name: c.Name, Value: c.Value})
	}
	return score
}
