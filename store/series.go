package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"track"
)

// EncodedSeries is a series in the form in which it is stored.
type EncodedSeries struct {
	Name   string
	Hash   [sha256.Size]byte // see [track.Series.Hash]
	N      int
	Chunks []SeriesChunk
}

// SeriesChunk is a run of numbers of a series, encoded by package series.
type SeriesChunk struct {
	N    int    `db:"n"`
	Data []byte `db:"data"`
}

const (
	findSeriesName   = `SELECT id FROM series_name WHERE name = $1`
	insertSeriesName = `INSERT INTO series_name (name) VALUES ($1) RETURNING id`
	findContent      = `SELECT id, pruned_at IS NOT NULL AS pruned FROM series_content WHERE hash = $1`
	insertContent    = `INSERT INTO series_content (hash, n) VALUES ($1, $2) RETURNING id`
	restoreContent   = `UPDATE series_content SET pruned_at = NULL WHERE id = $1`
	insertChunk      = `INSERT INTO series_chunk (content_id, position, n, data{, hash}) VALUES ($1, $2, $3, $4{, $5})`
	insertSeedSeries = `INSERT INTO seed_series (seed_id, name_id, content_id{, configuration_id}) VALUES ($1, $2, $3{, $4})`
)

// AddSeries stores the series of a seed. Numbers that are stored already, for whatever seed, are not stored again.
func (t *Tx) AddSeries(seedID int64, list []EncodedSeries) error {
	for _, s := range list {
		name, err := t.upsertName("series", s.Name, findSeriesName, insertSeriesName)
		if err != nil {
			return err
		}
		content, err := t.contentID(s)
		if err != nil {
			return err
		}
		if err := t.addPart("seed", seedID, insertSeedSeries, seedID, name, content); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tx) contentID(s EncodedSeries) (int64, error) {
	var row struct {
		ID     int64 `db:"id"`
		Pruned bool  `db:"pruned"`
	}
	err := t.get(&row, findContent, s.Hash[:])
	switch {
	case err == nil && !row.Pruned:
		return row.ID, nil
	case err == nil:
		_, err = t.exec(restoreContent, row.ID)
	case errors.Is(err, sql.ErrNoRows):
		err = t.get(&row.ID, insertContent, s.Hash[:], s.N)
	}
	if err != nil {
		return 0, err
	}
	t.shardKeys.keep("series_content", row.ID, s.Hash[:])
	for i, chunk := range s.Chunks {
		if err := t.addPart("series_content", row.ID, insertChunk, row.ID, i, chunk.N, chunk.Data); err != nil {
			return 0, err
		}
	}
	return row.ID, nil
}

// SeriesInfo is what is known of a series without its numbers.
type SeriesInfo struct {
	Name     string
	N        int
	Hash     string // hex
	Bytes    int64  // on disk, encoded; 0 if pruned
	PrunedAt time.Time
}

const (
	listSeries = `
	SELECT series_name.name, series_content.n, series_content.hash, series_content.pruned_at,
	       coalesce((SELECT sum(length(data)) FROM series_chunk WHERE content_id = series_content.id), 0) AS bytes
	  FROM seed_series
	  JOIN series_name ON series_name.id = seed_series.name_id
	  JOIN series_content ON series_content.id = seed_series.content_id
	 WHERE seed_series.seed_id = (SELECT id FROM seed WHERE ulid = $1)
	 ORDER BY series_name.name`
	listChunks = `
	SELECT series_chunk.n, series_chunk.data
	  FROM seed_series
	  JOIN series_chunk ON series_chunk.content_id = seed_series.content_id
	 WHERE seed_series.seed_id = (SELECT id FROM seed WHERE ulid = $1)
	   AND seed_series.name_id = (SELECT id FROM series_name WHERE name = $2)
	 ORDER BY series_chunk.position`
)

// Series lists the series of the seed with this ULID, by name.
func (r *Reader) Series(ctx context.Context, ulid string) ([]SeriesInfo, error) {
	var rows []struct {
		Name     string        `db:"name"`
		N        int           `db:"n"`
		Hash     []byte        `db:"hash"`
		Bytes    int64         `db:"bytes"`
		PrunedAt sql.NullInt64 `db:"pruned_at"`
	}
	if err := r.read().SelectContext(ctx, &rows, listSeries, ulid); err != nil {
		return nil, explain(err)
	}
	list := make([]SeriesInfo, len(rows))
	for i, row := range rows {
		list[i] = SeriesInfo{Name: row.Name, N: row.N, Hash: hex.EncodeToString(row.Hash), Bytes: row.Bytes}
		if row.PrunedAt.Valid {
			list[i].PrunedAt = fromMicros(row.PrunedAt.Int64)
		}
	}
	return list, nil
}

// SeriesChunks returns the chunks of one series of the seed with this ULID, in order, without a look at the others.
// There are none where the seed has no such series, where it is empty, and where it was pruned.
func (r *Reader) SeriesChunks(ctx context.Context, ulid, name string) ([]SeriesChunk, error) {
	var chunks []SeriesChunk
	return chunks, explain(r.read().SelectContext(ctx, &chunks, listChunks, ulid, name))
}

const listSeedIDs = `SELECT seed.number, seed.ulid FROM seed WHERE {selection} ORDER BY seed.number < 0, seed.number, seed.id`

// SeedIDs returns the identifiers and numbers of the seeds of a selection, by number. The spec of the selection does
// not matter.
func (r *Reader) SeedIDs(ctx context.Context, sel Selection) ([]track.RecordedSeed, error) {
	var rows []struct {
		Number track.SeedNumber `db:"number"`
		ULID   string           `db:"ulid"`
	}
	query, args := sel.of(listSeedIDs)
	if err := r.read().SelectContext(ctx, &rows, query, args...); err != nil {
		return nil, explain(err)
	}
	seeds := make([]track.RecordedSeed, len(rows))
	for i, row := range rows {
		seeds[i] = track.RecordedSeed{ID: row.ULID, Number: row.Number, Scenario: sel.Scenario}
	}
	return seeds, nil
}

// PruneRule selects the seeds that keep their series or artifacts: seeds recorded at or after Before, the newest Keep
// of each scenario, and those that are retained. Zero values keep nothing.
type PruneRule struct {
	Before time.Time
	Keep   int
	Retain Retained
}

// args returns the number of seeds, the time and what is retained, as queries take them.
func (r PruneRule) args() []any {
	before := int64(0)
	if !r.Before.IsZero() {
		before = micros(r.Before)
	}
	return []any{r.Keep, before, int64(r.Retain)}
}

// Pruned counts what pruning frees.
type Pruned struct {
	Seeds    int   // whose series or artifacts were pruned, all or some
	Contents int   // different contents freed; not counting those that a kept seed shares
	Bytes    int64 // as stored
}

const (
	keptSeeds = `
	WITH ranked AS (
	    SELECT id, row_number() OVER (PARTITION BY scenario_id ORDER BY recorded_at DESC, id DESC) AS rank,` + keptReason + ` AS reason
	      FROM seed
	     WHERE id IN (SELECT seed_id FROM seed_series)
	), kept AS MATERIALIZED (
	    SELECT id FROM ranked WHERE (CAST($1 AS bigint) > 0 AND rank <= $1) OR reason IS NOT NULL
	), pruned AS MATERIALIZED (
	    SELECT series_content.id FROM series_content
	     WHERE series_content.pruned_at IS NULL
	       AND NOT EXISTS (SELECT 1 FROM seed_series WHERE content_id = series_content.id AND seed_id IN (SELECT id FROM kept))
	)`
	countPruned = keptSeeds + `
	SELECT (SELECT count(DISTINCT seed_id) FROM seed_series WHERE content_id IN (SELECT id FROM pruned)) AS seeds,
	       (SELECT count(*) FROM pruned) AS contents,
	       (SELECT coalesce(sum(length(data)), 0) FROM series_chunk WHERE content_id IN (SELECT id FROM pruned)) AS bytes`
	// At least one content, and no more than take so many rows with their chunks.
	markPruned = keptSeeds + `, counted AS (
	    SELECT id, row_number() OVER (ORDER BY id) AS place,
	           sum(1 + (SELECT count(*) FROM series_chunk WHERE content_id = pruned.id)) OVER (ORDER BY id) AS total
	      FROM pruned
	)
	UPDATE series_content SET pruned_at = $4 WHERE id IN (SELECT id FROM counted WHERE place = 1 OR total <= CAST($5 AS bigint))`
	deleteChunks = `DELETE FROM series_chunk WHERE content_id IN (SELECT id FROM series_content WHERE pruned_at = $1)`
)

// PruneSeries deletes the numbers of series that no kept seed has, and gives the space back to the disk. Values,
// results, and the length and hash of each series stay. A dry run only counts.
func (s *Store) PruneSeries(ctx context.Context, rule PruneRule, dryRun bool) (Pruned, error) {
	if rule.Keep < 0 || rule.Keep == 0 && rule.Before.IsZero() {
		return Pruned{}, fmt.Errorf("%w: prune needs a number of seeds to keep or a time", track.ErrInvalid)
	}
	args := rule.args()
	var row struct {
		Seeds    int   `db:"seeds"`
		Contents int   `db:"contents"`
		Bytes    int64 `db:"bytes"`
	}
	if dryRun {
		err := s.read().GetContext(ctx, &row, countPruned, args...)
		return Pruned(row), explain(err)
	}
	err := explain(s.read().GetContext(ctx, &row, countPruned, args...))
	if err == nil {
		err = s.inSteps(ctx, func(tx *Tx, rows int64) (int64, error) {
			n, err := tx.change(markPruned, append(args, tx.now, rows)...)
			if err != nil || n == 0 {
				return 0, err
			}
			_, err = tx.exec(deleteChunks, tx.now)
			return n, err
		})
	}
	if err == nil && row.Bytes > 0 {
		err = s.pool.engine.vacuum(ctx, s)
	}
	return Pruned(row), err
}
