package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"time"

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
	findSweep  = `SELECT id FROM sweep WHERE ulid = $1`
	endSweep   = `UPDATE sweep SET ended_at = $1, ending = $2, code_changed = CASE WHEN $3 = 1 THEN 1 ELSE code_changed END WHERE ulid = $4`
	endsBefore = `SELECT 1 FROM sweep WHERE ulid = $1 AND (ended_at IS NULL OR ended_at < $2)`
	setPlanned = `
	INSERT INTO sweep_configuration (sweep_id, configuration_id, position, seeds, n_planned)
	VALUES ($1, $2, (SELECT count(*) FROM sweep_configuration WHERE sweep_id = $1), $3, $4)
	ON CONFLICT (sweep_id, configuration_id) DO UPDATE SET seeds = excluded.seeds, n_planned = excluded.n_planned`
	findAttachment = `SELECT id FROM attachment WHERE hash = $1`
	addAttachment  = `INSERT INTO attachment (hash, n_bytes, data) VALUES ($1, $2, $3) RETURNING id`
	insertRun      = `
	INSERT INTO run (seed_id, sweep_id, attempt, exit_code, signal, stderr_id, cpu_us, rss_bytes) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
	ON CONFLICT (seed_id, attempt) DO NOTHING`
	hasRun           = `SELECT 1 FROM run WHERE seed_id = $1`
	insertRepetition = `
	INSERT INTO repetition (ulid, seed_id, sweep_id, digest, differences, repeated_at)
	SELECT $1, seed.id, $2, $3, $4, $5 FROM seed WHERE seed.ulid = $6
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
	_, err = t.addRow(insertSweep, s.ID, scenario, s.Plan, planDigest(s.Plan), s.Shard, s.NShards, environment, changes, libraries, micros(s.StartedAt),
		nullTime(s.EndedAt), nullText(string(s.Ending)), s.CodeChanged)
	if isNoRows(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	t.added(findSweepByULID, s.ID)
	for _, p := range s.Planned {
		if err := t.SetPlanned(s.ID, p); err != nil {
			return false, err
		}
	}
	return true, nil
}

// SetPlanned sets the planned seeds of a configuration. A rule may change them when it ends.
func (t *Tx) SetPlanned(sweep string, p track.PlannedSeeds) error {
	var id int64
	if err := t.getID(&id, findSweep, sweep); err != nil {
		return err
	}
	configuration, err := t.configurationID(p.Configuration)
	if err == nil {
		_, err = t.exec(setPlanned, id, configuration, p.Seeds.String(), p.Seeds.Len())
	}
	return err
}

// UpdateSweep notes how a sweep of another process ended, and what it planned in the end, unless it ended later here.
func (t *Tx) UpdateSweep(s track.Sweep) error {
	if s.EndedAt.IsZero() {
		return nil
	}
	isNews, err := t.exists(t.ctx, endsBefore, s.ID, micros(s.EndedAt))
	if err != nil || !isNews {
		return err
	}
	for _, p := range s.Planned {
		if err := t.SetPlanned(s.ID, p); err != nil {
			return err
		}
	}
	return t.EndSweep(s)
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
	if err := t.getID(&sweep, findSweep, run.Sweep); err != nil {
		if isNoRows(err) {
			err = nil
		}
		return err
	}
	stderr, err := t.attachment(run.Stderr)
	if err = cmp.Or(err, t.checkName("run.signal", run.Signal)); err != nil {
		return err
	}
	_, err = t.exec(insertRun, seedID, sweep, run.Attempts, run.ExitCode, nullText(run.Signal), stderr, nullMicros(run.CPU), run.MaxRSS)
	return err
}

// AddMissingRun stores how the command of a seed ended, unless that is known.
func (t *Tx) AddMissingRun(row int64, run *track.Run) error {
	if run == nil {
		return nil
	}
	known, err := t.exists(t.ctx, hasRun, row)
	if err != nil || known {
		return err
	}
	return t.AddRun(row, *run)
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
		differences, _ = t.texts.Document(string(text))
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
	if isNoRows(err) {
		var data []byte
		if data, err = t.compress(text); err == nil {
			id, err = t.addRow(addAttachment, hash[:], len(text), data)
		}
	}
	return &id, err
}

const (
	selectRuns = `
	SELECT run.seed_id, sweep.ulid, run.attempt, run.exit_code, run.signal, run.cpu_us, run.rss_bytes, attachment.data
	  FROM run JOIN sweep ON sweep.id = run.sweep_id LEFT JOIN attachment ON attachment.id = run.stderr_id WHERE `
	getRun = selectRuns + `run.seed_id = (SELECT id FROM seed WHERE ulid = $1)`
	// The join is ordered, for SQLite: it begins with the repetitions, because there are few.
	listRepetitions = `SELECT seed.number, repetition.differences FROM repetition CROSS JOIN seed WHERE seed.id = repetition.seed_id AND`
	byNumberAgain   = ` ORDER BY seed.number, repetition.id`
)

// run reads a row of [selectRuns].
func (c *cells) run() (seed int64, run track.Run) {
	return c.integer(), track.Run{
		Sweep: c.text(), Attempts: c.count(), ExitCode: c.countOrNil(), Signal: c.text(), CPU: c.duration(), MaxRSS: c.integerOrNil(), Stderr: c.decompressed(),
	}
}

// Run returns how the command of the seed with this ULID ended; nil if no sweep ran it.
func (r *Reader) Run(ctx context.Context, seed string) (*track.Run, error) {
	return first(ctx, r, getRun, []any{seed}, func(c *cells) track.Run {
		_, run := c.run()
		return run
	})
}

// RepeatedSeed is a seed that was run again.
type RepeatedSeed struct {
	Number      track.SeedNumber
	Differences []string // empty if it gave the same
}

// Repetitions lists the seeds of a selection that were run again, by number.
func (r *Reader) Repetitions(ctx context.Context, sel Selection) ([]RepeatedSeed, error) {
	query, args := sel.of(listRepetitions, nil, byNumberAgain)
	return list(ctx, r, query, args, func(c *cells) RepeatedSeed {
		seed := RepeatedSeed{Number: c.number()}
		c.json("differences", &seed.Differences)
		return seed
	})
}

// If the same plan was cut short and later decided by its rule, its first planned seeds are not missing.
const listPlanned = `
	SELECT sweep_configuration.seeds
	  FROM sweep_configuration
	  JOIN sweep ON sweep.id = sweep_configuration.sweep_id
	 WHERE sweep_configuration.configuration_id = $1 AND sweep.scenario_id = (SELECT id FROM scenario WHERE name = $2)
	   AND sweep.withdrawn_at IS NULL AND (coalesce(sweep.ending IN ('finished', 'decided', 'undecided'), FALSE) OR NOT EXISTS (
	        SELECT 1 FROM sweep_configuration AS other JOIN sweep AS decided ON decided.id = other.sweep_id
	         WHERE other.configuration_id = sweep_configuration.configuration_id AND decided.scenario_id = sweep.scenario_id
	           AND decided.ending = 'decided' AND decided.withdrawn_at IS NULL AND decided.shard = sweep.shard AND decided.plan_digest = sweep.plan_digest))`

// seedRanges reads planned seeds.
func (c *cells) seedRanges() track.SeedRanges {
	text := c.text()
	if text == "" {
		return nil
	}
	ranges, err := track.ParseSeedRanges(text)
	if err != nil {
		c.fail(errors.Join(track.ErrDamaged, err))
	}
	return track.NewSeedRanges(ranges...)
}

// PlannedSeeds returns the seeds that sweeps planned for a configuration; none if no sweep did.
func (r *Reader) PlannedSeeds(ctx context.Context, scenario string, configuration int64) (track.SeedRanges, error) {
	var all []track.SeedRange
	err := r.each(ctx, listPlanned, []any{configuration, scenario}, func(c *cells) { all = append(all, c.seedRanges()...) })
	return track.NewSeedRanges(all...), err
}

// listSweepsOf lists sweeps that ran seeds of a configuration, or whose plan for it was withdrawn.
const listSweepsOf = `
	SELECT sweep.plan, sweep.code_changed, CASE WHEN sweep.withdrawn_at IS NOT NULL THEN (
	       SELECT reason FROM withdrawal WHERE withdrawal.sweep = sweep.ulid AND withdrawal.kind = 'sweep' ORDER BY at DESC, ulid DESC LIMIT 1) END
	  FROM sweep_configuration JOIN sweep ON sweep.id = sweep_configuration.sweep_id
	 WHERE sweep_configuration.configuration_id = $1 AND sweep.scenario_id = (SELECT id FROM scenario WHERE name = $2)
	   AND (sweep.withdrawn_at IS NOT NULL OR EXISTS (
	        SELECT 1 FROM run JOIN seed ON seed.id = run.seed_id
	         WHERE run.sweep_id = sweep.id AND seed.configuration_id = sweep_configuration.configuration_id AND seed.superseded_at IS NULL))
	 ORDER BY sweep.started_at, sweep.ulid`

// SweepOf is a sweep as a reader of its seeds needs it.
type SweepOf struct {
	Plan        string
	Command     string // JSON array, with placeholders
	Env         string // JSON array
	CodeChanged bool
	Withdrawn   string // why its plan was withdrawn; empty if it was not
}

// SweepsOf lists the sweeps that ran seeds of a configuration, or whose plan of it was withdrawn, the oldest first.
func (r *Reader) SweepsOf(ctx context.Context, scenario string, configuration int64) ([]SweepOf, error) {
	return list(ctx, r, listSweepsOf, []any{configuration, scenario}, func(c *cells) SweepOf {
		s := SweepOf{Plan: c.text(), CodeChanged: c.isTrue(), Withdrawn: c.text()}
		var plan struct {
			Command jsontext.Value `json:"command"`
			Env     jsontext.Value `json:"env"`
		}
		c.fail(decodeStored("the plan of a sweep", []byte(s.Plan), &plan))
		s.Command, s.Env = string(plan.Command), cmp.Or(string(plan.Env), "[]")
		return s
	})
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
	Withdrawn  *track.Withdrawal // of its plan; nil if it was not withdrawn
	NRuns      int               // seeds that it ran and that were not superseded; those that were withdrawn count
	NFailed    int               // of these
	NWithdrawn int               // of these, withdrawn later
	LastSeed   time.Time         // when the last of these was recorded; zero for none
}

const (
	selectSweeps = `
	SELECT sweep.id, sweep.ulid, scenario.name, sweep.plan, sweep.shard, sweep.n_shards, environment.document, changes.data, libraries.data,
	       sweep.started_at, sweep.ended_at, sweep.ending, sweep.code_changed, sweep.withdrawn_at IS NOT NULL
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

	listSweepConfigurations = `
	SELECT sweep_configuration.seeds, ` + configurationColumns + `
	  FROM sweep_configuration JOIN configuration ON configuration.id = sweep_configuration.configuration_id
	 WHERE sweep_configuration.sweep_id = $1 ORDER BY sweep_configuration.position`
	countRuns = `
	SELECT count(*), count(*) FILTER (WHERE seed.outcome <> 'ok'), count(seed.withdrawn_at), max(seed.recorded_at)
	  FROM run JOIN seed ON seed.id = run.seed_id WHERE run.sweep_id = $1 AND (seed.superseded_at IS NULL OR seed.withdrawn_at IS NOT NULL)`
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

// Sweeps lists sweeps, the newest first.
func (r *Reader) Sweeps(ctx context.Context, filter SweepFilter) (sweeps []SweepSummary, err error) {
	query, args := filter.query()
	var rows []int64
	var withdrawn []bool
	err = r.each(ctx, query, args, func(c *cells) {
		rows = append(rows, c.integer())
		s := SweepSummary{Sweep: track.Sweep{ID: c.text(), Scenario: c.text(), Plan: c.text(), Shard: c.count(), NShards: c.count()}}
		c.json("environment", &s.Environment)
		s.Changes, s.Libraries, s.StartedAt, s.EndedAt, s.Ending = c.decompressed(), c.decompressed(), c.time(), c.time(), track.SweepEnding(c.text())
		s.CodeChanged = c.isTrue()
		sweeps, withdrawn = append(sweeps, s), append(withdrawn, c.isTrue())
	})
	for i := range sweeps {
		s := &sweeps[i]
		if withdrawn[i] && err == nil {
			s.Withdrawn, err = r.SweepWithdrawal(ctx, s.ID)
		}
		if err == nil {
			s.Planned, err = list(ctx, r, listSweepConfigurations, []any{rows[i]}, func(c *cells) track.PlannedSeeds {
				return track.PlannedSeeds{Seeds: c.seedRanges(), Configuration: c.configuration().Configuration}
			})
		}
		if err == nil {
			err = r.each(ctx, countRuns, []any{rows[i]}, func(c *cells) {
				s.NRuns, s.NFailed, s.NWithdrawn, s.LastSeed = c.count(), c.count(), c.count(), c.time()
			})
		}
	}
	return sweeps, err
}
