package store

import (
	"context"
	"database/sql"
	"math"
	"strings"

	"track"
	"track/scoring"
)

// Selection names the seeds that an aggregate is taken over: those of a scenario under some configurations, judged by one spec.
type Selection struct {
	Scenario       string
	Configurations []int64
	SpecID         int64
	Seeds          []track.SeedRange // all seeds where empty
}

// Totals is the aggregate over a [Selection], and what a reader has to know of it.
type Totals struct {
	scoring.SeedTotals
	NUnassessed   int // seeds that ran well but were never judged under the spec
	NEnvironments int // different environments among the seeds
}

// where returns the condition on seed that the selection amounts to, with its arguments.
func (sel Selection) where() (condition string, args []any) {
	var b strings.Builder
	b.WriteString(` seed.scenario_id = (SELECT id FROM scenario WHERE name = ?) AND seed.superseded_at IS NULL
	   AND seed.configuration_id IN (`)
	args = append(args, sel.Scenario)
	for i, id := range sel.Configurations {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("?")
		args = append(args, id)
	}
	b.WriteString(")")
	for i, r := range sel.Seeds {
		if i == 0 {
			b.WriteString(" AND (")
		} else {
			b.WriteString(" OR ")
		}
		// Numbers from 2^63 are stored as negative ones, in the same order.
		if r.First <= math.MaxInt64 && r.Last > math.MaxInt64 {
			b.WriteString("(seed.number >= ? OR seed.number BETWEEN ? AND ?)")
			args = append(args, r.First, int64(math.MinInt64), r.Last)
		} else {
			b.WriteString("seed.number BETWEEN ? AND ?")
			args = append(args, r.First, r.Last)
		}
		if i == len(sel.Seeds)-1 {
			b.WriteString(")")
		}
	}
	return b.String(), args
}

func seedTotalsQuery(where string) string {
	return `
	WITH chosen AS MATERIALIZED (
	    SELECT seed.outcome, seed.environment_id, assessment.seed_id, assessment.total_score, assessment.n_fail
	      FROM seed LEFT JOIN assessment ON assessment.seed_id = seed.id AND assessment.spec_id = ?
	     WHERE ` + where + `
	), centre AS (SELECT avg(total_score) AS mean FROM chosen)
	SELECT count(*) AS n_seeds, count(total_score) AS n_scored,
	       count(*) FILTER (WHERE total_score IS NOT NULL AND n_fail = 0) AS n_passed,
	       count(*) FILTER (WHERE outcome = 'ok' AND seed_id IS NULL) AS n_unassessed,
	       count(DISTINCT environment_id) AS n_environments,
	       avg(total_score) AS mean, avg((total_score - mean) * (total_score - mean)) AS variance,
	       min(total_score) AS min, max(total_score) AS max
	  FROM chosen, centre`
}

// SeedTotals aggregates the total scores of a selection.
func (s *Store) SeedTotals(ctx context.Context, sel Selection) (Totals, error) {
	where, args := sel.where()
	var row struct {
		NSeeds        int             `db:"n_seeds"`
		NScored       int             `db:"n_scored"`
		NPassed       int             `db:"n_passed"`
		NUnassessed   int             `db:"n_unassessed"`
		NEnvironments int             `db:"n_environments"`
		Mean          sql.NullFloat64 `db:"mean"`
		Variance      sql.NullFloat64 `db:"variance"`
		Min           sql.NullFloat64 `db:"min"`
		Max           sql.NullFloat64 `db:"max"`
	}
	err := s.read().GetContext(ctx, &row, seedTotalsQuery(where), append([]any{sel.SpecID}, args...)...)
	score := scoring.Moments{N: row.NScored, Mean: orNaN(row.Mean), Std: math.Sqrt(orNaN(row.Variance)), Min: orNaN(row.Min), Max: orNaN(row.Max)}
	return Totals{scoring.SeedTotals{NSeeds: row.NSeeds, NPassed: row.NPassed, Score: score}, row.NUnassessed, row.NEnvironments}, explain(err)
}

// metricTotalsQuery walks the metrics and, for each, the seeds: that order needs no sort. The sums are of differences from one of
// the numbers, so that one pass loses no digits to cancellation: the spread of n numbers around one of them is at most
// n times their variance. SQL sees NULL for NaN; n_value is less than n_score then.
func metricTotalsQuery(where string) string {
	return `
	WITH chosen AS MATERIALIZED (SELECT seed.id FROM seed WHERE ` + where + `
	), shift AS MATERIALIZED (
	    SELECT spec_metric.position, spec_metric.metric_id,
	           coalesce((SELECT value.value FROM chosen CROSS JOIN value
	                      WHERE value.seed_id = chosen.id AND value.metric_id = spec_metric.metric_id
	                        AND value.value IS NOT NULL LIMIT 1), 0) AS value,
	           coalesce((SELECT result.score FROM chosen CROSS JOIN result
	                      WHERE result.seed_id = chosen.id AND result.spec_id = spec_metric.spec_id
	                        AND result.metric_id = spec_metric.metric_id AND result.score IS NOT NULL LIMIT 1), 0) AS score
	      FROM spec_metric WHERE spec_metric.spec_id = ?
	)
	SELECT shift.position, count(result.score) AS n_score, count(value.value) AS n_value,
	       count(*) FILTER (WHERE result.status <> 2) AS n_not_failed,
	       avg(result.score) AS mean_score, min(result.score) AS min_score, max(result.score) AS max_score,
	       sum(result.score - shift.score) AS score_sum,
	       sum((result.score - shift.score) * (result.score - shift.score)) AS score_squares,
	       avg(value.value) AS mean_value, min(value.value) AS min_value, max(value.value) AS max_value,
	       sum(value.value - shift.value) AS value_sum,
	       sum((value.value - shift.value) * (value.value - shift.value)) AS value_squares
	  FROM shift CROSS JOIN chosen
	 CROSS JOIN result ON result.seed_id = chosen.id AND result.spec_id = ? AND result.metric_id = shift.metric_id
	  LEFT JOIN value ON value.seed_id = chosen.id AND value.metric_id = shift.metric_id
	 GROUP BY shift.position`
}

type metricTotalsRow struct {
	Position     int             `db:"position"`
	NScore       int             `db:"n_score"`
	NValue       int             `db:"n_value"`
	NNotFailed   int             `db:"n_not_failed"`
	MeanScore    sql.NullFloat64 `db:"mean_score"`
	MinScore     sql.NullFloat64 `db:"min_score"`
	MaxScore     sql.NullFloat64 `db:"max_score"`
	ScoreSum     sql.NullFloat64 `db:"score_sum"`
	ScoreSquares sql.NullFloat64 `db:"score_squares"`
	MeanValue    sql.NullFloat64 `db:"mean_value"`
	MinValue     sql.NullFloat64 `db:"min_value"`
	MaxValue     sql.NullFloat64 `db:"max_value"`
	ValueSum     sql.NullFloat64 `db:"value_sum"`
	ValueSquares sql.NullFloat64 `db:"value_squares"`
}

func (r metricTotalsRow) totals() scoring.MetricTotals {
	t := scoring.MetricTotals{
		NNotFailed: r.NNotFailed,
		Score: scoring.Moments{
			N: r.NScore, Mean: orNaN(r.MeanScore), Std: populationStd(r.NScore, r.ScoreSum, r.ScoreSquares),
			Min: orNaN(r.MinScore), Max: orNaN(r.MaxScore),
		},
		Value: scoring.Moments{
			N: r.NScore, Mean: orNaN(r.MeanValue), Std: populationStd(r.NScore, r.ValueSum, r.ValueSquares),
			Min: orNaN(r.MinValue), Max: orNaN(r.MaxValue),
		},
	}
	if r.NValue < r.NScore { // SQL left a NaN out
		nan := math.NaN()
		t.Value = scoring.Moments{N: r.NScore, Mean: nan, Std: nan, Min: nan, Max: nan}
	}
	return t
}

// populationStd is the standard deviation of n numbers, from the sums of their differences from one number and of the squares.
func populationStd(n int, sum, squares sql.NullFloat64) float64 {
	variance := (orNaN(squares) - orNaN(sum)*orNaN(sum)/float64(n)) / float64(n)
	if variance < 0 { // by rounding
		return 0
	}
	return math.Sqrt(variance)
}

// MetricTotals aggregates each metric of a selection, in the order of the spec, which has nMetrics.
func (s *Store) MetricTotals(ctx context.Context, sel Selection, nMetrics int) ([]scoring.MetricTotals, error) {
	where, args := sel.where()
	var rows []metricTotalsRow
	if err := s.read().SelectContext(ctx, &rows, metricTotalsQuery(where), append(args, sel.SpecID, sel.SpecID)...); err != nil {
		return nil, explain(err)
	}
	totals := make([]scoring.MetricTotals, nMetrics)
	for i := range totals {
		totals[i] = scoring.MetricTotals{Value: scoring.NewMoments(nil), Score: scoring.NewMoments(nil)}
	}
	for _, row := range rows {
		totals[row.Position] = row.totals()
	}
	return totals, nil
}

// orNaN reads SQL's NULL, which stands for NaN and for the mean of nothing.
func orNaN(x sql.NullFloat64) float64 {
	if !x.Valid {
		return math.NaN()
	}
	return x.Float64
}
