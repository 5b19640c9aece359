package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql/driver"
	"math"
	"slices"

	"track"
)

// SeedScore is a seed of a selection with its judgement under the spec of the selection.
type SeedScore struct {
	ID            int64
	ULID          string
	Number        track.SeedNumber
	Configuration int64
	Outcome       track.Outcome
	Message       string
	Assessed      bool
	TotalScore    float64 // NaN if it has none
	NWarn, NFail  int
	Digest        [sha256.Size]byte // of what it measured
	Scores        []float64         // in the order of the spec, NaN where there is none; nil unless asked for, and for a seed without results
}

// SeedScores returns the seeds of a selection in the order in which they were recorded, with the scores of their
// metrics where withMetrics is set. It compares these with what was stored beside them.
func (r *Reader) SeedScores(ctx context.Context, sel Selection, withMetrics bool) (seeds []SeedScore, err error) {
	err = r.Snapshot(ctx, func(r *Reader) error {
		selected, err := r.selectedSeeds(ctx, sel)
		if err != nil {
			return err
		}
		order := make([]int, len(selected))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(selected[a].recordedAt, selected[b].recordedAt), cmp.Compare(selected[a].id, selected[b].id))
		})
		seeds = make([]SeedScore, len(selected))
		for i, at := range order {
			seeds[i] = selected[at].score()
		}
		if !withMetrics {
			return nil
		}
		return r.addMetricScores(ctx, seeds, selected, order, sel)
	})
	return seeds, explain(err)
}

func (s *selectedSeed) score() SeedScore {
	return SeedScore{
		ID: s.id, ULID: s.ulid, Number: s.number, Configuration: s.configuration, Outcome: s.outcome, Message: s.message, Assessed: s.assessed, TotalScore: s.total,
		NWarn: int(s.counts[1]), NFail: int(s.counts[2]), Digest: s.digest,
	}
}

// addMetricScores fills in the scores of the metrics of seeds, which lie in selected in some order. A snapshot keeps
// what [Reader.MetricTotals] would read the results for.
func (r *Reader) addMetricScores(ctx context.Context, seeds []SeedScore, selected []selectedSeed, order []int, sel Selection) error {
	check, err := r.newReadCheck(ctx, sel.SpecID)
	if err != nil {
		return err
	}
	var judged []int // in the order of the table
	for i := range seeds {
		if seeds[i].Assessed {
			judged = append(judged, i)
		}
	}
	slices.SortFunc(judged, func(a, b int) int { return cmp.Compare(seeds[a].ID, seeds[b].ID) })
	for _, i := range judged {
		check.add(&selected[order[i]])
	}
	n := len(check.results.weights.scores)
	all := make([]float64, 0, len(judged)*n) // of all seeds: one allocation
	sums, visit, err := r.sumResults(ctx, check, sel)
	if err != nil {
		return err
	}
	err = check.scanResults(func(at int) {
		all = append(all, check.results.weights.scores...)
		seeds[judged[at]].Scores = all[len(all)-n : len(all) : len(all)]
		visit(at)
	})
	isInOrder := slices.IsSortedFunc(selected, func(a, b selectedSeed) int { return cmp.Compare(a.id, b.id) }) // sums depend on it
	if err == nil && r.summed != nil && isInOrder {
		r.summed[sel.key()] = sums
	}
	return err
}

// scoresAtOnce is how many seeds one statement of [Reader.AddMetricScores] reads.
const scoresAtOnce = 500

const (
	listScoresUnder = `SELECT result.seed_id, result.metric_id, result.score FROM result WHERE result.spec_id = $1`
	ofListedSeeds   = ` AND result.seed_id IN ({list})`
)

// AddMetricScores fills in the scores of the metrics of seeds under a spec. It suits a few seeds of many:
// [Reader.SeedScores] reads those of all.
func (r *Reader) AddMetricScores(ctx context.Context, seeds []SeedScore, specID int64) error {
	positions, err := r.metricPositions(ctx, specID)
	if err != nil {
		return explain(err)
	}
	for chunk := range slices.Chunk(seeds, scoresAtOnce) {
		query, args := scoresOfSeedsQuery(chunk, specID)
		if err := r.stream(ctx, query, args, scoreCollector(chunk, positions)); err != nil {
			return explain(err)
		}
	}
	return nil
}

// scoreCollector returns a function that takes rows of a seed, a metric and a score, and fills in the scores of seeds.
func scoreCollector(seeds []SeedScore, positions map[int64]int) func(row []driver.Value) {
	byID := make(map[int64]*SeedScore, len(seeds))
	for i := range seeds {
		byID[seeds[i].ID] = &seeds[i]
	}
	return func(row []driver.Value) {
		seed := byID[row[0].(int64)]
		if seed.Scores == nil {
			seed.Scores = make([]float64, len(positions))
			for k := range seed.Scores {
				seed.Scores[k] = math.NaN()
			}
		}
		if score, ok := row[2].(float64); ok {
			seed.Scores[knownRow(positions, "metric", row[1].(int64))] = score
		}
	}
}

func scoresOfSeedsQuery(seeds []SeedScore, specID int64) (query string, args []any) {
	ids := make([]any, len(seeds))
	for i, seed := range seeds {
		ids[i] = seed.ID
	}
	c := clauses{}
	c.add(listScoresUnder, specID)
	c.addList(ofListedSeeds, ids...)
	return c.statement()
}

// metricPositions gives the position in a spec of each metric, by its id.
func (r *Reader) metricPositions(ctx context.Context, specID int64) (map[int64]int, error) {
	var ids []int64
	if err := r.read().SelectContext(ctx, &ids, listMetricPositions, specID); err != nil {
		return nil, err
	}
	positions := make(map[int64]int, len(ids))
	for i, id := range ids {
		positions[id] = i
	}
	return positions, nil
}

const listMetricPositions = `SELECT metric_id FROM spec_metric WHERE spec_id = $1 ORDER BY position`

const listSeedMeasured = `
	SELECT value.seed_id, value.metric_id, value.value
	  FROM seed ORDERED JOIN value ON value.seed_id = seed.id
	 WHERE {selection} AND seed.outcome = 'ok'`

// What was computed when the seed was judged stands for series that may be pruned since.
const listSeedComputed = `
	SELECT computed_value.seed_id, computed_value.metric_id, computed_value.value
	  FROM seed ORDERED JOIN computed_value ON computed_value.seed_id = seed.id AND computed_value.spec_id = $1
	 WHERE {selection} AND seed.outcome = 'ok' AND computed_value.reason IS NULL`

const listMetricNames = `SELECT id, name FROM metric WHERE id IN (SELECT metric_id FROM spec_metric WHERE spec_id = $1)`

// MeasuredValues returns, by the id of the seed, what the seeds of a selection that ran well measured of the metrics of
// the spec, and what was computed from their series where they were judged under it.
func (r *Reader) MeasuredValues(ctx context.Context, sel Selection) (map[int64]map[string]float64, error) {
	var metrics []struct {
		ID   int64  `db:"id"`
		Name string `db:"name"`
	}
	if err := r.read().SelectContext(ctx, &metrics, listMetricNames, sel.SpecID); err != nil {
		return nil, explain(err)
	}
	names := make(map[int64]string, len(metrics))
	for _, m := range metrics {
		names[m.ID] = m.Name
	}
	values := map[int64]map[string]float64{}
	add := func(row []driver.Value) {
		name, known := names[row[1].(int64)]
		if !known {
			return
		}
		id := row[0].(int64)
		if values[id] == nil {
			values[id] = make(map[string]float64, len(names))
		}
		values[id][name] = storedValue(row[2])
	}
	err := r.streamSelected(ctx, sel, listSeedMeasured, nil, add)
	if err == nil {
		err = r.streamSelected(ctx, sel, listSeedComputed, []any{sel.SpecID}, add)
	}
	return values, explain(err)
}

const listOneMeasured = `
	SELECT value.seed_id, value.value
	  FROM seed ORDERED JOIN ONE value OF (SELECT id FROM metric WHERE name = $1) ON value.seed_id = seed.id
	 WHERE {selection} AND seed.outcome = 'ok'`

const listOneComputed = `
	SELECT computed_value.seed_id, computed_value.value
	  FROM seed
	 ORDERED JOIN computed_value ON computed_value.seed_id = seed.id AND computed_value.spec_id = $1
	              AND computed_value.metric_id = (SELECT id FROM metric WHERE name = $2)
	 WHERE {selection} AND seed.outcome = 'ok' AND computed_value.reason IS NULL`

// OneMeasured returns, by the id of the seed, the values of one metric as [Reader.MeasuredValues] does for all.
func (r *Reader) OneMeasured(ctx context.Context, sel Selection, metric string) (map[int64]float64, error) {
	values := map[int64]float64{}
	add := func(row []driver.Value) { values[row[0].(int64)] = storedValue(row[1]) }
	err := r.streamSelected(ctx, sel, listOneMeasured, []any{metric}, add)
	if err == nil {
		err = r.streamSelected(ctx, sel, listOneComputed, []any{sel.SpecID, metric}, add)
	}
	return values, explain(err)
}
