package lineages

import (
	"cmp"
	"context"

	"track/evolution"
)

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
