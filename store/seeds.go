package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"errors"
	"math"
	"time"

	"track"
	"track/scoring"
)

type seedRow struct {
	RowID       int64            `db:"row_id"`
	Scenario    string           `db:"scenario"`
	Number      track.SeedNumber `db:"number"`
	Outcome     string           `db:"outcome"`
	Message     string           `db:"message"`
	ULID        string           `db:"ulid"`
	RecordedAt  int64            `db:"recorded_at"`
	StartedAt   sql.NullInt64    `db:"started_at"`
	DurationUS  sql.NullInt64    `db:"duration_us"`
	SpecVersion sql.NullInt64    `db:"version"`
	TotalScore  sql.NullFloat64  `db:"total_score"`
	NPass       sql.NullInt64    `db:"n_pass"`
	NWarn       sql.NullInt64    `db:"n_warn"`
	NFail       sql.NullInt64    `db:"n_fail"`
	Digest      []byte           `db:"digest"`
	configurationRow
}

func recordedSeeds(rows []seedRow) []track.RecordedSeed {
	list := make([]track.RecordedSeed, len(rows))
	for i, row := range rows {
		list[i] = row.seed()
	}
	return list
}

func (r seedRow) seed() track.RecordedSeed {
	s := track.RecordedSeed{
		ID: r.ULID, Scenario: r.Scenario, Number: r.Number, Configuration: r.configuration().RecordedConfiguration,
		Outcome: track.Outcome(r.Outcome), Message: r.Message, SpecVersion: int(r.SpecVersion.Int64),
		NPass: int(r.NPass.Int64), NWarn: int(r.NWarn.Int64), NFail: int(r.NFail.Int64), RecordedAt: fromMicros(r.RecordedAt),
	}
	s.Status = track.SeedStatus(s.Outcome, s.SpecVersion > 0, s.NWarn, s.NFail)
	if r.TotalScore.Valid {
		s.TotalScore = &r.TotalScore.Float64
	}
	if r.StartedAt.Valid {
		s.StartedAt = fromMicros(r.StartedAt.Int64)
	}
	if r.DurationUS.Valid {
		duration := time.Duration(r.DurationUS.Int64) * time.Microsecond
		s.Duration = &duration
	}
	return s
}

const selectSeeds = `
	SELECT seed.id AS row_id, scenario.name AS scenario, seed.number, seed.outcome, coalesce(seed.message, '') AS message, seed.ulid, seed.recorded_at,
	       seed.started_at, seed.duration_us, ` + configurationColumns + `, spec.version, assessment.total_score,
	       assessment.n_pass, assessment.n_warn, assessment.n_fail, seed.digest
	  FROM seed
	  JOIN scenario ON scenario.id = seed.scenario_id
	  JOIN configuration ON configuration.id = seed.configuration_id
	  LEFT JOIN assessment ON assessment.seed_id = seed.id
	        AND assessment.spec_id = (SELECT max(spec_id) FROM assessment WHERE seed_id = seed.id)
	  LEFT JOIN spec ON spec.id = assessment.spec_id
	
`

const countSeedByULID = `SELECT count(*) FROM seed WHERE ulid = $1`

// HasSeed reports whether a seed with this ULID is recorded.
func (r *Reader) HasSeed(ctx context.Context, ulid string) (bool, error) {
	n := 0
	err := r.read().GetContext(ctx, &n, countSeedByULID, ulid)
	return n > 0, explain(err)
}

// Seeds lists seeds, the newest first.
func (r *Reader) Seeds(ctx context.Context, filter SeedFilter) ([]track.RecordedSeed, error) {
	query, args := filter.query()
	var list []track.RecordedSeed
	err := r.Snapshot(ctx, func(r *Reader) error {
		var rows []seedRow
		err := r.read().SelectContext(ctx, &rows, query, args...)
		if list = recordedSeeds(rows); err == nil && filter.Withdrawn {
			err = r.addWithdrawals(ctx, list, rows)
		}
		return err
	})
	return list, explain(err)
}

const (
	getSeedEnvironment = `
	SELECT environment.hash, environment.document FROM seed JOIN environment ON environment.id = seed.environment_id WHERE seed.id = $1`
	listSeedValues = `
	SELECT metric.name, value.value FROM value JOIN metric ON metric.id = value.metric_id WHERE value.seed_id = $1`
	listSeedAssessments = `
	SELECT spec.version FROM assessment JOIN spec ON spec.id = assessment.spec_id WHERE assessment.seed_id = $1 ORDER BY spec.version`
)

func orZero[T any](p *T) (zero T) {
	if p != nil {
		return *p
	}
	return zero
}

// withdrawnDetail returns the withdrawn seed of a filter; nil if there is none.
func (r *Reader) withdrawnDetail(ctx context.Context, filter SeedFilter) (*track.RecordedSeed, error) {
	query, args := filter.query()
	var rows []seedRow
	if err := r.read().SelectContext(ctx, &rows, query, args...); err != nil || len(rows) == 0 {
		return nil, explain(err)
	}
	list := recordedSeeds(rows)
	var err error
	if list[0], err = r.seedDetail(ctx, rows[0]); err == nil {
		err = r.addWithdrawals(ctx, list, rows)
	}
	if err != nil {
		return nil, explain(err)
	}
	return &list[0], nil
}

// addWithdrawals adds to withdrawn seeds who withdrew them, and why.
func (r *Reader) addWithdrawals(ctx context.Context, list []track.RecordedSeed, rows []seedRow) error {
	known := map[string]Withdrawn{}
	for i := range list {
		key := list[i].Scenario + "\x00" + list[i].Configuration.Hash
		of, has := known[key]
		if !has {
			var err error
			if of, err = r.Withdrawn(ctx, list[i].Scenario, list[i].Configuration.Hash); err != nil {
				return err
			}
			known[key] = of
		}
		list[i].Withdrawn = of.of(list[i].Number, [sha256.Size]byte(rows[i].Digest))
	}
	return nil
}

func (r *Reader) seedDetail(ctx context.Context, row seedRow) (track.RecordedSeed, error) {
	detail := row.seed()
	var environment environmentRow
	err := errors.Join(
		r.read().GetContext(ctx, &environment, getSeedEnvironment, row.RowID),
		r.read().SelectContext(ctx, &detail.Assessed, listSeedAssessments, row.RowID),
	)
	if err != nil {
		return detail, err
	}
	if detail.Values, err = r.Values(ctx, row.RowID); err != nil {
		return detail, err
	}
	detail.Environment, err = environment.environment()
	return detail, err
}

// Values returns what the seed with this id measured.
func (r *Reader) Values(ctx context.Context, seedID int64) (map[string]float64, error) {
	values := map[string]float64{}
	err := r.stream(ctx, listSeedValues, []any{seedID}, func(row []driver.Value) { values[asText(row[0])] = asFloat(row[1]) })
	return values, explain(err)
}

const getSeedState = `SELECT outcome, coalesce(message, '') AS message FROM seed WHERE id = $1`

// Outcome returns how the seed with this id ended.
func (r *Reader) Outcome(ctx context.Context, seedID int64) (outcome track.Outcome, message string, err error) {
	var row struct {
		Outcome string `db:"outcome"`
		Message string `db:"message"`
	}
	err = explain(r.read().GetContext(ctx, &row, getSeedState, seedID))
	return track.Outcome(row.Outcome), row.Message, err
}

const listSeedResults = `
	SELECT packed_result.results, coalesce(packed_value.numbers, '{}')
	  FROM packed_result LEFT JOIN packed_value ON packed_value.seed_id = packed_result.seed_id
	 WHERE packed_result.seed_id = (SELECT id FROM seed WHERE ulid = $1) AND packed_result.spec_id = $2`

// Results returns the stored results of the seed with this ULID under a spec, by metric.
func (r *Reader) Results(ctx context.Context, ulid string, specID int64) (map[string]scoring.Result, error) {
	names := map[int64]string{}
	err := r.stream(ctx, listMetricNames, []any{specID}, func(row []driver.Value) { names[asInt(row[0])] = asText(row[1]) })
	if err != nil {
		return nil, explain(err)
	}
	results := map[string]scoring.Result{}
	err = r.stream(ctx, listSeedResults, []any{ulid, specID}, func(row []driver.Value) {
		numbers := asText(row[1])
		must(eachResult(asText(row[0]), func(stored storedResult) {
			if !stored.isComputed {
				var found bool
				var err error
				if stored.value, found, err = valueOf(numbers, stored.metric); !found {
					stored.value = math.NaN()
				}
				must(err)
			}
			name := knownRow(names, "metric", stored.metric)
			results[name] = stored.result(name)
		}))
	})
	return results, explain(err)
}

// result returns a result as package scoring has it. Its value is given or computed.
func (r storedResult) result(name string) scoring.Result {
	one := scoring.Result{Name: name, Status: statusOf(r.status), Score: r.score, Value: r.value}
	switch {
	case r.reason != "":
		one.Reason = scoring.ReasonMissing + ": " + r.reason
	case math.IsNaN(r.score):
		one.Reason = scoring.ReasonMissing
	case math.IsNaN(one.Value) || math.IsInf(one.Value, 0):
		one.Reason = scoring.ReasonNonFinite
	}
	if math.IsNaN(r.score) {
		one.Score = 0
	}
	if one.Missing() {
		one.Value = 0
	}
	return one
}
