package store

import (
	"context"
	"database/sql"

	"track"
	"track/scoring"
)

// FailingSeed is a seed that did not pass.
type FailingSeed struct {
	Number        track.SeedNumber
	Configuration int64
	Outcome       track.Outcome
	Message       string
	Assessed      bool
	Metrics       []FailingMetric // in the order of the spec
}

// FailingMetric is a metric that a seed failed.
type FailingMetric struct {
	Name    string
	Value   float64
	Missing bool
}

const listFailingSeeds = `
	SELECT seed.id, seed.number, seed.configuration_id, seed.outcome, coalesce(seed.message, '') AS message, assessment.seed_id IS NOT NULL AS assessed
	  FROM seed LEFT JOIN assessment ON assessment.seed_id = seed.id AND assessment.spec_id = $1
	 WHERE {selection}
	   AND (assessment.seed_id IS NULL OR assessment.total_score IS NULL OR assessment.n_fail > 0)
	 ORDER BY seed.number < 0, seed.number, seed.id`

const listFailingMetrics = `
	WITH failing AS MATERIALIZED (
	    SELECT seed.id FROM seed ORDERED JOIN assessment ON assessment.seed_id = seed.id AND assessment.spec_id = $1
	     WHERE {selection} AND assessment.n_fail > 0
	)
	SELECT failing.id, metric.name, value.value, result.score IS NULL AS missing
	  FROM failing ORDERED JOIN result ON result.seed_id = failing.id AND result.spec_id = $1 AND result.status = $2
	  JOIN metric ON metric.id = result.metric_id
	  JOIN spec_metric ON spec_metric.spec_id = result.spec_id AND spec_metric.metric_id = result.metric_id
	  LEFT JOIN value ON value.seed_id = result.seed_id AND value.metric_id = result.metric_id
	 ORDER BY failing.id, spec_metric.position`

// FailingSeeds returns the seeds of a selection that did not pass, by number, with the metrics that failed.
func (r *Reader) FailingSeeds(ctx context.Context, sel Selection) ([]FailingSeed, error) {
	var seeds []struct {
		ID            int64            `db:"id"`
		Number        track.SeedNumber `db:"number"`
		Configuration int64            `db:"configuration_id"`
		Outcome       string           `db:"outcome"`
		Message       string           `db:"message"`
		Assessed      bool             `db:"assessed"`
	}
	query, args := sel.of(listFailingSeeds, sel.SpecID)
	if err := r.read().SelectContext(ctx, &seeds, query, args...); err != nil {
		return nil, explain(err)
	}
	var metrics []struct {
		ID      int64           `db:"id"`
		Name    string          `db:"name"`
		Value   sql.NullFloat64 `db:"value"`
		Missing bool            `db:"missing"`
	}
	query, args = sel.of(listFailingMetrics, sel.SpecID, statusCode(scoring.Fail))
	if err := r.read().SelectContext(ctx, &metrics, query, args...); err != nil {
		return nil, explain(err)
	}
	bySeed := map[int64][]FailingMetric{}
	for _, m := range metrics {
		bySeed[m.ID] = append(bySeed[m.ID], FailingMetric{m.Name, orNaN(m.Value), m.Missing})
	}
	list := make([]FailingSeed, len(seeds))
	for i, seed := range seeds {
		list[i] = FailingSeed{seed.Number, seed.Configuration, track.Outcome(seed.Outcome), seed.Message, seed.Assessed, bySeed[seed.ID]}
	}
	return list, nil
}
