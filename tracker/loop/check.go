package loop

import (
	"context"
	"fmt"
	"slices"
	"time"

	"track"
	"track/answer"
	"track/store"
)

const (
	unchecked   = 2   // trials without a score that are recorded in a row before the evaluate command is checked again
	searchedFor = 200 // newest trials among which there may be one to check the evaluate command by
)

// isSound reports whether the evaluate command works, so that a trial without a score says something about its version.
// It tries another version that had a score before, on the same task as then. If that fails as well, the loop ends: the
// failed trials are not recorded, and nothing is decided on them. Before any version has a score, it cannot tell.
func (l *loop) isSound(ctx context.Context, failed trial) (bool, error) {
	switch {
	case l.broken:
		return false, nil
	case l.proven && l.failures < unchecked:
		return true, nil
	}
	check, err := l.checkTrial(ctx, failed.Version)
	if check == nil || err != nil {
		return err == nil, err
	}
	started := l.startTime()
	e, err := l.evaluateTrial(ctx, *check)
	e.StartedAt = started
	switch {
	case ctx.Err() != nil: // the failed trial runs again in the next loop
		return false, nil
	case err != nil:
		return false, err
	case e.Status != track.ExecutionOK:
		l.broken = true
		l.end(answer.EvolveFailed, fmt.Sprintf("the evaluate command gives no score to %s, nor to %s, which had one before: %s; nothing was decided on it",
			failed.Version, check.Version, e.Message))
		return false, l.claims.ReleaseStep(l.options.Lineage, check.Key)
	}
	if err := l.add(context.WithoutCancel(ctx), ran{trial: *check, execution: e}); err != nil {
		return false, err
	}
	return true, l.claims.ReleaseStep(l.options.Lineage, check.Key)
}

// checkTrial returns a trial of a version that had a score before: of the active one, or else of the newest other one.
// It returns nil if there is none.
func (l *loop) checkTrial(ctx context.Context, failed string) (*trial, error) {
	list, err := l.store.Trials(ctx, l.options.Lineage, store.TrialFilter{Ended: true, Newest: searchedFor})
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(t store.Trial) bool {
		_, has := l.tasks.inputs[t.Task]
		return t.Version == failed || t.Source != source || t.Score == nil || t.Holdout || len(l.tasks.names) > 0 && !has
	})
	if len(list) == 0 {
		return nil, nil
	}
	evolving, err := l.store.Evolving(ctx, l.options.Lineage)
	if err != nil {
		return nil, err
	}
	known := list[max(0, slices.IndexFunc(list, func(t store.Trial) bool { return t.Version == evolving.Head }))]
	check, err := l.nextActive(ctx, known.Version, known.Task)
	if err != nil {
		return nil, err
	}
	for {
		if claimed, err := l.claim(ctx, check); claimed || err != nil {
			return &check, err
		}
		check = newTrial(known.Version, sideActive, known.Version, known.Task, check.Number+1)
	}
}

// startTime returns when a trial starts. Trials start one after the other, so that their order is known.
func (l *loop) startTime() time.Time {
	started := l.store.Now()
	if !started.After(l.last) {
		started = l.last.Add(time.Microsecond)
	}
	l.last = started
	return started
}
