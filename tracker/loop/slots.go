package loop

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"track"
	"track/answer"
	"track/evolution"
	"track/store"
	"track/tracker/lineages"
)

// source is the source of the executions that loops record.
const source = "evolve"

// The sides of a trial: those of a mutation, and the active version on its own.
const (
	sideChild  = "child"
	sideParent = "parent"
	sideActive = "active"
)

// mostFailures is how often a task may fail on one side before another task is taken for both.
const mostFailures = 2

// trial is a trial that is to be run. Its key follows from what it is for and its number, so that whoever runs it after
// an interruption, or at the same time, means the same trial.
type trial struct {
	Key, Version, Mutation, Side, Task string
	Number                             int // of the side, from 1
}

// side is what is recorded of a version, and what is still to be run of it.
type side struct {
	name, version, prefix string
	numbers               map[int]bool         // recorded under the prefix
	counts                evolution.TaskCounts // all trials
	scored, failed        evolution.TaskCounts
	last                  int // number that was given last
	planned               []trial
}

// planTrials returns the trials that a step asks for, with the tasks to run them on. It depends on what is recorded,
// and on nothing else.
func (l *loop) planTrials(ctx context.Context, step lineages.NextStep) ([]trial, error) {
	lineage, err := lineages.Load(ctx, l.store.Reader, l.options.Lineage)
	if err != nil {
		return nil, err
	}
	tasks, err := l.tasks.deciding(lineage.Settings.Holdout)
	if err != nil {
		return nil, err
	}
	if step.Action == answer.ActionWait {
		s := newSide(sideActive, step.Head, step.Head)
		if err := l.load(ctx, s); err != nil {
			return nil, err
		}
		for range step.Executions {
			s.addFree(tasks, nil)
		}
		return s.planned, nil
	}
	sides := map[string]*side{sideChild: newSide(sideChild, "", step.Mutation), sideParent: newSide(sideParent, "", step.Mutation)}
	for _, t := range step.Trials {
		sides[t.Side].version = t.Version
	}
	child, parent := sides[sideChild], sides[sideParent]
	if err := l.loadSides(ctx, step.Mutation, child, parent); err != nil {
		return nil, err
	}
	for _, t := range step.Trials {
		own, other := child, parent
		if t.Side == sideParent {
			own, other = parent, child
		}
		own.plan(t.Key, other, tasks)
	}
	return slices.Concat(child.planned, parent.planned), nil
}

func newSide(name, version, of string) *side {
	return &side{
		name: name, version: version, prefix: of + "/" + name + "/", numbers: map[int]bool{},
		counts: evolution.TaskCounts{}, scored: evolution.TaskCounts{}, failed: evolution.TaskCounts{},
	}
}

// loadSides reads what is recorded of a mutation.
func (l *loop) loadSides(ctx context.Context, mutation string, child, parent *side) error {
	m, err := l.store.Mutation(ctx, l.evolving, mutation)
	if err != nil {
		return err
	}
	child.version, parent.version = m.Child, m.Parents[0]
	if err := l.load(ctx, child); err != nil {
		return err
	}
	return l.load(ctx, parent)
}

// load reads what is recorded of a version.
func (l *loop) load(ctx context.Context, s *side) error {
	list, err := l.store.Trials(ctx, l.options.Lineage, store.TrialFilter{Versions: []string{s.version}})
	for _, t := range list {
		s.counts[t.Task]++
		if t.Status == track.ExecutionOK {
			s.scored[t.Task]++
		} else {
			s.failed[t.Task]++
		}
		if rest, found := strings.CutPrefix(t.Key, s.prefix); found && t.Source == source {
			if n, err := strconv.Atoi(rest); err == nil {
				s.numbers[n] = true
			}
		}
	}
	return err
}

// plan adds the trial of a task, or of any task if none is named. A task that failed too often is left out: a further
// pair is run on another one.
func (s *side) plan(task string, other *side, tasks taskList) {
	switch {
	case task == "":
		s.addFree(tasks, other)
	case s.failed[task] < mostFailures:
		s.counts[task]++
		s.add(task)
	default:
		for _, open := range tasks.candidates(len(s.counts)) {
			if s.scored[open] > other.counts[open] { // half a pair is there
				other.counts[open]++
				other.add(open)
				return
			}
		}
		s.addFree(tasks, other)
		other.addFree(tasks, s)
	}
}

// addFree adds a trial of the task that serves best.
func (s *side) addFree(tasks taskList, other *side) {
	var counts evolution.TaskCounts
	n := len(s.counts)
	if other != nil {
		counts, n = other.counts, n+len(other.counts)
	}
	s.add(evolution.NextTask(tasks.candidates(n), s.counts, counts))
}

// add adds a trial under the next number that is not recorded.
func (s *side) add(task string) {
	for s.last++; s.numbers[s.last]; s.last++ {
	}
	t := trial{Key: s.prefix + strconv.Itoa(s.last), Version: s.version, Side: s.name, Task: task, Number: s.last}
	if s.name != sideActive {
		t.Mutation = strings.TrimSuffix(s.prefix, "/"+s.name+"/")
	}
	s.planned = append(s.planned, t)
}
