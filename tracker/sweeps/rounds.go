package sweeps

import (
	"context"
	"fmt"
	"iter"
	"time"

	"track/sweep"
)

// rounds runs the planned seeds: all of them, or those of one tier after another.
func (s *Sweeper) rounds(ctx context.Context, stop <-chan struct{}) error {
	tiers := s.options.Plan.Halving
	switch rule := s.options.Until; {
	case rule != nil && len(rule.Looks) > 0:
		return s.looks(ctx, stop, rule.Looks)
	case len(tiers) == 0:
		return s.round(ctx, stop, s.swept)
	}
	active := s.swept
	for i, tier := range tiers {
		if i > 0 {
			var err error
			if active, err = s.halve(ctx, stop, active, tiers[i-1], tier); err != nil {
				return err
			}
		}
		if err := s.round(ctx, stop, active); err != nil {
			return err
		}
		if closed(stop) || ctx.Err() != nil {
			return nil
		}
	}
	_, err := s.halve(ctx, stop, active, tiers[len(tiers)-1], sweep.Tier{})
	return err
}

// looks runs the seeds up to one planned look after another: more seeds than that would be another look.
func (s *Sweeper) looks(ctx context.Context, stop <-chan struct{}, looks []int) error {
	for _, n := range looks {
		var open []*sweptConfiguration
		for _, c := range s.swept {
			if c.decision == nil {
				c.plan(s.options.Plan.Seeds.Slice(0, n))
				open = append(open, c)
			}
		}
		if err := s.round(ctx, stop, open); err != nil || closed(stop) || ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// round runs the planned seeds of some configurations: the first of each, then the second of each, so that they can be
// compared at any time.
func (s *Sweeper) round(ctx context.Context, stop <-chan struct{}, active []*sweptConfiguration) error {
	s.NPlanned, s.NKnown, s.NRound = 0, 0, 0
	for _, c := range active {
		next, done := iter.Pull(c.planned.All())
		defer done()
		c.next, c.prefix, c.known = next, 0, 0
		s.NPlanned = addLen(s.NPlanned, c.planned.Len())
		for n := range c.recorded {
			if c.planned.Contains(n) {
				c.known++
			}
		}
		s.NKnown += c.known
		if err := s.advance(ctx, c); err != nil {
			return err
		}
	}
	if s.observer.Planned != nil {
		s.observer.Planned(s.Progress)
	}
	var elsewhere []*claimed
	err := s.dispatch(ctx, stop, s.jobs(ctx, active, &elsewhere), s.record)
	for told := false; err == nil && len(elsewhere) > 0 && !s.records.isAlone() && !closed(stop) && ctx.Err() == nil; {
		left := elsewhere
		elsewhere = nil
		if err = s.dispatch(ctx, stop, s.left(ctx, left, &elsewhere), s.record); err != nil || len(elsewhere) == 0 {
			break
		}
		if !told && s.observer.Notice != nil {
			s.observer.Notice(fmt.Sprintf("waiting for %d of the planned seeds, which other processes run", len(elsewhere)))
		}
		told = true
		wait(ctx, stop, 200*time.Millisecond)
	}
	s.result.NElsewhere += len(elsewhere)
	return err
}

// wait waits for a while, and no longer than it is wanted to.
func wait(ctx context.Context, stop <-chan struct{}, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-stop:
	case <-ctx.Done():
	}
}

func addLen(a, b int) int {
	if sum := a + b; sum >= 0 {
		return sum
	}
	return a
}
