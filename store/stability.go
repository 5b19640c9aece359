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

// inScanOrder is the order of the index of a scenario. Sums depend on it.
const inScanOrder = ` ORDER BY seed.scenario_id, seed.configuration_id, seed.number, seed.id`

// Only the values of seeds that were judged count: a failed seed may carry values.
const listJudgedNumbers = `
	SELECT packed_result.results, coalesce(packed_value.numbers, '{}'), seed.id
	  FROM seed ORDERED JOIN packed_result ON packed_result.seed_id = seed.id AND packed_result.spec_id = $1
	  LEFT JOIN packed_value ON packed_value.seed_id = seed.id
	 WHERE {selection}` + inScanOrder

// MetricTotals aggregates each metric of a selection, in the order of the spec. A snapshot reads a selection once: a
// report asks for the stability of a configuration, gates it and puts it into a history.
func (r *Reader) MetricTotals(ctx context.Context, sel Selection) ([]scoring.MetricTotals, error) {
	key := sel.key()
	if totals, known := r.totals[key]; known {
		return slices.Clone(totals), nil
	}
	var totals []scoring.MetricTotals
	err := r.Snapshot(ctx, func(r *Reader) error {
		j, err := r.newJudged(ctx, sel.SpecID)
		if err != nil {
			return err
		}
		repeated, err := r.repeated(ctx, sel)
		if err != nil {
			return err
		}
		sums := newMetricSums(j.metrics)
		err = r.streamSelected(ctx, sel, listJudgedNumbers, []any{sel.SpecID}, func(row []driver.Value) {
			if repeated[asInt(row[2])] {
				return
			}
			j.read(asText(row[0]))
			sums.addResults(j)
			must(eachValue(asText(row[1]), sums.addValue))
		})
		totals = sums.totals()
		return err
	})
	if err == nil && r.totals != nil {
		r.totals[key] = slices.Clone(totals)
	}
	return totals, explain(err)
}

// metricSums are the sums of metrics.
type metricSums struct {
	sums     []metricSum
	byID     map[int64]*metricSum
	computed []storedValue // from series, which are added behind the values that were given
}

type metricSum struct {
	notFailed int
	score     scoring.Accumulator
	value     scoring.ValueAccumulator
}

func newMetricSums(metrics []int64) *metricSums {
	s := &metricSums{sums: make([]metricSum, len(metrics)), byID: make(map[int64]*metricSum, len(metrics))}
	for i, metric := range metrics {
		s.byID[metric] = &s.sums[i]
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
func (s *metricSums) addResults(j *judged) {
	for i, status := range j.statuses {
		if status != noResult {
			s.sums[i].addResult(int64(status), j.scores[i])
		}
	}
	s.computed = append(s.computed, j.computed...)
}

// addValue adds what a seed measured. The spec may not have its metric.
func (s *metricSums) addValue(metric int64, value float64) {
	if sum := s.byID[metric]; sum != nil {
		sum.value.Add(value)
	}
}

func (s *metricSums) totals() []scoring.MetricTotals {
	for _, v := range s.computed {
		s.addValue(v.metric, v.value)
	}
	s.computed = nil
	totals := make([]scoring.MetricTotals, len(s.sums))
	for i := range s.sums {
		m := &s.sums[i]
		totals[i] = scoring.MetricTotals{NNotFailed: m.notFailed, Score: m.score.Moments()}
		m.value.Fill(&totals[i])
	}
	return totals
}

const getSpecMetric = `
	SELECT spec_metric.metric_id
	  FROM metric JOIN spec_metric ON spec_metric.metric_id = metric.id AND spec_metric.spec_id = $1
	 WHERE metric.name = $2`

// OneMetricTotals aggregates one metric of a selection.
func (r *Reader) OneMetricTotals(ctx context.Context, sel Selection, name string) (scoring.MetricTotals, error) {
	var metric int64
	err := r.read().GetContext(ctx, &metric, getSpecMetric, sel.SpecID, name)
	if errors.Is(err, sql.ErrNoRows) {
		return scoring.MetricTotals{}, fmt.Errorf("metric %s: %w", name, track.ErrNotFound)
	}
	if err != nil {
		return scoring.MetricTotals{}, explain(err)
	}
	repeated, err := r.repeated(ctx, sel)
	if err != nil {
		return scoring.MetricTotals{}, explain(err)
	}
	sums := newMetricSums([]int64{metric})
	err = r.streamSelected(ctx, sel, listJudgedNumbers, []any{sel.SpecID}, func(row []driver.Value) {
		if repeated[asInt(row[2])] {
			return
		}
		result, found, err := resultOf(asText(row[0]), metric)
		must(err)
		if found {
			sums.sums[0].addResult(result.status, result.score)
		}
		if result.hasComputed() {
			sums.computed = append(sums.computed, storedValue{metric, result.value})
		}
		value, found, err := valueOf(asText(row[1]), metric)
		must(err)
		if found {
			sums.addValue(metric, value)
		}
	})
	return sums.totals()[0], explain(err)
}
