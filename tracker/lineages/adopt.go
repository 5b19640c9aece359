package lineages

import (
	"context"
	"slices"
	"time"

	"track/evolution"
	"track/store"
)

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
