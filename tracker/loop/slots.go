package loop

import (
	"context"
	"fmt"
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

// sideActive is the side of trials of the active version on its own; the others are those of a mutation.
const sideActive = "active"

// trial is a trial that is to be run. Its key follows from what it is for and its number, so that whoever runs it after
// an interruption, or at the same time, means the same trial.
type trial struct {
	Key, Version, Mutation, Side, Task string
	Number                             int // of the side, from 1
}

func newTrial(of, side, version, task string, number int) trial {
	t := trial{Key: of + "/" + side + "/" + strconv.Itoa(number), Version: version, Side: side, Task: task, Number: number}
	if side != sideActive {
		t.Mutation = of
	}
	return t
}

// planTrials returns the trials that a step asks for, in the order in which they start. It depends on what is recorded,
// and on nothing else.
func (l *loop) planTrials(ctx context.Context, step answer.Next) ([]trial, error) {
	if step.Action == answer.ActionWait {
		return l.planActive(ctx, step.Head, step.Executions)
	}
	history, err := lineages.ShowMutation(ctx, l.store.Reader, answer.MutationQuestion{Mutation: step.Mutation, Lineage: l.options.Lineage})
	if err != nil {
		return nil, err
	}
	recorded, err := l.recordedKeys(ctx, history.Child, history.Parents[0])
	if err != nil {
		return nil, err
	}
	if len(step.Trials) > 0 && strings.HasPrefix(step.Trials[0].Side, lineages.MeasuredPrefix) {
		return l.planMeasurement(ctx, step, recorded)
	}
	order := history.Tasks
	if order == nil { // it was proposed before the tasks were known
		tasks, err := l.decidingTasks(ctx)
		if err != nil {
			return nil, err
		}
		order = &evolution.TaskOrder{Tasks: tasks}
	}
	return planPairs(step, *order, history.Child, history.Parents[0], recorded), nil
}

// planPairs plans what a step asks for: the missing halves of pairs of which one side was run already, and the next
// pairs, each on its task and in its order. If a half is of a task that is not in the list, a whole pair takes its
// place.
func planPairs(step answer.Next, order evolution.TaskOrder, child, parent string, recorded map[string]bool) (planned []trial) {
	half := func(side string, pair int) trial {
		version := child
		if side == lineages.SideParent {
			version = parent
		}
		return newTrial(step.Mutation, side, version, order.Task(pair), pair)
	}
	taken := map[string]bool{}
	missing := map[string]int{}
	for _, t := range step.Trials {
		place := slices.Index(order.Tasks, t.Key) + 1
		switch {
		case t.Key == "":
			missing[t.Side]++
		case place == 0:
			missing[lineages.SideChild]++
			missing[lineages.SideParent]++
		default:
			for recorded[half(t.Side, place).Key] || taken[half(t.Side, place).Key] {
				place += len(order.Tasks)
			}
			planned = append(planned, half(t.Side, place))
			taken[half(t.Side, place).Key] = true
		}
	}
	for pair := 1; missing[lineages.SideChild]+missing[lineages.SideParent] > 0; pair++ {
		halves := []trial{half(lineages.SideChild, pair), half(lineages.SideParent, pair)}
		if order.ParentFirst(pair) {
			slices.Reverse(halves)
		}
		for _, t := range halves {
			if missing[t.Side] > 0 && !recorded[t.Key] && !taken[t.Key] {
				missing[t.Side]--
				planned = append(planned, t)
			}
		}
	}
	return planned
}

// planMeasurement plans the run of both sides on all tasks, task by task, with the sides in turn.
func (l *loop) planMeasurement(ctx context.Context, step answer.Next, recorded map[string]bool) (planned []trial, err error) {
	lineage, err := lineages.Load(ctx, l.store.Reader, l.options.Lineage)
	if err != nil {
		return nil, err
	}
	for i, task := range lineage.Settings.Measurement().Tasks {
		halves := slices.DeleteFunc(slices.Clone(step.Trials), func(t answer.PlannedTrial) bool { return t.Key != task })
		if i%2 == 1 {
			slices.Reverse(halves)
		}
		for _, half := range halves {
			if t := newTrial(step.Mutation, half.Side, half.Version, task, i+1); !recorded[t.Key] {
				planned = append(planned, t)
			}
		}
	}
	return planned, nil
}

// planActive plans n trials of the active version on its own.
func (l *loop) planActive(ctx context.Context, version string, n int) (planned []trial, err error) {
	tasks, err := l.decidingTasks(ctx)
	if err != nil {
		return nil, err
	}
	recorded, err := l.recordedKeys(ctx, version)
	for number := 1; len(planned) < n; number++ {
		t := newTrial(version, sideActive, version, tasks[(number-1)%len(tasks)], number)
		if !recorded[t.Key] {
			planned = append(planned, t)
		}
	}
	return planned, err
}

// nextActive returns the next trial of a version on its own, on a task.
func (l *loop) nextActive(ctx context.Context, version, task string) (t trial, err error) {
	recorded, err := l.recordedKeys(ctx, version)
	for number := 1; ; number++ {
		t = newTrial(version, sideActive, version, task, number)
		if _, runs := l.running[t.Key]; !runs && !recorded[t.Key] {
			return t, err
		}
	}
}

// decidingTasks returns the tasks that decide.
func (l *loop) decidingTasks(ctx context.Context) ([]string, error) {
	lineage, err := lineages.Load(ctx, l.store.Reader, l.options.Lineage)
	if err != nil {
		return nil, err
	}
	tasks := lineage.Settings.Deciding()
	if len(tasks) == 0 {
		return nil, fmt.Errorf("%w: all %d tasks are held out, so none can decide", track.ErrInvalid, len(l.tasks.names))
	}
	return tasks, nil
}

// recordedKeys returns the keys of the trials of versions that loops recorded.
func (l *loop) recordedKeys(ctx context.Context, versions ...string) (map[string]bool, error) {
	list, err := l.store.Trials(ctx, l.options.Lineage, store.TrialFilter{Versions: versions})
	keys := map[string]bool{}
	for _, t := range list {
		if t.Source == source {
			keys[t.Key] = true
		}
	}
	return keys, err
}
