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

const getSeedTotals = `
	WITH chosen AS MATERIALIZED (
	    SELECT seed.outcome, seed.digest, seed.environment_id, assessment.seed_id, assessment.total_score, assessment.n_fail
	      FROM seed LEFT JOIN assessment ON assessment.seed_id = seed.id AND assessment.spec_id = $1
	     WHERE {selection}
	), centre AS (SELECT avg(total_score) AS mean FROM chosen)
	SELECT count(*) AS n_seeds, count(total_score) AS n_scored,
	       count(*) FILTER (WHERE total_score IS NOT NULL AND n_fail = 0) AS n_passed,
	       count(*) FILTER (WHERE outcome = 'ok' AND seed_id IS NULL) AS n_unassessed,
	       count(*) FILTER (WHERE outcome = 'ok') AS n_ok,
	       count(*) FILTER (WHERE outcome NOT IN ('ok', 'error', 'timeout', 'collapsed')) AS n_impossible,
	       count(*) FILTER (WHERE total_score IN (0, 1)) AS n_saturated,
	       count(DISTINCT CASE WHEN outcome = 'ok' THEN digest END) AS n_different,
	       count(DISTINCT environment_id) AS n_environments,
	       avg(total_score) AS mean, avg((total_score - mean) * (total_score - mean)) AS variance,
	       min(total_score) AS min, max(total_score) AS max
	  FROM chosen, centre`

// SeedTotals aggregates the total scores of a selection.
func (r *Reader) SeedTotals(ctx context.Context, sel Selection) (Totals, error) {
	var row struct {
		NSeeds        int             `db:"n_seeds"`
		NScored       int             `db:"n_scored"`
		NPassed       int             `db:"n_passed"`
		NUnassessed   int             `db:"n_unassessed"`
		NOK           int             `db:"n_ok"`
		NImpossible   int             `db:"n_impossible"`
		NSaturated    int             `db:"n_saturated"`
		NDifferent    int             `db:"n_different"`
		NEnvironments int             `db:"n_environments"`
		Mean          sql.NullFloat64 `db:"mean"`
		Variance      sql.NullFloat64 `db:"variance"`
		Min           sql.NullFloat64 `db:"min"`
		Max           sql.NullFloat64 `db:"max"`
	}
	query, args := sel.of(getSeedTotals, sel.SpecID)
	err := r.read().GetContext(ctx, &row, query, args...)
	if row.NImpossible > 0 {
		err = fmt.Errorf("%w: the outcome of a seed of %s is not one that track writes", track.ErrDamaged, sel.Scenario)
	}
	score := scoring.Moments{N: row.NScored, Mean: orNaN(row.Mean), Std: math.Sqrt(orNaN(row.Variance)), Min: orNaN(row.Min), Max: orNaN(row.Max)}
	totals := scoring.SeedTotals{NSeeds: row.NSeeds, NPassed: row.NPassed, NOK: row.NOK, NSaturated: row.NSaturated, Score: score}
	if len(sel.Configurations) == 1 { // one seed may well measure the same under two configurations
		totals.NIdentical = row.NOK - row.NDifferent
	}
	return Totals{totals, row.NUnassessed, row.NEnvironments}, explain(err)
}

// The rows come in the order of the tables, seed by seed: as many seeks as there are seeds, however large the database
// is. To let SQL group them by metric would sort them first, which takes twice as long as to hand them over. Whole
// numbers come in one, because the driver takes as long for each column as for the rest of the row.
const listMetricResults = `
	SELECT (result.seed_id << 26) | (result.metric_id << 2) | result.status, result.score
	  FROM seed ORDERED JOIN result ON result.seed_id = seed.id AND result.spec_id = $1
	 WHERE {selection}`

// Only the values of seeds that were judged count: a failed seed may carry values.
const listMetricValues = `
	SELECT (value.seed_id << 24) | value.metric_id, value.value
	  FROM seed
	 ORDERED JOIN assessment ON assessment.seed_id = seed.id AND assessment.spec_id = $1
	 ORDERED JOIN value ON value.seed_id = seed.id
	 WHERE {selection}`

// The values that were computed, of seeds that were not given them; a reason says that there is none.
const listMetricComputed = `
	SELECT computed_value.metric_id, computed_value.value, computed_value.reason
	  FROM seed ORDERED JOIN computed_value ON computed_value.seed_id = seed.id AND computed_value.spec_id = $1
	 WHERE {selection}`

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
	key := fmt.Sprintf("%q %v %d %v", sel.Scenario, sel.Configurations, sel.SpecID, sel.Seeds)
	if totals, known := r.totals[key]; known {
		return slices.Clone(totals), nil
	}
	totals, err := r.readMetricTotals(ctx, sel)
	if err == nil && r.totals != nil {
		r.totals[key] = slices.Clone(totals)
	}
	return totals, err
}

func (r *Reader) readMetricTotals(ctx context.Context, sel Selection) ([]scoring.MetricTotals, error) {
	var metrics []specMetric
	if err := r.read().SelectContext(ctx, &metrics, listSpecMetricPositions, sel.SpecID); err != nil {
		return nil, explain(err)
	}
	check, err := r.checkRead(ctx, sel)
	if err != nil {
		return nil, explain(err)
	}
	totals, err := r.metricTotals(ctx, metrics, sel, metricQueries{listMetricResults, listMetricValues, listMetricComputed}, check, sel.SpecID)
	if err == nil {
		err = check.err(true)
	}
	return totals, explain(err)
}

const getSpecMetric = `
	SELECT spec_metric.metric_id, spec_metric.computed
	  FROM metric JOIN spec_metric ON spec_metric.metric_id = metric.id AND spec_metric.spec_id = $1
	 WHERE metric.name = $2`

// metricQueries read the results, the values and the computed values that metrics are aggregated over.
type metricQueries struct{ results, values, computed string }

const (
	listOneMetricResults  = listMetricResults + ` AND result.metric_id = $2`
	listOneMetricValues   = listMetricValues + ` AND value.metric_id = $2`
	listOneMetricComputed = listMetricComputed + ` AND computed_value.metric_id = $2`
)

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
	queries := metricQueries{listOneMetricResults, listOneMetricValues, listOneMetricComputed}
	totals, err := r.metricTotals(ctx, []specMetric{metric}, sel, queries, nil, sel.SpecID, metric.ID)
	if err != nil {
		return scoring.MetricTotals{}, explain(err)
	}
	return totals[0], nil
}

// metricTotals aggregates metrics; check, which may be nil, is told of everything that is read.
func (r *Reader) metricTotals(ctx context.Context, metrics []specMetric, sel Selection, queries metricQueries, check *readCheck, args ...any) ([]scoring.MetricTotals, error) {
	type sums struct {
		notFailed    int
		score, value scoring.Accumulator
	}
	bySpec := make([]sums, len(metrics))
	byID := make(map[int64]*sums, len(metrics))
	computes := false
	for i, m := range metrics {
		byID[m.ID] = &bySpec[i]
		computes = computes || m.Computed
	}
	err := r.streamSelected(ctx, sel, queries.results, args, func(row []driver.Value) {
		packed := row[0].(int64)
		seed, metric, status := packed>>26, packed>>2&(1<<24-1), packed&3
		m := knownRow(byID, "metric", metric)
		if statusOf(status) != scoring.Fail {
			m.notFailed++
		}
		if score, ok := row[1].(float64); ok {
			m.score.Add(score)
		}
		if check != nil {
			check.addResult(seed, metric, status, row[1])
		}
	})
	if err == nil {
		err = r.streamSelected(ctx, sel, queries.values, args, func(row []driver.Value) {
			seed, metric := row[0].(int64)>>24, row[0].(int64)&(1<<24-1)
			if m := byID[metric]; m != nil {
				m.value.Add(storedValue(row[1]))
			}
			if check != nil {
				check.addValue(seed, metric, row[1])
			}
		})
	}
	if err == nil && computes {
		err = r.streamSelected(ctx, sel, queries.computed, args, func(row []driver.Value) {
			if row[2] == nil {
				knownRow(byID, "metric", row[0].(int64)).value.Add(storedValue(row[1]))
			}
		})
	}
	totals := make([]scoring.MetricTotals, len(metrics))
	for i := range bySpec {
		m := &bySpec[i]
		totals[i] = scoring.MetricTotals{NNotFailed: m.notFailed, Score: m.score.Moments(), Value: m.value.Moments()}
	}
	return totals, err
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
