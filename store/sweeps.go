package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"track"
)

const (
	selectSweeps = `
	SELECT sweep.id AS row_id, sweep.ulid, scenario.name AS scenario, sweep.plan, sweep.shard, sweep.n_shards, environment.document AS environment,
	       changes.data AS changes, libraries.data AS libraries, sweep.started_at, sweep.ended_at, coalesce(sweep.ending, '') AS ending, sweep.code_changed,
	       sweep.withdrawn_at IS NOT NULL AS withdrawn
	  FROM sweep
	  JOIN scenario ON scenario.id = sweep.scenario_id
	  JOIN environment ON environment.id = sweep.environment_id
	  LEFT JOIN attachment AS changes ON changes.id = sweep.changes_id
	  LEFT JOIN attachment AS libraries ON libraries.id = sweep.libraries_id
	 WHERE TRUE`
	inScenario       = ` AND scenario.name = $1`
	whoseIDEndsWith  = ` AND substr(sweep.ulid, 27 - length($1)) = $1` // a ULID has 26 characters
	startedBefore    = ` AND (sweep.started_at, sweep.ulid) < (SELECT last.started_at, last.ulid FROM sweep AS last WHERE last.ulid = $1)`
	newestSweepFirst = ` ORDER BY sweep.started_at DESC, sweep.ulid DESC`
)

func (f SweepFilter) query() (query string, args []any) {
	c := clauses{}
	c.add(selectSweeps)
	if f.Scenario != "" {
		c.add(inScenario, f.Scenario)
	}
	if f.ID != "" {
		c.add(whoseIDEndsWith, strings.ToUpper(f.ID))
	}
	if f.After != "" {
		c.add(startedBefore, f.After)
	}
	c.add(newestSweepFirst)
	if f.Limit > 0 {
		c.add(atMost, f.Limit)
	}
	return c.statement()
}

// SweepFilter narrows a list of sweeps; the zero value is all of them.
type SweepFilter struct {
	Scenario string
	ID       string // or its end
	After    string // only what follows the sweep with this ULID in the list; empty for the beginning
	Limit    int    // 0 for no limit
}

// SweepSummary is a sweep with the number of its runs.
type SweepSummary struct {
	track.Sweep
	Withdrawn  *track.Withdrawal // of its plan; nil if it was not withdrawn
	NRuns      int               // seeds that it ran and that were not superseded; those that were withdrawn count
	NFailed    int               // of these
	NWithdrawn int               // of these, withdrawn later
	LastSeed   time.Time         // when the last of these was recorded; zero for none
}

const (
	listSweepConfigurations = `
	SELECT ` + configurationColumns + `
	  FROM sweep_configuration JOIN configuration ON configuration.id = sweep_configuration.configuration_id
	 WHERE sweep_configuration.sweep_id = $1 ORDER BY sweep_configuration.position`
	listSweepSeeds = `SELECT configuration_id, first, last FROM sweep_seeds WHERE sweep_id = $1`
	countRuns      = `
	SELECT count(*) AS n, count(*) FILTER (WHERE seed.outcome <> 'ok') AS n_failed, count(seed.withdrawn_at) AS n_withdrawn, coalesce(max(seed.recorded_at), 0) AS last
	  FROM run JOIN seed ON seed.id = run.seed_id WHERE run.sweep_id = $1 AND (seed.superseded_at IS NULL OR seed.withdrawn_at IS NOT NULL)`
)

// Sweeps lists sweeps, the newest first.
func (r *Reader) Sweeps(ctx context.Context, filter SweepFilter) (list []SweepSummary, err error) {
	query, args := filter.query()
	var rows []struct {
		RowID       int64         `db:"row_id"`
		ULID        string        `db:"ulid"`
		Scenario    string        `db:"scenario"`
		Plan        string        `db:"plan"`
		Shard       int           `db:"shard"`
		NShards     int           `db:"n_shards"`
		Environment []byte        `db:"environment"`
		Changes     []byte        `db:"changes"`
		Libraries   []byte        `db:"libraries"`
		StartedAt   int64         `db:"started_at"`
		EndedAt     sql.NullInt64 `db:"ended_at"`
		Ending      string        `db:"ending"`
		CodeChanged bool          `db:"code_changed"`
		Withdrawn   bool          `db:"withdrawn"`
	}
	if err := r.read().SelectContext(ctx, &rows, query, args...); err != nil {
		return nil, explain(err)
	}
	for _, row := range rows {
		sweep := SweepSummary{Sweep: track.Sweep{
			ID: row.ULID, Scenario: row.Scenario, Plan: row.Plan, Shard: row.Shard, NShards: row.NShards,
			StartedAt: fromMicros(row.StartedAt), EndedAt: nullableTime(row.EndedAt), Ending: track.SweepEnding(row.Ending), CodeChanged: row.CodeChanged,
		}}
		var errs [3]error
		sweep.Changes, errs[0] = decompress(row.Changes)
		sweep.Libraries, errs[1] = decompress(row.Libraries)
		errs[2] = decodeStored("environment", row.Environment, &sweep.Environment)
		if err := errors.Join(errs[:]...); err != nil {
			return nil, fmt.Errorf("sweep %s: %w", row.ULID, err)
		}
		if row.Withdrawn {
			if sweep.Withdrawn, err = r.SweepWithdrawal(ctx, row.ULID); err != nil {
				return nil, err
			}
		}
		if sweep.Planned, err = r.planned(ctx, row.RowID); err != nil {
			return nil, err
		}
		var counts struct {
			N          int   `db:"n"`
			NFailed    int   `db:"n_failed"`
			NWithdrawn int   `db:"n_withdrawn"`
			Last       int64 `db:"last"`
		}
		if err := r.read().GetContext(ctx, &counts, countRuns, row.RowID); err != nil {
			return nil, explain(err)
		}
		sweep.NRuns, sweep.NFailed, sweep.NWithdrawn = counts.N, counts.NFailed, counts.NWithdrawn
		if counts.Last > 0 {
			sweep.LastSeed = fromMicros(counts.Last)
		}
		list = append(list, sweep)
	}
	return list, nil
}

func (r *Reader) planned(ctx context.Context, sweep int64) (list []track.PlannedSeeds, err error) {
	var ranges []struct {
		Configuration int64 `db:"configuration_id"`
		rangeRow
	}
	if err := r.read().SelectContext(ctx, &ranges, listSweepSeeds, sweep); err != nil {
		return nil, explain(err)
	}
	byConfiguration := map[int64][]rangeRow{}
	for _, row := range ranges {
		byConfiguration[row.Configuration] = append(byConfiguration[row.Configuration], row.rangeRow)
	}
	configurations, err := r.configurations(ctx, listSweepConfigurations, sweep)
	for _, c := range configurations {
		list = append(list, track.PlannedSeeds{Configuration: c.Configuration, Seeds: seedRanges(byConfiguration[c.ID])})
	}
	return list, err
}
