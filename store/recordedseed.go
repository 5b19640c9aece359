package store

import (
	"crypto/sha256"
	"errors"
	"time"

	"track"
)

// SeedHere is a recorded seed that is compared with a seed of another database.
type SeedHere struct {
	Row          int64
	ID           string
	Digest       [sha256.Size]byte
	RecordedAt   time.Time
	IsSuperseded bool // or withdrawn
}

const (
	selectSeedHere = `SELECT id, ulid, digest, recorded_at, superseded_at IS NOT NULL AS superseded FROM seed WHERE `
	seedOfID       = selectSeedHere + `ulid = $1`
	seedInPlace    = selectSeedHere + `scenario_id = $1 AND configuration_id = $2 AND number = $3 AND superseded_at IS NULL`
	seedWithdrawn  = selectSeedHere + `scenario_id = $1 AND configuration_id = $2 AND number = $3 AND withdrawn_at IS NOT NULL AND digest = $4`
	// Superseded seeds are few, and no index finds those of a place.
	wasSuperseded = `
	SELECT EXISTS (SELECT 1 FROM seed WHERE superseded_at IS NOT NULL AND withdrawn_at IS NULL AND scenario_id = $1 AND configuration_id = $2 AND number = $3 AND digest = $4)`
	insertRecordedSeed = `INSERT INTO seed (id, ulid, scenario_id, configuration_id, number, outcome, message, digest, environment_id, started_at, duration_us, recorded_at, checksum, superseded_at, withdrawn_at) VALUES `
	takeSeed           = `UPDATE seed SET ulid = $1, message = $2, environment_id = $3, started_at = $4, duration_us = $5, recorded_at = $6, checksum = $7 WHERE id = $8`
	hasRun             = `SELECT EXISTS (SELECT 1 FROM run WHERE seed_id = $1)`
	deleteRun          = `DELETE FROM run WHERE seed_id = $1`
	prunedSeries       = `INSERT INTO series_content (hash, n, pruned_at) VALUES ($1, $2, $3) RETURNING id`
)

// SetNow changes the time that is stored with what the transaction adds: that of another database.
func (t *Tx) SetNow(now time.Time) { t.now = micros(now) }

// SeedOfID returns the seed of an ID; nil if there is none.
func (t *Tx) SeedOfID(id string) (*SeedHere, error) { return t.seedHere(seedOfID, id) }

// SeedInPlace returns the seed that counts for the scenario, the configuration and the number of a seed; nil if there
// is none.
func (t *Tx) SeedInPlace(seed track.Seed) (*SeedHere, error) {
	scenario, configuration, err := t.placeOf(seed)
	if err != nil {
		return nil, err
	}
	return t.seedHere(seedInPlace, scenario, configuration, int64(seed.Number))
}

// Withdrawal returns the withdrawal of what a seed measured, and the seed that has it; nil if there is none.
func (t *Tx) Withdrawal(seed track.Seed, digest [sha256.Size]byte) (w *track.Withdrawal, here *SeedHere, err error) {
	if w, err = t.withdrawnSeed(seed, digest); err != nil || w == nil {
		return nil, nil, err
	}
	scenario, configuration, err := t.placeOf(seed)
	if err == nil {
		here, err = t.seedHere(seedWithdrawn, scenario, configuration, int64(seed.Number), digest[:])
	}
	return w, here, err
}

// WasSuperseded reports whether a seed with this measurement was superseded.
func (t *Tx) WasSuperseded(seed track.Seed, digest [sha256.Size]byte) (was bool, err error) {
	scenario, configuration, err := t.placeOf(seed)
	if err == nil {
		err = t.get(&was, wasSuperseded, scenario, configuration, int64(seed.Number), digest[:])
	}
	return was, err
}

func (t *Tx) placeOf(seed track.Seed) (scenario, configuration int64, err error) {
	if scenario, err = t.scenarioID(seed.Scenario); err == nil {
		configuration, err = t.configurationID(seed.Configuration)
	}
	return scenario, configuration, err
}

func (t *Tx) seedHere(query string, args ...any) (*SeedHere, error) {
	var row struct {
		ID           int64  `db:"id"`
		ULID         string `db:"ulid"`
		Digest       []byte `db:"digest"`
		RecordedAt   int64  `db:"recorded_at"`
		IsSuperseded bool   `db:"superseded"`
	}
	if err := t.get(&row, query, args...); err != nil {
		if isNoRows(err) {
			err = nil
		}
		return nil, err
	}
	here := &SeedHere{Row: row.ID, ID: row.ULID, RecordedAt: fromMicros(row.RecordedAt), IsSuperseded: row.IsSuperseded}
	copy(here.Digest[:], row.Digest)
	return here, nil
}

// AddRecordedSeed stores a seed that does not count, because it is superseded or withdrawn, and returns its row.
func (t *Tx) AddRecordedSeed(seed track.Seed, digest [sha256.Size]byte, supersededAt, withdrawnAt time.Time) (int64, error) {
	columns, err := t.seedColumns(seed, digest)
	if err != nil {
		return 0, err
	}
	t.lookedUp = nil // which have taken the next ids
	rows, err := t.engine.newSeedIDs(t, 1)
	if err != nil {
		return 0, err
	}
	t.added(findSeedByULID, seed.ID)
	t.count(columns[1].(int64), columns[2].(int64), 0)
	t.shardKeys.keep("seed", rows[0], columns[2])
	args := t.arguments()
	args.add(rows[0])
	args.add(columns...)
	args.add(Checksum(columns...), timeOrNull(supersededAt), timeOrNull(withdrawnAt))
	if err := t.insertRows(insertRecordedSeed, 15, args); err != nil {
		return 0, err
	}
	return rows[0], t.addValues(rows[0], seed.Values)
}

// SupersedeAt marks a seed as superseded at a time.
func (t *Tx) SupersedeAt(row int64, at time.Time) error { return t.supersedeAt(row, micros(at)) }

// TakeEarlierSeed gives a seed the ID, the times, the message, the environment and the run of an earlier record of the
// same measurement.
func (t *Tx) TakeEarlierSeed(row int64, seed track.Seed, digest [sha256.Size]byte) error {
	columns, err := t.seedColumns(seed, digest)
	if err != nil {
		return err
	}
	_, err = t.exec(takeSeed, columns[0], columns[5], columns[7], columns[8], columns[9], columns[10], Checksum(columns...), row)
	if err == nil && seed.Run != nil {
		_, err = t.exec(deleteRun, row)
	}
	return err
}

// AddMissingRun stores how the command of a seed ended, unless that is known.
func (t *Tx) AddMissingRun(row int64, run *track.Run) error {
	if run == nil {
		return nil
	}
	known := false
	if err := t.get(&known, hasRun, row); err != nil || known {
		return err
	}
	return t.AddRun(row, *run)
}

// AddPruned stores the names of series and files of a seed whose contents were pruned. A content that is here is kept.
func (t *Tx) AddPruned(row int64, list []track.PrunedContent) error {
	for _, p := range list {
		if p.Series == "" {
			if err := t.addArtifact(row, artifactRecord{Name: p.File, Hash: p.Digest, NBytes: p.N, PrunedAt: p.At}); err != nil {
				return err
			}
			continue
		}
		name, err := t.upsertName("series", p.Series, findSeriesName, insertSeriesName)
		if err != nil {
			return err
		}
		content, err := t.upsertContent(p)
		if err != nil {
			return err
		}
		if err := t.addPart("seed", row, insertSeedSeries, row, name, content); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tx) upsertContent(p track.PrunedContent) (int64, error) {
	var found struct {
		ID     int64 `db:"id"`
		Pruned bool  `db:"pruned"`
	}
	err := t.get(&found, findContent, p.Digest[:])
	if isNoRows(err) {
		err = t.getID(&found.ID, prunedSeries, p.Digest[:], p.N, micros(p.At))
	}
	return found.ID, err
}

// RestoreContents stores contents of series and files again that were pruned here. The seed that has them is here.
func (t *Tx) RestoreContents(list []EncodedSeries, files []track.Artifact) (err error) {
	for _, s := range list {
		_, seriesErr := t.contentID(s)
		err = errors.Join(err, seriesErr)
	}
	for _, a := range files {
		if a.LeftOut == "" {
			_, fileErr := t.artifactContentID(recordOf(a))
			err = errors.Join(err, fileErr)
		}
	}
	return err
}
