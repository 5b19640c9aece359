package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"track"
	"track/scoring"
)

// Selection names the seeds that an aggregate is taken over: those of a scenario under some configurations, judged by
// one spec.
type Selection struct {
	Scenario       string
	Configurations []int64
	SpecID         int64
	Seeds          []track.SeedRange // empty for all seeds
}

// Totals is the aggregate over a [Selection], and what a reader has to know of it.
type Totals struct {
	scoring.SeedTotals
	NUnassessed   int // seeds that ran well but were never judged under the spec
	NEnvironments int // different environments among the seeds
}

const (
	inConfigurations = ` seed.scenario_id = (SELECT id FROM scenario WHERE name = $1) AND seed.superseded_at IS NULL
	   AND seed.configuration_id IN (`
	inRange       = `seed.number BETWEEN $1 AND $2`
	inSignedRange = `(seed.number >= $1 OR seed.number BETWEEN $2 AND $3)` // numbers from 2^63 are stored as negative ones, in the same order
)

// of returns a statement in which the condition that the selection amounts to stands for {selection}, with its
// arguments: those given, and those of the condition.
func (sel Selection) of(text string, args ...any) (string, []any) {
	before, after, _ := strings.Cut(text, "{selection}")
	c := clauses{args: args}
	c.text.WriteString(before)
	sel.addTo(&c)
	c.text.WriteString(after)
	return c.statement()
}

func (sel Selection) addTo(c *clauses) {
	c.add(inConfigurations, sel.Scenario)
	c.addList("{list})", anys(sel.Configurations)...)
	for i, r := range sel.Seeds {
		if i == 0 {
			c.add(" AND (")
		} else {
			c.add(" OR ")
		}
		if r.First <= math.MaxInt64 && r.Last > math.MaxInt64 {
			c.add(inSignedRange, r.First, int64(math.MinInt64), r.Last)
		} else {
			c.add(inRange, r.First, r.Last)
		}
	}
	if len(sel.Seeds) > 0 {
		c.add(")")
	}
}

// One metric is read by queries, of the seeds in the order in which the scans of all metrics read them.
const listOneMetricResults = `
	SELECT result.status, result.score
	  FROM seed ORDERED JOIN ONE result OF $2 ON result.seed_id = seed.id AND result.spec_id = $1
	 WHERE {selection} IN SCAN ORDER`

// Only the values of seeds that were judged count: a failed seed may carry values.
const listOneMetricValues = `
	SELECT value.value
	  FROM seed
	 ORDERED JOIN assessment ON assessment.seed_id = seed.id AND assessment.spec_id = $1
	 ORDERED JOIN ONE value OF $2 ON value.seed_id = seed.id
	 WHERE {selection} IN SCAN ORDER`

// The values that were computed, of seeds that were not given them; a reason says that there is none.
const listMetricComputed = `
	SELECT computed_value.metric_id, computed_value.value, computed_value.reason
	  FROM seed ORDERED JOIN computed_value ON computed_value.seed_id = seed.id AND computed_value.spec_id = $1
	 WHERE {selection} IN SCAN ORDER`

const listSpecMetricPositions = `SELECT metric_id, computed FROM spec_metric WHERE spec_id = $1 ORDER BY position`

// specMetric is a metric of a spec by its id.
type specMetric struct {
	ID       int64 `db:"metric_id"`
	Computed bool  `db:"computed"`
}

// MetricTotals aggregates each metric of a selection, in the order of the spec. It compares what it reads with the
// digests and the total scores of the seeds. A snapshot reads a selection once: a report asks for the stability of a
// configuration, gates it and puts it into a history.
func (r *Reader) MetricTotals(ctx context.Context, sel Selection) ([]scoring.MetricTotals, error) {
	key := sel.key()
	if totals, known := r.totals[key]; known {
		return slices.Clone(totals), nil
	}
	totals, err := r.readMetricTotals(ctx, sel)
	if err == nil && r.totals != nil {
		r.totals[key] = slices.Clone(totals)
	}
	return totals, err
}

func (r *Reader) readMetricTotals(ctx context.Context, sel Selection) (totals []scoring.MetricTotals, err error) {
	err = r.Snapshot(ctx, func(r *Reader) error {
		check, err := r.checkRead(ctx, sel)
		if err != nil {
			return err
		}
		sums := r.summed[sel.key()]
		if delete(r.summed, sel.key()); sums == nil {
			var visit func(int)
			if sums, visit, err = r.sumResults(ctx, check, sel); err == nil {
				err = check.scanResults(visit)
			}
		}
		if err != nil {
			return err
		}
		if err = check.scanValues(sums.addValues); err != nil {
			return err
		}
		err = r.addComputed(ctx, sums, sel, listMetricComputed, sel.SpecID)
		totals = sums.totals()
		return err
	})
	return totals, explain(err)
}

// sumResults returns sums for a selection, and what to visit the results of its seeds with.
func (r *Reader) sumResults(ctx context.Context, check *readCheck, sel Selection) (sums *metricSums, visit func(seed int), err error) {
	var metrics []specMetric
	if err := r.read().SelectContext(ctx, &metrics, listSpecMetricPositions, sel.SpecID); err != nil {
		return nil, nil, err
	}
	sums = newMetricSums(metrics)
	results := check.results.weights
	if r.reported == nil {
		return sums, func(int) { sums.addResults(results) }, nil
	}
	gathered := newStatusGatherer(len(check.ids), results)
	r.reported[sel.key()] = gathered.statuses
	return sums, func(at int) {
		sums.addResults(results)
		gathered.add(check.ids[at], results)
	}, nil
}

// metricSums are the sums of the metrics of a spec, in its order.
type metricSums struct {
	metrics  []specMetric
	sums     []metricSum
	byID     map[int64]*metricSum
	seen     []int64      // the metrics of the last seed, which the next one mostly has too
	seenSums []*metricSum // of them; nil for a metric that the spec does not have
}

type metricSum struct {
	notFailed int
	score     scoring.Accumulator
	value     scoring.ValueAccumulator
}

func newMetricSums(metrics []specMetric) *metricSums {
	s := &metricSums{metrics: metrics, sums: make([]metricSum, len(metrics)), byID: make(map[int64]*metricSum, len(metrics))}
	for i, m := range metrics {
		s.byID[m.ID] = &s.sums[i]
	}
	return s
}

// addResult adds the result of one seed; a score of NaN is none.
func (m *metricSum) addResult(status int64, score float64) {
	if statusOf(status) != scoring.Fail {
		m.notFailed++
	}
	if !math.IsNaN(score) { // which SQL has as NULL
		m.score.Add(score)
	}
}

// addResults adds the results of a seed.
func (s *metricSums) addResults(results *specWeights) {
	for i, status := range results.statuses {
		if status != noResult {
			s.sums[i].addResult(int64(status), results.scores[i])
		}
	}
}

// addValues adds what a seed measured.
func (s *metricSums) addValues(metrics []int64, values []float64) {
	if !slices.Equal(metrics, s.seen) {
		s.seen, s.seenSums = append(s.seen[:0], metrics...), s.seenSums[:0]
		for _, metric := range metrics {
			s.seenSums = append(s.seenSums, s.byID[metric])
		}
	}
	for i, sum := range s.seenSums {
		if sum != nil {
			sum.value.Add(values[i])
		}
	}
}

func (s *metricSums) totals() []scoring.MetricTotals {
	totals := make([]scoring.MetricTotals, len(s.sums))
	for i := range s.sums {
		m := &s.sums[i]
		totals[i] = scoring.MetricTotals{NNotFailed: m.notFailed, Score: m.score.Moments()}
		m.value.Fill(&totals[i])
	}
	return totals
}

// addComputed adds the computed values of a selection that a query finds.
func (r *Reader) addComputed(ctx context.Context, s *metricSums, sel Selection, query string, args ...any) error {
	if !slices.ContainsFunc(s.metrics, func(m specMetric) bool { return m.Computed }) {
		return nil
	}
	return r.streamSelected(ctx, sel, query, args, func(row []driver.Value) {
		if row[2] == nil {
			knownRow(s.byID, "metric", row[0].(int64)).value.Add(storedValue(row[1]))
		}
	})
}

const getSpecMetric = `
	SELECT spec_metric.metric_id, spec_metric.computed
	  FROM metric JOIN spec_metric ON spec_metric.metric_id = metric.id AND spec_metric.spec_id = $1
	 WHERE metric.name = $2`

const listOneMetricComputed = `
	SELECT computed_value.metric_id, computed_value.value, computed_value.reason
	  FROM seed ORDERED JOIN computed_value ON computed_value.seed_id = seed.id AND computed_value.spec_id = $1 AND computed_value.metric_id = $2
	 WHERE {selection} IN SCAN ORDER`

// OneMetricTotals aggregates one metric of a selection.
func (r *Reader) OneMetricTotals(ctx context.Context, sel Selection, name string) (scoring.MetricTotals, error) {
	var metric specMetric
	err := r.read().GetContext(ctx, &metric, getSpecMetric, sel.SpecID, name)
	if errors.Is(err, sql.ErrNoRows) {
		return scoring.MetricTotals{}, fmt.Errorf("metric %s: %w", name, track.ErrNotFound)
	}
	if err != nil {
		return scoring.MetricTotals{}, explain(err)
	}
	sums := newMetricSums([]specMetric{metric})
	sum := &sums.sums[0]
	args := []any{sel.SpecID, metric.ID}
	err = r.streamSelected(ctx, sel, listOneMetricResults, args, func(row []driver.Value) { sum.addResult(row[0].(int64), storedValue(row[1])) })
	if err == nil {
		err = r.streamSelected(ctx, sel, listOneMetricValues, args, func(row []driver.Value) { sum.value.Add(storedValue(row[0])) })
	}
	if err == nil {
		err = r.addComputed(ctx, sums, sel, listOneMetricComputed, args...)
	}
	return sums.totals()[0], explain(err)
}

// storedValue reads a value as the table value holds it: NULL is NaN.
func storedValue(cell driver.Value) float64 {
	if x, ok := cell.(float64); ok {
		return x
	}
	return math.NaN()
}

// orNaN returns NaN for NULL, which stands for NaN and for the mean of nothing.
func orNaN(x sql.NullFloat64) float64 {
	if !x.Valid {
		return math.NaN()
	}
	return x.Float64
}
