package store

import (
	"context"
	"database/sql/driver"
	"math"

	"track/scoring"
)

// judged are the results of one seed in the order of a spec.
type judged struct {
	metrics   []int64
	positions map[int64]int // by metric
	scores    []float64     // NaN for none
	statuses  []int8        // codes; noResult for none
	computed  []storedValue // that were computed from series
	expected  int           // the position of the result that follows, mostly
}

// noResult stands for the status of a metric that a seed has no result of.
const noResult = -1

// storedValue is a value of a metric.
type storedValue struct {
	metric int64
	value  float64
}

// newJudged returns an empty judgement under a spec.
func (r *Reader) newJudged(ctx context.Context, specID int64) (*judged, error) {
	j := &judged{positions: map[int64]int{}}
	if err := r.read().SelectContext(ctx, &j.metrics, listMetricPositions, specID); err != nil {
		return nil, err
	}
	for i, metric := range j.metrics {
		j.positions[metric] = i
	}
	j.scores, j.statuses = make([]float64, len(j.metrics)), make([]int8, len(j.metrics))
	return j, nil
}

// read replaces the judgement by the results of a seed. It panics over results that track never writes.
func (j *judged) read(text string) {
	for i := range j.scores {
		j.scores[i], j.statuses[i] = math.NaN(), noResult
	}
	j.computed, j.expected = j.computed[:0], 0
	must(eachResult(text, func(r storedResult) {
		at := j.expected
		if at >= len(j.metrics) || j.metrics[at] != r.metric {
			at = knownRow(j.positions, "metric", r.metric)
		}
		j.scores[at], j.statuses[at], j.expected = r.score, int8(r.status), at+1
		if r.hasComputed() {
			j.computed = append(j.computed, storedValue{r.metric, r.value})
		}
	}))
}

// must panics over an error of a row, which [Reader.stream] makes an error of damage.
func must(err error) {
	if err != nil {
		panic(impossible(err.Error()))
	}
}

// visitJudged calls visit with the id and the results of each seed of a selection that was judged, in the order of the
// scan.
func (r *Reader) visitJudged(ctx context.Context, sel Selection, visit func(seed int64, j *judged)) error {
	j, err := r.newJudged(ctx, sel.SpecID)
	if err != nil {
		return err
	}
	return r.streamSelected(ctx, sel, listJudgedResults, []any{sel.SpecID}, func(row []driver.Value) {
		j.read(asText(row[1]))
		visit(asInt(row[0]), j)
	})
}

const listJudgedResults = `
	SELECT seed.id, packed_result.results
	  FROM seed ORDERED JOIN packed_result ON packed_result.seed_id = seed.id AND packed_result.spec_id = $1
	 WHERE {selection}` + inScanOrder

// SeedStatuses returns, by the id of the seed, the statuses of the metrics of the seeds of a selection that were judged,
// in the order of the spec. A status is none where the seed has no value.
func (r *Reader) SeedStatuses(ctx context.Context, sel Selection) (map[int64][]scoring.PackedStatus, error) {
	statuses := map[int64][]scoring.PackedStatus{}
	err := r.visitJudged(ctx, sel, func(seed int64, j *judged) {
		of := make([]scoring.PackedStatus, len(j.scores))
		for i, score := range j.scores {
			if !math.IsNaN(score) { // it has a value
				of[i] = scoring.Pack(statusOf(int64(j.statuses[i])))
			}
		}
		statuses[seed] = of
	})
	return statuses, explain(err)
}

const listOfSeeds = ` AND seed_id IN ({list})`

// visitOfSeeds calls visit with the id and the text of each row that a query, which ends with a condition, finds of some
// seeds.
func (r *Reader) visitOfSeeds(ctx context.Context, query string, args []any, ids []int64, visit func(seed int64, text string)) error {
	var c clauses
	c.add(query, args...)
	c.addList(listOfSeeds, anys(ids)...)
	text, args := c.statement()
	return r.stream(ctx, text, args, func(row []driver.Value) { visit(asInt(row[0]), asText(row[1])) })
}

const (
	listValuesOf  = `SELECT seed_id, numbers FROM packed_value WHERE TRUE`
	listResultsOf = `SELECT seed_id, results FROM packed_result WHERE spec_id = $1`
)
