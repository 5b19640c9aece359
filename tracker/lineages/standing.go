package lineages

import (
	"context"
	"slices"

	"track"
	"track/evolution"
	"track/scoring/rubric"
	"track/store"
)

// recentTrials is how many of the newest trials say how a version does now: as many as weigh in a fitness.
const recentTrials = 5

// reign is the time in which versions followed one another in force.
type reign struct {
	moves    []store.HeadChange // oldest first
	rollback evolution.Entry    // the last one; the zero Entry where there was none
}

func (l Lineage) reign(ctx context.Context, st *store.Reader) (r reign, err error) {
	if r.moves, err = st.HeadChanges(ctx, l.Evolving); err != nil {
		return r, err
	}
	r.rollback, _, err = st.LastEntry(ctx, l.Evolving, evolution.KindRollback)
	return r, err
}

// versions are those that were ever in force, in the order of their first time.
func (r reign) versions() (names []string) {
	seen := map[string]bool{"": true}
	for _, e := range r.moves {
		if !seen[e.After] {
			seen[e.After] = true
			names = append(names, e.After)
		}
	}
	return names
}

// sinceRollback are the versions in force since the last rollback, one after the other, that which it went back to first.
func (r reign) sinceRollback() (names []string) {
	for _, e := range r.moves {
		if e.Number >= r.rollback.Number {
			names = append(names, e.After)
		}
	}
	return names
}

// before is the version that was in force before another one first was; empty for none.
func (r reign) before(version string) string {
	i := slices.IndexFunc(r.moves, func(e store.HeadChange) bool { return e.After == version })
	if i < 0 {
		return ""
	}
	return r.moves[i].Before
}

// standings are the versions that were ever in force with their fitness today.
func (l Lineage) standings(ctx context.Context, st *store.Reader, r reign) ([]evolution.Standing, error) {
	var list []evolution.Standing
	trials, err := l.trialsOf(ctx, st, r.versions())
	if err != nil {
		return nil, err
	}
	for i, name := range r.versions() {
		score, err := l.fitness(trials[name])
		if err != nil {
			return nil, err
		}
		list = append(list, evolution.Standing{Version: name, Number: i + 1, Score: score})
	}
	return list, nil
}

func find(list []evolution.Standing, version string) *evolution.Standing {
	i := slices.IndexFunc(list, func(s evolution.Standing) bool { return s.Version == version })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// leftSince are the versions that were left by triggers since a mutation was accepted, or somebody went back by hand. To go back to one of them
// without a new reason to trust it would go on for ever.
func (r reign) leftSince() map[string]bool {
	left := map[string]bool{}
	for _, e := range slices.Backward(r.moves) {
		if e.Kind != evolution.KindRollback || e.Trigger == string(evolution.TriggerHand) {
			break
		}
		left[e.Before] = true
	}
	return left
}

// rollbackState is what the triggers look at. Of the versions it keeps the best, that in force and the one before: no other is gone back to.
func (l Lineage) rollbackState(ctx context.Context, st *store.Reader) (s evolution.RollbackState, all []evolution.Standing, err error) {
	r, err := l.reign(ctx, st)
	if err != nil {
		return s, nil, err
	}
	if all, err = l.standings(ctx, st, r); err != nil {
		return s, nil, err
	}
	s.InForce = evolution.Standing{Version: l.Head}
	if now := find(all, l.Head); now != nil {
		s.InForce = *now
	}
	left := r.leftSince()
	if before := r.before(l.Head); !left[before] {
		if s.Previous, err = l.unlessForbidden(ctx, st, find(all, before)); err != nil {
			return s, nil, err
		}
	}
	s.Versions = []evolution.Standing{s.InForce}
	trusted := slices.DeleteFunc(slices.Clone(all), func(v evolution.Standing) bool { return left[v.Version] })
	best, ok, err := l.best(ctx, st, trusted)
	if err != nil {
		return s, nil, err
	}
	if ok && best.Version != l.Head {
		s.Versions = append(s.Versions, best)
	}
	s.Scores = []float64{}
	for _, name := range r.sinceRollback() {
		if v := find(all, name); v != nil && v.Score != nil {
			s.Scores = append(s.Scores, *v.Score)
		}
	}
	signals, err := l.signals(ctx, st)
	s.ErrorRate = signals.ErrorRate
	return s, all, err
}

// best is the best version to go back to: one that matches a forbidden pattern is none, unless it is in force anyway.
func (l Lineage) best(ctx context.Context, st *store.Reader, list []evolution.Standing) (best evolution.Standing, ok bool, err error) {
	for list = slices.Clone(list); ; {
		if best, ok = evolution.Best(list); !ok || best.Version == l.Head {
			return best, ok, nil
		}
		if allowed, err := l.unlessForbidden(ctx, st, &best); err != nil || allowed != nil {
			return best, err == nil, err
		}
		list = slices.DeleteFunc(list, func(s evolution.Standing) bool { return s.Version == best.Version })
	}
}

// unlessForbidden is nil for a version whose content matches a forbidden pattern of the settings.
func (l Lineage) unlessForbidden(ctx context.Context, st *store.Reader, s *evolution.Standing) (*evolution.Standing, error) {
	if s == nil {
		return nil, nil
	}
	matches, err := l.forbidden(ctx, st, s.Version)
	if err != nil || len(matches) > 0 {
		return nil, err
	}
	return s, nil
}

// forbidden are the patterns of the settings that the content of a version matches.
func (l Lineage) forbidden(ctx context.Context, st *store.Reader, version string) ([]evolution.Refusal, error) {
	content, err := st.Content(ctx, l.Name, version)
	if err != nil || content == nil {
		return nil, err
	}
	return evolution.CheckForbidden(*content, l.Settings.Loop.Forbidden)
}

// signals are means over the newest executions of the version in force. A failed execution is an error through and through, and says nothing of the rest.
// Beside it, one that ended well and called nothing, so that its calls cannot be counted, is one without errors: a single timeout is not a rate of 1.
// Of a simulation only the share of failed seeds is known.
func (l Lineage) signals(ctx context.Context, st *store.Reader) (s evolution.Signals, err error) {
	if l.Head == "" {
		return s, nil
	}
	if l.Scenario() != "" {
		v, err := l.trials(ctx, st, l.Head)
		s.ErrorRate = failedShare(v.Trials)
		return s, err
	}
	recent, err := st.RecentComponents(ctx, l.Name, l.Head, l.Settings.Rubric, recentTrials)
	if err != nil {
		return s, err
	}
	values := map[string][]float64{}
	failed, uncounted := false, 0
	for _, e := range recent {
		if e.Status != track.ExecutionOK {
			values[rubric.OneMinusErrorRate], failed = append(values[rubric.OneMinusErrorRate], 0), true
			continue
		}
		if e.Values[rubric.OneMinusErrorRate] == nil {
			uncounted++
		}
		for name, value := range e.Values {
			if value != nil {
				values[name] = append(values[name], *value)
			}
		}
	}
	for range uncounted {
		if failed {
			values[rubric.OneMinusErrorRate] = append(values[rubric.OneMinusErrorRate], 1)
		}
	}
	if good := mean(values[rubric.OneMinusErrorRate]); good != nil {
		rate := 1 - *good
		s.ErrorRate = &rate
	}
	s.Efficiency, s.OutputQuality, s.StructureScore = mean(values[rubric.Efficiency]), mean(values[rubric.OutputQuality]), mean(values[rubric.StructureScore])
	return s, nil
}

func mean(list []float64) *float64 {
	if len(list) == 0 {
		return nil
	}
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	sum /= float64(len(list))
	return &sum
}

// failedShare is that of the newest trials; nil for none.
func failedShare(trials []evolution.Trial) *float64 {
	var failed []float64
	for _, t := range trials[max(0, len(trials)-recentTrials):] {
		x := 0.0
		if t.Failed != "" {
			x = 1
		}
		failed = append(failed, x)
	}
	return mean(failed)
}
