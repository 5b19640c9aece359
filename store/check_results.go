package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"math"

	"track"
)

const listCheckedAssessments = `
	SELECT ` + assessmentChecked + `, seed.ulid, seed.number, scenario.name, spec.version
	  FROM assessment LEFT JOIN seed ON seed.id = assessment.seed_id LEFT JOIN scenario ON scenario.id = seed.scenario_id
	  LEFT JOIN spec ON spec.id = assessment.spec_id
	 WHERE (assessment.seed_id, assessment.spec_id) > ($1, $2) ORDER BY assessment.seed_id, assessment.spec_id LIMIT 5000`

const listCheckedWeights = `SELECT spec_id, position, metric_id, weight FROM spec_metric ORDER BY spec_id, position`

// checkedAssessment is an assessment that is compared with its results.
type checkedAssessment struct {
	seed, spec int64
	name       func() string
	total      sql.NullFloat64
	counts     [3]int // by status
}

// resultCheck compares assessments with their results, both in the order of their keys.
type resultCheck struct {
	*Reader
	ctx    context.Context
	found  func(Damage)
	done   func(CheckCounts)
	counts CheckCounts
	specs  map[int64]*specWeights
	page   []checkedAssessment
	last   [2]int64 // the last seed and spec of all pages so far
	ended  bool

	seed, spec int64 // whose results were gathered
	n          int
	statuses   [3]int
	weights    *specWeights
	isUnknown  bool // there is a metric that the spec does not have
	unknown    int64
}

// specWeights are the metrics of a spec, and the scores that a seed has for them.
type specWeights struct {
	positions map[int64]int // by metric
	metrics   []int64
	weights   []float64
	scores    []float64 // NaN for none
	statuses  []int8    // codes; noResult for none
	expected  int       // the position of the result that follows, mostly
}

// noResult stands for the status of a metric that a seed has no result of.
const noResult = -1

// CheckResults compares every assessment with its results: how many passed, and the total score.
func (r *Reader) CheckResults(ctx context.Context, found func(Damage), done func(CheckCounts)) (CheckCounts, error) {
	c := &resultCheck{Reader: r, ctx: ctx, found: found, done: done, specs: map[int64]*specWeights{}}
	err := r.stream(ctx, listCheckedWeights, nil, c.addWeight)
	if err == nil {
		err = r.pool.engine.scanTable(ctx, r, "result", found, c.result)
	}
	if err == nil {
		err = c.finish()
	}
	for err == nil && !c.ended {
		err = c.pass(math.MaxInt64, 0)
	}
	return c.counts, explain(err)
}

func (c *resultCheck) addWeight(row []driver.Value) {
	spec, metric := asInt(row[0]), asInt(row[2])
	w := c.specs[spec]
	if w == nil {
		w = &specWeights{positions: map[int64]int{}}
		c.specs[spec] = w
	}
	w.positions[metric] = len(w.weights)
	w.metrics, w.weights = append(w.metrics, metric), append(w.weights, asFloat(row[3]))
	w.scores, w.statuses = append(w.scores, math.NaN()), append(w.statuses, noResult)
}

// result takes a row of results.
func (c *resultCheck) result(row packedRow) error {
	seed, spec, metric, status := row.integer(), row.integer(), row.integer(), row.integer()
	score, _ := row.number()
	if err := row.failure(); err != nil {
		return err
	}
	if seed != c.seed || spec != c.spec {
		if err := c.finish(); err != nil {
			return err
		}
		c.begin(seed, spec)
	}
	c.add(metric, status, score)
	return nil
}

// add gathers a result.
func (c *resultCheck) add(metric, status int64, score float64) {
	c.counts.Results++
	c.n++
	if status < 0 || status > 2 {
		c.found(Damage{"result", "its status is out of range", fmt.Sprintf("row %d of seed", c.seed)})
	}
	status = min(max(status, 0), 2)
	c.statuses[status]++
	if c.weights == nil || !c.weights.set(metric, int8(status), score) {
		c.isUnknown, c.unknown = true, metric
	}
}

func (c *resultCheck) begin(seed, spec int64) {
	c.seed, c.spec, c.n, c.statuses, c.isUnknown, c.weights = seed, spec, 0, [3]int{}, false, c.specs[spec]
	if c.weights != nil {
		for i := range c.weights.scores {
			c.weights.scores[i], c.weights.statuses[i] = math.NaN(), noResult
		}
	}
}

// set sets the status and the score of a metric; false if the spec does not have it.
func (w *specWeights) set(metric int64, status int8, score float64) bool {
	at := w.expected
	if at >= len(w.metrics) || w.metrics[at] != metric {
		known := false
		if at, known = w.positions[metric]; !known {
			return false
		}
	}
	w.scores[at], w.statuses[at], w.expected = score, status, at+1
	return true
}

// total returns the weighted mean of the scores, summed up in the order of the spec; NaN if one is missing.
func (w *specWeights) total() float64 {
	var sum, weights float64
	for i, weight := range w.weights {
		sum += float64(w.scores[i] * weight)
		weights += weight
	}
	return sum / weights
}

// finish compares the gathered results with their assessment.
func (c *resultCheck) finish() error {
	if c.n == 0 {
		return nil
	}
	if err := c.pass(c.seed, c.spec); err != nil {
		return err
	}
	if len(c.page) == 0 || c.page[0].seed != c.seed || c.page[0].spec != c.spec {
		c.found(Damage{"result", "its assessment does not exist", fmt.Sprintf("row %d of seed, row %d of spec", c.seed, c.spec)})
		return nil
	}
	c.compare(&c.page[0])
	c.page = c.page[1:]
	return nil
}

func (c *resultCheck) compare(a *checkedAssessment) {
	c.counts.Assessments++
	switch {
	case c.isUnknown:
		c.found(Damage{"result", "its spec does not have its metric", fmt.Sprintf("metric %d, %s", c.unknown, a.name())})
	case a.counts != c.statuses:
		c.found(Damage{"assessment", "its counts differ from its results", fmt.Sprintf("%s: %v stored, %v counted", a.name(), a.counts, c.statuses)})
	default:
		total := c.weights.total()
		if math.IsNaN(total) == a.total.Valid || a.total.Valid && total != a.total.Float64 {
			c.found(Damage{"assessment", "its total score differs from its results", fmt.Sprintf("%s: %v stored, %v computed", a.name(), a.total.Float64, total)})
		}
	}
}

// pass reports the assessments before a key: they have no results.
func (c *resultCheck) pass(seed, spec int64) error {
	for {
		for len(c.page) > 0 && (c.page[0].seed < seed || c.page[0].seed == seed && c.page[0].spec < spec) {
			c.counts.Assessments++
			c.found(Damage{"assessment", "its results are missing", c.page[0].name()})
			c.page = c.page[1:]
		}
		if len(c.page) > 0 || c.ended {
			return nil
		}
		if err := c.readPage(); err != nil {
			return err
		}
	}
}

func (c *resultCheck) readPage() error {
	err := c.stream(c.ctx, listCheckedAssessments, []any{c.last[0], c.last[1]}, func(row []driver.Value) {
		a := checkedAssessment{seed: asInt(row[0]), spec: asInt(row[1]), total: asNullFloat(row[2])}
		a.counts = [3]int{int(asInt(row[3])), int(asInt(row[4])), int(asInt(row[5]))}
		ulid, number, scenario, version := asText(row[8]), track.SeedNumber(asInt(row[9])), asText(row[10]), asInt(row[11])
		a.name = func() string {
			return fmt.Sprintf("seed %s of %s (%s), spec version %d", number, scenario, ulid, version)
		}
		if !isSound(row[:assessmentColumns]) {
			c.found(Damage{"assessment", "its row differs from its checksum", a.name()})
		}
		c.page = append(c.page, a)
	})
	if c.ended = len(c.page) == 0; err != nil || c.ended {
		return err
	}
	c.last = [2]int64{c.page[len(c.page)-1].seed, c.page[len(c.page)-1].spec}
	c.done(c.counts)
	return nil
}
