package sweeps

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/answer"
	"track/scoring/format"
	"track/store"
	"track/sweep"
	"track/tracker/seeds"
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

// repeat runs a share of the seeds of each configuration that ran well once more, and compares. Which ones follows from
// their numbers and the configuration alone, and those that were repeated before count.
func (s *Sweeper) repeat(ctx context.Context, stop <-chan struct{}) error {
	for _, c := range s.swept {
		chosen, err := s.toRepeat(ctx, stop, c)
		if err != nil {
			return err
		}
		jobs := func(yield func(job, error) bool) {
			for _, seed := range chosen {
				taken, err := s.records.claim(s.options.Plan.Scenario, c.hash, seed)
				if err == nil && !taken {
					continue
				}
				j := job{Job: sweep.Job{Scenario: s.options.Plan.Scenario, Configuration: c.Configuration, Seed: seed, Repeated: true}, configuration: c, repeated: true}
				if !yield(j, err) {
					return
				}
			}
		}
		if err := s.dispatch(ctx, stop, iter.Seq2[job, error](jobs), s.recordRepeated); err != nil {
			return err
		}
	}
	return s.compareLate(ctx, stop)
}

// compareLate compares the runs that came to an end while the server was away. If it still is, they are not compared.
func (s *Sweeper) compareLate(ctx context.Context, stop <-chan struct{}) error {
	if len(s.uncompared) > 0 && s.records.await(ctx, stop) {
		list := s.uncompared
		s.uncompared = nil
		if err := s.recordRepeated(ctx, list); err != nil {
			return err
		}
	}
	s.result.NUncompared += len(s.uncompared)
	return s.acknowledge()
}

func (s *Sweeper) toRepeat(ctx context.Context, stop <-chan struct{}, c *sweptConfiguration) ([]track.SeedNumber, error) {
	var well []track.SeedNumber
	for n, outcome := range c.recorded {
		if outcome == track.OutcomeOK && c.planned.Contains(n) {
			well = append(well, n)
		}
	}
	if len(well) == 0 {
		return nil, nil
	}
	n := int(math.Ceil(s.options.Plan.RepeatShare*float64(len(well)) - 1e-9))
	var before []store.RepeatedSeed
	err := s.judgeAtOnce(ctx, stop, func() (err error) {
		before, err = s.judge.repetitions(ctx, c)
		return err
	})
	if errors.Is(err, errUnjudged) {
		s.result.NUncompared += n
	}
	if err != nil {
		return nil, err
	}
	order := func(n track.SeedNumber) []byte {
		hash := sha256.Sum256([]byte("repeat\x00" + c.hash + "\x00" + n.String()))
		return hash[:]
	}
	slices.SortFunc(well, func(a, b track.SeedNumber) int {
		return cmp.Or(bytes.Compare(order(a), order(b)), cmp.Compare(a, b))
	})
	return slices.DeleteFunc(well[:n], func(n track.SeedNumber) bool {
		return slices.ContainsFunc(before, func(r store.RepeatedSeed) bool { return r.Number == n })
	}), nil
}

func (s *Sweeper) recordRepeated(ctx context.Context, list []ran) error {
	if err := s.checkFiles(ctx); err != nil {
		return err
	}
	for _, r := range list {
		id, err := seeds.NewID(s.now(), s.entropy)
		if err != nil {
			return err
		}
		var differences []string
		answered, err := s.records.judged(ctx, func() (err error) {
			differences, err = repeated(ctx, s.judge.store, r.seed, track.Repetition{ID: id, Sweep: s.sweep.ID})
			return err
		})
		if err != nil {
			return err
		}
		if !answered {
			s.uncompared = append(s.uncompared, r)
			continue
		}
		s.result.NRepeated++
		if len(differences) > 0 {
			s.result.NDiffering++
		}
		s.finish(SweptSeed{Seed: r.seed, Repeated: true, Differences: differences})
	}
	return nil
}

// repeated compares a seed that was run again with its record, records the comparison, and returns the differences in
// words; none if all is the same.
func repeated(ctx context.Context, st *store.Store, again track.Seed, r track.Repetition) (differing []string, err error) {
	choice, err := seeds.Choose(ctx, st.Reader, answer.Selector{Scenario: again.Scenario, Configuration: again.Configuration.Hash()}, false)
	if err != nil {
		return nil, err
	}
	recorded, _, err := st.SeedByNumber(ctx, again.Scenario, again.Number, choice.Configurations[0].ID)
	if err != nil {
		return nil, err
	}
	series, err := st.Series(ctx, recorded.ID)
	if err != nil {
		return nil, err
	}
	r.Digest, r.Differences, r.RepeatedAt = again.Digest(), differencesText(recorded, series, again), st.Now()
	return r.Differences, st.UpdateRelaxed(ctx, func(tx *store.Tx) error { return tx.AddRepetition(recorded.ID, r) })
}

// differencesText says what another run of a seed gave otherwise, at most a few things of it.
func differencesText(recorded track.RecordedSeed, series []store.SeriesInfo, again track.Seed) (list []string) {
	const most = 10
	if recorded.Outcome != again.Outcome {
		return []string{fmt.Sprintf("outcome %s, and then %s", recorded.Outcome, again.Outcome)}
	}
	for _, d := range seeds.Differences(recorded.Values, again.Values) {
		list = append(list, fmt.Sprintf("%s %s, and then %s", d.Metric, seeds.FormatValue(d.Recorded), seeds.FormatValue(d.New)))
	}
	hashes := map[string]string{}
	for _, info := range series {
		hashes[info.Name] = info.Hash
	}
	for _, s := range again.Series {
		hash, there := hashes[s.Name]
		switch {
		case !there:
			list = append(list, "series "+s.Name+" only the second time")
		case hash != hexHash(s):
			list = append(list, "series "+s.Name+" differs")
		}
		delete(hashes, s.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(hashes)) {
		list = append(list, "series "+name+" only the first time")
	}
	if len(list) > most {
		list = append(list[:most], fmt.Sprintf("and %d more", len(list)-most))
	}
	return list
}

func hexHash(s track.Series) string {
	hash := s.Hash()
	return hex.EncodeToString(hash[:])
}
