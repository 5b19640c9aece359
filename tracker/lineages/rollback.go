package lineages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"track"
	"track/answer"
	"track/answer/param"
	"track/evolution"
	"track/store"
)

// Warnings of versions that somebody chose.
const (
	warnNotAccepted evolution.Warning = "not_accepted" // a decision rejected it, or it was refused
	warnUntested    evolution.Warning = "untested"     // it has no trial, and was never active
)

// RollBack makes an earlier version active, and begins the cooldown.
func RollBack(ctx context.Context, st *store.Store, q answer.RollbackQuestion) (a answer.Rollback, err error) {
	if a.Lineage, err = Resolve(ctx, st.Reader, q.Lineage); err != nil {
		return a, err
	}
	if q.To, err = answer.VersionName(a.Lineage, q.To); err != nil {
		return a, &param.Error{Param: "to", Message: err.Error()}
	}
	err = change(ctx, st, a.Lineage, func(tx *store.Tx, l *Lineage) error {
		a = answer.Rollback{Lineage: l.Name, Head: l.Head}
		event, err := rollbackEvent(ctx, tx.Reader, *l, q)
		if err != nil || event == nil {
			return err
		}
		event.Settings = l.Settings.Number
		if event.Executions, err = countTrials(ctx, tx.Reader, *l); err != nil {
			return err
		}
		if q.To != "" {
			if a.Warnings, err = chosenWarnings(ctx, tx.Reader, *l, q); err != nil {
				return err
			}
		}
		e, err := appendEntry(tx, l, evolution.KindRollback, *event, event.To, orNow(q.At, tx.Reader))
		a.RolledBack, a.Number, a.Head, a.Event, a.Hash = true, e.Number, event.To, event, e.Hash
		return err
	})
	return a, err
}

// rollbackEvent returns the event of going back; nil if no trigger applies.
func rollbackEvent(ctx context.Context, r *store.Reader, l Lineage, o answer.RollbackQuestion) (*evolution.RollbackEvent, error) {
	where, err := loadStanding(ctx, r, l)
	if err != nil {
		return nil, err
	}
	state, err := rollbackState(ctx, where)
	if err != nil {
		return nil, err
	}
	if o.IfTriggered {
		if l.Head == "" {
			return nil, nil
		}
		event := l.Settings.Rollback.Check(state)
		if event == nil {
			return nil, nil
		}
		return &evolution.RollbackEvent{Rollback: *event, State: &state}, nil
	}
	to, err := rollbackTarget(ctx, r, l, where, o)
	if err != nil {
		return nil, err
	}
	event, err := evolution.RollbackByHand(state.InForce, to, cmp.Or(withoutSecrets(r, o.Reason), "by hand"))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", track.ErrConflict, err)
	}
	mentioned, err := isMentioned(ctx, r, where, event.To)
	if err != nil || mentioned {
		return &evolution.RollbackEvent{Rollback: *event}, err
	}
	ref, err := VersionRef(ctx, r, l, event.To)
	return &evolution.RollbackEvent{Rollback: *event, Version: &ref}, err
}

// rollbackTarget returns the version that a person goes back to.
func rollbackTarget(ctx context.Context, r *store.Reader, l Lineage, where standing, o answer.RollbackQuestion) (evolution.Standing, error) {
	nameOne := func(err error) error {
		return track.WithHint(err, track.NewHint("name a version", "rollback", l.Name).With("to", "VERSION"))
	}
	switch {
	case o.Best:
		best, ok, err := where.best(ctx, nil)
		if err != nil {
			return best, err
		}
		if !ok {
			return best, nameOne(fmt.Errorf("%w: no version of lineage %s that was active has a score", track.ErrInvalid, l.Name))
		}
		return best, nil
	case o.Previous:
		previous, err := where.previousAllowed(ctx)
		if err != nil {
			return evolution.Standing{}, err
		}
		if previous == nil {
			return evolution.Standing{}, nameOne(fmt.Errorf("%w: no version was active before %s", track.ErrInvalid, orDash(l.Head)))
		}
		return *previous, nil
	}
	return namedTarget(ctx, r, l, where, o.To)
}

// previousAllowed returns the newest version that was active before and is not forbidden; nil for none.
func (s standing) previousAllowed(ctx context.Context) (*evolution.Standing, error) {
	for version := s.lineage.Head; ; {
		before := s.findBefore(version)
		if before == nil {
			return nil, nil
		}
		if allowed, err := s.unlessForbidden(ctx, before); err != nil || allowed != nil {
			return allowed, err
		}
		version = before.Version
	}
}

// namedTarget returns the version that a person names.
func namedTarget(ctx context.Context, r *store.Reader, l Lineage, where standing, name string) (evolution.Standing, error) {
	if _, err := r.VersionState(ctx, l.Name, name); err != nil {
		return evolution.Standing{}, err
	}
	matches, err := forbiddenPatterns(ctx, l, where.contents, name)
	if err != nil {
		return evolution.Standing{}, err
	}
	if len(matches) > 0 {
		err := fmt.Errorf("%w: %s is forbidden in lineage %s: %s", track.ErrConflict, name, l.Name, matches[0].Reason)
		err = track.WithHint(err, track.Hint{Text: "choose another version"})
		return evolution.Standing{}, track.WithHint(err, track.NewHint("change what is forbidden", "lineage set", l.Name, "forbidden=@FILE"))
	}
	if s := where.find(name); s != nil {
		return *s, nil
	}
	names := []string{name}
	if l.Head != "" {
		names = append(names, l.Head)
	}
	where.trials, err = loadTrials(ctx, r, l, names...)
	if err != nil {
		return evolution.Standing{}, err
	}
	return compareVersion(l, where.trials, name, 0, fitnessValue)
}

// chosenWarnings warn of the version that a person names. They are an error if it was never tried, unless that is
// allowed.
func chosenWarnings(ctx context.Context, r *store.Reader, l Lineage, o answer.RollbackQuestion) (list []answer.DecisionWarning, err error) {
	mutations, err := r.Mutations(ctx, l.Evolving, store.MutationFilter{Child: o.To})
	if err != nil {
		return nil, err
	}
	tried, err := wasTried(ctx, r, l, o.To, mutations)
	switch {
	case err != nil:
		return nil, err
	case !tried && !o.Untested:
		err := fmt.Errorf("%w: %s was never tried: it has no trial, and was never active", track.ErrInvalid, o.To)
		err = track.WithHint(err, track.NewHint("record executions of it first", "record execution").With("lineage", l.Name).With("version", o.To))
		return nil, track.WithHint(err, track.Hint{Text: "make it active all the same"}.With("untested", ""))
	case !tried:
		list = append(list, answer.DecisionWarning{Code: warnUntested, Message: o.To + " was never tried"})
	}
	return append(list, notAcceptedWarnings(mutations, o.To)...), nil
}

// wasTried reports whether a version was ever active, was decided on, or has a trial. Trials may be elsewhere.
func wasTried(ctx context.Context, r *store.Reader, l Lineage, version string, mutations []store.Mutation) (bool, error) {
	decided := slices.ContainsFunc(mutations, func(m store.Mutation) bool { return m.NAttempts > 0 })
	heads, err := r.HeadChanges(ctx, l.Evolving)
	if err != nil || decided || headHistory(heads).positions()[version] > 0 {
		return err == nil, err
	}
	recorded, err := loadTrials(ctx, r, l, version)
	if err != nil {
		return false, err
	}
	trials, err := recorded.of(version)
	if errors.Is(err, track.ErrNotFound) {
		return false, nil
	}
	if len(mutations) > 0 && !slices.ContainsFunc(mutations, func(m store.Mutation) bool { return m.State != evolution.MutationWithdrawn }) {
		return len(trials.Trials) > 0, err // what its source measured before it rejected it is no trial
	}
	return len(trials.Trials)+trials.Open+trials.Unscored+trials.Unjudged > 0, err
}

// notAcceptedWarnings warn of a version that was rejected or refused, and never accepted.
func notAcceptedWarnings(mutations []store.Mutation, version string) (list []answer.DecisionWarning) {
	for _, m := range mutations {
		switch m.State {
		case evolution.MutationAccepted:
			return nil
		case evolution.MutationRejected, evolution.MutationRefused, evolution.MutationWithdrawn:
			hint := track.NewHint("show why", "mutation show", m.Key)
			list = append(list, answer.DecisionWarning{Code: warnNotAccepted, Message: fmt.Sprintf("%s was %s", version, m.State), Hint: &hint})
		}
	}
	return list
}

// isMentioned reports whether the ledger mentions a version: as the root, or as child or parent of a mutation.
func isMentioned(ctx context.Context, r *store.Reader, where standing, version string) (bool, error) {
	if where.find(version) != nil {
		return true, nil
	}
	_, err := r.MutationOf(ctx, where.lineage.Evolving, version)
	if errors.Is(err, track.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// rollbackState returns what the triggers see. Of the versions it has the best, the active one and the one before:
// triggers go back to no other.
func rollbackState(ctx context.Context, s standing) (state evolution.RollbackState, err error) {
	head := s.lineage.Head
	state.InForce = *cmp.Or(s.find(head), &evolution.Standing{Version: head})
	left := s.heads.distrusted()
	if state.Previous = s.findBefore(head); state.Previous != nil && left[state.Previous.Version] {
		state.Previous = nil
	}
	if state.Previous, err = s.unlessForbidden(ctx, state.Previous); err != nil {
		return state, err
	}
	state.Versions = []evolution.Standing{state.InForce}
	best, ok, err := s.best(ctx, left)
	if err != nil {
		return state, err
	}
	if ok && best.Version != head {
		state.Versions = append(state.Versions, best)
	}
	state.ErrorRate = s.signals.ErrorRate
	state.Steps, err = s.steps()
	return state, err
}

// Adopt makes a version active because a run of another evolver, imported again, calls it its best.
func Adopt(tx *store.Tx, l *Lineage, a evolution.Adoption, at time.Time) error {
	_, err := appendEntry(tx, l, evolution.KindAdoption, a, a.Version.Label, orNow(at, tx.Reader))
	return err
}

// IsLedByImports reports whether nothing but imports of runs ever chose the active version of a lineage.
func IsLedByImports(ctx context.Context, r *store.Reader, l Lineage) (bool, error) {
	if !l.isRun {
		return false, nil
	}
	changes, err := r.HeadChanges(ctx, l.Evolving)
	return !slices.ContainsFunc(changes, func(c store.HeadChange) bool {
		return c.Kind != evolution.KindCreation && c.Kind != evolution.KindAdoption
	}), err
}
