package lineages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"track"
	"track/evolution"
	"track/store"
)

// RollbackOptions say where to go back to: one of To, Best, Previous and IfTriggered.
type RollbackOptions struct {
	To                          string
	Best, Previous, IfTriggered bool
	Reason                      string // for by hand
	At                          time.Time
}

// RollbackResult is a rollback, or why there was none.
type RollbackResult struct {
	evolution.Entry
	Event *evolution.RollbackEvent // nil where no trigger applies
	Head  string                   // in force after it
	// Warnings say what speaks against the version that somebody chose.
	Warnings []DecisionWarning
}

// WarnNotAccepted warns of a version in force that a decision rejected, or that was refused.
const WarnNotAccepted evolution.Warning = "not_accepted"

// Rollback puts an earlier version in force, and begins the cooldown.
func Rollback(ctx context.Context, st *store.Store, lineage string, o RollbackOptions) (r RollbackResult, err error) {
	err = change(ctx, st, lineage, func(w *Writer) error {
		event, err := w.rollback(ctx, o)
		if err != nil || event == nil {
			r.Head = w.Head
			return err
		}
		event.Settings = w.Settings.Number
		if event.Executions, err = w.countTrials(ctx, w.Store); err != nil {
			return err
		}
		r.Event = event
		if o.To != "" {
			if r.Warnings, err = w.notAccepted(ctx, o.To); err != nil {
				return err
			}
		}
		r.Entry, err = w.append(evolution.KindRollback, *event, event.To, orNow(o.At, w.Store))
		r.Head = event.To
		return err
	})
	return r, err
}

// rollback is the event of going back; nil where no trigger applies.
func (w *Writer) rollback(ctx context.Context, o RollbackOptions) (*evolution.RollbackEvent, error) {
	state, all, err := w.rollbackState(ctx, w.Store)
	if err != nil {
		return nil, err
	}
	if o.IfTriggered {
		if w.Head == "" {
			return nil, nil
		}
		event := w.Settings.Rollback.Check(state)
		if event == nil {
			return nil, nil
		}
		return &evolution.RollbackEvent{Rollback: *event, State: &state}, nil
	}
	to, err := w.target(ctx, o, all)
	if err != nil {
		return nil, err
	}
	event, err := evolution.RollbackByHand(state.InForce, to, cmp.Or(withoutSecrets(o.Reason), "by hand"))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", track.ErrConflict, err)
	}
	known, err := w.mentioned(ctx, event.To)
	if err != nil || known {
		return &evolution.RollbackEvent{Rollback: *event}, err
	}
	ref, err := w.Ref(ctx, event.To)
	return &evolution.RollbackEvent{Rollback: *event, Version: &ref}, err
}

// target is the version that a person goes back to.
func (w *Writer) target(ctx context.Context, o RollbackOptions, all []evolution.Standing) (evolution.Standing, error) {
	switch {
	case o.Best:
		best, ok, err := w.best(ctx, w.Store, all)
		if err != nil {
			return best, err
		}
		if !ok {
			return best, track.WithHint(fmt.Errorf("%w: no version of lineage %s that was in force has a score", track.ErrInvalid, w.Name), track.Hint{Text: "name one with --to VERSION"})
		}
		return best, nil
	case o.Previous:
		r, err := w.reign(ctx, w.Store)
		if err != nil {
			return evolution.Standing{}, err
		}
		var previous *evolution.Standing
		for before := find(all, r.before(w.Head)); before != nil && previous == nil; before = find(all, r.before(before.Version)) {
			if previous, err = w.unlessForbidden(ctx, w.Store, before); err != nil {
				return evolution.Standing{}, err
			}
		}
		if previous == nil {
			return evolution.Standing{}, track.WithHint(fmt.Errorf("%w: no version was in force before %s", track.ErrInvalid, orDash(w.Head)), track.Hint{Text: "name one with --to VERSION"})
		}
		return *previous, nil
	}
	if _, err := w.Store.VersionState(ctx, w.Name, o.To); err != nil {
		return evolution.Standing{}, err
	}
	if matches, err := w.forbidden(ctx, w.Store, o.To); err != nil {
		return evolution.Standing{}, err
	} else if len(matches) > 0 {
		return evolution.Standing{}, track.WithHint(fmt.Errorf("%w: %s is forbidden in lineage %s: %s", track.ErrConflict, o.To, w.Name, matches[0].Reason), track.Hint{Text: "choose another version; or change what is forbidden: track lineage set " + w.Name + " forbidden=@FILE"})

	}
	if s := find(all, o.To); s != nil {
		return *s, nil
	}
	trials, err := w.trials(ctx, w.Store, o.To)
	if err != nil {
		return evolution.Standing{}, err
	}
	score, err := w.fitness(trials)
	return evolution.Standing{Version: o.To, Score: score}, err
}

// notAccepted warns of a version that was tried and rejected, or not even tried, and never accepted.
func (w *Writer) notAccepted(ctx context.Context, version string) (list []DecisionWarning, err error) {
	mutations, err := w.Store.Mutations(ctx, w.Evolving, store.MutationFilter{Child: version})
	for _, m := range mutations {
		switch m.State {
		case evolution.MutationAccepted:
			return nil, nil
		case evolution.MutationRejected, evolution.MutationRefused:
			list = append(list, DecisionWarning{WarnNotAccepted, fmt.Sprintf("%s was %s: track mutation show %s says why", version, m.State, m.Key)})
		}
	}
	return list, err
}

// mentioned says whether the ledger knows a version: as the root, or as child or parent of a mutation.
func (w *Writer) mentioned(ctx context.Context, version string) (bool, error) {
	r, err := w.reign(ctx, w.Store)
	if err != nil {
		return false, err
	}
	for _, name := range r.versions() {
		if name == version {
			return true, nil
		}
	}
	_, err = w.Store.MutationOf(ctx, w.Evolving, version)
	if errors.Is(err, track.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
