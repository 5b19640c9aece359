package store

import (
	"time"

	"track"
	"track/scoring"
)

// SeedFilter narrows a list of seeds; the zero value of each field asks for everything.
type SeedFilter struct {
	Scenario       string
	Label          string
	Configurations []int64 // ids of configurations of Scenario; nil for all
	Outcome        track.Outcome
	Status         scoring.Status
	MinScore       *float64
	MaxScore       *float64
	Since          time.Time // recorded at or after
	Number         *track.SeedNumber
	Withdrawn      bool   // those that were withdrawn, in place of those that count
	After          string // only what follows the seed with this ULID in the list; empty for the beginning
	Limit          int    // at most so many; 0 for all
}

const (
	whichCount         = ` WHERE seed.superseded_at IS NULL`
	whichAreWithdrawn  = ` WHERE seed.withdrawn_at IS NOT NULL`
	withNumber         = ` AND seed.number = $1`
	ofConfigurations   = ` AND seed.configuration_id IN ({list})`
	withOutcome        = ` AND seed.outcome = $1`
	withLabel          = ` AND configuration.label = $1`
	seedsOfScenario    = ` AND seed.scenario_id = (SELECT id FROM scenario WHERE name = $1)`
	whichRanWell       = ` AND seed.outcome = 'ok'`
	whichFail          = ` AND (seed.outcome <> 'ok' OR assessment.n_fail > 0)`
	whichWarn          = ` AND seed.outcome = 'ok' AND assessment.n_fail = 0 AND assessment.n_warn > 0`
	whichPass          = ` AND seed.outcome = 'ok' AND assessment.n_fail = 0 AND assessment.n_warn = 0`
	totalAtLeast       = ` AND assessment.total_score >= $1`
	totalAtMost        = ` AND assessment.total_score <= $1`
	recordedSince      = ` AND seed.recorded_at >= $1`
	recordedBeforeSeed = ` AND (seed.recorded_at, seed.id) < (SELECT last.recorded_at, last.id FROM seed AS last WHERE last.ulid = $1)`
	newestRecorded     = ` ORDER BY seed.recorded_at DESC, seed.id DESC` // not by id: what was merged came later than it was recorded
)

// query returns the statement that lists the seeds of the filter, newest first, and its arguments.
func (f SeedFilter) query() (query string, args []any) {
	c := clauses{}
	c.add(selectSeeds)
	if f.Withdrawn {
		f.addWithdrawn(&c)
	} else {
		c.add(whichCount)
	}
	switch {
	case f.Withdrawn:
	case f.Label != "" || f.Configurations != nil || f.hasFailed():
		f.addRare(&c)
	case f.Scenario != "":
		c.add(seedsOfScenario, f.Scenario)
	}
	if f.Outcome == track.OutcomeOK {
		c.add(whichRanWell)
	}
	if f.Number != nil {
		c.add(withNumber, int64(*f.Number))
	}
	switch f.Status {
	case scoring.Fail:
		c.add(whichFail)
	case scoring.Warn:
		c.add(whichWarn)
	case scoring.Pass:
		c.add(whichPass)
	}
	if f.MinScore != nil {
		c.add(totalAtLeast, *f.MinScore)
	}
	if f.MaxScore != nil {
		c.add(totalAtMost, *f.MaxScore)
	}
	if !f.Since.IsZero() {
		c.add(recordedSince, micros(f.Since))
	}
	if f.After != "" {
		c.add(recordedBeforeSeed, f.After)
	}
	c.add(newestRecorded)
	if f.Limit > 0 {
		c.add(atMost, f.Limit)
	}
	return c.statement()
}

// addWithdrawn adds the conditions for withdrawn seeds, which an index lists.
func (f SeedFilter) addWithdrawn(c *clauses) {
	c.add(whichAreWithdrawn)
	if f.Scenario != "" {
		c.add(seedsOfScenario, f.Scenario)
	}
	if f.Label != "" {
		c.add(withLabel, f.Label)
	}
	if f.Configurations != nil {
		c.addList(ofConfigurations, anys(f.Configurations)...)
	}
	if f.hasFailed() {
		c.add(withOutcome, string(f.Outcome))
	}
}

func (f SeedFilter) hasFailed() bool { return f.Outcome != "" && f.Outcome != track.OutcomeOK }

const (
	rareSeeds            = ` AND seed.id IN (SELECT rare.id FROM seed AS rare WHERE rare.superseded_at IS NULL`
	rareOfScenario       = ` AND rare.scenario_id = (SELECT id FROM scenario WHERE name = $1)`
	rareOfAnyScenario    = ` AND rare.scenario_id IN (SELECT id FROM scenario)` // with which the index begins
	rareWithLabel        = ` AND rare.configuration_id IN (SELECT id FROM configuration WHERE label = $1)`
	rareOfConfigurations = ` AND rare.configuration_id IN ({list})`
	rareWithOutcome      = ` AND rare.outcome = $1 AND rare.outcome <> 'ok'` // the latter is the condition of the index
)

// addRare adds the condition for what few seeds have, a label or a failure. An index yields their ids, so that the list
// reads no other seeds.
func (f SeedFilter) addRare(c *clauses) {
	c.add(rareSeeds)
	if f.Scenario != "" {
		c.add(rareOfScenario, f.Scenario)
	} else {
		c.add(rareOfAnyScenario)
	}
	if f.Label != "" {
		c.add(rareWithLabel, f.Label)
	}
	if f.Configurations != nil {
		c.addList(rareOfConfigurations, anys(f.Configurations)...)
	}
	if f.hasFailed() {
		c.add(rareWithOutcome, string(f.Outcome))
	}
	c.add(")")
}
