package store

import (
	"context"
	"database/sql"
	"time"

	"track"
)

const getRunTimes = `
	SELECT min(seed.started_at) AS first, max(seed.started_at) AS last, count(seed.started_at) AS n_started,
	       coalesce(sum(seed.duration_us), 0) AS duration, count(seed.duration_us) AS n_timed
	  FROM seed WHERE {selection}`

const listEnvironments = `
	SELECT environment.hash, environment.document, used.n
	  FROM (SELECT seed.environment_id, count(*) AS n FROM seed WHERE {selection} GROUP BY seed.environment_id) AS used
	  JOIN environment ON environment.id = used.environment_id
	 ORDER BY used.n DESC, environment.document`

const listSweepUses = `
	SELECT sweep.ulid, sweep.plan, used.n
	  FROM (SELECT run.sweep_id, count(*) AS n FROM seed JOIN run ON run.seed_id = seed.id WHERE {selection} GROUP BY run.sweep_id) AS used
	  JOIN sweep ON sweep.id = used.sweep_id
	 ORDER BY used.n DESC, sweep.ulid`

// Runs returns where and when the seeds of a selection ran.
func (r *Reader) Runs(ctx context.Context, sel Selection) (track.Runs, error) {
	query, args := sel.of(getRunTimes)
	var times struct {
		First    sql.NullInt64 `db:"first"`
		Last     sql.NullInt64 `db:"last"`
		NStarted int           `db:"n_started"`
		Duration int64         `db:"duration"`
		NTimed   int           `db:"n_timed"`
	}
	if err := r.read().GetContext(ctx, &times, query, args...); err != nil {
		return track.Runs{}, explain(err)
	}
	runs := track.Runs{NStarted: times.NStarted, Duration: time.Duration(times.Duration) * time.Microsecond, NTimed: times.NTimed}
	if times.NStarted > 0 {
		runs.First, runs.Last = fromMicros(times.First.Int64), fromMicros(times.Last.Int64)
	}
	var err error
	if runs.Environments, err = r.Environments(ctx, sel); err != nil {
		return track.Runs{}, err
	}
	var sweeps []struct {
		ULID string `db:"ulid"`
		Plan string `db:"plan"`
		N    int    `db:"n"`
	}
	query, args = sel.of(listSweepUses)
	if err := r.read().SelectContext(ctx, &sweeps, query, args...); err != nil {
		return track.Runs{}, explain(err)
	}
	for _, row := range sweeps {
		runs.Sweeps = append(runs.Sweeps, track.SweepUse{ID: row.ULID, Plan: row.Plan, NSeeds: row.N})
	}
	return runs, nil
}

// Environments returns where the seeds of a selection ran, most seeds first.
func (r *Reader) Environments(ctx context.Context, sel Selection) (list []track.EnvironmentUse, err error) {
	var rows []struct {
		environmentRow
		NSeeds int `db:"n"`
	}
	query, args := sel.of(listEnvironments)
	if err := r.read().SelectContext(ctx, &rows, query, args...); err != nil {
		return nil, explain(err)
	}
	for _, row := range rows {
		use := track.EnvironmentUse{NSeeds: row.NSeeds}
		if use.Environment, err = row.environment(); err != nil {
			return nil, err
		}
		list = append(list, use)
	}
	return list, nil
}
