package store

import (
	"context"
	"math"
	"slices"

	"track/scoring"
)

// keptStatuses are the statuses of the metrics of seeds, by the id of the seed.
type keptStatuses map[int64][]scoring.PackedStatus

// KeepStatuses has [Reader.MetricTotals] keep the statuses that it reads in this snapshot, until [Reader.SeedStatuses]
// asks for them: a report needs both, and reads the results of its seeds once.
func (r *Reader) KeepStatuses() {
	if r.totals != nil && r.reported == nil {
		r.reported = map[string]keptStatuses{}
	}
}

// SeedStatuses returns, by the id of the seed, the statuses of the metrics of seeds of a selection that were judged, in
// the order of the spec. A status is none where the seed has no value.
func (r *Reader) SeedStatuses(ctx context.Context, seeds []SeedScore, sel Selection) (map[int64][]scoring.PackedStatus, error) {
	if kept, known := r.reported[sel.key()]; known {
		delete(r.reported, sel.key())
		return kept, nil
	}
	var ids []int64
	for _, seed := range seeds {
		if seed.Assessed {
			ids = append(ids, seed.ID)
		}
	}
	slices.Sort(ids)
	var gathered statusGatherer
	err := r.Snapshot(ctx, func(r *Reader) error {
		check, err := r.newReadCheck(ctx, sel.SpecID)
		if err != nil {
			return err
		}
		results := check.results.weights
		gathered = newStatusGatherer(len(ids), results)
		return check.results.scan(ctx, r, ids, func(seed int64) { gathered.add(seed, results) })
	})
	return gathered.statuses, explain(err)
}

// statusGatherer gathers the statuses of seeds.
type statusGatherer struct {
	statuses keptStatuses
	rest     []scoring.PackedStatus // of all seeds to come: one allocation
}

func newStatusGatherer(nSeeds int, results *specWeights) statusGatherer {
	return statusGatherer{make(keptStatuses, nSeeds), make([]scoring.PackedStatus, nSeeds*len(results.scores))}
}

// add adds the statuses of a seed that has results.
func (g *statusGatherer) add(seed int64, results *specWeights) {
	n := len(results.scores)
	of := g.rest[:n:n]
	for i, score := range results.scores {
		if !math.IsNaN(score) { // it has a value
			of[i] = scoring.Pack(statusOf(int64(results.statuses[i])))
		}
	}
	g.statuses[seed], g.rest = of, g.rest[n:]
}
