package store

import (
	"cmp"
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"track"
)

const (
	listRecorded = `
	SELECT seed.number, seed.outcome FROM seed
	 WHERE seed.scenario_id = (SELECT id FROM scenario WHERE name = $1) AND seed.superseded_at IS NULL
	   AND seed.configuration_id = (SELECT id FROM configuration WHERE hash = $2)`
	findRecorded = listRecorded + ` AND seed.number = $3`
)

// RecordedOutcomes returns the outcomes of the recorded seeds of a configuration, by number.
func (r *Reader) RecordedOutcomes(ctx context.Context, scenario, configuration string) (map[track.SeedNumber]track.Outcome, error) {
	return r.outcomes(ctx, listRecorded, scenario, configuration)
}

func (r *Reader) outcomes(ctx context.Context, query string, args ...any) (map[track.SeedNumber]track.Outcome, error) {
	var rows []struct {
		Number  track.SeedNumber `db:"number"`
		Outcome track.Outcome    `db:"outcome"`
	}
	if err := r.read().SelectContext(ctx, &rows, query, args...); err != nil {
		return nil, explain(err)
	}
	outcomes := make(map[track.SeedNumber]track.Outcome, len(rows))
	for _, row := range rows {
		outcomes[row.Number] = row.Outcome
	}
	return outcomes, nil
}

const listRecordedNumbers = `SELECT seed.number FROM seed WHERE {selection}`

// RecordedNumbers lists the seeds of a configuration, in no order.
func (r *Reader) RecordedNumbers(ctx context.Context, scenario string, configuration int64) (list []track.SeedNumber, err error) {
	query, args := Selection{Scenario: scenario, Configurations: []int64{configuration}}.of(listRecordedNumbers)
	err = r.read().SelectContext(ctx, &list, query, args...)
	return list, explain(err)
}

const countRecorded = `SELECT count(*) FROM seed WHERE {selection}`

// CountRecorded counts the seeds of a selection.
func (r *Reader) CountRecorded(ctx context.Context, sel Selection) (n int, err error) {
	query, args := sel.of(countRecorded)
	err = r.read().GetContext(ctx, &n, query, args...)
	return n, explain(err)
}

// RecordedOutcome returns the outcome of a recorded seed; empty if the seed is not recorded.
func (r *Reader) RecordedOutcome(ctx context.Context, scenario, configuration string, number track.SeedNumber) (track.Outcome, error) {
	outcomes, err := r.outcomes(ctx, findRecorded, scenario, configuration, number)
	return outcomes[number], err
}

// If the same plan was cut short and later decided by its rule, its first planned seeds are not missing.
const listPlanned = `
	SELECT sweep_seeds.first, sweep_seeds.last
	  FROM sweep_configuration
	  JOIN sweep ON sweep.id = sweep_configuration.sweep_id
	  JOIN sweep_seeds ON sweep_seeds.sweep_id = sweep.id AND sweep_seeds.configuration_id = sweep_configuration.configuration_id
	 WHERE sweep_configuration.configuration_id = $1 AND sweep.scenario_id = (SELECT id FROM scenario WHERE name = $2)
	   AND sweep.withdrawn_at IS NULL AND (coalesce(sweep.ending IN ('finished', 'decided', 'undecided'), FALSE) OR NOT EXISTS (
	        SELECT 1 FROM sweep_configuration AS other JOIN sweep AS decided ON decided.id = other.sweep_id
	         WHERE other.configuration_id = sweep_configuration.configuration_id AND decided.scenario_id = sweep.scenario_id
	           AND decided.ending = 'decided' AND decided.withdrawn_at IS NULL AND decided.shard = sweep.shard AND decided.plan_digest = sweep.plan_digest))`

// rangeRow is a range of planned seeds. Numbers from 2^63 are stored as negative ones.
type rangeRow struct {
	First track.SeedNumber `db:"first"`
	Last  track.SeedNumber `db:"last"`
}

func seedRanges(rows []rangeRow) track.SeedRanges {
	ranges := make([]track.SeedRange, len(rows))
	for i, row := range rows {
		ranges[i] = track.SeedRange{First: row.First, Last: row.Last}
	}
	return track.NewSeedRanges(ranges...)
}

// PlannedSeeds returns the seeds that sweeps planned for a configuration; none if no sweep did.
func (r *Reader) PlannedSeeds(ctx context.Context, scenario string, configuration int64) (track.SeedRanges, error) {
	var rows []rangeRow
	if err := r.read().SelectContext(ctx, &rows, listPlanned, configuration, scenario); err != nil {
		return nil, explain(err)
	}
	return seedRanges(rows), nil
}

// listSweepsOf lists sweeps that ran seeds of a configuration, or whose plan for it was withdrawn.
const listSweepsOf = `
	SELECT sweep.plan, sweep.code_changed, coalesce(CASE WHEN sweep.withdrawn_at IS NOT NULL THEN (
	       SELECT reason FROM withdrawal WHERE withdrawal.sweep = sweep.ulid AND withdrawal.kind = 'sweep' ORDER BY at DESC, ulid DESC LIMIT 1) END, '') AS withdrawn
	  FROM sweep_configuration JOIN sweep ON sweep.id = sweep_configuration.sweep_id
	 WHERE sweep_configuration.configuration_id = $1 AND sweep.scenario_id = (SELECT id FROM scenario WHERE name = $2)
	   AND (sweep.withdrawn_at IS NOT NULL OR EXISTS (
	        SELECT 1 FROM run JOIN seed ON seed.id = run.seed_id
	         WHERE run.sweep_id = sweep.id AND seed.configuration_id = sweep_configuration.configuration_id AND seed.superseded_at IS NULL))
	 ORDER BY sweep.started_at, sweep.ulid`

// SweepOf is a sweep as a reader of its seeds needs it.
type SweepOf struct {
	Plan        string `db:"plan"`
	Command     string `db:"-"` // JSON array, with placeholders
	Env         string `db:"-"` // JSON array
	CodeChanged bool   `db:"code_changed"`
	Withdrawn   string `db:"withdrawn"` // why its plan was withdrawn; empty if it was not
}

// SweepsOf lists the sweeps that ran seeds of a configuration, or whose plan of it was withdrawn, the oldest first.
func (r *Reader) SweepsOf(ctx context.Context, scenario string, configuration int64) (list []SweepOf, err error) {
	if err := r.read().SelectContext(ctx, &list, listSweepsOf, configuration, scenario); err != nil {
		return nil, explain(err)
	}
	for i := range list {
		var plan struct {
			Command jsontext.Value `json:"command"`
			Env     jsontext.Value `json:"env"`
		}
		if err := decodeStored("the plan of a sweep", []byte(list[i].Plan), &plan); err != nil {
			return nil, err
		}
		list[i].Command, list[i].Env = string(plan.Command), cmp.Or(string(plan.Env), "[]")
	}
	return list, nil
}
