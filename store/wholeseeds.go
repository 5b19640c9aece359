package store

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"track"
	"track/scoring"
	"track/series"
)

// WholeSeed is a seed with all that belongs to it.
type WholeSeed struct {
	track.Seed // with the series and files whose contents are kept
	Record     track.SeedRecord

	row, scenario, configuration, environment int64
	specs                                     []int64 // of the judgements
}

// SeedPages reads whole seeds in the order of their rows. It belongs to one goroutine.
type SeedPages struct {
	*Reader
	size           int
	after          int64
	scenarios      map[int64]string // that are read
	configurations map[int64]Configuration
	environments   map[int64]track.Environment
	metrics        map[int64]string
	specs          map[int64]string // hashes
	superseded     map[seedIdentity][]track.TextDigest
	has            struct {
		Series      bool `db:"series"`
		Runs        bool `db:"runs"`
		Repetitions bool `db:"repetitions"`
		Artifacts   bool `db:"artifacts"`
	}
}

// seedIdentity is what only one seed that counts has.
type seedIdentity struct {
	scenario, configuration int64
	number                  track.SeedNumber
}

// Seeds with series or files are large.
const (
	pageOfSeeds      = 1000
	pageOfLargeSeeds = 100
)

const (
	seedKinds = `
	SELECT EXISTS (SELECT 1 FROM seed_series) AS series, EXISTS (SELECT 1 FROM run) AS runs, EXISTS (SELECT 1 FROM repetition) AS repetitions,
	       EXISTS (SELECT 1 FROM artifact) AS artifacts`
	listScenarioNames = `SELECT id, name FROM scenario`
	listSpecIDs       = `SELECT id, hash FROM spec`
	listMetrics       = `SELECT id, name FROM metric`
	listSuperseded    = `SELECT scenario_id, configuration_id, number, digest FROM seed WHERE superseded_at IS NOT NULL AND withdrawn_at IS NULL`
	getEnvironment    = `SELECT document FROM environment WHERE id = $1`
	getConfiguration  = `SELECT ` + configurationColumns + ` FROM configuration WHERE id = $1`
	listWholeSeeds    = `
	SELECT id, ulid, scenario_id, configuration_id, number, digest, recorded_at, CASE WHEN withdrawn_at IS NULL THEN superseded_at END, withdrawn_at,
	       outcome, message, environment_id, started_at, duration_us FROM seed WHERE id > $1 ORDER BY id LIMIT $2`
	listValues      = `SELECT seed_id, numbers FROM packed_value WHERE `
	listJudgedSpecs = `SELECT seed_id, spec_id FROM assessment WHERE `
	listPacked      = `SELECT seed_id, spec_id, results FROM packed_result WHERE `
	listRunsOfSeeds = `
	SELECT run.seed_id, sweep.ulid, run.attempt, run.exit_code, run.signal, attachment.data, run.cpu_us, run.rss_bytes
	  FROM run ORDERED JOIN sweep ON sweep.id = run.sweep_id LEFT JOIN attachment ON attachment.id = run.stderr_id WHERE run.`
	listRepetitionsOfSeeds = `
	SELECT repetition.seed_id, repetition.ulid, coalesce(sweep.ulid, ''), repetition.digest, repetition.differences, repetition.repeated_at
	  FROM repetition LEFT JOIN sweep ON sweep.id = repetition.sweep_id WHERE repetition.`
	listContentsOfSeeds = `
	SELECT seed_series.seed_id, series_name.name, series_content.hash, series_content.n, series_content.pruned_at, series_content.id
	  FROM seed_series ORDERED JOIN series_name ON series_name.id = seed_series.name_id ORDERED JOIN series_content ON series_content.id = seed_series.content_id
	 WHERE seed_series.`
	listChunksOfContent  = `SELECT n, data FROM series_chunk WHERE content_id = $1 ORDER BY position`
	listArtifactsOfSeeds = `
	SELECT artifact.seed_id, artifact.name, artifact.left_out, artifact_content.hash, artifact_content.n_bytes, artifact_content.pruned_at, artifact_content.data
	  FROM artifact LEFT JOIN artifact_content ON artifact_content.id = artifact.artifact_content_id WHERE artifact.`
	bySeedID = ` ORDER BY seed_id`
)

// SeedPages returns a reader of the seeds of the scenarios that of accepts.
func (r *Reader) SeedPages(ctx context.Context, of func(scenario string) bool) (*SeedPages, error) {
	p := &SeedPages{
		Reader: r, size: pageOfSeeds, scenarios: map[int64]string{}, configurations: map[int64]Configuration{}, environments: map[int64]track.Environment{},
		metrics: map[int64]string{}, specs: map[int64]string{}, superseded: map[seedIdentity][]track.TextDigest{},
	}
	err := errors.Join(
		r.read().GetContext(ctx, &p.has, seedKinds),
		r.stream(ctx, listScenarioNames, nil, func(row []driver.Value) {
			if name := asText(row[1]); of(name) {
				p.scenarios[asInt(row[0])] = name
			}
		}),
		r.stream(ctx, listSpecIDs, nil, func(row []driver.Value) { p.specs[asInt(row[0])] = asText(row[1]) }),
		r.stream(ctx, listMetrics, nil, func(row []driver.Value) { p.metrics[asInt(row[0])] = asText(row[1]) }),
		r.stream(ctx, listSuperseded, nil, func(row []driver.Value) {
			place := seedIdentity{asInt(row[0]), asInt(row[1]), track.SeedNumber(asInt(row[2]))}
			p.superseded[place] = append(p.superseded[place], asDigest(row[3]))
		}),
	)
	if p.has.Series || p.has.Artifacts {
		p.size = pageOfLargeSeeds
	}
	return p, explain(err)
}

// Next returns the next seeds; none at the end.
func (p *SeedPages) Next(ctx context.Context) (list []*WholeSeed, err error) {
	for len(list) == 0 {
		before := p.after
		err = p.stream(ctx, listWholeSeeds, []any{p.after, p.size}, func(row []driver.Value) {
			p.after = asInt(row[0])
			if name, isRead := p.scenarios[asInt(row[2])]; isRead {
				list = append(list, p.seed(name, row))
			}
		})
		if err != nil || p.after == before {
			return nil, explain(err)
		}
	}
	load := seedLoad{SeedPages: p, ctx: ctx, byRow: make(map[int64]*WholeSeed, len(list))}
	rows := make([]int64, len(list))
	for i, s := range list {
		rows[i] = s.row
		load.byRow[s.row] = s
		if err := p.complete(ctx, s); err != nil {
			return nil, err
		}
	}
	load.where, load.args = ofSeeds(rows)
	load.run()
	return list, load.err
}

// seed returns a seed as its row has it.
func (p *SeedPages) seed(scenario string, row []driver.Value) *WholeSeed {
	return &WholeSeed{
		Seed: track.Seed{
			ID: asText(row[1]), Scenario: scenario, Number: track.SeedNumber(asInt(row[4])), RecordedAt: asTime(row[6]), Outcome: track.Outcome(asText(row[9])),
			Message: asText(row[10]), StartedAt: asTime(row[12]), Duration: asDuration(row[13]), Values: map[string]float64{},
		},
		Record: track.SeedRecord{ID: asText(row[1]), At: asTime(row[6]), Digest: asDigest(row[5]), SupersededAt: asTime(row[7]), IsWithdrawn: row[8] != nil},
		row:    asInt(row[0]), scenario: asInt(row[2]), configuration: asInt(row[3]), environment: asInt(row[11]),
	}
}

// complete adds to a seed what its row names by id.
func (p *SeedPages) complete(ctx context.Context, s *WholeSeed) error {
	configuration, err := cachedRow(p.configurations, "configuration", s.configuration, func() (Configuration, error) {
		var row configurationRow
		err := p.read().GetContext(ctx, &row, getConfiguration, s.configuration)
		if err == nil {
			err = row.check()
		}
		return row.configuration(), err
	})
	if err != nil {
		return err
	}
	s.Configuration = configuration.Configuration
	if s.Record.SupersededAt.IsZero() {
		s.Record.Replaces = p.superseded[seedIdentity{s.scenario, s.configuration, s.Number}]
	}
	s.Environment, err = cachedRow(p.environments, "environment", s.environment, func() (e track.Environment, err error) {
		document := ""
		err = p.read().GetContext(ctx, &document, getEnvironment, s.environment)
		if err == nil && document != "{}" {
			err = decodeStored("environment", []byte(document), &e)
		}
		return e, err
	})
	return err
}

// cachedRow returns what an id stands for, from the cache or else by load. A row that does not exist makes the database
// a damaged one.
func cachedRow[T any](cache map[int64]T, table string, id int64, load func() (T, error)) (T, error) {
	if row, ok := cache[id]; ok {
		return row, nil
	}
	row, err := load()
	if isNoRows(err) {
		return row, dangling(table, id)
	}
	if err != nil {
		return row, explain(err)
	}
	cache[id] = row
	return row, nil
}

func dangling(table string, id int64) error {
	return fmt.Errorf("%w: a row refers to %s %d, which does not exist", track.ErrInvalid, table, id)
}

// ofSeeds is the condition that narrows rows to those of seeds: a range if there is no gap between them.
func ofSeeds(rows []int64) (condition string, args []any) {
	if first, last := rows[0], rows[len(rows)-1]; int(last-first)+1 == len(rows) {
		return "seed_id BETWEEN $1 AND $2", []any{first, last}
	}
	return "seed_id IN (" + inList(len(rows)) + ")", anys(rows)
}

// seedLoad loads what belongs to the seeds of a page. The first error ends it.
type seedLoad struct {
	*SeedPages
	ctx   context.Context
	byRow map[int64]*WholeSeed
	where string
	args  []any
	err   error
}

// each calls visit with the seed and the row, for each row of a query about the seeds.
func (l *seedLoad) each(query string, visit func(s *WholeSeed, row []driver.Value) error) {
	if l.err != nil {
		return
	}
	err := l.stream(l.ctx, query+l.where+bySeedID, l.args, func(row []driver.Value) {
		if s := l.byRow[asInt(row[0])]; l.err == nil && s != nil {
			l.err = visit(s, row)
		}
	})
	l.err = cmp.Or(l.err, explain(err))
}

func (l *seedLoad) run() {
	l.each(listValues, func(s *WholeSeed, row []driver.Value) error {
		return l.names(func(metric func(id int64) string) error {
			return eachValue(asText(row[1]), func(id int64, value float64) { s.Values[metric(id)] = value })
		})
	})
	l.each(listJudgedSpecs, func(s *WholeSeed, row []driver.Value) error {
		hash, known := l.specs[asInt(row[1])]
		if !known {
			return dangling("spec", asInt(row[1]))
		}
		s.Record.Judged, s.specs = append(s.Record.Judged, track.Judgement{Spec: hash}), append(s.specs, asInt(row[1]))
		return nil
	})
	if l.has.Runs {
		l.each(listRunsOfSeeds, addRunOf)
	}
	if l.has.Repetitions {
		l.each(listRepetitionsOfSeeds, func(s *WholeSeed, row []driver.Value) (err error) {
			r := track.Repetition{ID: asText(row[1]), Sweep: asText(row[2]), Digest: asDigest(row[3]), RepeatedAt: asTime(row[5])}
			if text := asText(row[4]); text != "" {
				err = decodeStored("differences", []byte(text), &r.Differences)
			}
			s.Record.Repetitions = append(s.Record.Repetitions, r)
			return err
		})
	}
	if l.has.Series {
		l.series()
	}
	if l.has.Artifacts {
		l.each(listArtifactsOfSeeds, addArtifactOf)
	}
}

// names calls use with a function that returns the names of metrics. A metric without a name is an error.
func (l *seedLoad) names(use func(metric func(id int64) string) error) (err error) {
	missing := int64(0)
	err = use(func(id int64) string {
		name, known := l.metrics[id]
		if !known {
			missing = id
		}
		return name
	})
	if err == nil && missing != 0 {
		err = dangling("metric", missing)
	}
	return err
}

func addRunOf(s *WholeSeed, row []driver.Value) (err error) {
	run := &track.Run{Sweep: asText(row[1]), Attempts: int(asInt(row[2])), Signal: asText(row[4]), CPU: asDuration(row[6])}
	if row[3] != nil {
		code := int(asInt(row[3]))
		run.ExitCode = &code
	}
	if row[7] != nil {
		bytes := asInt(row[7])
		run.MaxRSS = &bytes
	}
	data, _ := row[5].([]byte)
	s.Run = run
	run.Stderr, err = decompress(data)
	return err
}

func addArtifactOf(s *WholeSeed, row []driver.Value) (err error) {
	a := track.Artifact{Name: asText(row[1]), LeftOut: asText(row[2])}
	if data, isKept := row[6].([]byte); isKept {
		hash := asDigest(row[3])
		a.Content, err = artifactContent(data, hash[:], a.Name)
	} else if a.LeftOut == "" {
		s.Record.Pruned = append(s.Record.Pruned, track.PrunedContent{File: a.Name, Digest: asDigest(row[3]), N: asInt(row[4]), At: asTime(row[5])})
		return nil
	}
	s.Artifacts = append(s.Artifacts, a)
	return err
}

// series loads series, and for a seed whose series were pruned what was computed from them.
func (l *seedLoad) series() {
	type ref struct {
		seed    *WholeSeed
		name    string
		content int64
		n       int
	}
	var kept []ref
	isPruned := map[*WholeSeed]bool{}
	l.each(listContentsOfSeeds, func(s *WholeSeed, row []driver.Value) error {
		if row[4] != nil {
			isPruned[s] = true
			s.Record.Pruned = append(s.Record.Pruned, track.PrunedContent{Series: asText(row[1]), Digest: asDigest(row[2]), N: asInt(row[3]), At: asTime(row[4])})
			return nil
		}
		kept = append(kept, ref{s, asText(row[1]), asInt(row[5]), int(asInt(row[3]))})
		return nil
	})
	for _, r := range kept {
		var chunks []SeriesChunk
		if l.err == nil {
			l.err = explain(l.read().SelectContext(l.ctx, &chunks, listChunksOfContent, r.content))
		}
		list := track.Series{Name: r.name, Values: []float64{}}
		for _, chunk := range chunks {
			var err error
			if list.Values, err = series.AppendDecoded(list.Values, series.Chunk(chunk)); err != nil && l.err == nil {
				l.err = fmt.Errorf("%w: series %s of seed %s: %w", track.ErrDamaged, r.name, r.seed.ID, err)
			}
		}
		r.seed.Series = append(r.seed.Series, list)
	}
	if len(isPruned) == 0 {
		return
	}
	l.each(listPacked, func(s *WholeSeed, row []driver.Value) error {
		for i := range s.Record.Judged {
			j := &s.Record.Judged[i]
			if s.specs[i] != asInt(row[1]) || !isPruned[s] {
				continue
			}
			return l.names(func(metric func(id int64) string) error {
				return eachResult(asText(row[2]), func(r storedResult) {
					if r.isComputed {
						j.Computed = append(j.Computed, scoring.ComputedValue{Metric: metric(r.metric), Value: r.value, Reason: r.reason})
					}
				})
			})
		}
		return nil
	})
}
