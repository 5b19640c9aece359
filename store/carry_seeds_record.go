package store

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"track"
)

const (
	listSeedRows = `
	SELECT id AS seed_id, outcome, message, configuration_id, environment_id, started_at, duration_us FROM seed WHERE `
	listValues      = `SELECT seed_id, numbers FROM packed_value WHERE `
	listAssessments = `SELECT seed_id, spec_id, total_score, n_pass, n_warn, n_fail, assessed_at FROM assessment WHERE `
	listResults     = `SELECT seed_id, spec_id, results FROM packed_result WHERE `
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
	listChunksOfContent = `SELECT n, data FROM series_chunk WHERE content_id = $1 ORDER BY position`
	bySeedID            = ` ORDER BY seed_id`
)

// Records returns seeds with all that belongs to them.
func (p *SeedPages) Records(ctx context.Context, heads []SeedHead) ([]*SeedRecord, error) {
	if len(heads) == 0 {
		return nil, nil
	}
	if err := errors.Join(p.lookAtKinds(ctx), p.loadMetrics(ctx)); err != nil {
		return nil, err
	}
	load := seedLoad{SeedPages: p, ctx: ctx, byRow: make(map[int64]*SeedRecord, len(heads))}
	records, rows := make([]*SeedRecord, len(heads)), make([]int64, len(heads))
	for i, h := range heads {
		records[i], rows[i] = &SeedRecord{SeedHead: h}, h.Row
		load.byRow[h.Row] = records[i]
	}
	load.where, load.args = ofSeeds(rows)
	load.seeds()
	load.values()
	load.assessments()
	if p.has.Runs {
		load.runs()
	}
	if p.has.Repetitions {
		load.repetitions()
	}
	if p.has.Series {
		load.series()
	}
	if p.has.Artifacts {
		load.artifacts()
	}
	return records, load.err
}

// seedLoad loads what belongs to the seeds of a page. The first error ends it.
type seedLoad struct {
	*SeedPages
	ctx   context.Context
	byRow map[int64]*SeedRecord
	where string
	args  []any
	err   error
}

// each calls visit with the seed and the row, for each row of a query about the seeds.
func (l *seedLoad) each(query string, visit func(s *SeedRecord, row []driver.Value) error) {
	if l.err != nil {
		return
	}
	err := l.stream(l.ctx, query+l.where+bySeedID, l.args, func(row []driver.Value) {
		if s := l.byRow[asInt(row[0])]; l.err == nil && s != nil {
			l.err = visit(s, row)
		}
	})
	l.err = errors.Join(l.err, explain(err))
}

func (l *seedLoad) seeds() {
	type refs struct {
		seed                       *SeedRecord
		configuration, environment int64
	}
	all := make([]refs, 0, len(l.byRow))
	condition := l.where
	l.where = "id" + condition[len("seed_id"):]
	l.each(listSeedRows, func(s *SeedRecord, row []driver.Value) error {
		s.Seed.Outcome, s.Seed.Message, s.Seed.StartedAt, s.Seed.Duration = track.Outcome(asText(row[1])), asText(row[2]), asTime(row[5]), asDuration(row[6])
		all = append(all, refs{s, asInt(row[3]), asInt(row[4])})
		return nil
	})
	l.where = condition
	for _, r := range all {
		configuration, err := l.configuration(l.ctx, r.configuration)
		if err == nil {
			r.seed.Seed.Environment, err = l.environment(l.ctx, r.environment)
		}
		if err != nil {
			l.err = errors.Join(l.err, err)
			return
		}
		s := r.seed
		s.Seed.ID, s.Seed.Scenario, s.Seed.Number, s.Seed.RecordedAt = s.SeedHead.ID, s.SeedHead.Scenario, s.SeedHead.Number, s.SeedHead.RecordedAt
		s.Seed.Configuration, s.MadeAt = configuration.Configuration, configuration.CreatedAt
	}
}

const listMetrics = `SELECT id, name FROM metric`

// loadMetrics caches the names of all metrics: rows name them by id, and none may be asked for while rows are read.
func (p *SeedPages) loadMetrics(ctx context.Context) error {
	if p.metrics != nil {
		return nil
	}
	p.metrics = map[int64]string{}
	return explain(p.stream(ctx, listMetrics, nil, func(row []driver.Value) { p.metrics[asInt(row[0])] = asText(row[1]) }))
}

func (p *SeedPages) metric(id int64) (string, error) {
	if name, ok := p.metrics[id]; ok {
		return name, nil
	}
	return "", fmt.Errorf("%w: metric %d: %w", track.ErrInvalid, id, errDangling)
}

func (l *seedLoad) values() {
	l.each(listValues, func(s *SeedRecord, row []driver.Value) error {
		var unknown error
		s.Values = make([]ValueRecord, 0, l.nValues)
		err := eachValue(asText(row[1]), func(metric int64, value float64) {
			name, err := l.metric(metric)
			unknown = cmp.Or(unknown, err)
			s.Values = append(s.Values, ValueRecord{name, value})
		})
		l.nValues = len(s.Values)
		return cmp.Or(err, unknown)
	})
}

func (l *seedLoad) assessments() {
	specs := map[int64]bool{}
	l.each(listAssessments, func(s *SeedRecord, row []driver.Value) error {
		id := asInt(row[1])
		specs[id] = true
		s.Assessments = append(s.Assessments, AssessmentRecord{
			row: id, Total: asNullFloat(row[2]), NPass: int(asInt(row[3])), NWarn: int(asInt(row[4])), NFail: int(asInt(row[5])), AssessedAt: asTime(row[6]),
		})
		return nil
	})
	l.each(listResults, func(s *SeedRecord, row []driver.Value) error {
		a := s.assessment(asInt(row[1]))
		if a == nil {
			return nil
		}
		var unknown error
		a.Results = make([]ResultRecord, 0, l.nResults)
		err := eachResult(asText(row[2]), func(r storedResult) {
			name, err := l.metric(r.metric)
			unknown = cmp.Or(unknown, err)
			a.Results = append(a.Results, ResultRecord{name, statusOf(r.status), r.score, r.isComputed, r.value, r.reason})
		})
		l.nResults = len(a.Results)
		return cmp.Or(err, unknown)
	})
	for id := range specs {
		if _, err := l.spec(l.ctx, id); err != nil {
			l.err = errors.Join(l.err, err)
			return
		}
	}
	for _, s := range l.byRow {
		for i := range s.Assessments {
			s.Assessments[i].Spec = l.specs[s.Assessments[i].row]
		}
	}
}

// assessment returns the judgement under a spec; nil for none.
func (s *SeedRecord) assessment(spec int64) *AssessmentRecord {
	for i := range s.Assessments {
		if s.Assessments[i].row == spec {
			return &s.Assessments[i]
		}
	}
	return nil
}

func (l *seedLoad) runs() {
	l.each(listRunsOfSeeds, func(s *SeedRecord, row []driver.Value) error {
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
		s.Seed.Run = run
		var err error
		run.Stderr, err = decompress(data)
		return err
	})
}

func (l *seedLoad) repetitions() {
	l.each(listRepetitionsOfSeeds, func(s *SeedRecord, row []driver.Value) error {
		s.Repetitions = append(s.Repetitions, RepetitionRecord{
			track.Repetition{ID: asText(row[1]), Sweep: asText(row[2]), Digest: asDigest(row[3]), RepeatedAt: asTime(row[5])}, asText(row[4]),
		})
		return nil
	})
}

func (l *seedLoad) series() {
	contents := map[int64][]SeriesChunk{}
	type ref struct {
		seed    *SeedRecord
		content int64
	}
	var all []ref
	l.each(listContentsOfSeeds, func(s *SeedRecord, row []driver.Value) error {
		encoded := EncodedSeries{Name: asText(row[1]), Hash: asDigest(row[2]), N: int(asInt(row[3]))}
		s.SeriesParts = append(s.SeriesParts, SeriesRecord{EncodedSeries: encoded, PrunedAt: asTime(row[4])})
		all = append(all, ref{s, asInt(row[5])})
		return nil
	})
	at := map[*SeedRecord]int{}
	for _, r := range all {
		chunks, known := contents[r.content]
		if !known && l.err == nil {
			l.err = explain(l.read().SelectContext(l.ctx, &chunks, listChunksOfContent, r.content))
			contents[r.content] = chunks
		}
		r.seed.SeriesParts[at[r.seed]].Chunks = chunks
		at[r.seed]++
	}
}
