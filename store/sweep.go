package store

import (
	"cmp"
	"crypto/sha256"
	"database/sql"
	"errors"
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
)

const (
	insertSweep = `
	INSERT INTO sweep (ulid, scenario_id, plan, plan_digest, shard, n_shards, environment_id, changes_id, libraries_id, started_at, ended_at, ending,
	                   code_changed, withdrawn_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,
	       (SELECT CASE action WHEN 'withdrawn' THEN at END FROM withdrawal WHERE sweep = $1 AND kind = 'sweep' ORDER BY at DESC, ulid DESC LIMIT 1))
	ON CONFLICT (ulid) DO NOTHING RETURNING id`
	findSweep      = `SELECT id FROM sweep WHERE ulid = $1`
	endSweep       = `UPDATE sweep SET ended_at = $1, ending = $2, code_changed = CASE WHEN $3 = 1 THEN 1 ELSE code_changed END WHERE ulid = $4`
	sweepState     = `SELECT id, ended_at FROM sweep WHERE ulid = $1`
	insertSwept    = `INSERT INTO sweep_configuration (sweep_id, configuration_id, position) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`
	insertPlanned  = `INSERT INTO sweep_seeds (sweep_id, configuration_id, first, last) VALUES `
	deletePlanned  = `DELETE FROM sweep_seeds WHERE sweep_id = $1 AND configuration_id = $2`
	findAttachment = `SELECT id FROM attachment WHERE hash = $1`
	addAttachment  = `INSERT INTO attachment (hash, n_bytes, data) VALUES ($1, $2, $3) RETURNING id`
	insertRun      = `
	INSERT INTO run (seed_id, sweep_id, attempt, exit_code, signal, stderr_id, cpu_us, rss_bytes{, configuration_id})
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8{, $9})`
	insertRepetition = `
	INSERT INTO repetition (ulid, seed_id, sweep_id, digest, differences, repeated_at{, configuration_id})
	SELECT $1, seed.id, $2, $3, $4, $5{, seed.configuration_id} FROM seed WHERE seed.ulid = $6
	ON CONFLICT DO NOTHING`
)

// AddSweep stores a sweep under its ID, and reports whether it was new.
func (t *Tx) AddSweep(s track.Sweep) (added bool, err error) {
	if err := t.admit(&s); err != nil {
		return false, err
	}
	scenario, err := t.scenarioID(s.Scenario)
	if err != nil {
		return false, err
	}
	environment, err := t.environmentID(s.Environment)
	if err != nil {
		return false, err
	}
	changes, err := t.attachment(s.Changes)
	if err != nil {
		return false, err
	}
	libraries, err := t.attachment(s.Libraries)
	if err != nil {
		return false, err
	}
	var id int64
	err = t.getID(&id, insertSweep, s.ID, scenario, s.Plan, planDigest(s.Plan), s.Shard, s.NShards, environment, changes, libraries, micros(s.StartedAt),
		nullTime(s.EndedAt), nullText(string(s.Ending)), s.CodeChanged)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	t.added(findSweepByULID, s.ID)
	for i, p := range s.Planned {
		configuration, err := t.configurationID(p.Configuration)
		if err != nil {
			return false, err
		}
		if _, err := t.exec(insertSwept, id, configuration, i); err != nil {
			return false, err
		}
		if err := t.addPlanned(id, configuration, p.Seeds); err != nil {
			return false, err
		}
	}
	return true, nil
}

// SetPlanned changes the planned seeds of a configuration after a rule ended it.
func (t *Tx) SetPlanned(sweep string, p track.PlannedSeeds) error {
	var id int64
	if err := t.getID(&id, findSweep, sweep); err != nil {
		return err
	}
	configuration, err := t.configurationID(p.Configuration)
	if err == nil {
		_, err = t.exec(deletePlanned, id, configuration)
	}
	if err == nil {
		err = t.addPlanned(id, configuration, p.Seeds)
	}
	return err
}

// UpdateSweep notes how a sweep of another process ended, and what it planned in the end, unless it ended later here.
func (t *Tx) UpdateSweep(s track.Sweep) error {
	var row struct {
		ID      int64         `db:"id"`
		EndedAt sql.NullInt64 `db:"ended_at"`
	}
	if err := t.get(&row, sweepState, s.ID); err != nil || s.EndedAt.IsZero() || row.EndedAt.Valid && row.EndedAt.Int64 >= micros(s.EndedAt) {
		return err
	}
	for i, p := range s.Planned {
		configuration, err := t.configurationID(p.Configuration)
		if err == nil {
			_, err = t.exec(insertSwept, row.ID, configuration, i)
		}
		if err == nil {
			err = t.SetPlanned(s.ID, p)
		}
		if err != nil {
			return err
		}
	}
	return t.EndSweep(s)
}

// addPlanned stores planned seeds, one row a range. A range over 2^63 becomes two, because the database compares signed
// numbers.
func (t *Tx) addPlanned(sweep, configuration int64, seeds track.SeedRanges) error {
	args := t.arguments()
	for _, r := range seeds {
		if r.First <= math.MaxInt64 && r.Last > math.MaxInt64 {
			args.add(sweep, configuration, int64(r.First), int64(math.MaxInt64))
			args.add(sweep, configuration, int64(math.MinInt64), int64(r.Last))
			continue
		}
		args.add(sweep, configuration, int64(r.First), int64(r.Last))
	}
	return t.insertRows(insertPlanned, 4, args)
}

// planDigest identifies a plan, whichever version of this program wrote it.
func planDigest(plan string) []byte {
	var settings map[string]jsontext.Value
	if err := json.Unmarshal([]byte(plan), &settings); err == nil {
		delete(settings, "track_version")
		if text, err := json.Marshal(settings, json.Deterministic(true)); err == nil {
			plan = string(text)
		}
	}
	digest := sha256.Sum256([]byte(plan))
	return digest[:]
}

// EndSweep notes when and why a sweep ended.
func (t *Tx) EndSweep(s track.Sweep) error {
	_, err := t.exec(endSweep, micros(s.EndedAt), nullText(string(s.Ending)), s.CodeChanged, s.ID)
	return err
}

// AddRun stores how the command of a seed ended. It stores nothing if the sweep is missing.
func (t *Tx) AddRun(seedID int64, run track.Run) error {
	var sweep int64
	err := t.getID(&sweep, findSweep, run.Sweep)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	stderr, err := t.attachment(run.Stderr)
	if err = cmp.Or(err, t.checkName("run.signal", run.Signal)); err != nil {
		return err
	}
	return t.addPart("seed", seedID, insertRun, seedID, sweep, run.Attempts, run.ExitCode, nullText(run.Signal), stderr, nullMicros(run.CPU), run.MaxRSS)
}

// AddRepetition stores what became of a seed, named by its ULID, that was run again. A repetition with the same ID is
// stored once.
func (t *Tx) AddRepetition(seed string, r track.Repetition) error {
	var sweep *int64
	if r.Sweep != "" {
		sweep = new(int64)
		if err := t.getID(sweep, findSweep, r.Sweep); err != nil {
			return err
		}
	}
	var differences any
	if len(r.Differences) > 0 {
		text, err := json.Marshal(r.Differences)
		if err != nil {
			return err
		}
		clean, _ := t.texts.Document(string(text))
		differences = clean
	}
	_, err := t.exec(insertRepetition, r.ID, sweep, r.Digest[:], differences, micros(r.RepeatedAt), seed)
	t.added(findRepetitionByULID, r.ID, seed)
	return err
}

// attachment stores a text once, and returns its id; nil for the empty one.
func (t *Tx) attachment(text string) (*int64, error) {
	if text, _ = t.texts.Text(text); text == "" {
		return nil, nil
	}
	hash := sha256.Sum256([]byte(text))
	var id int64
	err := t.getID(&id, findAttachment, hash[:])
	if errors.Is(err, sql.ErrNoRows) {
		var data []byte
		if data, err = t.compress(text); err == nil {
			err = t.getID(&id, addAttachment, hash[:], len(text), data)
		}
	}
	return &id, err
}
