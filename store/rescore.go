package store

import (
	"context"
	"database/sql"

	"track"
	"track/scoring"
)

// StoredSeed is a seed to be judged again: its values, and how it was judged last. Its SpecVersion is the version of
// Previous.
type StoredSeed struct {
	track.RecordedSeed
	RowID    int64
	Previous map[string]scoring.Status // under the newest other spec; empty if there is none
	Current  bool                      // it is assessed under the requested spec
}

const (
	listStoredSeeds = `
	SELECT seed.id, seed.ulid, seed.number, coalesce(configuration.label, '') AS label, configuration.hash,
	       EXISTS (SELECT 1 FROM assessment WHERE seed_id = seed.id AND spec_id = $1) AS current,
	       previous.id AS previous_id, previous.version AS previous_version
	  FROM seed
	  JOIN configuration ON configuration.id = seed.configuration_id
	  LEFT JOIN spec AS previous
	         ON previous.id = (SELECT max(spec_id) FROM assessment WHERE seed_id = seed.id AND spec_id <> $1)
	 WHERE seed.scenario_id = (SELECT id FROM scenario WHERE name = $2) AND seed.superseded_at IS NULL AND seed.outcome = 'ok'
	   AND seed.id > $3
	 ORDER BY seed.id LIMIT $4`
	listStatuses = `
	SELECT metric.name, result.status FROM result JOIN metric ON metric.id = result.metric_id
	 WHERE result.seed_id = $1 AND result.spec_id = $2`
)

// StoredSeeds returns the next seeds of a scenario that ran well, by id after the one given, and at most limit.
func (r *Reader) StoredSeeds(ctx context.Context, scenario string, specID, after int64, limit int) ([]StoredSeed, error) {
	var rows []struct {
		ID              int64            `db:"id"`
		ULID            string           `db:"ulid"`
		Number          track.SeedNumber `db:"number"`
		Label           string           `db:"label"`
		Hash            string           `db:"hash"`
		Current         bool             `db:"current"`
		PreviousID      sql.NullInt64    `db:"previous_id"`
		PreviousVersion sql.NullInt64    `db:"previous_version"`
	}
	if err := r.read().SelectContext(ctx, &rows, listStoredSeeds, specID, scenario, after, limit); err != nil {
		return nil, explain(err)
	}
	seeds := make([]StoredSeed, len(rows))
	for i, row := range rows {
		values, err := r.Values(ctx, row.ID)
		if err != nil {
			return nil, explain(err)
		}
		previous, err := r.statuses(ctx, row.ID, row.PreviousID.Int64)
		if err != nil {
			return nil, explain(err)
		}
		seeds[i] = StoredSeed{RowID: row.ID, Previous: previous, Current: row.Current, RecordedSeed: track.RecordedSeed{
			ID: row.ULID, Number: row.Number, Values: values, SpecVersion: int(row.PreviousVersion.Int64),
			Configuration: track.RecordedConfiguration{Hash: row.Hash, Configuration: track.Configuration{Label: row.Label}},
		}}
	}
	return seeds, nil
}

func (r *Reader) statuses(ctx context.Context, seedID, specID int64) (map[string]scoring.Status, error) {
	var rows []struct {
		Name   string `db:"name"`
		Status int64  `db:"status"`
	}
	if specID == 0 {
		return nil, nil
	}
	if err := r.read().SelectContext(ctx, &rows, listStatuses, seedID, specID); err != nil {
		return nil, err
	}
	statuses := make(map[string]scoring.Status, len(rows))
	for _, row := range rows {
		statuses[row.Name] = statusOf(row.Status)
	}
	return statuses, nil
}

const isAssessed = `SELECT EXISTS (SELECT 1 FROM assessment WHERE seed_id = $1 AND spec_id = $2)`

// Assessed reports whether a seed was judged under a spec.
func (r *Reader) Assessed(ctx context.Context, seedID, specID int64) (yes bool, err error) {
	return yes, explain(r.read().GetContext(ctx, &yes, isAssessed, seedID, specID))
}
