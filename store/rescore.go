package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"maps"
	"slices"

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
	listNamesOf = `SELECT id, name FROM metric WHERE id IN (`
)

// StoredSeeds returns the next seeds of a scenario that ran well, by id after the one given, and at most limit.
func (r *Reader) StoredSeeds(ctx context.Context, scenario string, specID, after int64, limit int) (seeds []StoredSeed, err error) {
	err = r.Snapshot(ctx, func(r *Reader) error {
		seeds, err = r.storedSeeds(ctx, scenario, specID, after, limit)
		return err
	})
	return seeds, err
}

func (r *Reader) storedSeeds(ctx context.Context, scenario string, specID, after int64, limit int) ([]StoredSeed, error) {
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
	page := storedPage{Reader: r, ids: make([]int64, len(rows)), seeds: make([]StoredSeed, len(rows)), at: map[int64]int{}, previous: map[int64]int64{}, names: map[int64]string{}}
	for i, row := range rows {
		page.ids[i], page.at[row.ID], page.previous[row.ID] = row.ID, i, row.PreviousID.Int64
		page.seeds[i] = StoredSeed{RowID: row.ID, Previous: map[string]scoring.Status{}, Current: row.Current, RecordedSeed: track.RecordedSeed{
			ID: row.ULID, Number: row.Number, Values: map[string]float64{}, SpecVersion: int(row.PreviousVersion.Int64),
			Configuration: track.RecordedConfiguration{Hash: row.Hash, Configuration: track.Configuration{Label: row.Label}},
		}}
	}
	return page.seeds, explain(page.read(ctx))
}

// storedPage reads the values of some seeds, and how they were judged, all at once: a statement for each seed is most
// of the work of a server that prepares none.
type storedPage struct {
	*Reader
	ids      []int64
	seeds    []StoredSeed
	at       map[int64]int    // indexes in seeds, by id
	previous map[int64]int64  // specs; 0 for none
	names    map[int64]string // of metrics
}

func (p *storedPage) read(ctx context.Context) error {
	if len(p.ids) == 0 {
		return nil
	}
	values, results := make([][]storedValue, len(p.ids)), make([][]storedResult, len(p.ids))
	err := p.visitOfSeeds(ctx, listValuesOf, nil, p.ids, func(seed int64, text string) {
		must(eachValue(text, func(metric int64, value float64) {
			p.names[metric] = ""
			values[p.at[seed]] = append(values[p.at[seed]], storedValue{metric, value})
		}))
	})
	if err != nil {
		return err
	}
	var c clauses
	c.add(listAllResultsOf)
	c.addList(listOfSeeds, anys(p.ids)...)
	query, args := c.statement()
	err = p.stream(ctx, query, args, func(row []driver.Value) {
		seed := asInt(row[0])
		if asInt(row[1]) != p.previous[seed] {
			return
		}
		must(eachResult(asText(row[2]), func(r storedResult) {
			p.names[r.metric] = ""
			results[p.at[seed]] = append(results[p.at[seed]], r)
		}))
	})
	if err != nil {
		return err
	}
	if err := p.learnNames(ctx); err != nil {
		return err
	}
	for i := range p.seeds {
		for _, v := range values[i] {
			p.seeds[i].Values[p.names[v.metric]] = v.value
		}
		for _, r := range results[i] {
			p.seeds[i].Previous[p.names[r.metric]] = statusOf(r.status)
		}
	}
	return nil
}

const listAllResultsOf = `SELECT seed_id, spec_id, results FROM packed_result WHERE TRUE`

// learnNames reads the names of the metrics that were met.
func (p *storedPage) learnNames(ctx context.Context) error {
	for chunk := range slices.Chunk(slices.Sorted(maps.Keys(p.names)), namesAtOnce) {
		err := p.stream(ctx, listNamesOf+inList(len(chunk))+`)`, anys(chunk), func(row []driver.Value) { p.names[asInt(row[0])] = asText(row[1]) })
		if err != nil {
			return err
		}
	}
	return nil
}

const listAssessed = `SELECT seed_id FROM assessment WHERE spec_id IN (`

// Assessed returns which of at most a thousand seeds were judged under a spec.
func (r *Reader) Assessed(ctx context.Context, seedIDs []int64, specID int64) (map[int64]bool, error) {
	assessed := make(map[int64]bool, len(seedIDs))
	args := append([]any{specID}, anys(seedIDs)...)
	err := r.stream(ctx, listAssessed+inList(1)+`) AND seed_id IN (`+inList(len(seedIDs))+`)`, args, func(row []driver.Value) { assessed[asInt(row[0])] = true })
	return assessed, explain(err)
}
