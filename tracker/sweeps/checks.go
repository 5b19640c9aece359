package sweeps

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/scoring/format"
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

// checkCode asks, at most every few seconds, whether the code has changed. If that is unknown at the end, it may have.
func (s *Sweeper) checkCode(atEnd bool) {
	const interval = 5 * time.Second
	now := s.now()
	if s.options.CodeChanged == nil || s.sweep.CodeChanged || s.NRan == 0 || !atEnd && now.Sub(s.codeChecked) < interval {
		return
	}
	s.codeChecked = now
	const consequence = "its seeds are recorded under the revision at the beginning, whichever code they ran"
	changed, err := s.options.CodeChanged()
	switch {
	case changed:
		s.sweep.CodeChanged = true
		s.notice("the code changed while the sweep runs: %s", consequence)
	case err != nil && atEnd:
		s.sweep.CodeChanged = true
		s.notice("the code may have changed while the sweep ran: %s: %v", consequence, err)
	}
}

// checkState refuses a sweep of code whose state is unknown if seeds are recorded that may be of the same code: nobody
// can tell whether it resumes them.
func (s *Sweeper) checkState(ctx context.Context) error {
	if s.options.Plan.Revision.Unknown == "" || s.options.Rerun {
		return nil
	}
	for _, c := range s.swept {
		recorded, err := s.records.alike(ctx, s.sweep.Scenario, c.Configuration)
		if err != nil {
			return err
		}
		for _, other := range recorded {
			if isEarlier(other.Revision, c.Revision.Commit) {
				continue
			}
			err := fmt.Errorf("%w: the state of the code is unknown, so this sweep cannot resume %s@%s, which has the same parameters (revision %s)",
				track.ErrConflict, s.sweep.Scenario, track.ShortHash(other.Hash()), RevisionText(other.Revision))
			err = track.WithHint(err, track.Hint{Text: "run the command again when git status works, or name the revision"}.With("commit", "REVISION"))
			return track.WithHint(err, track.Hint{Text: "run all seeds as a new configuration"}.With("rerun", ""))
		}
	}
	return nil
}

func (s *Sweeper) notice(format string, args ...any) {
	if s.observer.Notice != nil {
		s.observer.Notice(fmt.Sprintf(format, args...))
	}
}

// checkFiles returns an error if a file that the plan depends on is no longer what it was: seeds that ran meanwhile may
// be of either content.
func (s *Sweeper) checkFiles(ctx context.Context) error {
	name := s.options.Files.Changed(ctx)
	if name == "" {
		return nil
	}
	err := fmt.Errorf("%w: %s changed while the sweep runs; seeds that ran meanwhile are not recorded", track.ErrConflict, name)
	err = track.WithHint(err, track.Hint{Text: "the same command starts a new configuration with the file as it is now"})
	return track.WithHint(err, track.Hint{Text: "if the command itself writes the file, have it write into {out}"})
}

// checkCommands refuses a plan whose configurations have seeds that another command ran, since nobody knows whether
// they are the same, unless the options say what to do. Other variables of the same command are a notice.
func (s *Sweeper) checkCommands(ctx context.Context) error {
	command, env, err := commandOf(s.sweep.Plan)
	if err != nil {
		return err
	}
	noticed := map[string]bool{}
	for _, c := range s.swept {
		if c.nBefore == 0 || s.options.Rerun || s.options.SameCommand || s.options.RerunFailed && c.nOK == 0 {
			continue
		}
		earlier, err := s.records.sweeps(ctx, s.sweep.Scenario, c.hash)
		if err != nil {
			return err
		}
		for _, other := range earlier {
			if other.Withdrawn != "" {
				continue
			}
			if other.Command != command {
				return c.otherCommand(s.sweep.Scenario, other.Command)
			}
			if other.Env != env && !noticed[other.Env] {
				noticed[other.Env] = true
				s.notice("seeds of this configuration were run with other variables, %s: they are taken for the same; a parameter or a label tells them apart", other.Env)
			}
		}
	}
	return nil
}

// otherCommand returns the error of a configuration whose seeds another command ran.
func (c *sweptConfiguration) otherCommand(scenario, command string) error {
	recorded := format.Counted(c.nBefore, "seed") + " of " + scenario + "@" + track.ShortHash(c.hash)
	var err error
	if c.nOK == 0 {
		err = fmt.Errorf("%w: %s failed under another command, %s", track.ErrConflict, recorded, command)
		return track.WithHint(err, track.Hint{Text: "run them again by this command"}.With("rerun-failed", ""))
	}
	err = fmt.Errorf("%w: another command, %s, ran %s", track.ErrConflict, command, recorded)
	err = track.WithHint(err, track.Hint{Text: "take their results for those of this command, such as after a program was moved"}.With("same-command", ""))
	err = track.WithHint(err, track.Hint{Text: "run them all again by this command, and supersede what differs"}.With("rerun", ""))
	return track.WithHint(err, track.Hint{Text: "or tell the two apart"}.With("label", "NAME"))
}

// isEarlier reports whether a recorded revision is other code than any state of a commit, which is empty if it is
// unknown.
func isEarlier(recorded track.Revision, commit string) bool {
	if recorded.Commit == "" {
		return recorded.Unknown == "" // recorded without a revision
	}
	return commit != "" && recorded.Commit != commit
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
