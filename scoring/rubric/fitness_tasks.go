package rubric

import (
	"maps"
	"slices"

	"track/scoring/stats"
)

// scoresOfTasks returns the scores of each task; nil if some execution has no task.
func scoresOfTasks(scored []placed) map[string][]float64 {
	tasks := map[string][]float64{}
	for _, e := range scored {
		if e.Task == "" {
			return nil
		}
		tasks[e.Task] = append(tasks[e.Task], e.Score.Value)
	}
	return tasks
}

// byTask makes the fitness the mean over tasks of the mean score of each: each execution weighs one by the number of
// its task's executions.
func (f *FitnessResult) byTask(scored []placed, tasks map[string][]float64, o FitnessOptions) (err error) {
	f.Measure = ByTask
	sortNewestFirst(scored)
	values, weights := make([]float64, len(scored)), make([]float64, len(scored))
	for i, e := range scored {
		values[i], weights[i] = e.Score.Value, 1/float64(len(tasks[e.Task]))
		f.Used = append(f.Used, Use{ID: e.ID, At: e.At, Value: values[i], Weight: weights[i]})
	}
	f.Value, f.EffectiveN = weighted(values, weights)
	f.Grade, f.Components = GradeOf(f.Value), componentMeans(scored, weights)
	if o.ValueOnly {
		_, err = stats.Summarize(values)
		return err
	}
	var means []float64
	for _, task := range slices.Sorted(maps.Keys(tasks)) {
		s, err := stats.Summarize(tasks[task])
		if err != nil {
			return err
		}
		means = append(means, s.Mean)
	}
	if f.Mean, err = stats.NewMean(means, o.Confidence); err == nil {
		f.Warnings = f.Mean.Warnings
	}
	return err
}
