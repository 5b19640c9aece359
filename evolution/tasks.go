package evolution

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"track/scoring/stats"
)

// TaskCounts counts the trials of each task.
type TaskCounts map[string]int

// Add counts the tasks that a decision which ended was made on.
func (c TaskCounts) Add(r Record) {
	if r.Decision.State == Continue {
		return
	}
	for _, t := range r.Evidence.Child {
		if t.Key != "" {
			c[t.Key]++
		}
	}
}

// TaskOrder is the order in which both sides of a mutation try the tasks that decide. It is drawn when the mutation is
// proposed and recorded with it. After the last task the order begins again.
type TaskOrder struct {
	Draw  Draw     `json:"draw"`
	Tasks []string `json:"tasks"`
}

// LabelTasks is the label of the draw of a [TaskOrder].
const LabelTasks = "tasks"

// tasksDomain keeps these hashes apart from all others.
const tasksDomain = "track/tasks/1\x00"

// NewTaskOrder orders tasks by how often earlier decisions of the lineage used them, the least used first, so that all
// tasks come round. Tasks that were used equally often are in the order of the first 8 bytes of
// SHA-256("track/tasks/1" 0x00 || u64be(raw of the draw) || task).
func NewTaskOrder(tasks []string, used TaskCounts, draw Draw) TaskOrder {
	place := make(map[string]uint64, len(tasks))
	for _, task := range tasks {
		hash := sha256.Sum256(append(binary.BigEndian.AppendUint64([]byte(tasksDomain), uint64(draw.Raw)), task...))
		place[task] = binary.BigEndian.Uint64(hash[:])
	}
	order := slices.Clone(tasks)
	slices.SortFunc(order, func(a, b string) int {
		return cmp.Or(cmp.Compare(used[a], used[b]), cmp.Compare(place[a], place[b]), cmp.Compare(a, b))
	})
	return TaskOrder{draw, order}
}

// Task returns the task of a pair, from 1.
func (o TaskOrder) Task(pair int) string { return o.Tasks[(pair-1)%len(o.Tasks)] }

// ParentFirst reports whether the parent is tried before the child in a pair, from 1: in every other one, beginning as
// the draw says.
func (o TaskOrder) ParentFirst(pair int) bool { return (pair%2 == 0) == (o.Draw.U < 0.5) }

// TaskSettings are the tasks of a lineage.
type TaskSettings struct {
	Names []string `json:"names"` // in the order of their list; nil if they are unknown
	// Measured is how many of them an accepted child is measured on, the first ones; 0 for all. Holdout tasks are
	// measured in any case.
	Measured int `json:"measured,omitempty"`
	// Numbered says that there is no list: the names are numbers. [Threshold], which is for executions without tasks,
	// then accepts without a measurement.
	Numbered bool `json:"numbered,omitempty"`
}

func (s *TaskSettings) validate() error {
	if s == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, name := range s.Names {
		if name == "" || seen[name] {
			return fmt.Errorf("tasks: task %q is empty or duplicated", name)
		}
		seen[name] = true
	}
	if s.Measured < 0 {
		return errors.New("tasks: the number of measured tasks is negative")
	}
	return nil
}

// Deciding returns the tasks that are not held out.
func (s Settings) Deciding() []string {
	var names []string
	if s.Tasks != nil {
		for _, name := range s.Tasks.Names {
			if !s.Holdout.Has(name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Measurement returns the run that follows the acceptance of a child; nil if the tasks are unknown.
func (s Settings) Measurement() *Measurement {
	deciding := s.Deciding()
	if len(deciding) == 0 || s.Tasks.Numbered && s.Policy == (Threshold{}).Name() {
		return nil
	}
	m := &Measurement{Tasks: deciding, Held: []string{}, Child: []Trial{}, Parent: []Trial{}}
	if n := s.Tasks.Measured; n > 0 && n < len(deciding) {
		m.Tasks = deciding[:n:n]
	}
	for _, name := range s.Tasks.Names {
		if s.Holdout.Has(name) {
			m.Tasks, m.Held = append(m.Tasks, name), append(m.Held, name)
		}
	}
	return m
}

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

// VersionGain is how much better a version is than another one, in points, with its interval, for who reads it.
// Versions are ranked by [Comparison], which is recorded.
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

// Standing is a version with its fitness.
type Standing struct {
	Version string   `json:"version"`
	Number  int      `json:"number"` // in the order of creation
	Score   *float64 `json:"score"`  // its fitness; nil if no trial counts
	// Against compares it with the active version; nil if they were tried on different tasks. Versions are ranked by
	// it, since a fitness over other tasks says little: see [Compare].
	Against *Comparison `json:"against"`
}

// Comparison compares two versions. Scores are in points, of which more are better.
type Comparison struct {
	Score float64 `json:"score"` // mean over the tasks or seeds that both were tried on
	Other float64 `json:"other"` // of the other version, on the same ones
	Tasks int     `json:"tasks"` // how many; 0 if one version has no trial on a task: then the two fitnesses are compared
}

// Gain is how much better the version is than the other one.
func (c Comparison) Gain() float64 { return round9(c.Score - c.Other) }

// Compare compares two versions, from all their trials, on the tasks or seeds that both were tried on, each with the
// same weight. Nil is returned if they have none in common, or one has no trial.
func Compare(trials, other []Trial, scale *Scale, failures FailureRule) (*Comparison, error) {
	s, err := newSides(Evidence{Child: trials, Parent: other, Scale: scale, Failures: failures})
	if errors.Is(err, ErrMixedScores) {
		return nil, nil
	}
	if err != nil || len(s.child.trials) == 0 || len(s.parent.trials) == 0 {
		return nil, err
	}
	own, others := TaskMeans(s.child.trials), TaskMeans(s.parent.trials)
	if len(own) == 0 || len(others) == 0 {
		return compareFitness(s)
	}
	c := Comparison{}
	for _, task := range slices.Sorted(maps.Keys(own)) {
		if mean, both := others[task]; both {
			c.Score, c.Other, c.Tasks = c.Score+own[task].Mean(), c.Other+mean.Mean(), c.Tasks+1
		}
	}
	if c.Tasks == 0 {
		return nil, nil
	}
	c.Score, c.Other = round9(c.Score/float64(c.Tasks)), round9(c.Other/float64(c.Tasks))
	return &c, nil
}

// compareFitness compares versions that were not tried on tasks.
func compareFitness(s sides) (*Comparison, error) {
	own, err := fitness(s.child.trials, false)
	if err != nil {
		return nil, err
	}
	other, err := fitness(s.parent.trials, false)
	return &Comparison{Score: own.Value, Other: other.Value}, err
}

// Best returns the best version, the oldest of equal ones: by what they gain over the active version, or by fitness if
// the active one has no trial. ok is false if none can be compared.
func Best(list []Standing) (best Standing, ok bool) {
	value := func(s Standing) *float64 { return s.Score }
	if slices.ContainsFunc(list, func(s Standing) bool { return s.Against != nil }) {
		value = func(s Standing) *float64 {
			if s.Against == nil {
				return nil
			}
			gain := s.Against.Gain()
			return &gain
		}
	}
	var most float64
	for _, s := range list {
		v := value(s)
		if v == nil || *v != *v {
			continue
		}
		if !ok || *v > most || *v == most && s.Number < best.Number {
			best, most, ok = s, *v, true
		}
	}
	return best, ok
}

// Front reports which points are on the Pareto front of two objectives, of which more is better: no other point is at
// least as good in both and better in one. Equal points are on it together. It takes n·log(n) steps.
func Front(points [][2]float64) []bool {
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(points[b][0], points[a][0]), cmp.Compare(points[b][1], points[a][1]))
	})
	on := make([]bool, len(points))
	last := -1 // the newest point of the front: the best in the second objective of those so far
	for _, i := range order {
		if last < 0 || points[i] == points[last] || points[i][1] > points[last][1] {
			on[i], last = true, i
		}
	}
	return on
}
