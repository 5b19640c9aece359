package store

import (
	"context"
	"database/sql"

	"track"
	"track/scoring"
)

const listFailingSeeds = `
	SELECT seed.id, seed.number, configuration.hash AS configuration, seed.outcome, coalesce(seed.message, '') AS message
	  FROM seed ORDERED JOIN configuration ON configuration.id = seed.configuration_id
	  LEFT JOIN assessment ON assessment.seed_id = seed.id AND assessment.spec_id = $1
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

// FailingSeeds returns the seeds of a selection that did not pass, by number, with the metrics that failed. The reason
// of a seed is the message that it was recorded with.
func (r *Reader) FailingSeeds(ctx context.Context, sel Selection) ([]track.FailingSeed, error) {
	var seeds []struct {
		ID            int64            `db:"id"`
		Number        track.SeedNumber `db:"number"`
		Configuration string           `db:"configuration"`
		Outcome       string           `db:"outcome"`
		Message       string           `db:"message"`
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
	bySeed := map[int64][]track.FailingMetric{}
	for _, m := range metrics {
		bySeed[m.ID] = append(bySeed[m.ID], track.FailingMetric{Name: m.Name, Value: orNaN(m.Value), Missing: m.Missing})
	}
	list := make([]track.FailingSeed, len(seeds))
	for i, seed := range seeds {
		list[i] = track.FailingSeed{
			Number: seed.Number, Configuration: seed.Configuration, Outcome: track.Outcome(seed.Outcome), Reason: seed.Message, Metrics: bySeed[seed.ID],
		}
	}
	return list, nil
}
