package store

import (
	"database/sql"
	"errors"
	"slices"
	"time"

	"track"
)

// SeedCarrier writes seeds of another database within a transaction.
type SeedCarrier struct {
	*Tx
	specs                               map[string]int64 // ids by scenario and hash; 0 for one that is not here
	newest                              map[string]int64 // specs of scenarios; 0 for none
	configurations                      map[string]bool  // carried, by hash
	seeds, values, assessments, results arguments
}

// SeedCarrier returns a writer of seeds of another database.
func (t *Tx) SeedCarrier() *SeedCarrier {
	return &SeedCarrier{Tx: t, specs: map[string]int64{}, newest: map[string]int64{}, configurations: map[string]bool{}}
}

const (
	insertSeedRows = `INSERT INTO seed (id, ulid, scenario_id, configuration_id, number, outcome, message, digest, environment_id, started_at, duration_us, recorded_at, checksum, superseded_at, withdrawn_at) VALUES `
	insertAssessed = `INSERT INTO assessment (seed_id, spec_id, total_score, n_pass, n_warn, n_fail, assessed_at, checksum) VALUES `
	findSpecOf     = `SELECT spec.id FROM spec JOIN scenario ON scenario.id = spec.scenario_id WHERE scenario.name = $1 AND spec.hash = $2`
	findNewestSpec = `SELECT spec.id FROM spec JOIN scenario ON scenario.id = spec.scenario_id WHERE scenario.name = $1 ORDER BY spec.version DESC LIMIT 1`
	carryConfig    = `
	INSERT INTO configuration (hash, label, params, commit_id, dirty, diff_hash, files_hash, state_unknown, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
	ON CONFLICT (hash) DO UPDATE SET created_at = excluded.created_at WHERE excluded.created_at < configuration.created_at`
)

// Add stores seeds that are new here, in their order, and returns how many of them count and are not judged under the
// newest spec of their scenario. Judgements under specs that are not here are left out.
func (c *SeedCarrier) Add(records []*SeedRecord) (unjudged map[string]int, err error) {
	if len(records) == 0 {
		return nil, nil
	}
	c.lookedUp = nil
	rows, err := c.engine.newSeedIDs(c.Tx, len(records))
	if err != nil {
		return nil, err
	}
	unjudged = map[string]int{}
	for i, r := range records {
		row := rows[i]
		if err := c.addSeed(row, r); err != nil {
			return nil, err
		}
		judged, err := c.addJudgements(row, r.Scenario, r.Assessments)
		if err != nil {
			return nil, err
		}
		newest, err := c.newestSpec(r.Scenario)
		if err != nil {
			return nil, err
		}
		if r.Seed.Outcome == track.OutcomeOK && r.SupersededAt.IsZero() && newest != 0 && !slices.Contains(judged, newest) {
			unjudged[r.Scenario]++
		}
	}
	if err := c.flush(); err != nil {
		return nil, err
	}
	for i, r := range records {
		if err := c.AddParts(rows[i], r); err != nil {
			return nil, err
		}
	}
	return unjudged, nil
}

func (c *SeedCarrier) addSeed(row int64, r *SeedRecord) error {
	scenario, err := c.scenarioID(r.Scenario)
	if err != nil {
		return err
	}
	if err := c.carryConfiguration(r); err != nil {
		return err
	}
	configuration, err := c.configurationID(r.Seed.Configuration)
	if err != nil {
		return err
	}
	environment, err := c.environmentID(r.Seed.Environment)
	if err != nil {
		return err
	}
	withdrawnAt := time.Time{}
	if r.SupersededAt.IsZero() {
		of, err := c.withdrawnOf(r.Scenario, r.Configuration)
		if err != nil {
			return err
		}
		if w := of.of(r.Number, r.Digest); w != nil {
			withdrawnAt, r.SupersededAt = w.At, w.At
		}
	}
	n := int64(1)
	if !r.SupersededAt.IsZero() {
		n = 0
	}
	c.count(scenario, configuration, n)
	c.shardKeys.keep("seed", row, configuration)
	columns := c.columns(scenario, configuration, environment, r)
	c.seeds.add(row)
	c.seeds.add(columns...)
	c.seeds.add(Checksum(columns...), timeOrNull(r.SupersededAt), timeOrNull(withdrawnAt))
	return c.addValueRows(row, r.Values)
}

// columns returns the columns of a seed that its checksum covers.
func (c *SeedCarrier) columns(scenario, configuration, environment int64, r *SeedRecord) []any {
	return []any{
		r.SeedHead.ID, scenario, configuration, int64(r.Number), string(r.Seed.Outcome), c.free(r.Seed.Message), bytesOf(r.Digest), environment,
		timeOrNull(r.Seed.StartedAt), durationOrNull(r.Seed.Duration), micros(r.RecordedAt),
	}
}

// carryConfiguration stores a configuration with the time at which it was recorded first.
func (c *SeedCarrier) carryConfiguration(r *SeedRecord) error {
	if c.configurations[r.Configuration] {
		return nil
	}
	c.configurations[r.Configuration] = true
	given := r.Seed.Configuration
	if err := c.admit(&given); err != nil {
		return err
	}
	_, err := c.exec(carryConfig, given.Hash(), nullText(given.Label), string(given.Params.JSON()), nullText(given.Revision.Commit), given.Revision.Dirty,
		nullText(given.Revision.DiffHash), nullText(given.Revision.FilesHash), nullText(given.Revision.Unknown), micros(r.MadeAt))
	return err
}

func bytesOf(digest [32]byte) []byte { return digest[:] }

func (c *SeedCarrier) addValueRows(row int64, values []ValueRecord) error {
	if len(values) == 0 {
		return nil
	}
	rows := make([]valueRow, len(values))
	for i, v := range values {
		metric, err := c.metricID(v.Metric)
		if err != nil {
			return err
		}
		rows[i] = valueRow{v.Metric, metric, v.Value}
	}
	slices.SortFunc(rows, compareMetrics)
	c.values.add(row, c.packValues(rows))
	return nil
}

// addJudgements stores judgements of a seed, and returns the ids of their specs.
func (c *SeedCarrier) addJudgements(row int64, scenario string, list []AssessmentRecord) (specs []int64, err error) {
	for _, a := range list {
		spec, err := c.specID(scenario, a.Spec)
		if err != nil {
			return nil, err
		}
		if spec == 0 {
			continue
		}
		specs = append(specs, spec)
		columns := []any{row, spec, floatOrNull(a.Total), int64(a.NPass), int64(a.NWarn), int64(a.NFail), micros(a.AssessedAt)}
		results := make([]storedResult, len(a.Results))
		for i, r := range a.Results {
			metric, err := c.metricID(r.Metric)
			if err != nil {
				return nil, err
			}
			reason, _ := c.free(r.Reason).(string)
			results[i] = storedResult{r.Metric, metric, statusCode(r.Status), r.Score, r.IsComputed, r.Value, reason}
		}
		packed := string(appendResults(nil, results))
		c.assessments.add(columns...)
		c.assessments.add(Checksum(append(columns, packed)...))
		c.results.add(row, spec, packed)
	}
	return specs, nil
}

// specID returns the id of a spec here; 0 if it is not here.
func (c *SeedCarrier) specID(scenario, hash string) (id int64, err error) {
	return cachedID(c.specs, scenario+"\x00"+hash, func() (id int64, err error) {
		if err = c.getID(&id, findSpecOf, scenario, hash); isNoRows(err) {
			return 0, nil
		}
		return id, err
	})
}

func (c *SeedCarrier) newestSpec(scenario string) (int64, error) {
	return cachedID(c.newest, scenario, func() (id int64, err error) {
		if err = c.getID(&id, findNewestSpec, scenario); isNoRows(err) {
			return 0, nil
		}
		return id, err
	})
}

// flush writes the rows that were collected.
func (c *SeedCarrier) flush() error {
	for _, table := range []struct {
		insert string
		width  int
		rows   *arguments
	}{
		{insertSeedRows, 15, &c.seeds}, {insertValues, 2, &c.values}, {insertAssessed, 8, &c.assessments}, {insertResults, 3, &c.results},
	} {
		if err := c.insertRows(table.insert, table.width, table.rows); err != nil {
			return err
		}
		table.rows.values = table.rows.values[:0]
	}
	return nil
}

const (
	hasRun             = `SELECT EXISTS (SELECT 1 FROM run WHERE seed_id = $1)`
	hasSeriesOfName    = `SELECT EXISTS (SELECT 1 FROM seed_series JOIN series_name ON series_name.id = seed_series.name_id WHERE seed_id = $1 AND series_name.name = $2)`
	hasRepetition      = `SELECT EXISTS (SELECT 1 FROM repetition WHERE seed_id = $1 AND ulid = $2)`
	deleteRun          = `DELETE FROM run WHERE seed_id = $1`
	insertPrunedSeries = `INSERT INTO series_content (hash, n, pruned_at) VALUES ($1, $2, $3) RETURNING id`
	addRepetitionRow   = `INSERT INTO repetition (ulid, seed_id, sweep_id, digest, differences, repeated_at{, configuration_id}) VALUES ($1, $2, $3, $4, $5, $6{, $7})`
)

// AddParts stores the series, the artifacts, the run and the repetitions of a seed here, as far as it lacks them.
func (c *SeedCarrier) AddParts(row int64, r *SeedRecord) error {
	for _, a := range r.Artifacts {
		if err := c.addArtifact(row, a); err != nil {
			return err
		}
	}
	for _, s := range r.SeriesParts {
		if err := c.addSeries(row, s); err != nil {
			return err
		}
	}
	if r.Seed.Run != nil {
		has, err := c.exists(hasRun, row)
		if err == nil && !has {
			err = c.AddRun(row, *r.Seed.Run)
		}
		if err != nil {
			return err
		}
	}
	for _, repetition := range r.Repetitions {
		if err := c.addRepetition(row, repetition); err != nil {
			return err
		}
	}
	return nil
}

func (c *SeedCarrier) exists(query string, args ...any) (exists bool, err error) {
	return exists, c.get(&exists, query, args...)
}

func (c *SeedCarrier) addRepetition(row int64, r RepetitionRecord) error {
	known, err := c.exists(hasRepetition, row, r.ID)
	if err != nil || known {
		return err
	}
	var sweep *int64
	if r.Sweep != "" {
		sweep = new(int64)
		if err := c.getID(sweep, findSweep, r.Sweep); isNoRows(err) {
			return nil // it comes with its sweep
		} else if err != nil {
			return err
		}
	}
	stored, _ := c.texts.Document(r.Stored)
	return c.addPart("seed", row, addRepetitionRow, r.ID, row, sweep, r.Digest[:], nullText(stored), micros(r.RepeatedAt))
}

// addSeries stores a series of a seed. Numbers that are kept on one side are kept.
func (c *SeedCarrier) addSeries(row int64, s SeriesRecord) error {
	name, err := c.upsertName("series", s.Name, findSeriesName, insertSeriesName)
	if err != nil {
		return err
	}
	content, err := c.contentOf(s)
	if err != nil {
		return err
	}
	known, err := c.exists(hasSeriesOfName, row, s.Name)
	if err != nil || known {
		return err
	}
	return c.addPart("seed", row, insertSeedSeries, row, name, content)
}

func (c *SeedCarrier) contentOf(s SeriesRecord) (int64, error) {
	if s.PrunedAt.IsZero() {
		return c.contentID(s.EncodedSeries)
	}
	var found struct {
		ID     int64 `db:"id"`
		Pruned bool  `db:"pruned"`
	}
	err := c.get(&found, findContent, s.Hash[:])
	if errors.Is(err, sql.ErrNoRows) {
		err = c.getID(&found.ID, insertPrunedSeries, s.Hash[:], s.N, micros(s.PrunedAt))
	}
	return found.ID, err
}

// AddJudgements stores the judgements of a seed here under specs that it was not judged under, and returns how many
// there are.
func (c *SeedCarrier) AddJudgements(row int64, r *SeedRecord, judged []string) (n int, err error) {
	missing := slices.DeleteFunc(slices.Clone(r.Assessments), func(a AssessmentRecord) bool { return slices.Contains(judged, a.Spec) })
	specs, err := c.addJudgements(row, r.Scenario, missing)
	if err != nil {
		return 0, err
	}
	return len(specs), c.flush()
}

const (
	placeOfSeed = `SELECT scenario_id, configuration_id FROM seed WHERE id = $1`
	takeSeed    = `
	UPDATE seed SET ulid = $1, message = $2, environment_id = $3, started_at = $4, duration_us = $5, recorded_at = $6, checksum = $7 WHERE id = $8`
)

// TakeEarlier makes a seed here the one that was recorded earlier elsewhere, of the same measurement.
func (c *SeedCarrier) TakeEarlier(row int64, r *SeedRecord) error {
	environment, err := c.environmentID(r.Seed.Environment)
	if err != nil {
		return err
	}
	var here struct {
		Scenario      int64 `db:"scenario_id"`
		Configuration int64 `db:"configuration_id"`
	}
	if err := c.get(&here, placeOfSeed, row); err != nil {
		return err
	}
	sum := Checksum(c.columns(here.Scenario, here.Configuration, environment, r)...)
	_, err = c.exec(takeSeed, r.SeedHead.ID, c.free(r.Seed.Message), environment, timeOrNull(r.Seed.StartedAt), durationOrNull(r.Seed.Duration), micros(r.RecordedAt), sum, row)
	if err == nil && r.Seed.Run != nil {
		_, err = c.exec(deleteRun, row)
	}
	return err
}

// SupersedeAt is [Tx.Supersede] at a time.
func (c *SeedCarrier) SupersedeAt(row int64, at time.Time) error {
	return c.supersedeAt(row, micros(at))
}
