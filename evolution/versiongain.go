package evolution

import (
	"track/scoring/stats"
)

// VersionGain is how much better a version is than another one, in points, with its interval, for who reads it. Versions
// are ranked by [Comparison], which is recorded.
type VersionGain struct {
	Mean     float64
	Interval *stats.Interval // at 95 %; nil if there are too few trials, or they do not vary
	Method   string          // of the interval
	Tasks    int             // that both were tried on; 0 if a version has no trial on a task, and means are compared
	N        int             // trials of the version that count
	NOther   int
}

// NewVersionGain compares the trials that have a score of two versions: task by task, if both were tried on tasks, else
// their means. Nil is returned if they share no task, or one has no score.
func NewVersionGain(trials, other []Trial, scale *Scale) (*VersionGain, error) {
	g := VersionGain{N: len(trials), NOther: len(other)}
	if len(trials) == 0 || len(other) == 0 {
		return nil, nil
	}
	if len(TaskMeans(trials)) > 0 && len(TaskMeans(other)) > 0 {
		byTask, _, err := GainByTask(other, trials, scale)
		if err != nil || byTask.Gain == nil {
			return nil, err
		}
		g.Mean, g.Tasks, g.Method = byTask.Gain.Mean, byTask.NTasks, "paired t"
		if i := byTask.Gain.Interval; i.Defined() && i.Lo < i.Hi {
			g.Interval = &i
		}
		return &g, nil
	}
	own, others := gains(trials, scale), gains(other, scale)
	g.Mean, g.Method = summarize(own).mean-summarize(others).mean, "Welch"
	if test, err := stats.WelchT(own, others, Confidence); err == nil && test.Interval.Defined() {
		g.Interval = &test.Interval
	}
	return &g, nil
}
