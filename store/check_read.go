package store

import (
	"bytes"
	"context"
	"database/sql/driver"
	"fmt"

	"track"
)

// A bit that flips in a number is still a number to SQLite. What verdicts are made of is therefore compared with the
// digests and the totals of its seeds while it is read.

const listJudgedSeeds = `
	SELECT seed.id, seed.number, seed.ulid, seed.outcome, seed.digest, assessment.total_score, assessment.n_pass, assessment.n_warn, assessment.n_fail
	  FROM seed ORDERED JOIN assessment ON assessment.seed_id = seed.id AND assessment.spec_id = $1
	 WHERE {selection}`

const listJudgedSeries = `
	SELECT seed_series.seed_id, series_name.name, series_content.hash
	  FROM seed ORDERED JOIN seed_series ON seed_series.seed_id = seed.id ORDERED JOIN series_name ON series_name.id = seed_series.name_id
	  ORDERED JOIN series_content ON series_content.id = seed_series.content_id
	 WHERE {selection} ORDER BY seed_series.seed_id, series_name.name`

// readCheck checks the judged seeds of a selection while their results and values are read. It keeps the first damage.
type readCheck struct {
	seeds       map[int64]*checkedSeed
	assessments map[int64]checkedAssessment
	values      seedCheck
	results     resultCheck
	damage      *Damage
}

// checkRead begins to check the seeds of a selection.
func (r *Reader) checkRead(ctx context.Context, sel Selection) (*readCheck, error) {
	c := &readCheck{seeds: map[int64]*checkedSeed{}, assessments: map[int64]checkedAssessment{}}
	c.values = seedCheck{found: c.found, metrics: map[int64]string{}}
	c.results = resultCheck{found: c.found, specs: map[int64]*specWeights{}, spec: sel.SpecID}
	err := r.streamSelected(ctx, sel, hinted(listJudgedSeeds), []any{sel.SpecID}, c.addSeed)
	if err == nil {
		err = r.stream(ctx, listMetrics, nil, func(row []driver.Value) { c.values.metrics[asInt(row[0])] = asText(row[1]) })
	}
	if err == nil {
		err = r.stream(ctx, listWeightsOf, []any{sel.SpecID}, c.results.addWeight)
	}
	hasSeries := false
	if err == nil {
		err = r.read().GetContext(ctx, &hasSeries, hasAnySeries)
	}
	if err == nil && hasSeries {
		err = r.streamSelected(ctx, sel, hinted(listJudgedSeries), nil, func(row []driver.Value) {
			if s := c.seeds[asInt(row[0])]; s != nil {
				hash := asDigest(row[2])
				s.series = append(append(append(s.series, asText(row[1])...), 0), hash[:]...)
			}
		})
	}
	return c, err
}

const (
	listWeightsOf = `SELECT spec_id, position, metric_id, weight FROM spec_metric WHERE spec_id = $1 ORDER BY position`
	hasAnySeries  = `SELECT EXISTS (SELECT 1 FROM seed_series)`
)

func (c *readCheck) addSeed(row []driver.Value) {
	id := asInt(row[0])
	name := "seed " + track.SeedNumber(asInt(row[1])).String() + " (" + asText(row[2]) + ")"
	digest, _ := row[4].([]byte)
	c.seeds[id] = &checkedSeed{id: id, name: name, outcome: asText(row[3]), digest: bytes.Clone(digest)}
	c.assessments[id] = checkedAssessment{
		seed: id, name: name, total: asNullFloat(row[5]), counts: [3]int{int(asInt(row[6])), int(asInt(row[7])), int(asInt(row[8]))},
	}
}

func (c *readCheck) found(d Damage) {
	if c.damage == nil {
		c.damage = &d
	}
}

// addResult takes a result. The results of a seed come together.
func (c *readCheck) addResult(seed, metric, status int64, score driver.Value) {
	if seed != c.results.seed {
		c.endResults()
		c.results.begin(seed, c.results.spec)
	}
	c.results.add(metric, status, asFloat(score))
}

func (c *readCheck) endResults() {
	if c.results.n > 0 {
		c.results.compare(knownRow(c.assessments, "seed", c.results.seed))
	}
}

// addValue takes a value of a judged seed. The values of a seed come together.
func (c *readCheck) addValue(seed, metric int64, value driver.Value) {
	v := &c.values
	if seed != v.seed {
		c.endValues()
		v.seed, v.ids, v.values = seed, v.ids[:0], v.values[:0]
	}
	v.ids, v.values = append(v.ids, metric), append(v.values, storedValue(value))
}

func (c *readCheck) endValues() {
	if len(c.values.ids) > 0 {
		c.values.compare(*knownRow(c.seeds, "seed", c.values.seed), c.values.ids, c.values.values)
		delete(c.seeds, c.values.seed)
	}
}

// err returns the damage of the results, and if withValues of the values, that were read.
func (c *readCheck) err(withValues bool) (err error) {
	defer catchDamage(&err)
	c.endResults()
	if c.results.counts.Assessments < len(c.assessments) {
		c.found(Damage{"result", "its results are missing", fmt.Sprintf("%d of %d seeds", len(c.assessments)-c.results.counts.Assessments, len(c.assessments))})
	}
	if withValues {
		c.endValues()
		for _, s := range c.seeds {
			c.values.compare(*s, nil, nil)
		}
	}
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
	seed := checkedSeed{name: "seed " + row.ULID, outcome: row.Outcome, digest: row.Digest}
	err := r.stream(ctx, listSeriesOf, []any{id}, func(row []driver.Value) {
		hash := asDigest(row[1])
		seed.series = append(append(append(seed.series, asText(row[0])...), 0), hash[:]...)
	})
	if err != nil {
		return err
	}
	c := &readCheck{}
	check := seedCheck{found: c.found, metrics: map[int64]string{}}
	for name, value := range values {
		metric := int64(len(check.ids) + 1)
		check.metrics[metric], check.ids, check.values = name, append(check.ids, metric), append(check.values, value)
	}
	check.compare(seed, check.ids, check.values)
	return c.problem()
}

// problem returns the damage as an error; nil if there is none.
func (c *readCheck) problem() error {
	if d := c.damage; d != nil {
		return fmt.Errorf("%w: %s: %s (%s)", track.ErrDamaged, d.Table, d.Problem, d.Record)
	}
	return nil
}

const countJudgedMetrics = `
	SELECT coalesce(sum(n_pass + n_warn + n_fail), 0) FROM assessment WHERE seed_id = (SELECT id FROM seed WHERE ulid = $1) AND spec_id = $2`

// checkCount compares how many results of a seed under a spec were read with what its assessment counts.
func (r *Reader) checkCount(ctx context.Context, ulid string, specID int64, n int) error {
	var counted int
	err := r.read().GetContext(ctx, &counted, countJudgedMetrics, ulid, specID)
	if err == nil && counted != n {
		err = fmt.Errorf("%w: %d of %d results of seed %s can be read", track.ErrDamaged, n, counted, ulid)
	}
	return explain(err)
}
