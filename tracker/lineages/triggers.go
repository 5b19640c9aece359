package lineages

import (
	"context"

	"track/evolution"
)

// rollbackState returns what the triggers see. Of the versions it has the best, the active one and the one before:
// triggers go back to no other. Of the scores it has as many of the newest as say what the triggers do.
func rollbackState(ctx context.Context, s standing) (state evolution.RollbackState, err error) {
	head := s.lineage.Head
	state.InForce = evolution.Standing{Version: head}
	now, err := s.find(ctx, head)
	if err != nil {
		return state, err
	}
	if now != nil {
		state.InForce = *now
	}
	left, err := distrusted(ctx, s.reader, s.lineage)
	if err != nil {
		return state, err
	}
	if state.Previous, err = s.findBefore(ctx, head); err != nil {
		return state, err
	}
	if state.Previous != nil && left[state.Previous.Version] {
		state.Previous = nil
	}
	if state.Previous, err = s.unlessForbidden(ctx, state.Previous); err != nil {
		return state, err
	}
	state.Versions = []evolution.Standing{state.InForce}
	best, ok, err := s.bestAllowed(ctx, left)
	if err != nil {
		return state, err
	}
	if ok && best.Version != head {
		state.Versions = append(state.Versions, best)
	}
	state.ErrorRate = s.signals.ErrorRate
	state.Scores, err = s.scores(ctx, false)
	return state, err
}
