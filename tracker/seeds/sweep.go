package seeds

import (
	"context"
	"fmt"

	"track"
	"track/store"
)

// FindSweep returns the sweep with this id, or whose id ends so.
func FindSweep(ctx context.Context, r *store.Reader, id string) (s store.SweepSummary, err error) {
	found, err := r.Sweeps(ctx, store.SweepFilter{ID: id})
	switch {
	case err != nil:
		return s, err
	case len(found) == 0:
		return s, track.WithHint(fmt.Errorf("sweep %s: %w", id, track.ErrNotFound), track.NewHint("list the sweeps", "sweep list"))
	case len(found) > 1:
		return s, fmt.Errorf("sweep %s: %w: the ids of %d sweeps end so", id, track.ErrAmbiguous, len(found))
	}
	return found[0], nil
}
