package sweeps

import (
	"context"
	"errors"

	"track/answer"
	"track/scoring"
)

// errUnjudged is the error of a judgement whose server is away. The sweep ends without it.
var errUnjudged = errors.New("not judged: the server does not answer")

// look asks the rule of the sweep at each number of recorded seeds of a configuration that it looks at. While the
// server is away it asks nothing, and later it asks at the same numbers: so the configuration ends at the same seed.
func (s *Sweeper) look(ctx context.Context, c *sweptConfiguration) error {
	for n := range s.options.Until.looks(c.looked, c.prefix) {
		if c.decision != nil {
			return nil
		}
		var found *answer.SweepDecision
		decided := false
		answered, err := s.records.judged(ctx, func() (err error) {
			found, decided, err = s.judge.ask(ctx, c, n)
			return err
		})
		if c.unasked = !answered; err != nil || !answered {
			return err
		}
		c.looked, c.lastLook = n, found
		if decided {
			c.decision, c.prefix = found, n
			c.plan(c.first(n))
			if s.observer.Decided != nil {
				s.observer.Decided(c.Configuration, *found)
			}
		}
	}
	return nil
}

// lookLate asks the rule at the numbers of seeds at which the server was away. If it still is, they are not judged.
func (s *Sweeper) lookLate(ctx context.Context, stop <-chan struct{}) error {
	for _, c := range s.swept {
		if !c.unasked {
			continue
		}
		if s.records.await(ctx, stop) {
			if err := s.look(ctx, c); err != nil {
				return err
			}
		}
		if c.unasked {
			return s.leaveUnjudged(s.swept)
		}
	}
	return nil
}

// leaveUnjudged notes that the sweep could not judge those of some configurations that it has not asked about.
func (s *Sweeper) leaveUnjudged(list []*sweptConfiguration) error {
	for _, c := range list {
		if c.unasked {
			c.unjudged = true
			c.lastLook = &answer.SweepDecision{N: c.prefix, Verdict: scoring.VerdictInconclusive, Reason: errUnjudged.Error()}
		}
	}
	return errUnjudged
}

// judgeAtOnce asks a question without whose answer nothing more can run. It waits for the server, and returns
// [errUnjudged] if that stays away.
func (s *Sweeper) judgeAtOnce(ctx context.Context, stop <-chan struct{}, question func() error) error {
	for {
		if answered, err := s.records.judged(ctx, question); answered || err != nil {
			return err
		}
		if !s.records.await(ctx, stop) {
			return errUnjudged
		}
	}
}
