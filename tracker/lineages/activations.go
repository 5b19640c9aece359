package lineages

import (
	"context"
	"fmt"

	"track/store"
)

// StoreFitness stores the fitness of the versions of a lineage for which it is not stored, such as those whose
// executions came from elsewhere.
func StoreFitness(ctx context.Context, tx *store.Tx, name string) error {
	l, err := Load(ctx, tx.Reader, name)
	if err == nil {
		err = storeFitness(ctx, tx, l)
	}
	return err
}

// storeFitness does nothing for a simulation: its seeds do not say which versions they are trials of, so a fitness is
// computed whenever it is needed.
func storeFitness(ctx context.Context, tx *store.Tx, l Lineage) error {
	if l.scenario() != "" {
		return nil
	}
	s, err := rateStanding(ctx, tx.Reader, l)
	for i, v := range s.unrated {
		if err == nil && !s.problems[v.Version] {
			err = tx.RateActivation(l.Evolving, s.ids[i], l.measure(), v.Score)
		}
	}
	return err
}

// CheckActivations compares what is stored of the versions of a lineage that were ever active with its ledger and its
// executions, and calls found for each that differs.
func CheckActivations(ctx context.Context, r *store.Reader, name string, found func(version, problem string)) error {
	l, err := Load(ctx, r, name)
	if err != nil {
		return err
	}
	stored, err := r.Activations(ctx, l.Evolving)
	if err != nil {
		return err
	}
	changes, err := r.HeadChanges(ctx, l.Evolving)
	if err != nil {
		return err
	}
	compareActivations(stored, changes, found)
	return checkFitness(ctx, r, l, stored, found)
}

// compareActivations compares the stored versions with the entries that made them active first.
func compareActivations(stored []store.Activation, changes headHistory, found func(version, problem string)) {
	positions, entries := changes.positions(), map[string]int{}
	for _, e := range changes {
		if entries[e.After] == 0 {
			entries[e.After] = e.Number
		}
	}
	for _, a := range stored {
		if a.Position != positions[a.Version] || a.Entry != entries[a.Version] {
			found(a.Version, fmt.Sprintf("position %d by entry %d stored, %d by %d in the ledger", a.Position, a.Entry, positions[a.Version], entries[a.Version]))
		}
		delete(positions, a.Version)
	}
	for _, e := range changes {
		if positions[e.After] > 0 {
			delete(positions, e.After)
			found(e.After, "is missing")
		}
	}
}

// checkFitness computes the fitness of versions for which it is stored again.
func checkFitness(ctx context.Context, r *store.Reader, l Lineage, stored []store.Activation, found func(version, problem string)) error {
	unrated, err := r.UnratedActivations(ctx, l.Evolving, l.measure())
	if err != nil || len(unrated) == len(stored) {
		return err
	}
	skip := map[string]bool{}
	for _, a := range unrated {
		skip[a.Version] = true
	}
	trials, err := loadTrials(ctx, r, l)
	if err != nil {
		return err
	}
	for _, a := range stored {
		if skip[a.Version] {
			continue
		}
		own, err := trials.of(a.Version)
		var score *float64
		if err == nil {
			score, err = fitnessValue(l, own)
		}
		switch {
		case err != nil:
			found(a.Version, fmt.Sprintf("fitness %s stored, but %v", numberText(a.Fitness), err))
		case numberText(score) != numberText(a.Fitness):
			found(a.Version, fmt.Sprintf("fitness %s stored, %s computed", numberText(a.Fitness), numberText(score)))
		}
	}
	return nil
}
