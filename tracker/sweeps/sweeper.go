package sweeps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"track"
	"track/internal/masking"
	"track/store"
	"track/sweep"
	"track/tracker/seeds"
)

// Options say how a plan is run.
type Options struct {
	Plan        sweep.Plan       // its seeds are those to run, of a shard or of all
	Shard       int              // 0 for the whole plan
	Whole       track.SeedRanges // the planned seeds of all shards, where this is one: a shard alone is not what was planned
	Jobs        int              // runs at a time
	SpecVersion int              // to judge under; 0 for the newest
	RerunFailed bool             // seeds that are recorded as failed are run again, and superseded
	Environment track.Environment
	Changes     string // of the code since its commit
	Libraries   string
	Until       *StopRule   // nil for none
	CodeChanged func() bool // says whether the code is another than the plan says; asked from time to time and at the end; nil where nobody knows
}

// SweptSeed is a seed that a sweep ran.
type SweptSeed struct {
	Seed        track.Seed
	Result      seeds.RecordResult
	Repeated    bool     // it was recorded before, and run again to be compared
	Differences []string // of a repeated one
}

// Observer hears of a sweep as it goes on; each field may be nil.
type Observer struct {
	Planned   func(Progress)
	Finished  func(SweptSeed, Progress) // it is recorded
	Elsewhere func(Progress)            // another process recorded a seed
	Running   func(sweep.Job, bool)     // started, or ended; called from several goroutines
	Decided   func(StopDecision)
	Halved    func(HalvedTier)
	Notice    func(text string) // something that its user should know
}

// Progress counts the seeds of all configurations.
type Progress struct {
	NPlanned    int // in this round, where there are several
	NKnown      int // recorded before, or by another process meanwhile
	NRound      int // ran in this round
	NRan        int
	NFailed     int  // of those that ran
	NScored     int  // of those that ran
	NPassed     int  // of those that were scored
	WithoutSpec bool // nothing is scored
}

// Summary says what became of a sweep.
type Summary struct {
	Progress
	Sweep          track.Sweep
	NRetried       int // seeds that took more than one attempt
	NConflicts     int // seeds that another process recorded meanwhile, with other values
	NElsewhere     int // seeds that another process was still running when this sweep was stopped
	NRepeated      int
	Differing      []SweptSeed // repeated seeds that gave something else
	Unknown        []string    // values that the spec does not know
	Configurations []SweptConfiguration
	Halved         []HalvedTier
}

// SweptConfiguration is a configuration with the seeds of the sweep.
type SweptConfiguration struct {
	track.Configuration
	Hash     string
	Planned  track.SeedRanges // as they are at the end
	NSeeds   int              // of these, the recorded ones
	NFailed  int              // of the recorded ones
	NBeyond  int              // recorded seeds of the plan that a rule had no need of: they ran when it ended the configuration
	Decision *StopDecision    // nil where no rule ended it
	Dropped  bool             // by halving
}

// Sweeper runs a plan and records what comes of it.
type Sweeper struct {
	store    *store.Store // nil where it records into a journal
	recorder *seeds.Recorder
	records  sweepRecords
	now      func() time.Time
	run      func(context.Context, sweep.Job) (track.Seed, error)
	options  Options
	observer Observer
	summary  Summary
	swept    []*sweptConfiguration
	unknown  map[string]bool

	codeChecked time.Time
	nKnown      int // seeds of the plan that were recorded before
}

// NewSweeper returns a sweeper that runs jobs by run, as [sweep.Runner.Run] does.
func NewSweeper(st *store.Store, entropy io.Reader, run func(context.Context, sweep.Job) (track.Seed, error), options Options, observer Observer) *Sweeper {
	return &Sweeper{
		store: st, now: st.Now, run: run, options: options, observer: observer, unknown: map[string]bool{},
		recorder: seeds.NewRecorder(st, seeds.Options{SpecVersion: options.SpecVersion, Replace: options.RerunFailed}, entropy),
	}
}

// NewJournalSweeper returns a sweeper that keeps what comes of the jobs in a journal, which judges nothing. known are the seeds that are kept there.
func NewJournalSweeper(journal Journal, known []track.Seed, now func() time.Time, entropy io.Reader, run func(context.Context, sweep.Job) (track.Seed, error), options Options, observer Observer) (*Sweeper, error) {
	if options.Until != nil || len(options.Plan.Halving) > 0 || options.Plan.RepeatShare > 0 || options.RerunFailed {
		return nil, fmt.Errorf("%w: what is recorded into a file of lines is not judged: rules to end early, halving, repetition and running failed seeds again need a database", track.ErrInvalid)
	}
	records := &journalRecords{journal, map[string][]store.RecordedSeed{}}
	for _, seed := range known {
		if seed.Scenario == options.Plan.Scenario {
			hash := seed.Configuration.Hash()
			records.known[hash] = append(records.known[hash], store.RecordedSeed{Number: seed.Number, Outcome: seed.Outcome})
		}
	}
	return &Sweeper{
		now: func() time.Time { return now().UTC().Truncate(time.Microsecond) }, run: run, options: options, observer: observer, unknown: map[string]bool{},
		recorder: &seeds.Recorder{Entropy: ulid.Monotonic(entropy, 0)}, records: records,
	}, nil
}

// sweptConfiguration is what a sweep knows of a configuration.
type sweptConfiguration struct {
	SweptConfiguration
	recorded  map[track.SeedNumber]track.Outcome
	known     int // of the recorded ones, those that were there before
	prefix    int // of the planned seeds, the first so many are recorded
	next      func() (track.SeedNumber, bool)
	looked    int                       // seeds at the last look of the stopping rule
	elsewhere map[track.SeedNumber]bool // claimed by other processes
}

// Sweep runs the plan until all is recorded, a rule ends it, or stop is closed, which lets the running ones finish. The end of ctx kills
// them; they are not recorded. What the summary counts is recorded, whatever the error.
func (s *Sweeper) Sweep(ctx context.Context, stop <-chan struct{}) (Summary, error) {
	if err := s.begin(ctx); err != nil {
		return s.summary, err
	}
	defer func() { _ = s.records.close() }()
	err := s.rounds(ctx, stop)
	if err == nil && s.options.Plan.RepeatShare > 0 && !closed(stop) && ctx.Err() == nil {
		err = s.repeat(ctx, stop)
	}
	return s.end(err, closed(stop) || ctx.Err() != nil)
}

func closed(stop <-chan struct{}) bool {
	select {
	case <-stop:
		return true
	default:
		return false
	}
}

// begin records the sweep with its plan, and finds out what is recorded already.
func (s *Sweeper) begin(ctx context.Context) (err error) {
	o := s.options
	s.summary.Sweep.Scenario = o.Plan.Scenario
	if err := s.checkSpec(ctx); err != nil {
		return err
	}
	if err := s.checkRule(ctx); err != nil {
		return err
	}
	if s.store != nil {
		if s.records, err = newStoreRecords(s.store, s.recorder); err != nil {
			return err
		}
	}
	planned := o.Plan
	planned.Env = slices.Clone(planned.Env)
	for i := range planned.Env {
		planned.Env[i], _ = masking.Mask(planned.Env[i])
	}
	planned.Command = slices.Clone(planned.Command)
	for i := range planned.Command {
		planned.Command[i], _ = masking.Mask(planned.Command[i])
	}
	planned.LibrariesFrom, _ = masking.Mask(planned.LibrariesFrom)
	planned.Spec, planned.Shards = nil, 0 // they are recorded as such
	text, err := planned.JSON()
	if err != nil {
		return err
	}
	sweep := track.Sweep{Scenario: o.Plan.Scenario, Plan: string(text), Shard: o.Shard, Environment: o.Environment, StartedAt: s.now(), Spec: string(o.Plan.Spec)}
	if o.Shard > 0 {
		sweep.NShards = o.Plan.Shards
	}
	sweep.Changes, _ = masking.Mask(o.Changes)
	sweep.Libraries, _ = masking.Mask(o.Libraries)
	ranges := o.Plan.Seeds
	if len(o.Plan.Halving) > 0 {
		ranges = ranges.Slice(0, o.Plan.Halving[0].Seeds)
	}
	if o.Until != nil && len(o.Until.Looks) > 0 {
		ranges = ranges.Slice(0, o.Until.Looks[len(o.Until.Looks)-1])
	}
	for _, c := range o.Plan.Configurations() {
		sweep.Planned = append(sweep.Planned, s.planned(c, ranges))
		known := &sweptConfiguration{SweptConfiguration: SweptConfiguration{Configuration: c, Hash: c.Hash(), Planned: ranges}, recorded: map[track.SeedNumber]track.Outcome{}, elsewhere: map[track.SeedNumber]bool{}}
		recorded, err := s.records.recorded(ctx, o.Plan.Scenario, known.Hash)
		if err != nil {
			return err
		}
		for _, seed := range recorded {
			if !o.RerunFailed || seed.Outcome == track.OutcomeOK {
				known.recorded[seed.Number] = seed.Outcome
				if o.Plan.Seeds.Contains(seed.Number) {
					s.nKnown++
				}
			}
		}
		s.swept = append(s.swept, known)
	}
	if sweep.ID, err = seeds.NewID(sweep.StartedAt, s.recorder.Entropy); err != nil {
		return err
	}
	s.summary.Sweep = sweep
	if err := s.noticeCommands(ctx, planned); err != nil {
		return err
	}
	return s.records.begin(ctx, sweep)
}

// planned are the seeds of a configuration that are recorded as planned.
func (s *Sweeper) planned(c track.Configuration, ranges track.SeedRanges) track.PlannedSeeds {
	if len(s.options.Whole) > 0 {
		ranges = s.options.Whole
	}
	return track.PlannedSeeds{Configuration: c, Seeds: ranges}
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
			if active, err = s.halve(ctx, active, tiers[i-1], tier); err != nil {
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
	_, err := s.halve(ctx, active, tiers[len(tiers)-1], sweep.Tier{})
	return err
}

// looks runs the seeds up to one planned look after another: more seeds than that would be another look.
func (s *Sweeper) looks(ctx context.Context, stop <-chan struct{}, looks []int) error {
	for _, n := range looks {
		var open []*sweptConfiguration
		for _, c := range s.swept {
			if c.Decision == nil {
				c.Planned = s.options.Plan.Seeds.Slice(0, n)
				open = append(open, c)
			}
		}
		if err := s.round(ctx, stop, open); err != nil || closed(stop) || ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// round runs the planned seeds of some configurations: the first of each, then the second of each, so that they can be compared at any time.
func (s *Sweeper) round(ctx context.Context, stop <-chan struct{}, active []*sweptConfiguration) error {
	s.summary.NPlanned, s.summary.NKnown, s.summary.NRound = 0, 0, 0
	for _, c := range active {
		next, done := iter.Pull(c.Planned.All())
		defer done()
		c.next, c.prefix, c.known = next, 0, 0
		s.summary.NPlanned = addLen(s.summary.NPlanned, c.Planned.Len())
		for n := range c.recorded {
			if c.Planned.Contains(n) {
				c.known++
			}
		}
		s.summary.NKnown += c.known
		if err := s.advance(ctx, c); err != nil {
			return err
		}
	}
	if s.observer.Planned != nil {
		s.observer.Planned(s.summary.Progress)
	}
	var elsewhere []*claimed
	err := s.dispatch(ctx, stop, s.jobs(ctx, active, &elsewhere), s.record)
	for told := false; err == nil && len(elsewhere) > 0 && !closed(stop) && ctx.Err() == nil; {
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
	s.summary.NElsewhere += len(elsewhere)
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
				if c.Decision != nil {
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
			if _, there := item.configuration.recorded[item.seed]; there || item.configuration.Decision != nil {
				continue
			}
			j, ok, err := s.claim(ctx, item.configuration, item.seed)
			if err == nil && !ok {
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
	if ok, err = s.records.claim(scenario, c.Hash, seed); err != nil || !ok {
		return j, false, err
	}
	outcome, err := s.records.outcome(ctx, scenario, c.Hash, seed)
	if err != nil {
		return j, false, err
	}
	if s.stands(outcome) {
		s.recordedElsewhere(c, seed, outcome)
		return j, false, errors.Join(s.records.release(scenario, c.Hash, seed), s.advance(ctx, c))
	}
	return job{Job: sweep.Job{Scenario: scenario, Configuration: c.Configuration, Seed: seed}, configuration: c}, true, nil
}

// stands says that a seed with this outcome need not run; empty is the outcome of one that is not recorded.
func (s *Sweeper) stands(outcome track.Outcome) bool {
	return outcome == track.OutcomeOK || outcome != "" && !s.options.RerunFailed
}

func (s *Sweeper) recordedElsewhere(c *sweptConfiguration, seed track.SeedNumber, outcome track.Outcome) {
	c.recorded[seed] = outcome
	delete(c.elsewhere, seed)
	if s.summary.NKnown++; s.observer.Elsewhere != nil {
		s.observer.Elsewhere(s.summary.Progress)
	}
}

// end notes how the sweep ended.
func (s *Sweeper) end(problem error, interrupted bool) (Summary, error) {
	ctx := context.Background() // what is known has to be kept
	ending := track.SweepFinished
	var planned []track.PlannedSeeds
	for _, c := range s.swept {
		if c.Decision != nil {
			ending = track.SweepDecided
		}
		planned = append(planned, s.planned(c.Configuration, c.Planned))
	}
	if s.summary.Sweep.Planned = planned; interrupted || problem != nil {
		ending = track.SweepInterrupted
	}
	s.checkCode(true)
	s.summary.NKnown = s.nKnown // and not only those of the last round
	s.summary.Sweep.Ending, s.summary.Sweep.EndedAt = ending, s.now()
	for _, c := range s.swept {
		c.NSeeds, c.NFailed, c.NBeyond = 0, 0, 0
		for n, outcome := range c.recorded {
			if c.Decision != nil && !c.Planned.Contains(n) && s.options.Plan.Seeds.Contains(n) {
				c.NBeyond++
			}
			if c.Planned.Contains(n) {
				c.NSeeds++
				if outcome != track.OutcomeOK {
					c.NFailed++
				}
			}
		}
		s.summary.Configurations = append(s.summary.Configurations, c.SweptConfiguration)
	}
	for name := range s.unknown {
		s.summary.Unknown = append(s.summary.Unknown, name)
	}
	slices.Sort(s.summary.Unknown)
	if err := s.records.end(ctx, s.summary.Sweep); problem == nil { // else it is of the same cause
		problem = err
	}
	return s.summary, problem
}
