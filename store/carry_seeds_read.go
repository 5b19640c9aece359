package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"time"

	"track"
	"track/scoring"
)

// SeedHead identifies a seed and what it measured, in whatever database it is.
type SeedHead struct {
	Row           int64 // in the database that it was read from
	ID            string
	Scenario      string
	Configuration string // hash
	Number        track.SeedNumber
	Digest        [sha256.Size]byte
	RecordedAt    time.Time
	SupersededAt  time.Time // zero unless another seed took its place
	IsWithdrawn   bool      // in the database that it was read from
}

// SeedParts names what belongs to a seed beyond its values.
type SeedParts struct {
	Specs       []string // hashes of the specs that it was judged under
	Series      map[string]Content
	Artifacts   map[string]Content
	Repetitions []string // ULIDs
	HasRun      bool
}

// Content is what a series or a file of a seed has. Several seeds can have the same.
type Content struct {
	Row    int64
	IsKept bool // its bytes were not pruned
}

// SeedRecord is a seed with all that belongs to it, as one database hands it to another.
type SeedRecord struct {
	SeedHead
	Seed         track.Seed // without values and series
	MadeAt       time.Time  // when its configuration was recorded first
	Values       []ValueRecord
	Assessments  []AssessmentRecord
	SeriesParts  []SeriesRecord
	Artifacts    []ArtifactRecord
	Repetitions  []RepetitionRecord
	Predecessors []SeedHead // the superseded seeds of the same scenario, configuration and number
}

// ValueRecord is a value by the name of its metric.
type ValueRecord struct {
	Metric string
	Value  float64
}

// AssessmentRecord is a judgement of a seed as it is stored.
type AssessmentRecord struct {
	Spec                string // hash
	Total               sql.NullFloat64
	NPass, NWarn, NFail int
	AssessedAt          time.Time
	Results             []ResultRecord
	row                 int64 // of the spec, where it was read
}

// ResultRecord is the result of a metric.
type ResultRecord struct {
	Metric     string
	Status     scoring.Status
	Score      float64 // NaN if the value is missing
	IsComputed bool    // the value was computed from series, or could not be for a reason
	Value      float64 // of a computed value
	Reason     string
}

// SeriesRecord is a series as it is stored.
type SeriesRecord struct {
	EncodedSeries
	PrunedAt time.Time // zero if the numbers are kept
}

// RepetitionRecord is a repetition as it is stored.
type RepetitionRecord struct {
	track.Repetition
	Stored string // the differences as JSON
}

// SeedPages reads seeds to hand them to another database. It is for one goroutine.
type SeedPages struct {
	*Reader
	scenarios      map[int64]string
	configurations map[int64]Configuration
	environments   map[int64]track.Environment
	metrics        map[int64]string
	specs          map[int64]string // hashes
	ids            map[string]int64 // of scenarios and configurations by name and hash
	superseded     map[string][]SeedHead
	withdrawn      map[string]Withdrawn // by scenario and configuration
	anyWithdrawn   *bool
	nValues        int // of the last seed that was read: the next one mostly has as many
	nResults       int
	has            *struct {
		Series      bool `db:"series"`
		Runs        bool `db:"runs"`
		Repetitions bool `db:"repetitions"`
		Artifacts   bool `db:"artifacts"`
	}
}

// SeedPages returns a reader of seeds.
func (r *Reader) SeedPages() *SeedPages {
	return &SeedPages{
		Reader: r, scenarios: map[int64]string{}, configurations: map[int64]Configuration{}, environments: map[int64]track.Environment{},
		specs: map[int64]string{}, ids: map[string]int64{},
	}
}

const seedHeadColumns = `seed.id, seed.ulid, seed.scenario_id, seed.configuration_id, seed.number, seed.digest, seed.recorded_at,
	CASE WHEN seed.withdrawn_at IS NULL THEN seed.superseded_at END, seed.withdrawn_at`

const listSeedHeads = `SELECT ` + seedHeadColumns + ` FROM seed WHERE seed.id > $1 ORDER BY seed.id LIMIT $2`

const listSeedHeadsOf = `SELECT ` + seedHeadColumns + ` FROM seed WHERE seed.id > $1`

// Heads returns at most n seeds after a row, in the order of the rows; those of the scenarios named, or of all.
func (p *SeedPages) Heads(ctx context.Context, after int64, n int, scenarios []string) ([]SeedHead, error) {
	if len(scenarios) == 0 {
		return p.heads(ctx, listSeedHeads, after, n)
	}
	var c clauses
	c.add(listSeedHeadsOf, after)
	c.addList(` AND seed.scenario_id IN (SELECT id FROM scenario WHERE name IN ({list}))`, anys(scenarios)...)
	c.add(` ORDER BY seed.id LIMIT $1`, n)
	query, args := c.statement()
	return p.heads(ctx, query, args...)
}

// headRow is a head with the ids in place of names.
type headRow struct {
	SeedHead
	scenario, configuration int64
}

func (p *SeedPages) headRows(ctx context.Context, query string, args ...any) (rows []headRow, err error) {
	err = p.stream(ctx, query, args, func(row []driver.Value) {
		rows = append(rows, headRow{SeedHead{
			Row: asInt(row[0]), ID: asText(row[1]), Number: track.SeedNumber(asInt(row[4])), Digest: asDigest(row[5]), RecordedAt: asTime(row[6]),
			SupersededAt: asTime(row[7]), IsWithdrawn: row[8] != nil,
		}, asInt(row[2]), asInt(row[3])})
	})
	return rows, explain(err)
}

// heads completes the heads that a query returns by the names that their ids stand for.
func (p *SeedPages) heads(ctx context.Context, query string, args ...any) ([]SeedHead, error) {
	rows, err := p.headRows(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	heads := make([]SeedHead, len(rows))
	for i, row := range rows {
		heads[i] = row.SeedHead
		if heads[i].Scenario, err = p.scenario(ctx, row.scenario); err != nil {
			return nil, err
		}
		configuration, err := p.configuration(ctx, row.configuration)
		if err != nil {
			return nil, err
		}
		heads[i].Configuration = configuration.Hash
	}
	return heads, nil
}

// cachedRow returns what an id stands for, from the cache or else by load. A row that does not exist makes the database
// a damaged one.
func cachedRow[T any](cache map[int64]T, table string, id int64, load func() (T, error)) (T, error) {
	if row, ok := cache[id]; ok {
		return row, nil
	}
	row, err := load()
	if isNoRows(err) {
		return row, fmt.Errorf("%w: %s %d: %w", track.ErrInvalid, table, id, errDangling)
	}
	if err != nil {
		return row, explain(err)
	}
	cache[id] = row
	return row, nil
}

func (p *SeedPages) text(ctx context.Context, query string, id int64) (text string, err error) {
	return text, p.read().GetContext(ctx, &text, query, id)
}

const (
	getScenarioName    = `SELECT name FROM scenario WHERE id = $1`
	getSpecHash        = `SELECT hash FROM spec WHERE id = $1`
	getEnvironment     = `SELECT document FROM environment WHERE id = $1`
	getConfigurationOf = `SELECT ` + configurationColumns + ` FROM configuration WHERE id = $1`
)

func (p *SeedPages) scenario(ctx context.Context, id int64) (string, error) {
	return cachedRow(p.scenarios, "scenario", id, func() (string, error) { return p.text(ctx, getScenarioName, id) })
}

func (p *SeedPages) spec(ctx context.Context, id int64) (string, error) {
	return cachedRow(p.specs, "spec", id, func() (string, error) { return p.text(ctx, getSpecHash, id) })
}

func (p *SeedPages) configuration(ctx context.Context, id int64) (Configuration, error) {
	return cachedRow(p.configurations, "configuration", id, func() (Configuration, error) {
		var row configurationRow
		err := p.read().GetContext(ctx, &row, getConfigurationOf, id)
		if err == nil {
			err = row.check()
		}
		return row.configuration(), err
	})
}

func (p *SeedPages) environment(ctx context.Context, id int64) (track.Environment, error) {
	return cachedRow(p.environments, "environment", id, func() (e track.Environment, err error) {
		document, err := p.text(ctx, getEnvironment, id)
		if err == nil && document != "{}" {
			err = decodeStored("environment", []byte(document), &e)
		}
		return e, err
	})
}

const listSuperseded = `SELECT ` + seedHeadColumns + ` FROM seed WHERE seed.superseded_at IS NOT NULL AND seed.withdrawn_at IS NULL`

// Superseded returns all superseded seeds, by their identities.
func (p *SeedPages) Superseded(ctx context.Context) (map[string][]SeedHead, error) {
	all, err := p.heads(ctx, listSuperseded)
	if err != nil {
		return nil, err
	}
	byPlace := map[string][]SeedHead{}
	for _, s := range all {
		byPlace[s.Place()] = append(byPlace[s.Place()], s)
	}
	return byPlace, nil
}

// Predecessors returns the superseded seeds of the identity of a seed. The first call reads all superseded seeds.
func (p *SeedPages) Predecessors(ctx context.Context, h SeedHead) (list []SeedHead, err error) {
	if p.superseded == nil {
		p.superseded, err = p.Superseded(ctx)
	}
	return p.superseded[h.Place()], err
}

// Place identifies the scenario, the configuration and the number of a seed.
func (h SeedHead) Place() string {
	return h.Scenario + "\x00" + h.Configuration + "\x00" + h.Number.String()
}

const seedKinds = `
	SELECT EXISTS (SELECT 1 FROM seed_series) AS series, EXISTS (SELECT 1 FROM run) AS runs, EXISTS (SELECT 1 FROM repetition) AS repetitions,
	       EXISTS (SELECT 1 FROM artifact) AS artifacts`

func (p *SeedPages) lookAtKinds(ctx context.Context) error {
	if p.has != nil {
		return nil
	}
	p.has = new(struct {
		Series      bool `db:"series"`
		Runs        bool `db:"runs"`
		Repetitions bool `db:"repetitions"`
		Artifacts   bool `db:"artifacts"`
	})
	return explain(p.read().GetContext(ctx, p.has, seedKinds))
}

// HasContents reports whether some seed has series or artifacts.
func (p *SeedPages) HasContents(ctx context.Context) (bool, error) {
	err := p.lookAtKinds(ctx)
	return p.has.Series || p.has.Artifacts, err
}

const (
	listJudgedSpecs     = `SELECT seed_id, spec_id FROM assessment WHERE `
	listRunSeeds        = `SELECT seed_id FROM run WHERE `
	listRepetitionSeeds = `SELECT seed_id, ulid FROM repetition WHERE `
	listSeriesOfSeeds   = `
	SELECT seed_series.seed_id, series_name.name, series_content.pruned_at, series_content.id
	  FROM seed_series ORDERED JOIN series_name ON series_name.id = seed_series.name_id ORDERED JOIN series_content ON series_content.id = seed_series.content_id
	 WHERE `
)

// ofSeeds is the condition that narrows rows to those of seeds: a range if there is no gap between them.
func ofSeeds(rows []int64) (condition string, args []any) {
	first, last := rows[0], rows[0]
	for _, row := range rows {
		first, last = min(first, row), max(last, row)
	}
	if int(last-first)+1 == len(rows) {
		return "seed_id BETWEEN $1 AND $2", []any{first, last}
	}
	return "seed_id IN (" + inList(len(rows)) + ")", anys(rows)
}

// note notes a name with its content, which is kept unless the row says when it was pruned.
func note(contents *map[string]Content, row []driver.Value) {
	if *contents == nil {
		*contents = map[string]Content{}
	}
	(*contents)[asText(row[1])] = Content{asInt(row[3]), row[2] == nil}
}

// Parts names what belongs to seeds, by row.
func (p *SeedPages) Parts(ctx context.Context, rows []int64) (map[int64]*SeedParts, error) {
	parts := make(map[int64]*SeedParts, len(rows))
	if len(rows) == 0 {
		return parts, nil
	}
	if err := p.lookAtKinds(ctx); err != nil {
		return nil, err
	}
	all := make([]SeedParts, len(rows))
	for i, row := range rows {
		parts[row] = &all[i]
	}
	where, args := ofSeeds(rows)
	var failed error
	visit := func(query string, visit func(s *SeedParts, row []driver.Value)) {
		if failed == nil {
			failed = explain(p.stream(ctx, query+where, args, func(row []driver.Value) { visit(parts[asInt(row[0])], row) }))
		}
	}
	type judged struct {
		parts *SeedParts
		spec  int64
	}
	var specs []judged
	visit(listJudgedSpecs, func(s *SeedParts, row []driver.Value) { specs = append(specs, judged{s, asInt(row[1])}) })
	if p.has.Runs {
		visit(listRunSeeds, func(s *SeedParts, row []driver.Value) { s.HasRun = true })
	}
	if p.has.Repetitions {
		visit(listRepetitionSeeds, func(s *SeedParts, row []driver.Value) { s.Repetitions = append(s.Repetitions, asText(row[1])) })
	}
	if p.has.Series {
		visit(listSeriesOfSeeds, func(s *SeedParts, row []driver.Value) { note(&s.Series, row) })
	}
	if p.has.Artifacts {
		visit(listArtifactSeeds, func(s *SeedParts, row []driver.Value) { note(&s.Artifacts, row) })
	}
	for _, j := range specs {
		hash, err := p.spec(ctx, j.spec)
		if err != nil {
			return nil, err
		}
		j.parts.Specs = append(j.parts.Specs, hash)
	}
	return parts, failed
}
