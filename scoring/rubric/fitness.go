package rubric

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"track/scoring/stats"
)

// ScoredExecution is one execution with its score.
type ScoredExecution struct {
	ID    string // unique
	At    time.Time
	Task  string // empty if tasks do not matter
	Score Score
}

// Measure says how a fitness was computed.
type Measure string

// The measures: see [Fitness].
const (
	byRecency Measure = "recency" // the weighted mean of the newest scores
	ByTask    Measure = "tasks"   // the mean of the mean score of each task
)

// FitnessOptions say how scores are aggregated; the zero value says it as rubrics do: see [Fitness].
type FitnessOptions struct {
	AnyScale bool // scores need not be from 0 to 100
	ByTask   bool // tasks count equally if every score has one and they differ: then nothing is cut, and ages do not matter
	// Cut is the share dropped at each end by score, floor(Cut·n) of n; nil is 0.1.
	Cut *float64
	// Weights are those of the executions kept, newest first; older ones are left out. None is 1.0, 0.9, 0.8, 0.7, 0.6.
	Weights []float64
	// Confidence of the interval; 0 is 0.95.
	Confidence float64
	// ValueOnly leaves out the mean with its interval, which takes most of the time.
	ValueOnly bool
}

// Use is one execution that counts in a fitness.
type Use struct {
	ID     string    `json:"id"`
	At     time.Time `json:"at"`
	Value  float64   `json:"value"`
	Weight float64   `json:"weight"`
}

// ComponentMean is the mean of a component over those of the used executions in which it was measured, by the weights
// of their use.
type ComponentMean struct {
	Name string   `json:"name"`
	Mean *float64 `json:"mean_of_measured"` // nil where it was measured in none
	N    int      `json:"n"`
}

// FitnessResult is the fitness of a version, with everything it was computed from.
type FitnessResult struct {
	Rubric  string  `json:"rubric"`
	Value   float64 `json:"value"` // 0 to 100, not rounded
	Grade   Grade   `json:"grade"`
	Measure Measure `json:"measure"`
	NTasks  int     `json:"n_tasks"` // with a score; 0 if some score has no task
	N       int     `json:"n"`       // executions that have a score
	Used    []Use   `json:"used"`    // newest first
	// TrimmedWorst, TrimmedBest and TooOld are what has a score and no weight; NotScored what has no score.
	TrimmedWorst []string `json:"trimmed_worst,omitempty"`
	TrimmedBest  []string `json:"trimmed_best,omitempty"`
	TooOld       []string `json:"too_old,omitempty"`
	NotScored    []string `json:"not_scored,omitempty"`
	// EffectiveN is (Σw)²/Σw²: as many executions of equal weight would be as sure.
	EffectiveN float64         `json:"effective_n"`
	Components []ComponentMean `json:"components"`
	// Mean is the plain mean of the used scores with its t interval; by tasks, that of the means of the tasks. It is about
	// the used executions as a sample: trimming took the extremes from it, so that it is, if anything, too narrow.
	Mean     stats.Mean      `json:"mean_of_used_scores"`
	Warnings []stats.Warning `json:"warnings,omitempty"`
}

// What can be wrong with executions to aggregate; test with errors.Is.
var (
	ErrNoScores     = errors.New("no execution has a score")
	errMixedRubrics = errors.New("scores of different rubrics")
)

// Fitness aggregates executions: floor(0.1·n) are dropped from each end by score, the five newest of the rest get the
// weights 1.0, 0.9, 0.8, 0.7 and 0.6, and their weighted mean is the fitness.
//
// The newest scores of a version say nothing about the tasks that ran earlier. By task, the fitness is the mean over
// the tasks of the mean score of each: nothing is dropped.
//
// Equal scores are trimmed in the order of time, oldest first from below and newest first from above; equal times are
// in the order of ids. Where no execution has a time, the list is taken to be newest first. Executions without a
// score are named and left out. Scores of different rubrics, ids that repeat, and times that are known of some only,
// are refused.
func Fitness(executions []ScoredExecution, o FitnessOptions) (FitnessResult, error) {
	if err := o.setDefaults(); err != nil {
		return FitnessResult{}, err
	}
	scored, f, err := scoredOnly(executions, o)
	if err != nil {
		return FitnessResult{}, err
	}
	tasks := scoresOfTasks(scored)
	if f.NTasks = len(tasks); f.NTasks > 1 && o.ByTask {
		err = f.byTask(scored, tasks, o)
		return f, err
	}
	f.Measure = byRecency
	kept := f.trim(scored, int(math.Floor(float64(*o.Cut*float64(len(scored))))))
	sortNewestFirst(kept)
	if most := len(o.Weights); len(kept) > most {
		for _, e := range kept[most:] {
			f.TooOld = append(f.TooOld, e.ID)
		}
		kept = kept[:most]
	}
	var values []float64
	for i, e := range kept {
		f.Used = append(f.Used, Use{ID: e.ID, At: e.At, Value: e.Score.Value, Weight: o.Weights[i]})
		values = append(values, e.Score.Value)
	}
	f.Value, f.EffectiveN = weighted(values, o.Weights)
	f.Grade = GradeOf(f.Value)
	f.Components = componentMeans(kept, o.Weights)
	if o.ValueOnly {
		if _, err = stats.Summarize(values); err != nil {
			return FitnessResult{}, err
		}
		return f, nil
	}
	if f.Mean, err = stats.NewMean(values, o.Confidence); err != nil {
		return FitnessResult{}, err
	}
	f.Warnings = f.Mean.Warnings
	if len(f.TrimmedWorst) == 0 {
		f.Warnings = append(slices.Clip(f.Warnings), stats.WarnUntrimmed)
	}
	return f, nil
}

func (o *FitnessOptions) setDefaults() error {
	if o.Cut == nil {
		cut := 0.1
		o.Cut = &cut
	}
	if len(o.Weights) == 0 {
		o.Weights = []float64{1.0, 0.9, 0.8, 0.7, 0.6}
	}
	if o.Confidence == 0 {
		o.Confidence = 0.95
	}
	if !(*o.Cut >= 0 && *o.Cut < 0.5) {
		return fmt.Errorf("cut %v is not between 0 and 0.5: %w", *o.Cut, stats.ErrBadParam)
	}
	for i, w := range o.Weights {
		if !(w > 0 && w <= 1) {
			return fmt.Errorf("weight %d, %v, is not between 0 and 1: %w", i, w, stats.ErrBadParam)
		}
	}
	return nil
}

// placed is a scored execution with its index in the list that was given.
type placed struct {
	ScoredExecution
	index int
}

// scoredOnly returns what has a score, and a result that names what has none.
func scoredOnly(executions []ScoredExecution, o FitnessOptions) (list []placed, f FitnessResult, err error) {
	seen := map[string]bool{}
	timed := 0
	for i, e := range executions {
		if seen[e.ID] {
			return nil, f, fmt.Errorf("execution %q is given twice", e.ID)
		}
		seen[e.ID] = true
		if !e.At.IsZero() {
			timed++
		}
		switch {
		case !e.Score.Defined:
			f.NotScored = append(f.NotScored, e.ID)
			continue
		case !o.AnyScale && !(e.Score.Value >= 0 && e.Score.Value <= 100) || math.IsNaN(e.Score.Value) || math.IsInf(e.Score.Value, 0):
			return nil, f, fmt.Errorf("execution %q: score %v is not between 0 and 100", e.ID, e.Score.Value)
		case f.Rubric == "":
			f.Rubric = e.Score.Rubric
		case f.Rubric != e.Score.Rubric:
			return nil, f, fmt.Errorf("%w: %s and %s of execution %q; score them under one", errMixedRubrics, f.Rubric, e.Score.Rubric, e.ID)
		}
		list = append(list, placed{e, i})
	}
	switch {
	case len(list) == 0:
		return nil, f, ErrNoScores
	case timed != 0 && timed != len(executions):
		return nil, f, fmt.Errorf("%d of %d executions have no time: give all or none", len(executions)-timed, len(executions))
	}
	f.N = len(list)
	return list, f, nil
}

// age orders from oldest to newest: by time, then by id; without times, by index, since the list is newest first.
func age(a, b placed) int {
	if a.At.IsZero() {
		return cmp.Compare(b.index, a.index)
	}
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
}

// trim takes cut executions from each end of list, by score, and returns the rest.
func (f *FitnessResult) trim(list []placed, cut int) []placed {
	slices.SortFunc(list, func(a, b placed) int { return cmp.Or(cmp.Compare(a.Score.Value, b.Score.Value), age(a, b)) })
	for _, e := range list[:cut] {
		f.TrimmedWorst = append(f.TrimmedWorst, e.ID)
	}
	for _, e := range list[len(list)-cut:] {
		f.TrimmedBest = append(f.TrimmedBest, e.ID)
	}
	return list[cut : len(list)-cut]
}

func sortNewestFirst(list []placed) {
	slices.SortFunc(list, func(a, b placed) int { return age(b, a) })
}

// weighted is Σwx/Σw and (Σw)²/Σw², with as many weights as there are values. It sums differences from the first
// value, so that equal values give exactly that value.
func weighted(values, weights []float64) (mean, effectiveN float64) {
	sum, squares, differences := 0.0, 0.0, 0.0
	for i, x := range values {
		w := weights[i]
		sum += w
		squares += float64(w * w)
		differences += float64(w * (x - values[0]))
	}
	return values[0] + differences/sum, float64(sum*sum) / squares
}

// componentMeans is one mean for each component of the used executions, in the order of their first appearance.
func componentMeans(used []placed, weights []float64) []ComponentMean {
	list := []ComponentMean{}
	at := map[string]int{}
	sums, values := [][]float64{}, [][]float64{}
	for i, e := range used {
		for _, c := range e.Score.Components {
			k, known := at[c.Name]
			if !known {
				k = len(list)
				at[c.Name] = k
				list, sums, values = append(list, ComponentMean{Name: c.Name}), append(sums, nil), append(values, nil)
			}
			if c.Value != nil {
				sums[k], values[k] = append(sums[k], weights[i]), append(values[k], *c.Value)
			}
		}
	}
	for k := range list {
		if list[k].N = len(values[k]); list[k].N > 0 {
			mean, _ := weighted(values[k], sums[k])
			list[k].Mean = &mean
		}
	}
	return list
}

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
