package store

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"math"

	"track"
)

// A bit that flips in a number is still a number to SQLite. What verdicts are made of is therefore compared with the
// digests and the totals of its seeds while it is read.

const listJudgedSeries = `
	SELECT seed_series.seed_id, series_name.name, series_content.hash
	  FROM seed ORDERED JOIN seed_series ON seed_series.seed_id = seed.id ORDERED JOIN series_name ON series_name.id = seed_series.name_id
	  ORDERED JOIN series_content ON series_content.id = seed_series.content_id
	 WHERE {selection} ORDER BY seed_series.seed_id, series_name.name`

// readCheck checks the judged seeds of a selection while their results and values are read. It keeps the first damage.
type readCheck struct {
	*Reader
	ctx       context.Context
	seeds     []*selectedSeed
	ids       []int64          // of the seeds
	series    map[int64][]byte // by seed: name, zero and hash of each
	artifacts map[int64][]byte // by seed: what each adds to the digest
	values    seedCheck
	results   resultCheck
	current   int64 // the seed that is compared
	damage    *Damage
}

// newReadCheck returns a check of results under a spec.
func (r *Reader) newReadCheck(ctx context.Context, specID int64) (*readCheck, error) {
	c := &readCheck{Reader: r, ctx: ctx}
	c.results = resultCheck{found: c.found, specs: map[int64]*specWeights{specID: {positions: map[int64]int{}}}}
	err := r.stream(ctx, listWeightsOf, []any{specID}, c.results.addWeight)
	c.results.begin(0, specID)
	return c, err
}

// checkRead begins to check the seeds of a selection.
func (r *Reader) checkRead(ctx context.Context, sel Selection) (*readCheck, error) {
	c, err := r.newReadCheck(ctx, sel.SpecID)
	var seeds []selectedSeed
	if err == nil {
		seeds, err = r.selectedSeeds(ctx, sel)
	}
	for i := range seeds {
		if seeds[i].assessed {
			c.add(&seeds[i])
		}
	}
	c.values = seedCheck{found: c.found, metrics: map[int64]string{}}
	if err == nil {
		err = r.stream(ctx, listMetrics, nil, func(row []driver.Value) { c.values.metrics[asInt(row[0])] = asText(row[1]) })
	}
	if err == nil {
		err = c.addContents(sel)
	}
	return c, err
}

// addContents reads what series and artifacts add to the digests of the seeds of a selection.
func (c *readCheck) addContents(sel Selection) error {
	return cmp.Or(c.addSeries(sel), c.addArtifacts(sel))
}

func (c *readCheck) addSeries(sel Selection) error {
	hasSeries := false
	if err := c.read().GetContext(c.ctx, &hasSeries, hasAnySeries); err != nil || !hasSeries {
		return err
	}
	c.series = map[int64][]byte{}
	return c.streamSelected(c.ctx, sel, listJudgedSeries, nil, func(row []driver.Value) {
		seed, hash := asInt(row[0]), asDigest(row[2])
		c.series[seed] = append(append(append(c.series[seed], asText(row[1])...), 0), hash[:]...)
	})
}

func (c *readCheck) addArtifacts(sel Selection) error {
	hasArtifacts := false
	if err := c.read().GetContext(c.ctx, &hasArtifacts, hasAnyArtifact); err != nil || !hasArtifacts {
		return err
	}
	c.artifacts = map[int64][]byte{}
	return c.streamSelected(c.ctx, sel, listJudgedArtifacts, nil, func(row []driver.Value) {
		seed := asInt(row[0])
		c.artifacts[seed] = appendArtifactDigest(c.artifacts[seed], row[1:])
	})
}

const (
	listWeightsOf = `SELECT spec_id, position, metric_id, weight FROM spec_metric WHERE spec_id = $1 ORDER BY position`
	hasAnySeries  = `SELECT EXISTS (SELECT 1 FROM seed_series)`
)

func (c *readCheck) add(seed *selectedSeed) {
	c.ids, c.seeds = append(c.ids, seed.id), append(c.seeds, seed)
}

func (c *readCheck) found(d Damage) {
	if c.damage == nil {
		c.damage = &d
	}
}

const getSeedName = `SELECT number, ulid FROM seed WHERE id = $1`

// name returns what people call the seed that is compared.
func (c *readCheck) name() string {
	var row struct {
		Number track.SeedNumber `db:"number"`
		ULID   string           `db:"ulid"`
	}
	if err := c.read().GetContext(c.ctx, &row, getSeedName, c.current); err != nil {
		return fmt.Sprintf("row %d of seed", c.current)
	}
	return "seed " + row.Number.String() + " (" + row.ULID + ")"
}

// scanResults reads the results of the seeds, and compares them with their assessments. It calls visit for each seed
// that has results, by its index. They are in c.results.weights during the call.
func (c *readCheck) scanResults(visit func(seed int)) error {
	at, nCompared := 0, 0
	err := c.results.scan(c.ctx, c.Reader, c.ids, func(seed int64) {
		for c.ids[at] != seed {
			at++
		}
		s := c.seeds[at]
		c.current = seed
		total := sql.NullFloat64{Float64: s.total, Valid: !math.IsNaN(s.total)}
		c.results.compare(&checkedAssessment{name: c.name, total: total, counts: [3]int{int(s.counts[0]), int(s.counts[1]), int(s.counts[2])}})
		nCompared++
		visit(at)
	})
	if err != nil {
		return err
	}
	if nCompared < len(c.ids) {
		c.found(Damage{"result", "its results are missing", fmt.Sprintf("%d of %d seeds", len(c.ids)-nCompared, len(c.ids))})
	}
	return c.problem()
}

// scan reads the results of seeds under the spec, and calls visit for each seed that has any.
func (c *resultCheck) scan(ctx context.Context, r *Reader, ids []int64, visit func(seed int64)) error {
	err := r.pool.engine.scanSeeds(ctx, r, "result", ids, func(seed int64, row packedRow) error {
		spec := row.integer()
		if spec != c.spec {
			return nil
		}
		if seed != c.seed {
			if c.n > 0 {
				visit(c.seed)
			}
			c.begin(seed, spec)
		}
		metric, status := row.integer(), row.integer()
		score, _ := row.number()
		c.add(metric, status, score)
		return nil
	})
	if err == nil && c.n > 0 {
		visit(c.seed)
	}
	return err
}

// scanValues reads the values of the seeds, and compares them with their digests. It calls visit for each seed that has
// values, with them and the ids of their metrics.
func (c *readCheck) scanValues(visit func(metrics []int64, values []float64)) error {
	at, v := 0, &c.values
	compare := func() {
		s := c.seeds[at]
		c.current = s.id
		v.compare(&checkedSeed{name: c.name, outcome: string(s.outcome), digest: s.digest[:], series: c.series[s.id], artifacts: c.artifacts[s.id]}, v.ids, v.values)
		at++
	}
	// to compares the seeds up to one that has values, which are gathered next.
	to := func(seed int64) {
		if len(v.ids) > 0 {
			compare()
			visit(v.ids, v.values)
			v.ids, v.values = v.ids[:0], v.values[:0]
		}
		for at < len(c.ids) && c.ids[at] != seed {
			compare()
		}
		v.seed = seed
	}
	err := c.pool.engine.scanSeeds(c.ctx, c.Reader, "value", c.ids, func(seed int64, row packedRow) error {
		if seed != v.seed {
			to(seed)
		}
		metric := row.integer()
		value, _ := row.number()
		v.ids, v.values = append(v.ids, metric), append(v.values, value)
		return nil
	})
	if err != nil {
		return err
	}
	to(0) // which is the id of no seed
	return c.problem()
}

const (
	getCheckedSeed = `SELECT ulid, outcome, digest FROM seed WHERE id = $1`
	listSeriesOf   = `
	SELECT series_name.name, series_content.hash
	  FROM seed_series JOIN series_name ON series_name.id = seed_series.name_id JOIN series_content ON series_content.id = seed_series.content_id
	 WHERE seed_series.seed_id = $1 ORDER BY series_name.name`
)

// checkValues compares the values of one seed with its digest.
func (r *Reader) checkValues(ctx context.Context, id int64, values map[string]float64) error {
	var row struct {
		ULID    string `db:"ulid"`
		Outcome string `db:"outcome"`
		Digest  []byte `db:"digest"`
	}
	if err := r.read().GetContext(ctx, &row, getCheckedSeed, id); err != nil {
		return err
	}
	seed := checkedSeed{name: func() string { return "seed " + row.ULID }, outcome: row.Outcome, digest: row.Digest}
	err := r.stream(ctx, listSeriesOf, []any{id}, func(row []driver.Value) {
		hash := asDigest(row[1])
		seed.series = append(append(append(seed.series, asText(row[0])...), 0), hash[:]...)
	})
	if err == nil {
		err = r.stream(ctx, listArtifactDigests, []any{id}, func(row []driver.Value) { seed.artifacts = appendArtifactDigest(seed.artifacts, row) })
	}
	if err != nil {
		return err
	}
	c := &readCheck{}
	check := seedCheck{found: c.found, metrics: map[int64]string{}}
	for name, value := range values {
		metric := int64(len(check.ids) + 1)
		check.metrics[metric], check.ids, check.values = name, append(check.ids, metric), append(check.values, value)
	}
	check.compare(&seed, check.ids, check.values)
	return c.problem()
}

// problem returns the damage as an error; nil if there is none.
func (c *readCheck) problem() error {
	if d := c.damage; d != nil {
		return fmt.Errorf("%w: %s: %s (%s)", track.ErrDamaged, d.Table, d.Problem, d.Record)
	}
	return nil
}

const (
	listAssessmentOf = `SELECT ` + assessmentChecked + ` FROM assessment WHERE seed_id = (SELECT id FROM seed WHERE ulid = $1) AND spec_id = $2`
	listResultsOf    = `SELECT metric_id, status, score FROM result WHERE seed_id = (SELECT id FROM seed WHERE ulid = $1) AND spec_id = $2`
)

// checkResults compares the results of a seed under a spec, of which n were read, with its assessment.
func (r *Reader) checkResults(ctx context.Context, ulid string, specID int64, n int) error {
	name := func() string { return "seed " + ulid }
	c, err := r.newReadCheck(ctx, specID)
	var of *checkedAssessment
	if err == nil {
		err = r.stream(ctx, listAssessmentOf, []any{ulid, specID}, func(row []driver.Value) {
			if !isSound(row) {
				c.found(Damage{"assessment", "its row differs from its checksum", name()})
			}
			of = &checkedAssessment{name: name, total: asNullFloat(row[2]), counts: [3]int{int(asInt(row[3])), int(asInt(row[4])), int(asInt(row[5]))}}
		})
	}
	if err == nil {
		err = r.stream(ctx, listResultsOf, []any{ulid, specID}, func(row []driver.Value) { c.results.add(asInt(row[0]), asInt(row[1]), asFloat(row[2])) })
	}
	if err != nil {
		return err
	}
	switch {
	case n != c.results.n || of == nil && n > 0:
		c.found(Damage{"result", "not all of it can be read", name()})
	case of != nil:
		c.results.compare(of)
	}
	return c.problem()
}
