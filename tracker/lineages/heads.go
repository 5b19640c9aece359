package lineages

import (
	"context"
	"math"

	"track/evolution"
	"track/store"
)

// headHistory are the changes of the active version, oldest first.
type headHistory []store.HeadChange

// positions numbers the versions that were ever active in the order of their first time, from 1.
func (h headHistory) positions() map[string]int {
	positions := map[string]int{}
	for _, e := range h {
		if e.After != "" && positions[e.After] == 0 {
			positions[e.After] = len(positions) + 1
		}
	}
	return positions
}

// distrusted returns the versions that triggers left since a mutation was accepted, or somebody went back by hand. To
// go back to one of them without a new reason to trust it could go on for ever.
func distrusted(ctx context.Context, r *store.Reader, l Lineage) (map[string]bool, error) {
	left := map[string]bool{}
	for before, n := math.MaxInt, firstPage; ; n *= pageGrowth {
		page, err := r.NewestHeadChanges(ctx, l.Evolving, before, n)
		if err != nil {
			return nil, err
		}
		for _, e := range page {
			if e.Kind != evolution.KindRollback || e.Trigger == string(evolution.TriggerHand) {
				return left, nil
			}
			left[e.Before] = true
			before = e.Number
		}
		if len(page) < n {
			return left, nil
		}
	}
}
