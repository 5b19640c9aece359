package sweeps

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/answer"
	"track/sweep"
	"track/tracker/seeds"
)

// checkSpec refuses rules that need a spec where there is none.
func (s *Sweeper) checkSpec(ctx context.Context) error {
	if s.store == nil {
		s.summary.WithoutSpec = true
		return nil
	}
	_, err := s.store.Spec(ctx, s.options.Plan.Scenario, s.options.SpecVersion)
	if !errors.Is(err, track.ErrNotFound) {
		return err
	}
	if s.options.SpecVersion == 0 && s.options.Until == nil && len(s.options.Plan.Halving) == 0 {
		s.summary.WithoutSpec = true
		if s.observer.Notice != nil {
			s.observer.Notice(fmt.Sprintf("scenario %s has no spec: its seeds are recorded, and not scored until track spec add gives it one", s.options.Plan.Scenario))
		}
		return nil
	}
	return fmt.Errorf("halving and rules to end early judge the seeds: %w", err)
}

// checkRule finds out before the first seed runs whether the rule can be asked.
func (s *Sweeper) checkRule(ctx context.Context) error {
	rule, plan := s.options.Until, s.options.Plan
	if rule == nil || rule.Precision != nil {
		return nil
	}
	if rule.Baseline != nil {
		_, err := seeds.Choose(ctx, s.store.Reader, *rule.Baseline, false)
		return err
	}
	for _, c := range plan.Configurations() {
		if err := seeds.CheckGateLook(ctx, s.store.Reader, plan.Scenario, s.options.SpecVersion, c.Hash(), rule.lookOptions()); err != nil {
			return err
		}
	}
	return nil
}

// checkCode asks, at most every few seconds, whether the code is another by now.
func (s *Sweeper) checkCode(atEnd bool) {
	const interval = 5 * time.Second
	now := s.now()
	if s.options.CodeChanged == nil || s.summary.Sweep.CodeChanged || s.summary.NRan == 0 || !atEnd && now.Sub(s.codeChecked) < interval {
		return
	}
	s.codeChecked = now
	if s.summary.Sweep.CodeChanged = s.options.CodeChanged(); s.summary.Sweep.CodeChanged {
		s.notice("the code changed while the sweep runs: its seeds are recorded under the revision that it began with, whichever they ran")
	}
}

func (s *Sweeper) notice(format string, args ...any) {
	if s.observer.Notice != nil {
		s.observer.Notice(fmt.Sprintf(format, args...))
	}
}

// noticeCommands tells of seeds that another command ran: they are taken for the same thing.
func (s *Sweeper) noticeCommands(ctx context.Context, plan sweep.Plan) error {
	if s.store == nil {
		return nil
	}
	var own struct {
		Command jsontext.Value `json:"command"`
		Env     jsontext.Value `json:"env"`
	}
	text, err := plan.JSON()
	if err == nil {
		err = json.Unmarshal(text, &own)
	}
	if err != nil {
		return err
	}
	env := string(own.Env)
	if env == "" {
		env = "[]"
	}
	told := map[string]bool{}
	for _, c := range s.swept {
		if len(c.recorded) == 0 {
			continue
		}
		choice, err := seeds.Choose(ctx, s.store.Reader, answer.Selector{Scenario: plan.Scenario, Configuration: c.Hash}, false)
		if err != nil {
			return err
		}
		sweeps, err := s.store.SweepsOf(ctx, plan.Scenario, choice.Configurations[0].ID)
		if err != nil {
			return err
		}
		for _, other := range sweeps {
			if what := other.Command + other.Env; (other.Command != string(own.Command) || other.Env != env) && !told[what] {
				told[what] = true
				s.notice("seeds of this configuration were run by another command, %s with %s: they are taken for the same; what differs belongs into --param or --label", other.Command, other.Env)
			}
		}
	}
	return nil
}
