package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/jmoiron/sqlx"

	"track"
	"track/scoring"
)

// Two transactions that add a scenario at once take the same id, so that one of them runs again and finds the name that
// the other has added. Lineages are added so too.
const (
	findScenario      = `SELECT id FROM scenario WHERE name = $1`
	insertScenario    = `INSERT INTO scenario (id, name, created_at) VALUES ((SELECT coalesce(max(id), 0) + 1 FROM scenario), $1, $2) RETURNING id`
	findConfiguration = `SELECT id FROM configuration WHERE hash = $1`
	insertConfig      = `
	INSERT INTO configuration (hash, label, params, commit_id, dirty, diff_hash, files_hash, state_unknown, created_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`
	insertPair = `
	INSERT INTO scenario_configuration (scenario_id, configuration_id) SELECT CAST($1 AS bigint), CAST($2 AS bigint)
	 WHERE NOT EXISTS (SELECT 1 FROM scenario_configuration WHERE scenario_id = $1 AND configuration_id = $2)
	ON CONFLICT (scenario_id, configuration_id) DO NOTHING`
	findEnvironment   = `SELECT id FROM environment WHERE hash = $1`
	insertEnvironment = `INSERT INTO environment (hash, document) VALUES ($1, $2) RETURNING id`
)

func (t *Tx) scenarioID(name string) (int64, error) {
	return t.findOrAdd(t.ids.scenarios, name, findScenario, func() (int64, error) {
		if err := t.checkName("scenario", name); err != nil {
			return 0, err
		}
		return t.addRow(insertScenario, name, t.now)
	})
}

func (t *Tx) configurationID(c track.Configuration) (id int64, err error) {
	r := c.Revision // tells configurations apart, faster than their hash
	key := strings.Join([]string{c.Label, string(c.Params), r.Commit, strconv.FormatBool(r.Dirty), r.DiffHash, r.FilesHash, r.Unknown}, "\x00")
	if id, known := t.ids.configurations[key]; known {
		return id, nil
	}
	if err := t.admit(&c); err != nil {
		return 0, err
	}
	id, err = t.findOrAdd(nil, c.Hash(), findConfiguration, func() (int64, error) { return t.addRow(insertConfig, configurationColumnsOf(c, t.now)...) })
	if err == nil {
		t.ids.configurations[key] = id
	}
	return id, err
}

func configurationColumnsOf(c track.Configuration, createdAt int64) []any {
	r := c.Revision
	return []any{
		c.Hash(), nullText(c.Label), string(c.Params.JSON()), nullText(r.Commit), r.Dirty, nullText(r.DiffHash), nullText(r.FilesHash), nullText(r.Unknown), createdAt,
	}
}

func (t *Tx) environmentID(e track.Environment) (int64, error) {
	given, err := environmentDocument(e)
	if err != nil {
		return 0, err
	}
	if id, known := t.ids.environments[given]; known {
		return id, nil
	}
	clean, err := t.freeEnvironment(e)
	if err != nil {
		return 0, err
	}
	document, err := environmentDocument(clean)
	if err != nil {
		return 0, err
	}
	sum := sha256.Sum256([]byte(document))
	hash := hex.EncodeToString(sum[:])
	id, err := t.findOrAdd(nil, hash, findEnvironment, func() (int64, error) { return t.addRow(insertEnvironment, hash, document) })
	if err == nil {
		t.ids.environments[given] = id
	}
	return id, err
}

func environmentDocument(e track.Environment) (string, error) {
	if len(e) == 0 {
		return "{}", nil
	}
	document, err := json.Marshal(map[string]string(e), json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	return string(document), err
}

// placeOf returns the scenario and the configuration of a seed.
func (t *Tx) placeOf(seed track.Seed) (scenario, configuration int64, err error) {
	if scenario, err = t.scenarioID(seed.Scenario); err == nil {
		configuration, err = t.configurationID(seed.Configuration)
	}
	return scenario, configuration, err
}

const (
	insertSeed = `
	INSERT INTO seed (ulid, scenario_id, configuration_id, number, outcome, message, digest, environment_id, started_at, duration_us, recorded_at, checksum, numbers,
	                  superseded_at, withdrawn_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
	ON CONFLICT (scenario_id, configuration_id, number) WHERE superseded_at IS NULL DO NOTHING RETURNING id`
	supersedeSeed = `UPDATE seed SET superseded_at = $1 WHERE id = $2`
)

// Existing is the recorded seed with the identity of one to be recorded.
type Existing struct {
	ID        int64
	Same      bool              // it measured the same: outcome and values are equal
	Withdrawn *track.Withdrawal // of the same measurement; nil if it counts
}

// AddSeed stores seed, whose ID, RecordedAt and digest are given. If its scenario, configuration and number are taken,
// it stores nothing and returns the seed that has them; likewise if this measurement was withdrawn.
func (t *Tx) AddSeed(seed track.Seed, digest [sha256.Size]byte) (id int64, existing *Existing, err error) {
	withdrawn, err := t.withdrawnSeed(seed, digest)
	if err != nil || withdrawn != nil {
		return 0, &Existing{Withdrawn: withdrawn}, err
	}
	id, err = t.addSeed(seed, digest, time.Time{}, time.Time{})
	if !isNoRows(err) {
		return id, nil, err
	}
	here, err := t.SeedInPlace(seed)
	if err != nil || here == nil {
		return 0, nil, errors.Join(err, errors.New("a seed has its place, and is not there"))
	}
	return 0, &Existing{ID: here.Row, Same: here.Digest == digest}, nil
}

// AddRecordedSeed stores a seed that does not count, because it is superseded or withdrawn, and returns its row.
func (t *Tx) AddRecordedSeed(seed track.Seed, digest [sha256.Size]byte, supersededAt, withdrawnAt time.Time) (int64, error) {
	return t.addSeed(seed, digest, supersededAt, withdrawnAt)
}

// addSeed returns [sql.ErrNoRows] if another seed has the place.
func (t *Tx) addSeed(seed track.Seed, digest [sha256.Size]byte, supersededAt, withdrawnAt time.Time) (id int64, err error) {
	for name := range seed.Values {
		if t.ids.names[name] {
			continue
		}
		if err := t.checkName("metric", name); err != nil {
			return 0, err
		}
		t.ids.names[name] = true
	}
	columns, err := t.seedColumns(seed, digest)
	if err != nil {
		return 0, err
	}
	id, err = t.addRow(insertSeed, append(columns, Checksum(columns...), packNumbers(seed.Values), nullTime(supersededAt), nullTime(withdrawnAt))...)
	if err != nil {
		return 0, err
	}
	t.added(findSeedByULID, seed.ID)
	pair := [2]int64{columns[1].(int64), columns[2].(int64)}
	if !t.ids.pairs[pair] {
		_, err = t.exec(insertPair, pair[0], pair[1])
		t.ids.pairs[pair] = true
	}
	return id, err
}

// seedColumns returns the columns of a seed that its checksum covers.
func (t *Tx) seedColumns(seed track.Seed, digest [sha256.Size]byte) ([]any, error) {
	scenario, configuration, err := t.placeOf(seed)
	if err != nil {
		return nil, err
	}
	environment, err := t.environmentID(seed.Environment)
	if err != nil {
		return nil, err
	}
	message := strings.ToValidUTF8(seed.Message, "\uFFFD") // the end of a log, cut anywhere, must stay readable as JSON
	return []any{
		seed.ID, scenario, configuration, int64(seed.Number), string(seed.Outcome), t.free(message), digest[:],
		environment, nullTime(seed.StartedAt), nullMicros(seed.Duration), micros(seed.RecordedAt),
	}, nil
}

// Supersede marks the seed with this id as superseded, so that another seed can be recorded with its identity.
func (t *Tx) Supersede(id int64) error { return t.SupersedeAt(id, fromMicros(t.now)) }

// SupersedeAt marks a seed as superseded at a time.
func (t *Tx) SupersedeAt(row int64, at time.Time) error {
	_, err := t.exec(supersedeSeed, micros(at), row)
	return err
}

// SetNow changes the time that is stored with what the transaction adds: that of another database.
func (t *Tx) SetNow(now time.Time) { t.now = micros(now) }

// SeedHere is a recorded seed that is compared with a seed of another database.
type SeedHere struct {
	Row          int64
	ID           string
	Digest       [sha256.Size]byte
	RecordedAt   time.Time
	IsSuperseded bool // or withdrawn
}

const (
	selectSeedHere = `SELECT id, ulid, digest, recorded_at, superseded_at IS NOT NULL FROM seed WHERE `
	seedOfID       = selectSeedHere + `ulid = $1`
	seedInPlace    = selectSeedHere + `scenario_id = $1 AND configuration_id = $2 AND number = $3 AND superseded_at IS NULL`
	seedWithdrawn  = selectSeedHere + `scenario_id = $1 AND configuration_id = $2 AND number = $3 AND withdrawn_at IS NOT NULL AND digest = $4`
	// Superseded seeds are few, and no index finds those of a place.
	wasSuperseded = `SELECT 1 FROM seed WHERE superseded_at IS NOT NULL AND withdrawn_at IS NULL AND scenario_id = $1 AND configuration_id = $2 AND number = $3 AND digest = $4`
	takeSeed      = `UPDATE seed SET ulid = $1, message = $2, environment_id = $3, started_at = $4, duration_us = $5, recorded_at = $6, checksum = $7 WHERE id = $8`
	deleteRun     = `DELETE FROM run WHERE seed_id = $1`
)

func (t *Tx) seedHere(query string, args ...any) (*SeedHere, error) {
	return first(t.ctx, t.Reader, query, args, func(c *cells) SeedHere { return SeedHere{c.integer(), c.text(), c.digest(), c.time(), c.isTrue()} })
}

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
	if err != nil {
		return false, err
	}
	return t.exists(t.ctx, wasSuperseded, scenario, configuration, int64(seed.Number), digest[:])
}

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

const (
	assessmentTable  = "assessment"
	insertAssessment = `INSERT INTO ` + assessmentTable + ` (seed_id, spec_id, total_score, n_pass, n_warn, n_fail, assessed_at, results, checksum) VALUES `
	widthOfJudged    = 9
	judgedAtOnce     = 128
	listSpecNames    = `SELECT name FROM spec_metric WHERE spec_id = $1 ORDER BY position`
)

// specNames returns the metrics of a spec in their order.
func (r *Reader) specNames(ctx context.Context, specID int64) (names []string, err error) {
	return names, r.selectAll(ctx, &names, listSpecNames, specID)
}

// AddAssessment stores the judgement of a seed under a spec, with the values that were computed from its series. It is
// inserted together with others.
func (t *Tx) AddAssessment(seedID, specID int64, a scoring.Assessment, computed ...scoring.ComputedValue) (err error) {
	names, known := t.ids.metrics[specID]
	if !known {
		if names, err = t.specNames(t.ctx, specID); err != nil {
			return err
		}
		t.ids.metrics[specID] = names
	}
	results := make([]storedResult, len(names))
	for i, r := range a.Results {
		if i >= len(names) || names[i] != r.Name {
			i = slices.Index(names, r.Name)
		}
		if i < 0 {
			continue
		}
		results[i] = storedResult{isJudged: true, status: statusCode(r.Status), score: r.Score}
		if r.Missing() {
			results[i].score = math.NaN()
		}
	}
	for _, v := range computed {
		if i := slices.Index(names, v.Metric); i >= 0 {
			reason, _ := t.free(v.Reason).(string)
			results[i].isComputed, results[i].value, results[i].reason = true, v.Value, reason
		}
	}
	columns := []any{seedID, specID, nil, int64(a.NPass), int64(a.NWarn), int64(a.NFail), t.now, packResults(results)}
	if a.Scored {
		columns[2] = a.TotalScore
	}
	t.judged = append(append(t.judged, columns...), Checksum(columns...))
	if len(t.judged) < judgedAtOnce*widthOfJudged {
		return nil
	}
	return t.insertJudged(t.ctx, assessmentTable)
}

// insertJudged inserts the assessments that were added, if a statement may read them.
func (w *writer) insertJudged(ctx context.Context, before string) error {
	rows := w.judged
	if len(rows) == 0 || !strings.Contains(before, assessmentTable) {
		return nil
	}
	w.judged = nil
	row := "(" + strings.TrimSuffix(strings.Repeat("?,", widthOfJudged), ",") + "),"
	insert := insertAssessment + strings.TrimSuffix(strings.Repeat(row, len(rows)/widthOfJudged), ",")
	stmt, err := w.prepare(ctx, sqlx.Rebind(sqlx.BindType(w.db.DriverName()), insert))
	if err == nil {
		_, err = stmt.ExecContext(ctx, rows...)
	}
	return err
}

const listAssessedOf = `SELECT seed_id FROM assessment WHERE spec_id = $1 AND seed_id IN ({list})`

// Assessed returns which of at most a thousand seeds were judged under a spec.
func (r *Reader) Assessed(ctx context.Context, seedIDs []int64, specID int64) (map[int64]bool, error) {
	assessed := make(map[int64]bool, len(seedIDs))
	var c clauses
	c.add(listAssessedOf, specID, anys(seedIDs))
	query, args := c.statement()
	return assessed, r.each(ctx, query, args, func(c *cells) { assessed[c.integer()] = true })
}

const (
	// Of the times at which a configuration was recorded first, the earlier one counts.
	addConfiguration = `
	INSERT INTO configuration (hash, label, params, commit_id, dirty, diff_hash, files_hash, state_unknown, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
	ON CONFLICT (hash) DO UPDATE SET created_at = excluded.created_at WHERE excluded.created_at < configuration.created_at`
	hasConfiguration = `SELECT 1 FROM configuration WHERE hash = $1`
	// The pairs of a scenario whose place differs from the one that their first seeds have get the negative id of that
	// place.
	movePairs = `
	WITH first AS (
	    SELECT configuration_id, min(recorded_at) AS at FROM seed WHERE scenario_id = (SELECT id FROM scenario WHERE name = $1) GROUP BY configuration_id
	), place AS (
	    SELECT pair.id, row_number() OVER (ORDER BY pair.id) AS here, row_number() OVER (ORDER BY first.at, pair.id) AS there
	      FROM scenario_configuration AS pair JOIN first ON first.configuration_id = pair.configuration_id
	     WHERE pair.scenario_id = (SELECT id FROM scenario WHERE name = $1)
	)
	UPDATE scenario_configuration SET id = -(SELECT other.id FROM place AS own JOIN place AS other ON other.here = own.there WHERE own.id = scenario_configuration.id)
	 WHERE id IN (SELECT id FROM place WHERE here <> there)`
	negatePairs = `UPDATE scenario_configuration SET id = -id WHERE id < 0`
)

// AddConfiguration stores a configuration of another database, and reports whether it is new.
func (t *Tx) AddConfiguration(c track.Configuration) (added bool, err error) {
	if err := t.admit(&c); err != nil {
		return false, err
	}
	known, err := t.exists(t.ctx, hasConfiguration, c.Hash())
	if err == nil {
		_, err = t.exec(addConfiguration, configurationColumnsOf(c, t.now)...)
	}
	return !known, err
}

// OrderConfigurations puts the configurations of a scenario into the order of their first seeds, as they are if one
// database records all seeds.
func (t *Tx) OrderConfigurations(scenario string) error {
	n, err := t.change(movePairs, scenario)
	if err == nil && n > 0 {
		_, err = t.exec(negatePairs)
	}
	return err
}
