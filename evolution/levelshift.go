package evolution

import (
	"maps"
	"slices"

	"track/scoring/stats"
)

// LevelShift says how far the scores of one version moved from its earlier to its later trials, in points.
type LevelShift struct {
	Tasks    int            `json:"tasks"` // compared; 0 if trials have no tasks
	N        int            `json:"n"`     // trials
	Mean     float64        `json:"mean_over_tasks"`
	Interval stats.Interval `json:"interval"`
}

// fewestShiftTasks is how many tasks it takes to compare by tasks.
const fewestShiftTasks = 3

// NewLevelShift compares the earlier half of the trials of a version with the later half. Trials on tasks are compared
// task by task, since the order of tasks is not one of difficulty, by the paired t interval of the differences; others
// by Welch's. Failed trials are left out. Nil is returned if there are too few, or they do not vary.
func NewLevelShift(trials []Trial, scale *Scale, confidence float64) (*LevelShift, error) {
	var timed, keyed []Trial
	for _, t := range sortedTrials(trials) {
		if t.Failed != "" || t.Score == nil || t.At.IsZero() {
			continue
		}
		if timed = append(timed, t); t.Key != "" {
			keyed = append(keyed, t)
		}
	}
	if 2*len(keyed) > len(timed) {
		return shiftByTask(keyed, scale, confidence)
	}
	earlier, later := halves(gains(timed, scale))
	if min(len(earlier), len(later)) < 2 {
		return nil, nil
	}
	test, err := stats.WelchT(later, earlier, confidence)
	if err != nil || !test.Interval.Defined() {
		return nil, err
	}
	return &LevelShift{N: len(timed), Mean: summarize(later).mean - summarize(earlier).mean, Interval: test.Interval}, nil
}

func shiftByTask(trials []Trial, scale *Scale, confidence float64) (*LevelShift, error) {
	byTask := map[string][]Trial{}
	for _, t := range trials {
		byTask[t.Key] = append(byTask[t.Key], t)
	}
	var differences []float64
	n := 0
	for _, task := range slices.Sorted(maps.Keys(byTask)) {
		earlier, later := halves(gains(byTask[task], scale))
		if len(earlier) == 0 {
			continue
		}
		differences = append(differences, round9(summarize(later).mean-summarize(earlier).mean))
		n += len(byTask[task])
	}
	if len(differences) < fewestShiftTasks {
		return nil, nil
	}
	mean, err := stats.NewMean(differences, confidence)
	if err != nil || !mean.Interval.Defined() {
		return nil, err
	}
	return &LevelShift{Tasks: len(differences), N: n, Mean: mean.Mean, Interval: mean.Interval}, nil
}

// halves returns the earlier and the later half of a list, without the middle of an odd number.
func halves(list []float64) (earlier, later []float64) {
	n := len(list) / 2
	return list[:n], list[len(list)-n:]
}

func gains(trials []Trial, scale *Scale) []float64 {
	list := make([]float64, len(trials))
	for i, t := range trials {
		list[i] = scale.Gain(*t.Score)
	}
	return list
}

// Moved reports whether the interval of the shift leaves out 0.
func (s *LevelShift) Moved() bool { return s != nil && (s.Interval.Lo > 0 || s.Interval.Hi < 0) }
