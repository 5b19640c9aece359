package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
)

const (
	insertSweep = `
	INSERT INTO sweep (ulid, scenario_id, plan, plan_digest, shard, n_shards, environment_id, changes_id, libraries_id, started_at, ended_at, ending,
	                   code_changed, note)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
	ON CONFLICT (ulid) DO NOTHING RETURNING id`
	findSweep      = `SELECT id FROM sweep WHERE ulid = $1`
	endSweep       = `UPDATE sweep SET ended_at = $1, ending = $2, code_changed = code_changed OR $3, note = $4 WHERE ulid = $5`
	insertSwept    = `INSERT INTO sweep_configuration (sweep_id, configuration_id, position) VALUES ($1, $2, $3)`
	insertPlanned  = `INSERT INTO sweep_seeds (sweep_id, configuration_id, first, last) VALUES `
	deletePlanned  = `DELETE FROM sweep_seeds WHERE sweep_id = $1 AND configuration_id = $2`
	findAttachment = `SELECT id FROM attachment WHERE hash = $1`
	addAttachment  = `INSERT INTO attachment (hash, n_bytes, data) VALUES ($1, $2, $3) RETURNING id`
	insertRun      = `
	INSERT INTO run (seed_id, sweep_id, attempt, exit_code, signal, stderr_id, cpu_us, rss_bytes) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`
	insertRepetition = `
	INSERT INTO repetition (ulid, seed_id, sweep_id, digest, differences, repeated_at)
	SELECT $1, seed.id, $2, $3, $4, $5 FROM seed WHERE seed.ulid = $6`
)

// AddSweep stores a sweep, and says whether it was new. Its ID is given.
func (t *Tx) AddSweep(s track.Sweep) (added bool, err error) {
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
		nullTime(s.EndedAt), nullText(string(s.Ending)), s.CodeChanged, nullText(s.Note))
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
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

// SetPlanned changes the planned seeds of a configuration, as a rule that was declared before says.
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

// addPlanned stores planned seeds, one row a range. A range over 2^63 becomes two, because the database compares signed numbers.
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
	_, err := t.exec(endSweep, micros(s.EndedAt), nullText(string(s.Ending)), s.CodeChanged, nullText(s.Note), s.ID)
	return err
}

// AddRun stores how the command of a seed ended. A sweep that is not here leaves it out: the seed stands without.
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
	if err != nil {
		return err
	}
	_, err = t.exec(insertRun, seedID, sweep, run.Attempts, run.ExitCode, nullText(run.Signal), stderr, nullMicros(run.CPU), run.MaxRSS)
	return err
}

// AddRepetition stores what became of a seed, named by its ULID, that was run again.
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
		differences = string(text)
	}
	_, err := t.exec(insertRepetition, r.ID, sweep, r.Digest[:], differences, micros(r.RepeatedAt), seed)
	return err
}

// attachment stores a text once, and returns its id; nil for the empty one.
func (t *Tx) attachment(text string) (*int64, error) {
	if text == "" {
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

const (
	listRecorded = `
	SELECT seed.number, seed.outcome FROM seed
	 WHERE seed.scenario_id = (SELECT id FROM scenario WHERE name = $1) AND seed.superseded_at IS NULL
	   AND seed.configuration_id = (SELECT id FROM configuration WHERE hash = $2)`
	findRecorded = listRecorded + ` AND seed.number = $3`
)

// RecordedOutcomes returns the outcomes of the recorded seeds of a configuration, by number.
func (r *Reader) RecordedOutcomes(ctx context.Context, scenario, configuration string) (map[track.SeedNumber]track.Outcome, error) {
	return r.outcomes(ctx, listRecorded, scenario, configuration)
}

func (r *Reader) outcomes(ctx context.Context, query string, args ...any) (map[track.SeedNumber]track.Outcome, error) {
	var rows []struct {
		Number  track.SeedNumber `db:"number"`
		Outcome track.Outcome    `db:"outcome"`
	}
	if err := r.read().SelectContext(ctx, &rows, query, args...); err != nil {
		return nil, explain(err)
	}
	outcomes := make(map[track.SeedNumber]track.Outcome, len(rows))
	for _, row := range rows {
		outcomes[row.Number] = row.Outcome
	}
	return outcomes, nil
}

const listRecordedNumbers = `SELECT seed.number FROM seed WHERE {selection}`

// RecordedNumbers lists the seeds of a configuration, in no order.
func (r *Reader) RecordedNumbers(ctx context.Context, scenario string, configuration int64) (list []track.SeedNumber, err error) {
	query, args := Selection{Scenario: scenario, Configurations: []int64{configuration}}.of(listRecordedNumbers)
	err = r.read().SelectContext(ctx, &list, query, args...)
	return list, explain(err)
}

const countRecorded = `SELECT count(*) FROM seed WHERE {selection}`

// CountRecorded counts the seeds of a selection.
func (r *Reader) CountRecorded(ctx context.Context, sel Selection) (n int, err error) {
	query, args := sel.of(countRecorded)
	err = r.read().GetContext(ctx, &n, query, args...)
	return n, explain(err)
}

// RecordedOutcome returns the outcome of a recorded seed; empty if the seed is not recorded.
func (r *Reader) RecordedOutcome(ctx context.Context, scenario, configuration string, number track.SeedNumber) (track.Outcome, error) {
	outcomes, err := r.outcomes(ctx, findRecorded, scenario, configuration, number)
	return outcomes[number], err
}

// Where the same plan was cut short and later decided by its rule, what it planned at first is not missing.
const listPlanned = `
	SELECT sweep_seeds.first, sweep_seeds.last
	  FROM sweep_configuration
	  JOIN sweep ON sweep.id = sweep_configuration.sweep_id
	  JOIN sweep_seeds ON sweep_seeds.sweep_id = sweep.id AND sweep_seeds.configuration_id = sweep_configuration.configuration_id
	 WHERE sweep_configuration.configuration_id = $1 AND sweep.scenario_id = (SELECT id FROM scenario WHERE name = $2)
	   AND sweep.ending IS DISTINCT FROM 'withdrawn' AND (coalesce(sweep.ending IN ('finished', 'decided'), FALSE) OR NOT EXISTS (
	        SELECT 1 FROM sweep_configuration AS other JOIN sweep AS decided ON decided.id = other.sweep_id
	         WHERE other.configuration_id = sweep_configuration.configuration_id AND decided.scenario_id = sweep.scenario_id
	           AND decided.ending = 'decided' AND decided.shard = sweep.shard AND decided.plan_digest = sweep.plan_digest))`

// rangeRow is a range of planned seeds. Numbers from 2^63 are stored as negative ones.
type rangeRow struct {
	First track.SeedNumber `db:"first"`
	Last  track.SeedNumber `db:"last"`
}

func seedRanges(rows []rangeRow) track.SeedRanges {
	ranges := make([]track.SeedRange, len(rows))
	for i, row := range rows {
		ranges[i] = track.SeedRange{First: row.First, Last: row.Last}
	}
	return track.NewSeedRanges(ranges...)
}

// PlannedSeeds are the seeds that sweeps were to run of a configuration; none where no sweep did.
func (r *Reader) PlannedSeeds(ctx context.Context, scenario string, configuration int64) (track.SeedRanges, error) {
	var rows []rangeRow
	if err := r.read().SelectContext(ctx, &rows, listPlanned, configuration, scenario); err != nil {
		return nil, explain(err)
	}
	return seedRanges(rows), nil
}

// listSweepsOf are those that ran seeds of a configuration, or whose plan of it was withdrawn.
const listSweepsOf = `
	SELECT sweep.plan ->> 'command' AS command, coalesce(sweep.plan ->> 'env', '[]') AS env, sweep.code_changed, coalesce(sweep.ending, '') AS ending,
	       coalesce(sweep.note, '') AS note
	  FROM sweep_configuration JOIN sweep ON sweep.id = sweep_configuration.sweep_id
	 WHERE sweep_configuration.configuration_id = $1 AND sweep.scenario_id = (SELECT id FROM scenario WHERE name = $2)
	   AND (sweep.ending = 'withdrawn' OR EXISTS (
	        SELECT 1 FROM run JOIN seed ON seed.id = run.seed_id
	         WHERE run.sweep_id = sweep.id AND seed.configuration_id = sweep_configuration.configuration_id AND seed.superseded_at IS NULL))
	 ORDER BY sweep.started_at, sweep.ulid`

// SweepOf is what a sweep says of the seeds of a configuration that it ran.
type SweepOf struct {
	Command     string            `db:"command"` // JSON array, with placeholders
	Env         string            `db:"env"`     // JSON array
	CodeChanged bool              `db:"code_changed"`
	Ending      track.SweepEnding `db:"ending"`
	Note        string            `db:"note"`
}

// SweepsOf lists the sweeps that ran seeds of a configuration, or whose plan of it was withdrawn, the oldest first.
func (r *Reader) SweepsOf(ctx context.Context, scenario string, configuration int64) (list []SweepOf, err error) {
	err = r.read().SelectContext(ctx, &list, listSweepsOf, configuration, scenario)
	return list, explain(err)
}

// listSweptTogether are the configurations of the newest sweep that ran the given one, as far as they have seeds.
const listSweptTogether = `
	SELECT ` + configurationColumns + `
	  FROM sweep_configuration JOIN configuration ON configuration.id = sweep_configuration.configuration_id
	  JOIN sweep ON sweep.id = sweep_configuration.sweep_id
	  JOIN scenario_configuration ON scenario_configuration.scenario_id = sweep.scenario_id AND scenario_configuration.configuration_id = configuration.id
	 WHERE sweep.id = (
	       SELECT newest.id FROM sweep_configuration AS of JOIN sweep AS newest ON newest.id = of.sweep_id
	        WHERE of.configuration_id = $1 AND newest.scenario_id = (SELECT id FROM scenario WHERE name = $2) AND newest.ending IS DISTINCT FROM 'withdrawn'
	        ORDER BY newest.started_at DESC, newest.ulid DESC LIMIT 1)
	 ORDER BY sweep_configuration.position`

// SweptTogether lists the configurations that one grid ran together with the given one: those of the newest sweep that planned it.
func (r *Reader) SweptTogether(ctx context.Context, scenario string, configuration int64) ([]Configuration, error) {
	return r.configurations(ctx, listSweptTogether, configuration, scenario)
}

const getRun = `
	SELECT sweep.ulid AS sweep, run.attempt, run.exit_code, coalesce(run.signal, '') AS signal, stderr.data AS stderr, run.cpu_us, run.rss_bytes
	  FROM run
	  JOIN seed ON seed.id = run.seed_id
	  JOIN sweep ON sweep.id = run.sweep_id
	  LEFT JOIN attachment AS stderr ON stderr.id = run.stderr_id
	 WHERE seed.ulid = $1`

// Run returns how the command of the seed with this ULID ended; nil where no sweep ran it.
func (r *Reader) Run(ctx context.Context, seed string) (*track.Run, error) {
	var row struct {
		Sweep    string        `db:"sweep"`
		Attempts int           `db:"attempt"`
		ExitCode *int          `db:"exit_code"`
		Signal   string        `db:"signal"`
		Stderr   []byte        `db:"stderr"`
		CPU      sql.NullInt64 `db:"cpu_us"`
		MaxRSS   *int64        `db:"rss_bytes"`
	}
	err := r.read().GetContext(ctx, &row, getRun, seed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, explain(err)
	}
	run := track.Run{Sweep: row.Sweep, Attempts: row.Attempts, ExitCode: row.ExitCode, Signal: row.Signal, MaxRSS: row.MaxRSS}
	if row.CPU.Valid {
		cpu := time.Duration(row.CPU.Int64) * time.Microsecond
		run.CPU = &cpu
	}
	run.Stderr, err = decompress(row.Stderr)
	return &run, err
}

// repetitionsQuery begins with the repetitions, of which there are few.
const listRepetitions = `
	SELECT seed.number, coalesce(repetition.differences, '') AS differences FROM repetition ORDERED JOIN seed ON seed.id = repetition.seed_id WHERE {selection}
	 ORDER BY seed.number, repetition.id`

// RepeatedSeed is a seed that was run again.
type RepeatedSeed struct {
	Number      track.SeedNumber
	Differences []string // empty where it gave the same
}

// Repetitions lists the seeds of a selection that were run again, by number.
func (r *Reader) Repetitions(ctx context.Context, sel Selection) (list []RepeatedSeed, err error) {
	query, args := sel.of(listRepetitions)
	var rows []struct {
		Number      track.SeedNumber `db:"number"`
		Differences string           `db:"differences"`
	}
	if err := r.read().SelectContext(ctx, &rows, query, args...); err != nil {
		return nil, explain(err)
	}
	for _, row := range rows {
		seed := RepeatedSeed{Number: row.Number}
		if row.Differences != "" {
			if err := json.Unmarshal([]byte(row.Differences), &seed.Differences); err != nil {
				return nil, fmt.Errorf("differences %s: %w", row.Differences, err)
			}
		}
		list = append(list, seed)
	}
	return list, nil
}

const (
	selectSweeps = `
	SELECT sweep.id AS row_id, sweep.ulid, scenario.name AS scenario, sweep.plan, sweep.shard, sweep.n_shards, environment.document AS environment,
	       changes.data AS changes, libraries.data AS libraries, sweep.started_at, sweep.ended_at, coalesce(sweep.ending, '') AS ending, sweep.code_changed,
	       coalesce(sweep.note, '') AS note
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
	NRuns   int // seeds that it ran and that were not superseded
	NFailed int // of these
}

const (
	listSweepConfigurations = `
	SELECT ` + configurationColumns + `
	  FROM sweep_configuration JOIN configuration ON configuration.id = sweep_configuration.configuration_id
	 WHERE sweep_configuration.sweep_id = $1 ORDER BY sweep_configuration.position`
	listSweepSeeds = `SELECT configuration_id, first, last FROM sweep_seeds WHERE sweep_id = $1`
	countRuns      = `
	SELECT count(*) AS n, count(*) FILTER (WHERE seed.outcome <> 'ok') AS n_failed
	  FROM run JOIN seed ON seed.id = run.seed_id WHERE run.sweep_id = $1 AND seed.superseded_at IS NULL`
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
		Note        string        `db:"note"`
	}
	if err := r.read().SelectContext(ctx, &rows, query, args...); err != nil {
		return nil, explain(err)
	}
	for _, row := range rows {
		sweep := SweepSummary{Sweep: track.Sweep{
			ID: row.ULID, Scenario: row.Scenario, Plan: row.Plan, Shard: row.Shard, NShards: row.NShards,
			StartedAt: fromMicros(row.StartedAt), EndedAt: nullableTime(row.EndedAt), Ending: track.SweepEnding(row.Ending), CodeChanged: row.CodeChanged, Note: row.Note,
		}}
		var errs [3]error
		sweep.Changes, errs[0] = decompress(row.Changes)
		sweep.Libraries, errs[1] = decompress(row.Libraries)
		errs[2] = json.Unmarshal(row.Environment, &sweep.Environment)
		if err := errors.Join(errs[:]...); err != nil {
			return nil, fmt.Errorf("sweep %s: %w", row.ULID, err)
		}
		if sweep.Planned, err = r.planned(ctx, row.RowID); err != nil {
			return nil, err
		}
		var counts struct {
			N       int `db:"n"`
			NFailed int `db:"n_failed"`
		}
		if err := r.read().GetContext(ctx, &counts, countRuns, row.RowID); err != nil {
			return nil, explain(err)
		}
		sweep.NRuns, sweep.NFailed = counts.N, counts.NFailed
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
