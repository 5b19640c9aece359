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

// The sums of a metric in which SQL sees NULL for NaN: n_value is less than n_score then.
func metricTotalsQuery(where string) string {
	return `
	WITH chosen AS MATERIALIZED (SELECT seed.id FROM seed WHERE ` + where + `
	), judged AS MATERIALIZED (
	    SELECT result.metric_id, result.status, result.score, value.value
	      FROM chosen CROSS JOIN result ON result.seed_id = chosen.id AND result.spec_id = ?
	      LEFT JOIN value ON value.seed_id = result.seed_id AND value.metric_id = result.metric_id
	), centre AS MATERIALIZED (
	    SELECT metric_id, avg(score) AS mean_score, avg(value) AS mean_value,
	           count(score) AS n_score, count(value) AS n_value,
	           count(*) FILTER (WHERE status <> 2) AS n_not_failed,
	           min(score) AS min_score, max(score) AS max_score, min(value) AS min_value, max(value) AS max_value
	      FROM judged GROUP BY metric_id
	), spread AS (
	    SELECT judged.metric_id,
	           avg((judged.score - mean_score) * (judged.score - mean_score)) AS score_variance,
	           avg((judged.value - mean_value) * (judged.value - mean_value)) AS value_variance
	      FROM judged JOIN centre ON centre.metric_id = judged.metric_id
	     GROUP BY judged.metric_id
	)
	SELECT spec_metric.position, n_score, n_value, n_not_failed, mean_score, score_variance, min_score, max_score,
	       mean_value, value_variance, min_value, max_value
	  FROM spec_metric
	  JOIN centre ON centre.metric_id = spec_metric.metric_id
	  JOIN spread ON spread.metric_id = spec_metric.metric_id
	 WHERE spec_metric.spec_id = ?`
}

type metricTotalsRow struct {
	Position      int             `db:"position"`
	NScore        int             `db:"n_score"`
	NValue        int             `db:"n_value"`
	NNotFailed    int             `db:"n_not_failed"`
	MeanScore     sql.NullFloat64 `db:"mean_score"`
	ScoreVariance sql.NullFloat64 `db:"score_variance"`
	MinScore      sql.NullFloat64 `db:"min_score"`
	MaxScore      sql.NullFloat64 `db:"max_score"`
	MeanValue     sql.NullFloat64 `db:"mean_value"`
	ValueVariance sql.NullFloat64 `db:"value_variance"`
	MinValue      sql.NullFloat64 `db:"min_value"`
	MaxValue      sql.NullFloat64 `db:"max_value"`
}

func (r metricTotalsRow) totals() scoring.MetricTotals {
	t := scoring.MetricTotals{
		NNotFailed: r.NNotFailed,
		Score: scoring.Moments{
			N: r.NScore, Mean: orNaN(r.MeanScore), Std: math.Sqrt(orNaN(r.ScoreVariance)), Min: orNaN(r.MinScore), Max: orNaN(r.MaxScore),
		},
		Value: scoring.Moments{
			N: r.NScore, Mean: orNaN(r.MeanValue), Std: math.Sqrt(orNaN(r.ValueVariance)), Min: orNaN(r.MinValue), Max: orNaN(r.MaxValue),
		},
	}
	if r.NValue < r.NScore { // SQL left a NaN out
		nan := math.NaN()
		t.Value = scoring.Moments{N: r.NScore, Mean: nan, Std: nan, Min: nan, Max: nan}
	}
	return t
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
