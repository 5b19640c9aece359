package sweeps

import (
	"context"

	"track"
	"track/tracker/seeds"
)

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
