package store

import (
	"cmp"
	"crypto/sha256"
	"database/sql"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"track"
	"track/scoring"
)

const (
	insertSeed = `
	INSERT INTO seed (ulid, scenario_id, configuration_id, number, outcome, message, digest, environment_id, started_at, duration_us, recorded_at, checksum)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
	ON CONFLICT (scenario_id, configuration_id, number) WHERE superseded_at IS NULL DO NOTHING RETURNING id`
	insertNewSeeds = `INSERT INTO seed (id, ulid, scenario_id, configuration_id, number, outcome, message, digest, environment_id, started_at, duration_us, recorded_at, checksum) VALUES `
	findSeed       = `
	SELECT id, digest FROM seed
	 WHERE scenario_id = $1 AND configuration_id = $2 AND number = $3 AND superseded_at IS NULL`
	supersedeSeed  = `UPDATE seed SET superseded_at = $1 WHERE id = $2 RETURNING scenario_id, configuration_id`
	insertValues   = `INSERT INTO packed_value (seed_id, numbers) VALUES `
	insertAssessed = `INSERT INTO assessment (seed_id, spec_id, total_score, n_pass, n_warn, n_fail, assessed_at, checksum) VALUES `
	insertResults  = `INSERT INTO packed_result (seed_id, spec_id, results) VALUES `
)

// Existing is the recorded seed with the identity of one to be recorded.
type Existing struct {
	ID        int64
	Same      bool              // it measured the same: outcome and values are equal
	Withdrawn *track.Withdrawal // of the same measurement; nil if it counts
}

// AddSeed stores seed, whose ID, RecordedAt and digest are given. Where its scenario, configuration and number are
// taken it stores nothing and returns the seed that has them; likewise if this measurement was withdrawn.
func (t *Tx) AddSeed(seed track.Seed, digest [sha256.Size]byte) (id int64, existing *Existing, err error) {
	columns, err := t.seedColumns(seed, digest)
	if err != nil {
		return 0, nil, err
	}
	id, existing, err = t.storeSeed(&seed, digest, append(columns, Checksum(columns...)))
	if err == nil && existing == nil {
		t.added(findSeedByULID, seed.ID)
		t.count(columns[1].(int64), columns[2].(int64), 1)
	}
	return id, existing, err
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

// storeSeed stores the row and the values of a seed, unless another one has its place or the measurement was withdrawn.
func (t *Tx) storeSeed(seed *track.Seed, digest [sha256.Size]byte, columns []any) (id int64, existing *Existing, err error) {
	configuration := columns[2]
	if _, asked := t.lookedUp[seedPlaceOf(seed)]; !asked {
		if id, err = t.engine.addNewSeed(t, columns, seed.Values); err != nil || id != 0 {
			t.shardKeys.keep("seed", id, configuration)
			return id, nil, err
		}
	}
	if withdrawn, err := t.withdrawnSeed(*seed, digest); err != nil || withdrawn != nil {
		return 0, &Existing{Withdrawn: withdrawn}, err
	}
	id, existing, err = t.insertSeed(seed, digest, columns)
	if err == nil && existing == nil {
		t.shardKeys.keep("seed", id, configuration)
		err = t.addValues(id, seed.Values)
	}
	return id, existing, err
}

// insertSeed stores the row of a seed, unless another one has its place.
func (t *Tx) insertSeed(seed *track.Seed, digest [sha256.Size]byte, columns []any) (id int64, existing *Existing, err error) {
	if len(t.lookedUp) > 0 {
		place := seedPlaceOf(seed)
		if here, asked := t.lookedUp[place]; asked && here.id != 0 {
			return 0, &Existing{ID: here.id, Same: here.digest == digest}, nil
		} else if asked {
			id = t.takeSeedID()
			t.lookedUp[place] = seedHere{id, digest}
			return id, nil, t.insertNewSeed(id, columns)
		}
	}
	err = t.getID(&id, insertSeed, columns...)
	if errors.Is(err, sql.ErrNoRows) {
		scenario, configuration := columns[1].(int64), columns[2].(int64)
		existing, err = t.existingSeed(scenario, configuration, seed.Number, digest)
		return 0, existing, err
	}
	t.nRows++
	return id, nil, err
}

// insertNewSeed stores the row of a seed whose place is free. If another transaction takes the place meanwhile, this
// one fails and runs again.
func (t *Tx) insertNewSeed(id int64, columns []any) error {
	args := t.arguments()
	args.add(id)
	for _, column := range columns {
		args.add(column)
	}
	return t.insertRows(insertNewSeeds, 13, args)
}

func (t *Tx) existingSeed(scenario, configuration int64, number track.SeedNumber, digest [sha256.Size]byte) (*Existing, error) {
	var row struct {
		ID     int64  `db:"id"`
		Digest []byte `db:"digest"`
	}
	err := t.get(&row, findSeed, scenario, configuration, number)
	return &Existing{ID: row.ID, Same: string(row.Digest) == string(digest[:])}, err
}

// Supersede marks the seed with this id as superseded, so that another seed can be recorded with its identity.
func (t *Tx) Supersede(id int64) error {
	return t.supersedeAt(id, t.now)
}

func (t *Tx) supersedeAt(id, at int64) error {
	var of struct {
		Scenario      int64 `db:"scenario_id"`
		Configuration int64 `db:"configuration_id"`
	}
	err := t.get(&of, supersedeSeed, at, id)
	if err == nil {
		t.forgetPlaceOf(id)
		t.count(of.Scenario, of.Configuration, -1)
	}
	return err
}

// valueRow is a value in the order of the table.
type valueRow struct {
	name   string
	metric int64
	value  float64
}

func compareMetrics(a, b valueRow) int { return cmp.Compare(a.metric, b.metric) }

// valueRows returns the values of metrics whose ids are known, and the names of the others. The rows are valid until
// the next call. They are in the order of the table, unless some are not known. Most seeds measure what the one before
// did.
func (t *Tx) valueRows(values map[string]float64) (rows []valueRow, unknown []string) {
	if rows = t.ids.values; t.isLike(values, rows) {
		return rows, nil
	}
	rows = rows[:0]
	for name, value := range values {
		if metric, known := t.ids.metrics[name]; known {
			rows = append(rows, valueRow{name, metric, value})
		} else {
			unknown = append(unknown, name)
		}
	}
	slices.SortFunc(rows, compareMetrics)
	t.ids.values = rows
	return rows, unknown
}

// isLike reports whether values are of the same metrics as rows, which it gives these values.
func (t *Tx) isLike(values map[string]float64, rows []valueRow) bool {
	if len(values) != len(rows) {
		return false
	}
	for i := range rows {
		value, found := values[rows[i].name]
		if !found {
			return false
		}
		rows[i].value = value
	}
	return true
}

func (t *Tx) addValues(seedID int64, values map[string]float64) error {
	rows, unknown := t.valueRows(values)
	if len(unknown) > 0 {
		if err := t.learnMetrics(unknown); err != nil {
			return err
		}
		rows, _ = t.valueRows(values)
	}
	if len(rows) == 0 {
		return nil
	}
	args := t.arguments()
	args.add(seedID, t.packValues(rows))
	return t.insertRows(insertValues, 2, args)
}

// packValues returns the values of a seed as they are stored.
func (t *Tx) packValues(rows []valueRow) string {
	t.ids.packed = appendValues(t.ids.packed[:0], rows)
	return string(t.ids.packed)
}

// AddAssessment stores the judgement of a seed under a spec, with the values that were computed from its series. Metrics
// of the spec are known since it was added.
func (t *Tx) AddAssessment(seedID, specID int64, a scoring.Assessment, computed ...scoring.ComputedValue) error {
	columns := []any{seedID, specID, nil, int64(a.NPass), int64(a.NWarn), int64(a.NFail), t.now}
	if a.Scored {
		columns[2] = a.TotalScore
	}
	rows, err := t.resultRows(a.Results)
	if err != nil {
		return err
	}
	t.addComputed(rows, computed)
	t.ids.packed = appendResults(t.ids.packed[:0], rows)
	results := string(t.ids.packed)
	args := t.arguments()
	args.add(append(columns, Checksum(append(columns, results)...))...)
	if err := t.insertRows(insertAssessed, 8, args); err != nil {
		return err
	}
	args = t.arguments()
	args.add(seedID, specID, results)
	return t.insertRows(insertResults, 3, args)
}

// resultRows returns rows of results, which are valid until the next call. Most seeds are judged under the spec of the
// one before.
func (t *Tx) resultRows(results []scoring.Result) ([]storedResult, error) {
	rows := t.ids.results[:min(len(t.ids.results), len(results))]
	for i, r := range results {
		if i == len(rows) {
			rows = append(rows, storedResult{})
		}
		row := &rows[i]
		if row.name != r.Name || row.name == "" {
			metric, err := t.metricID(r.Name)
			if err != nil {
				return nil, err
			}
			row.name, row.metric = r.Name, metric
		}
		row.isComputed, row.value, row.reason = false, 0, ""
		if row.status, row.score = statusCode(r.Status), r.Score; r.Missing() {
			row.score = math.NaN()
		}
	}
	t.ids.results = rows
	return rows, nil
}

// addComputed adds values that were computed from series, or why there are none, to the results.
func (t *Tx) addComputed(rows []storedResult, computed []scoring.ComputedValue) {
	for _, v := range computed {
		i := slices.IndexFunc(rows, func(r storedResult) bool { return r.name == v.Metric })
		if i >= 0 {
			reason, _ := t.free(v.Reason).(string)
			rows[i].isComputed, rows[i].value, rows[i].reason = true, v.Value, reason
		}
	}
}

func statusCode(s scoring.Status) int64 {
	switch s {
	case scoring.Pass:
		return 0
	case scoring.Warn:
		return 1
	}
	return 2
}

func statusOf(code int64) scoring.Status {
	switch code {
	case 0:
		return scoring.Pass
	case 1:
		return scoring.Warn
	}
	return scoring.Fail
}

func nullTime(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return micros(t)
}

func nullMicros(d *time.Duration) any {
	if d == nil {
		return nil
	}
	return d.Microseconds()
}
