package sweeps

import (
	"context"
	"maps"
	"slices"

	"track"
	"track/answer"
	"track/internal/near"
)

// end records how the sweep ended, and returns its result.
func (s *Sweeper) end(problem error, interrupted bool) (answer.SweepResult, error) {
	s.sweep.Ending = track.SweepFinished
	s.sweep.Planned = nil
	for _, c := range s.swept {
		switch {
		case c.decision != nil:
			s.sweep.Ending = track.SweepDecided
		case (s.options.Until != nil || c.unjudged) && s.sweep.Ending == track.SweepFinished:
			s.sweep.Ending = track.SweepUndecided
		}
		s.sweep.Planned = append(s.sweep.Planned, s.plannedSeeds(c))
	}
	if interrupted || problem != nil || s.result.NElsewhere > 0 {
		s.sweep.Ending = track.SweepInterrupted
	}
	s.checkCode(true)
	s.sweep.EndedAt = s.now()
	err := s.records.end(context.Background(), s.sweep) // even if the context has ended
	if problem == nil {                                 // else err has the same cause
		problem = err
	}
	return s.answer(), problem
}

// noteLackingBefore counts the metrics that seeds lack which were recorded before, if no seed was judged now.
func (s *Sweeper) noteLackingBefore(ctx context.Context) error {
	if s.judge == nil || s.WithoutSpec || s.nJudged > 0 {
		return nil
	}
	_, err := s.records.judged(ctx, func() error {
		n, lacking := 0, map[string]int{}
		for _, c := range s.swept {
			if len(c.recorded) == 0 {
				continue
			}
			metrics, of, err := s.judge.lacking(ctx, c)
			if err != nil {
				return err
			}
			n += of
			for _, name := range metrics {
				lacking[name] += of
			}
		}
		s.nJudged, s.lacking = n, lacking
		return nil
	})
	return err
}

// answer returns what became of the sweep.
func (s *Sweeper) answer() answer.SweepResult {
	a := s.result
	a.Kind, a.ID, a.Scenario, a.Shard, a.NShards, a.Ending = "sweep", s.sweep.ID, s.sweep.Scenario, s.sweep.Shard, s.sweep.NShards, s.sweep.Ending
	a.NRan, a.NFailed, a.WithoutSpec = s.NRan, s.NFailed, s.WithoutSpec
	a.NKnown = s.nKnown // before the first round, not before the last
	a.Configurations = []answer.SweptConfiguration{}
	for _, c := range s.swept {
		a.Configurations = append(a.Configurations, c.answer(s.options.Plan.Seeds))
	}
	a.Suspicions = answer.Suspicions{NearNames: s.records.nearNames(), LikePercent: s.percents.List()}
	a.Unknown = append([]string{}, slices.Sorted(maps.Keys(s.unknown))...)
	for _, name := range slices.Sorted(maps.Keys(s.lacking)) {
		if s.lacking[name] == s.nJudged {
			a.Lacking = append(a.Lacking, answer.LackedMetric{Metric: name, Near: near.Nearest(name, a.Unknown), NSeeds: s.nJudged})
		}
	}
	return a
}

// answer returns what became of a configuration of a plan of these seeds.
func (c *sweptConfiguration) answer(plan track.SeedRanges) answer.SweptConfiguration {
	a := answer.SweptConfiguration{PlannedConfiguration: newPlannedConfiguration(c.Configuration, c.whole), Dropped: c.dropped, Decision: c.decision, Unjudged: c.unjudged}
	if c.decision == nil {
		a.LastLook = c.lastLook
	}
	a.NNotRun, a.NWithdrawn = plan.Len(), c.whole.Intersect(c.withdrawn).Len()
	for n, outcome := range c.recorded {
		if plan.Contains(n) {
			a.NNotRun--
		}
		switch {
		case c.planned.Contains(n):
			a.NSeeds++
			if outcome != track.OutcomeOK {
				a.NFailed++
			}
		case c.decision != nil && plan.Contains(n):
			a.NBeyond++
		}
	}
	return a
}

// Answer returns the seed as a sweep shows it.
func (s SweptSeed) Answer() answer.SweptSeed {
	seed := s.Seed
	a := answer.SweptSeed{
		Kind: "seed", Scenario: seed.Scenario, Seed: seed.Number, Configuration: seed.Configuration.Hash(), Outcome: seed.Outcome, Message: seed.Message,
		Duration: seed.Duration, Run: *seed.Run, Differences: s.Differences,
	}
	a.Run.Stderr = ""
	if s.Repeated {
		a.Kind = "repetition"
		return a
	}
	a.Disposition = s.Result.Disposition
	a.Status, a.TotalScore = s.Result.Status(seed.Outcome)
	return a
}
