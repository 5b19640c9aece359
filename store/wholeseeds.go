package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"track"
	"track/scoring"
	"track/series"
)

// WholeSeed is a seed with all that belongs to it.
type WholeSeed struct {
	track.Seed // with the series and files whose contents are kept
	Record     track.SeedRecord

	row, scenario, configuration, environment int64
}

// SeedPages reads whole seeds in the order of their rows. It belongs to one goroutine.
type SeedPages struct {
	*Reader
	after          int64
	scenarios      map[int64]string // that are read
	configurations map[int64]track.Configuration
	environments   map[int64]track.Environment
	superseded     map[seedIdentity][]track.TextDigest
}

// seedIdentity is what only one seed that counts has.
type seedIdentity struct {
	scenario, configuration int64
	number                  track.SeedNumber
}

// pageOfSeeds is how many seeds are read together. They may have series and files.
const pageOfSeeds = 200

const (
	listScenarioNames = `SELECT id, name FROM scenario`
	listSuperseded    = `SELECT scenario_id, configuration_id, number, digest FROM seed WHERE superseded_at IS NOT NULL AND withdrawn_at IS NULL`
	getEnvironment    = `SELECT document FROM environment WHERE id = $1`
	getConfiguration  = `SELECT ` + configurationColumns + ` FROM configuration WHERE id = $1`
	listWholeSeeds    = `
	SELECT id, scenario_id, configuration_id, environment_id, ulid, number, digest, recorded_at, CASE WHEN withdrawn_at IS NULL THEN superseded_at END,
	       withdrawn_at IS NOT NULL, outcome, message, started_at, duration_us, numbers FROM seed WHERE id > $1 ORDER BY id LIMIT $2`

	ofPage           = `seed_id BETWEEN $1 AND $2`
	listJudgedOfPage = `
	SELECT assessment.seed_id, spec.hash, assessment.results, assessment.spec_id,
	       EXISTS (SELECT 1 FROM seed_series JOIN series_content ON series_content.id = seed_series.content_id
	                WHERE seed_series.seed_id = assessment.seed_id AND series_content.pruned_at IS NOT NULL)
	  FROM assessment JOIN spec ON spec.id = assessment.spec_id WHERE assessment.` + ofPage + ` ORDER BY assessment.seed_id, assessment.spec_id`
	listRunsOfPage        = selectRuns + `run.` + ofPage
	listRepetitionsOfPage = `
	SELECT repetition.seed_id, repetition.ulid, sweep.ulid, repetition.digest, repetition.repeated_at, repetition.differences
	  FROM repetition LEFT JOIN sweep ON sweep.id = repetition.sweep_id WHERE repetition.` + ofPage + ` ORDER BY repetition.id`
	listSeriesOfPage = `
	SELECT seed_series.seed_id, seed_series.name, series_content.hash, series_content.n, series_content.pruned_at, series_content.id
	  FROM seed_series JOIN series_content ON series_content.id = seed_series.content_id
	 WHERE seed_series.` + ofPage + ` ORDER BY seed_series.seed_id, seed_series.name`
	listArtifactsOfPage = `
	SELECT artifact.seed_id, artifact.name, artifact.left_out, artifact_content.data, artifact_content.hash, artifact_content.n_bytes, artifact_content.pruned_at
	  FROM artifact LEFT JOIN artifact_content ON artifact_content.id = artifact.artifact_content_id
	 WHERE artifact.` + ofPage + ` ORDER BY artifact.seed_id, artifact.name`
)

// SeedPages returns a reader of the seeds of the scenarios that of accepts.
func (r *Reader) SeedPages(ctx context.Context, of func(scenario string) bool) (*SeedPages, error) {
	p := &SeedPages{
		Reader: r, scenarios: map[int64]string{}, configurations: map[int64]track.Configuration{}, environments: map[int64]track.Environment{},
		superseded: map[seedIdentity][]track.TextDigest{},
	}
	err := r.each(ctx, listScenarioNames, nil, func(c *cells) {
		if id, name := c.integer(), c.text(); of(name) {
			p.scenarios[id] = name
		}
	})
	if err != nil {
		return nil, err
	}
	return p, r.each(ctx, listSuperseded, nil, func(c *cells) {
		place := seedIdentity{c.integer(), c.integer(), c.number()}
		p.superseded[place] = append(p.superseded[place], c.digest())
	})
}

// Next returns the next seeds; none at the end.
func (p *SeedPages) Next(ctx context.Context) ([]*WholeSeed, error) {
	var seeds []*WholeSeed
	for before := int64(-1); len(seeds) == 0 && p.after != before; {
		before = p.after
		err := p.each(ctx, listWholeSeeds, []any{p.after, pageOfSeeds}, func(c *cells) {
			s := &WholeSeed{row: c.integer(), scenario: c.integer(), configuration: c.integer(), environment: c.integer()}
			s.Seed = track.Seed{ID: c.text(), Scenario: p.scenarios[s.scenario], Number: c.number()}
			s.Record = track.SeedRecord{ID: s.ID, Digest: c.digest(), At: c.time(), SupersededAt: c.time(), IsWithdrawn: c.isTrue()}
			s.RecordedAt, s.Outcome, s.Message, s.StartedAt, s.Duration, s.Values = s.Record.At, track.Outcome(c.text()), c.text(), c.time(), c.duration(), c.numbers()
			if p.after = s.row; s.Scenario != "" {
				seeds = append(seeds, s)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	if len(seeds) == 0 {
		return nil, nil
	}
	byRow := make(map[int64]*WholeSeed, len(seeds))
	for _, s := range seeds {
		byRow[s.row] = s
		if err := p.complete(ctx, s); err != nil {
			return nil, err
		}
	}
	return seeds, p.addParts(ctx, byRow, []any{seeds[0].row, seeds[len(seeds)-1].row})
}

// complete adds to a seed what its row names by id.
func (p *SeedPages) complete(ctx context.Context, s *WholeSeed) (err error) {
	s.Configuration, err = cachedRow(ctx, p, p.configurations, getConfiguration, s.configuration, func(c *cells) track.Configuration { return c.configuration().Configuration })
	if err != nil {
		return err
	}
	if s.Record.SupersededAt.IsZero() {
		s.Record.Replaces = p.superseded[seedIdentity{s.scenario, s.configuration, s.Number}]
	}
	s.Environment, err = cachedRow(ctx, p, p.environments, getEnvironment, s.environment, func(c *cells) (e track.Environment) {
		if c.json("environment", &e); len(e) == 0 {
			e = nil
		}
		return e
	})
	return err
}

// cachedRow returns what an id stands for. A row that does not exist makes the database a damaged one.
func cachedRow[T any](ctx context.Context, p *SeedPages, cache map[int64]T, query string, id int64, read func(*cells) T) (T, error) {
	if row, ok := cache[id]; ok {
		return row, nil
	}
	row, err := first(ctx, p.Reader, query, []any{id}, read)
	if err == nil && row == nil {
		err = fmt.Errorf("%w: a seed refers to row %d, which does not exist: %s", track.ErrInvalid, id, query)
	}
	if err == nil {
		cache[id] = *row
	}
	return orZero(row), err
}

// addParts adds what belongs to the seeds of a page.
func (p *SeedPages) addParts(ctx context.Context, byRow map[int64]*WholeSeed, page []any) error {
	metrics := map[int64][]string{} // of specs
	var computed []func() error     // needs another query
	type content struct {
		seed *WholeSeed
		name string
		id   int64
	}
	var kept []content
	none := &WholeSeed{} // of another scenario
	seedOf := func(row int64) *WholeSeed { return cmp.Or(byRow[row], none) }
	parts := []struct {
		query string
		visit func(c *cells)
	}{
		{listJudgedOfPage, func(c *cells) {
			s := seedOf(c.integer())
			s.Record.Judged = append(s.Record.Judged, track.Judgement{Spec: c.text()})
			at, results, spec := len(s.Record.Judged)-1, c.text(), c.integer()
			if c.isTrue() {
				computed = append(computed, func() (err error) {
					s.Record.Judged[at].Computed, err = p.computed(ctx, metrics, spec, results)
					return err
				})
			}
		}},
		{listRunsOfPage, func(c *cells) {
			row, run := c.run()
			seedOf(row).Run = &run
		}},
		{listRepetitionsOfPage, func(c *cells) {
			s := seedOf(c.integer())
			r := track.Repetition{ID: c.text(), Sweep: c.text(), Digest: c.digest(), RepeatedAt: c.time()}
			c.json("differences", &r.Differences)
			s.Record.Repetitions = append(s.Record.Repetitions, r)
		}},
		{listSeriesOfPage, func(c *cells) {
			s := seedOf(c.integer())
			pruned := track.PrunedContent{Series: c.text(), Digest: c.digest(), N: c.integer(), At: c.time()}
			if pruned.At.IsZero() {
				kept = append(kept, content{s, pruned.Series, c.integer()})
				return
			}
			s.Record.Pruned = append(s.Record.Pruned, pruned)
		}},
		{listArtifactsOfPage, func(c *cells) {
			s := seedOf(c.integer())
			a := track.Artifact{Name: c.text(), LeftOut: c.text()}
			data := c.bytes()
			pruned := track.PrunedContent{File: a.Name, Digest: c.digest(), N: c.integer(), At: c.time()}
			if data == nil && a.LeftOut == "" {
				s.Record.Pruned = append(s.Record.Pruned, pruned)
				return
			}
			if data != nil {
				var err error
				a.Content, err = artifactContent(data, pruned.Digest[:], a.Name)
				c.fail(err)
			}
			s.Artifacts = append(s.Artifacts, a)
		}},
	}
	for _, part := range parts {
		if err := p.each(ctx, part.query, page, part.visit); err != nil {
			return err
		}
	}
	for _, read := range computed {
		if err := read(); err != nil {
			return err
		}
	}
	for _, k := range kept {
		one := track.Series{Name: k.name, Values: []float64{}}
		err := p.each(ctx, listChunksOfContent, []any{k.id}, func(c *cells) {
			var err error
			if one.Values, err = series.AppendDecoded(one.Values, series.Chunk(c.chunk())); err != nil {
				c.fail(fmt.Errorf("%w: series %s of seed %s: %w", track.ErrDamaged, k.name, k.seed.ID, err))
			}
		})
		if err != nil {
			return err
		}
		k.seed.Series = append(k.seed.Series, one)
	}
	return nil
}

// computed returns what was computed from series that were pruned since.
func (p *SeedPages) computed(ctx context.Context, metrics map[int64][]string, spec int64, text string) (list []scoring.ComputedValue, err error) {
	names, known := metrics[spec]
	if !known {
		if names, err = p.specNames(ctx, spec); err != nil {
			return nil, err
		}
		metrics[spec] = names
	}
	results, err := appendPackedResults(nil, text)
	for i, r := range results[:min(len(results), len(names))] {
		if r.isComputed {
			list = append(list, scoring.ComputedValue{Metric: names[i], Value: r.value, Reason: r.reason})
		}
	}
	return slices.Clip(list), err
}
