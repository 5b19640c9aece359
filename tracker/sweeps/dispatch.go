package sweeps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"track"
	"track/scoring"
	"track/sweep"
	"track/tracker/seeds"
)

// ran is what came of a job.
type ran struct {
	job
	seed track.Seed
	err  error

	hasLapsed bool // another process may have run it meanwhile
}

// dispatch gives jobs to as many workers as there may be, and what comes of them to done, several at a time. It takes
// no new job once stop is closed, and returns when no job runs any more.
func (s *Sweeper) dispatch(ctx context.Context, stop <-chan struct{}, jobs iter.Seq2[job, error], done func(context.Context, []ran) error) (err error) {
	todo, results := make(chan job, s.options.Jobs), make(chan ran, s.options.Jobs)
	var workers sync.WaitGroup
	for range s.options.Jobs {
		workers.Go(func() {
			for j := range todo {
				results <- s.perform(ctx, stop, j)
			}
		})
	}
	defer workers.Wait()
	defer close(todo)
	next, finish := iter.Pull2(jobs)
	defer finish()
	running, more := 0, true
	var due <-chan time.Time // when recorded seeds are acknowledged; nil if none waits
	for {
		// A job is taken when a worker is free and no sooner: what is claimed, no other process runs.
		for more && err == nil && running < s.options.Jobs && !closed(stop) && ctx.Err() == nil {
			var j job
			if j, err, more = next(); more && err == nil {
				todo <- j
				running++
			}
			if ctx.Err() != nil {
				err = nil // a problem of looking for more work is none now
			}
		}
		if running == 0 {
			return cmp.Or(err, s.acknowledge())
		}
		select {
		case first := <-results:
			list := drain(results, first)
			running -= len(list)
			err = cmp.Or(err, s.finished(ctx, list, done))
			if due == nil && len(s.unsynced) > 0 {
				due = time.After(acknowledgedWithin)
			}
		case <-due:
			err, due = cmp.Or(err, s.acknowledge()), nil
		}
	}
}

// acknowledgedWithin is how long a recorded seed waits for others before it is acknowledged: waiting for the disk costs
// more than recording.
const acknowledgedWithin = 100 * time.Millisecond

// acknowledge waits until the recorded seeds are on the disk, and says so.
func (s *Sweeper) acknowledge() error {
	if len(s.unsynced) == 0 {
		return nil
	}
	if err := s.records.Sync(); err != nil {
		return err
	}
	for _, tell := range s.unsynced {
		tell()
	}
	s.unsynced = s.unsynced[:0]
	return nil
}

// finish tells of a seed once it is on the disk.
func (s *Sweeper) finish(swept SweptSeed) {
	if progress := s.Progress; s.observer.Finished != nil {
		s.unsynced = append(s.unsynced, func() { s.observer.Finished(swept, progress) })
	}
}

func drain(results <-chan ran, first ran) []ran {
	list := []ran{first}
	for {
		select {
		case r := <-results:
			list = append(list, r)
		default:
			return list
		}
	}
}

// errNotStarted is the error of a job that waited for a worker when the sweep was stopped.
var errNotStarted = errors.New("not started")

func (s *Sweeper) perform(ctx context.Context, stop <-chan struct{}, j job) ran {
	if closed(stop) || ctx.Err() != nil {
		return ran{job: j, err: errNotStarted}
	}
	if s.observer.Running != nil {
		s.observer.Running(j.Job, true)
		defer s.observer.Running(j.Job, false)
	}
	seed, err := s.run(ctx, j.Job)
	return ran{job: j, seed: seed, err: err}
}

// finished hands over the runs that came to an end of their own, and gives back the claims on all.
func (s *Sweeper) finished(ctx context.Context, list []ran, done func(context.Context, []ran) error) (err error) {
	var whole []ran
	for _, r := range list {
		switch {
		case r.err == nil:
			whole = append(whole, r)
		case errors.Is(r.err, errNotStarted), ctx.Err() != nil:
		default:
			err = cmp.Or(err, fmt.Errorf("seed %s: %w", r.Seed, r.err))
		}
	}
	if len(whole) > 0 {
		err = cmp.Or(err, done(context.WithoutCancel(ctx), whole))
	}
	for _, r := range list {
		err = cmp.Or(err, s.records.release(r.Scenario, r.configuration.hash, r.Seed))
	}
	return err
}

// record stores runs, and looks whether a rule ends the sweep.
func (s *Sweeper) record(ctx context.Context, list []ran) error {
	if err := s.checkFiles(ctx); err != nil {
		return err
	}
	list, err := s.withoutLapsed(ctx, list)
	if err != nil || len(list) == 0 {
		return err
	}
	seeds := make([]track.Seed, len(list))
	for i, r := range list {
		seeds[i] = r.seed
		seeds[i].Environment = s.options.Environment
		seeds[i].Run.Sweep = s.sweep.ID
	}
	seeds, results, err := s.records.record(ctx, seeds)
	if err != nil {
		return err
	}
	for i, seed := range seeds {
		if results[i].IsOfWithdrawnConfiguration() {
			continue
		}
		if list[i].hasLapsed && results[i].Disposition == track.Conflict {
			s.recordedElsewhere(list[i].configuration, seed.Number, results[i].Outcome)
			continue
		}
		s.count(list[i].configuration, seed, results[i])
		s.finish(SweptSeed{Seed: seed, Result: results[i]})
	}
	if err := checkConfigurations(seeds, results); err != nil {
		return err
	}
	s.checkCode(false)
	for i, r := range list {
		if i == 0 || list[i-1].configuration != r.configuration {
			if err := s.advance(ctx, r.configuration); err != nil {
				return err
			}
		}
	}
	return nil
}

// withoutLapsed returns the runs without those that another process has recorded since this one lost its claims.
func (s *Sweeper) withoutLapsed(ctx context.Context, list []ran) (ours []ran, err error) {
	for _, r := range list {
		if r.hasLapsed, err = s.records.hasLapsed(r.Scenario, r.configuration.hash, r.Seed); err != nil {
			return nil, err
		}
		if r.hasLapsed {
			outcome, err := s.records.outcome(ctx, r.Scenario, r.configuration.hash, r.Seed)
			if err != nil {
				return nil, err
			}
			if s.stands(outcome) {
				s.recordedElsewhere(r.configuration, r.Seed, outcome)
				if err := s.advance(ctx, r.configuration); err != nil {
					return nil, err
				}
				continue
			}
		}
		ours = append(ours, r)
	}
	return ours, nil
}

// checkConfigurations returns an error if a configuration of seeds was withdrawn while they ran: none of its seeds can
// be recorded.
func checkConfigurations(list []track.Seed, results []seeds.RecordResult) error {
	for i, r := range results {
		if r.IsOfWithdrawnConfiguration() {
			return r.Refusal(list[i])
		}
	}
	return nil
}

func (s *Sweeper) count(c *sweptConfiguration, seed track.Seed, result seeds.RecordResult) {
	c.recorded[seed.Number] = seed.Outcome
	if result.Disposition == track.Conflict {
		c.recorded[seed.Number] = result.Outcome
	}
	s.NRan++
	s.NRound++
	if seed.Run.Attempts > 1 {
		s.result.NRetried++
	}
	if result.Disposition == track.Conflict {
		s.result.NConflicts++
	}
	if seed.Outcome != track.OutcomeOK {
		s.NFailed++
	}
	if a := result.Assessment; a != nil {
		s.noteLacking(a.Results)
		if a.Scored {
			s.NScored++
			if a.NFail == 0 {
				s.NPassed++
			}
		}
	}
	s.percents.Add(result)
	for _, name := range result.Unknown {
		if len(s.unknown) < maxNamed {
			s.unknown[name] = true
		}
	}
}

// noteLacking counts a seed, and for each metric the seeds that lack it.
func (s *Sweeper) noteLacking(results []scoring.Result) {
	s.nJudged++
	for _, r := range results {
		if r.Missing() {
			s.lacking[r.Name]++
		}
	}
}

// maxNamed bounds the names that a summary lists.
const maxNamed = 100

// advance moves on over the planned seeds that are recorded, and asks the rule of the sweep, if it has one.
func (s *Sweeper) advance(ctx context.Context, c *sweptConfiguration) error {
	from := c.prefix
	for seed := range c.planned.Slice(from, c.planned.Len()).All() {
		if _, there := c.recorded[seed]; !there && c.elsewhere[seed] {
			outcome, err := s.records.outcome(ctx, s.options.Plan.Scenario, c.hash, seed)
			if err != nil {
				return err
			}
			if s.stands(outcome) {
				s.recordedElsewhere(c, seed, outcome)
			}
		}
		if _, there := c.recorded[seed]; !there {
			break
		}
		c.prefix++
	}
	if s.options.Until == nil || c.prefix == from && !c.unasked {
		return nil
	}
	return s.look(ctx, c)
}

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
