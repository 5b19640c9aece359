package sweeps

import (
	"context"
	"errors"
	"iter"

	"track"
	"track/sweep"
)

// claimed is a seed that another process was running.
type claimed struct {
	configuration *sweptConfiguration
	seed          track.SeedNumber
}

// job is a run with what it is for.
type job struct {
	sweep.Job
	configuration *sweptConfiguration
	repeated      bool
}

// jobs are the seeds that are neither recorded nor claimed by others.
func (s *Sweeper) jobs(ctx context.Context, active []*sweptConfiguration, elsewhere *[]*claimed) iter.Seq2[job, error] {
	return func(yield func(job, error) bool) {
		for more := true; more; {
			more = false
			for _, c := range active {
				if c.decision != nil {
					continue
				}
				seed, ok := c.next()
				if !ok {
					continue
				}
				more = true
				if _, there := c.recorded[seed]; there {
					continue
				}
				j, ok, err := s.claim(ctx, c, seed)
				if err == nil && !ok {
					if _, there := c.recorded[seed]; !there {
						*elsewhere = append(*elsewhere, &claimed{c, seed})
						c.elsewhere[seed] = true
					}
					continue
				}
				if !yield(j, err) {
					return
				}
			}
		}
	}
}

// left are the seeds that other processes had claimed, and neither recorded nor kept.
func (s *Sweeper) left(ctx context.Context, list []*claimed, elsewhere *[]*claimed) iter.Seq2[job, error] {
	return func(yield func(job, error) bool) {
		for _, item := range list {
			if _, there := item.configuration.recorded[item.seed]; there || item.configuration.decision != nil {
				continue
			}
			j, ok, err := s.claim(ctx, item.configuration, item.seed)
			if err == nil && (!ok || s.records.isAlone()) {
				if _, there := item.configuration.recorded[item.seed]; !there {
					*elsewhere = append(*elsewhere, item)
				}
				continue
			}
			if !yield(j, err) {
				return
			}
		}
	}
}

// claim makes a job of a seed, unless another process runs it or has recorded it meanwhile.
func (s *Sweeper) claim(ctx context.Context, c *sweptConfiguration, seed track.SeedNumber) (j job, ok bool, err error) {
	scenario := s.options.Plan.Scenario
	if ok, err = s.records.claim(scenario, c.hash, seed); err != nil || !ok {
		return j, false, err
	}
	outcome, err := s.records.outcome(ctx, scenario, c.hash, seed)
	if err != nil {
		return j, false, err
	}
	if s.stands(outcome) {
		s.recordedElsewhere(c, seed, outcome)
		return j, false, errors.Join(s.records.release(scenario, c.hash, seed), s.advance(ctx, c))
	}
	return job{Job: sweep.Job{Scenario: scenario, Configuration: c.Configuration, Seed: seed}, configuration: c}, true, nil
}

// stands reports whether a seed with this outcome need not run; an empty outcome means that the seed is not recorded.
func (s *Sweeper) stands(outcome track.Outcome) bool {
	switch {
	case outcome == "" || s.options.Rerun:
		return false
	case s.options.RerunFailed:
		return outcome == track.OutcomeOK
	}
	return true
}

func (s *Sweeper) recordedElsewhere(c *sweptConfiguration, seed track.SeedNumber, outcome track.Outcome) {
	c.recorded[seed] = outcome
	delete(c.elsewhere, seed)
	if s.NKnown++; s.observer.Elsewhere != nil {
		s.observer.Elsewhere(s.Progress)
	}
}
