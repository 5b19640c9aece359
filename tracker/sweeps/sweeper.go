package sweeps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"track"
	"track/answer"
	"track/internal/admission"
	"track/internal/near"
	"track/internal/provenance"
	"track/store"
	"track/sweep"
	"track/tracker/names"
	"track/tracker/seeds"
)

// Options say how a plan is run.
type Options struct {
	Plan        sweep.Plan       // its seeds are those to run, of a shard or of all
	Shard       int              // 0 for the whole plan
	Whole       track.SeedRanges // the planned seeds of all shards, if this is one of them; nil for the seeds of the plan
	Jobs        int              // runs at a time
	SpecVersion int              // to judge under; 0 for the newest
	RerunFailed bool             // run seeds again that are recorded as failed, and supersede the records
	Rerun       bool             // run all seeds again that are recorded, and supersede the records that differ
	SameCommand bool             // take seeds that another command ran for the same
	New         bool             // run a scenario that is not known, although names like it are
	Environment track.Environment
	Changes     string // of the code since its commit
	Libraries   string
	Until       *StopRule        // nil for none
	Texts       *admission.Rules // by which the sweep and its seeds are recorded; a database has its own
	// CodeChanged reports whether the code differs from the revision of the plan; its error says why that is unknown.
	// It is nil if nobody can tell.
	CodeChanged func() (bool, error)
	Files       provenance.Files // that the plan depends on
	Away        Away             // where seeds are kept while the server of the database is away; nil for nowhere
}

// judges reports whether running the plan takes judgements of the seeds that are recorded.
func (o Options) judges() bool {
	return o.Until != nil || len(o.Plan.Halving) > 0 || o.Plan.RepeatShare > 0
}

// SweptSeed is a seed that a sweep ran.
type SweptSeed struct {
	Seed        track.Seed
	Result      seeds.RecordResult
	Repeated    bool     // it was recorded before, and run again to be compared
	Differences []string // of a repeated one
}

// Observer hears of a sweep as it runs; each field may be nil.
type Observer struct {
	Planned   func(Progress)
	Finished  func(SweptSeed, Progress) // it is recorded, and on the disk
	Elsewhere func(Progress)            // another process recorded a seed
	Running   func(sweep.Job, bool)     // started, or ended; called from several goroutines
	Decided   func(track.Configuration, answer.SweepDecision)
	Halved    func(answer.HalvingRound)
	Notice    func(text string) // something that its user should know
}

// Progress counts the seeds of all configurations.
type Progress struct {
	NPlanned    int // in this round, if there are several
	NKnown      int // recorded before, or by another process meanwhile
	NRound      int // ran in this round
	NRan        int
	NFailed     int  // of those that ran
	NScored     int  // of those that ran
	NPassed     int  // of those that were scored
	WithoutSpec bool // nothing is scored
}

// Sweeper runs a plan and records the seeds.
type Sweeper struct {
	records  records
	judge    *judge // nil without a database
	entropy  io.Reader
	now      func() time.Time
	run      func(context.Context, sweep.Job) (track.Seed, error)
	options  Options
	observer Observer

	Progress
	sweep       track.Sweep
	result      answer.SweepResult
	swept       []*sweptConfiguration
	unknown     map[string]bool
	lacking     map[string]int // how many seeds lack a metric, of those that were judged
	nJudged     int
	percents    seeds.Percents
	codeChecked time.Time
	nKnown      int      // seeds of the plan that were recorded before
	unsynced    []func() // tell of recorded seeds that may not be on the disk yet
	uncompared  []ran    // runs of recorded seeds that are compared once the server is back
}

// NewSweeper returns a sweeper that records in a database. It runs jobs by run, as [sweep.Runner.Run] does.
func NewSweeper(st *store.Store, entropy io.Reader, run func(context.Context, sweep.Job) (track.Seed, error), options Options, observer Observer) *Sweeper {
	options.Texts = st.Texts()
	first, then := names.New(names.Refuse), names.New(names.Watch)
	if options.New {
		first, then = nil, nil
	}
	recorder := seeds.NewRecorder(st, seeds.Options{SpecVersion: options.SpecVersion, Replace: options.RerunFailed || options.Rerun, Names: then}, entropy)
	s := &Sweeper{
		records: &storeRecords{Store: st, recorder: recorder, names: first}, entropy: recorder.Entropy, now: st.Now, run: run, options: options, observer: observer,
		unknown: map[string]bool{}, lacking: map[string]int{}, percents: seeds.Percents{},
	}
	if options.Away != nil {
		s.records = &awayRecords{storeRecords: s.records.(*storeRecords), away: options.Away, options: options, notice: s.notice}
	}
	s.judge = &judge{st, recorder.Entropy, options}
	return s
}

// NewJournalSweeper returns a sweeper that keeps the seeds in a journal, where nothing is judged. known are the seeds
// that are kept already.
func NewJournalSweeper(journal Journal, known []track.Seed, now func() time.Time, entropy io.Reader, run func(context.Context, sweep.Job) (track.Seed, error), options Options, observer Observer) (*Sweeper, error) {
	if options.judges() || options.RerunFailed || options.Rerun {
		return nil, fmt.Errorf("%w: seeds in a file of lines are not judged: rules to end early, halving, repetition and running seeds again need a database", track.ErrInvalid)
	}
	return &Sweeper{
		records: newJournalRecords(journal, known, options), entropy: ulid.Monotonic(entropy, 0),
		now: func() time.Time { return now().UTC().Truncate(time.Microsecond) }, run: run, options: options, observer: observer, unknown: map[string]bool{}, lacking: map[string]int{}, percents: seeds.Percents{},
	}, nil
}

// sweptConfiguration is what a sweep knows of a configuration.
type sweptConfiguration struct {
	track.Configuration
	hash      string
	whole     track.SeedRanges      // the seeds of the plan
	planned   track.SeedRanges      // those that run: all but the withdrawn ones
	withdrawn track.SeedRanges      // which are not run again
	decision  *answer.SweepDecision // nil if no rule ended it
	dropped   bool                  // by halving
	recorded  map[track.SeedNumber]track.Outcome
	known     int // of the recorded ones, those that were there before
	nBefore   int // recorded before
	nOK       int // of these, those that ran well
	prefix    int // of the planned seeds, the first so many are recorded
	next      func() (track.SeedNumber, bool)
	looked    int                       // seeds at the last look of the stopping rule
	lastLook  *answer.SweepDecision     // what it found; nil before the first one
	unasked   bool                      // the rule has not looked at all numbers of seeds, since the server is away
	unjudged  bool                      // to the end
	elsewhere map[track.SeedNumber]bool // claimed by other processes
}

// plan makes seeds the plan of the configuration.
func (c *sweptConfiguration) plan(seeds track.SeedRanges) {
	c.whole, c.planned = seeds, seeds.Minus(c.withdrawn)
}

// first returns the seeds of the plan up to the n-th that runs. Withdrawn seeds among them are missing ones.
func (c *sweptConfiguration) first(n int) track.SeedRanges {
	planned := c.planned.Slice(0, n)
	if len(c.withdrawn) == 0 || len(planned) == 0 {
		return planned
	}
	return c.whole.Intersect(track.SeedRanges{{Last: planned[len(planned)-1].Last}})
}

// Sweep runs the plan until all is recorded, a rule ends it, or stop is closed, which lets the running seeds finish.
// The end of ctx kills them; they are not recorded. What the result counts is recorded, whatever the error.
func (s *Sweeper) Sweep(ctx context.Context, stop <-chan struct{}) (answer.SweepResult, error) {
	if err := s.begin(ctx); err != nil {
		return s.result, err
	}
	defer func() { _ = s.records.close() }()
	err := s.rounds(ctx, stop)
	if err == nil {
		err = s.lookLate(ctx, stop)
	}
	if err == nil && s.options.Plan.RepeatShare > 0 && !closed(stop) && ctx.Err() == nil {
		err = s.repeat(ctx, stop)
	}
	if errors.Is(err, errUnjudged) {
		err = nil // the result says so
	}
	if err == nil && !closed(stop) && ctx.Err() == nil {
		err = s.noteLackingBefore(ctx)
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
	s.sweep.Scenario, s.result.Scenario = s.options.Plan.Scenario, s.options.Plan.Scenario
	if err := s.checkSpec(ctx); err != nil {
		return err
	}
	if s.judge != nil {
		if err := s.judge.checkRule(ctx); err != nil {
			return err
		}
	}
	if err := s.records.open(); err != nil {
		return err
	}
	if err := s.describe(); err != nil {
		return err
	}
	for _, c := range s.options.Plan.Configurations() {
		if err := s.addConfiguration(ctx, c); err != nil {
			return err
		}
	}
	if err := s.checkState(ctx); err != nil {
		return err
	}
	if _, problem := s.options.Texts.Admit(&s.sweep); problem != nil {
		return problem
	}
	if err := s.checkCommands(ctx); err != nil {
		return err
	}
	return s.records.begin(ctx, s.sweep)
}

// describe fills in the record of the sweep, but for what it plans.
func (s *Sweeper) describe() error {
	o := s.options
	plan := o.Plan
	plan.Spec, plan.Shards = nil, 0 // they are recorded with the sweep
	text, err := plan.JSON()
	if err != nil {
		return err
	}
	s.sweep = track.Sweep{Scenario: o.Plan.Scenario, Plan: string(text), Shard: o.Shard, Environment: o.Environment, StartedAt: s.now(), Spec: string(o.Plan.Spec)}
	if o.Shard > 0 {
		s.sweep.NShards = o.Plan.Shards
	}
	s.sweep.Changes, s.sweep.Libraries = o.Changes, o.Libraries
	s.sweep.ID, err = seeds.NewID(s.sweep.StartedAt, s.entropy)
	return err
}

// firstSeeds returns the seeds that are planned at the beginning.
func (o Options) firstSeeds() track.SeedRanges {
	ranges := o.Plan.Seeds
	if len(o.Plan.Halving) > 0 {
		ranges = ranges.Slice(0, o.Plan.Halving[0].Seeds)
	}
	if o.Until != nil && len(o.Until.Looks) > 0 {
		ranges = ranges.Slice(0, o.Until.Looks[len(o.Until.Looks)-1])
	}
	return ranges
}

// addConfiguration plans the seeds of a configuration, and finds out which of them are recorded.
func (s *Sweeper) addConfiguration(ctx context.Context, configuration track.Configuration) error {
	o := s.options
	c := &sweptConfiguration{
		Configuration: configuration, hash: configuration.Hash(),
		recorded: map[track.SeedNumber]track.Outcome{}, elsewhere: map[track.SeedNumber]bool{},
	}
	withdrawn, err := s.records.withdrawn(ctx, o.Plan.Scenario, c.hash)
	if err != nil {
		return err
	}
	s.result.NWithdrawn += o.Plan.Seeds.Intersect(withdrawn).Len()
	c.withdrawn = withdrawn
	c.plan(o.firstSeeds())
	s.sweep.Planned = append(s.sweep.Planned, s.plannedSeeds(c))
	recorded, err := s.records.recorded(ctx, o.Plan.Scenario, c.hash)
	if err != nil {
		return err
	}
	for number, outcome := range recorded {
		if outcome == track.OutcomeOK {
			c.nOK++
		}
		c.nBefore++
		if s.stands(outcome) {
			c.recorded[number] = outcome
			if o.Plan.Seeds.Contains(number) {
				s.nKnown++
			}
		}
	}
	s.swept = append(s.swept, c)
	return nil
}

// plannedSeeds returns the seeds of a configuration that are recorded as planned, with the withdrawn ones. For a shard,
// those are the seeds of all shards.
func (s *Sweeper) plannedSeeds(c *sweptConfiguration) track.PlannedSeeds {
	ranges := c.whole
	if len(s.options.Whole) > 0 {
		ranges = s.options.Whole
	}
	return track.PlannedSeeds{Configuration: c.Configuration, Seeds: ranges}
}

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
