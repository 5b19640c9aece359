package sweeps

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
)

// checkSpec refuses what needs a spec if there is none.
func (s *Sweeper) checkSpec(ctx context.Context) error {
	scored, err := s.records.checkSpec(ctx, s.options.Plan.Scenario, s.options.SpecVersion)
	s.WithoutSpec = !scored
	if !errors.Is(err, track.ErrNotFound) {
		return err
	}
	if s.options.SpecVersion == 0 && s.options.Until == nil && len(s.options.Plan.Halving) == 0 {
		s.notice("scenario %s has no spec: its seeds are recorded now, and scored when a spec is added", s.options.Plan.Scenario)
		return nil
	}
	return fmt.Errorf("halving and rules to end early judge the seeds: %w", err)
}

// checkCode asks, at most every few seconds, whether the code has changed.
func (s *Sweeper) checkCode(atEnd bool) {
	const interval = 5 * time.Second
	now := s.now()
	if s.options.CodeChanged == nil || s.sweep.CodeChanged || s.NRan == 0 || !atEnd && now.Sub(s.codeChecked) < interval {
		return
	}
	s.codeChecked = now
	if s.sweep.CodeChanged = s.options.CodeChanged(); s.sweep.CodeChanged {
		s.notice("the code changed while the sweep runs: its seeds are recorded under the revision at the beginning, whichever code they ran")
	}
}

func (s *Sweeper) notice(format string, args ...any) {
	if s.observer.Notice != nil {
		s.observer.Notice(fmt.Sprintf(format, args...))
	}
}

// noticeCommands says which other commands ran recorded seeds of the configurations, because their seeds are taken for
// the same.
func (s *Sweeper) noticeCommands(ctx context.Context) error {
	command, env, err := commandOf(s.sweep.Plan)
	if err != nil {
		return err
	}
	reported := map[string]bool{}
	for _, c := range s.swept {
		if len(c.recorded) == 0 {
			continue
		}
		earlier, err := s.records.sweeps(ctx, s.sweep.Scenario, c.hash)
		if err != nil {
			return err
		}
		for _, other := range earlier {
			if what := other.Command + other.Env; (other.Command != command || other.Env != env) && !reported[what] {
				reported[what] = true
				s.notice("seeds of this configuration were run by another command, %s with %s: they are taken for the same; a parameter or a label tells them apart", other.Command, other.Env)
			}
		}
	}
	return nil
}

// commandOf returns the command of a recorded plan and its variables as JSON.
func commandOf(plan string) (command, env string, err error) {
	var own struct {
		Command jsontext.Value `json:"command"`
		Env     jsontext.Value `json:"env"`
	}
	err = json.Unmarshal([]byte(plan), &own)
	if env = string(own.Env); env == "" {
		env = "[]"
	}
	return string(own.Command), env, err
}
