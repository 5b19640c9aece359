package evolution

import (
	"maps"
	"slices"

	"track/scoring/stats"
)

// TaskGain compares two versions task by task: the mean score of a task under one with that under the other.
type TaskGain struct {
	NTasks int `json:"n_tasks"` // that both have a score of
	Wins   int `json:"wins"`    // tasks on which the second is better
	Losses int `json:"losses"`
	Ties   int `json:"ties"`
	// Gain is the mean difference, with its paired t interval at 95 %; nil without a common task. More is better, also
	// if scores are minimized.
	Gain *stats.Mean `json:"gain"`
	// OnlyFirst and OnlySecond are the tasks that only one of them has a score of.
	OnlyFirst  []string `json:"only_first"`
	OnlySecond []string `json:"only_second"`
}

// TaskMean is the mean score of a task.
type TaskMean struct {
	Sum float64
	N   int
}

// Mean returns the mean.
func (m TaskMean) Mean() float64 { return m.Sum / float64(m.N) }

// TaskMeans returns the mean score of each task. Trials without a score, or without a task, are left out: see
// [WithFailures].
func TaskMeans(trials []Trial) map[string]TaskMean {
	means := map[string]TaskMean{}
	for _, t := range trials {
		if t.Score == nil || t.Key == "" {
			continue
		}
		m := means[t.Key]
		means[t.Key] = TaskMean{m.Sum + *t.Score, m.N + 1}
	}
	return means
}

// GainByTask compares a second version with a first.
func GainByTask(first, second []Trial, scale *Scale) (g TaskGain, differences []float64, err error) {
	before, after := TaskMeans(first), TaskMeans(second)
	g.OnlyFirst, g.OnlySecond = []string{}, []string{}
	for _, task := range slices.Sorted(maps.Keys(before)) {
		now, both := after[task]
		if !both {
			g.OnlyFirst = append(g.OnlyFirst, task)
			continue
		}
		d := round9(scale.Gain(now.Mean()) - scale.Gain(before[task].Mean()))
		differences = append(differences, d)
		switch {
		case d > 0:
			g.Wins++
		case d < 0:
			g.Losses++
		default:
			g.Ties++
		}
	}
	for _, task := range slices.Sorted(maps.Keys(after)) {
		if _, both := before[task]; !both {
			g.OnlySecond = append(g.OnlySecond, task)
		}
	}
	if g.NTasks = len(differences); g.NTasks == 0 {
		return g, nil, nil
	}
	mean, err := stats.NewMean(differences, Confidence)
	g.Gain = &mean
	return g, differences, err
}
