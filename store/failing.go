package store

import (
	"context"
	"database/sql/driver"
	"math"

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
	SELECT failing.id, packed_result.results, coalesce(packed_value.numbers, '{}')
	  FROM failing ORDERED JOIN packed_result ON packed_result.seed_id = failing.id AND packed_result.spec_id = $1
	  LEFT JOIN packed_value ON packed_value.seed_id = failing.id`

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
	bySeed, err := r.failingMetrics(ctx, sel)
	if err != nil {
		return nil, explain(err)
	}
	list := make([]track.FailingSeed, len(seeds))
	for i, seed := range seeds {
		list[i] = track.FailingSeed{
			Number: seed.Number, Configuration: seed.Configuration, Outcome: track.Outcome(seed.Outcome), Reason: seed.Message, Metrics: bySeed[seed.ID],
		}
	}
	return list, nil
}

// failingMetrics returns, by the id of the seed, the metrics that failed of the seeds of a selection, in the order of the
// spec.
func (r *Reader) failingMetrics(ctx context.Context, sel Selection) (map[int64][]track.FailingMetric, error) {
	names := map[int64]string{}
	err := r.stream(ctx, listMetricNames, []any{sel.SpecID}, func(row []driver.Value) { names[asInt(row[0])] = asText(row[1]) })
	if err != nil {
		return nil, err
	}
	j, err := r.newJudged(ctx, sel.SpecID)
	if err != nil {
		return nil, err
	}
	bySeed := map[int64][]track.FailingMetric{}
	err = r.streamSelected(ctx, sel, listFailingMetrics, []any{sel.SpecID}, func(row []driver.Value) {
		seed, numbers := asInt(row[0]), asText(row[2])
		j.read(asText(row[1]))
		for i, status := range j.statuses {
			if status == noResult || statusOf(int64(status)) != scoring.Fail {
				continue
			}
			value, found, err := valueOf(numbers, j.metrics[i])
			if must(err); !found {
				value = math.NaN()
			}
			bySeed[seed] = append(bySeed[seed], track.FailingMetric{Name: names[j.metrics[i]], Value: value, Missing: math.IsNaN(j.scores[i])})
		}
	})
	return bySeed, err
}
