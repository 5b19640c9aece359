package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql/driver"
	"fmt"
	"math"
	"slices"

	"track"
	"track/scoring"
)

// SeedScore is a seed of a selection with its judgement under the spec of the selection.
type SeedScore struct {
	ID         int64
	ULID       string
	Number     track.SeedNumber
	Outcome    track.Outcome
	Message    string
	Assessed   bool
	TotalScore float64 // NaN if it has none
	NFail      int
	Digest     [sha256.Size]byte // of what it measured
	Scores     []float64         // in the order of the spec, NaN where there is none; nil unless asked for, and for a seed without results
}

// In no order: the one by id would tempt SQLite to walk through all seeds of the scenario, which lie in it.
const listSeedScores = `
	SELECT seed.id, seed.ulid, seed.number, seed.outcome, coalesce(seed.message, '') AS message, seed.digest, assessment.seed_id IS NOT NULL AS assessed,
	       assessment.total_score, coalesce(assessment.n_fail, 0) AS n_fail, seed.recorded_at
	  FROM seed LEFT JOIN assessment ON assessment.seed_id = seed.id AND assessment.spec_id = $1
	 WHERE {selection}`

// The metric comes as its id: a join would be made for each of the rows, and there are as many as seeds times metrics.
const listMetricScores = `
	SELECT result.seed_id, result.metric_id, result.score, result.status
	  FROM seed ORDERED JOIN result ON result.seed_id = seed.id AND result.spec_id = $1
	 WHERE {selection}`

// SeedScores returns the seeds of a selection in the order in which they were recorded, with the scores of their
// metrics where withMetrics is set. That takes several reads: see [Reader.Snapshot].
func (r *Reader) SeedScores(ctx context.Context, sel Selection, withMetrics bool) ([]SeedScore, error) {
	type recorded struct {
		SeedScore
		at int64
	}
	var rows []recorded
	damaged := false
	err := r.streamSelected(ctx, sel, listSeedScores, []any{sel.SpecID}, func(row []driver.Value) {
		seed, ok := seedScoreOf(row)
		at, isTime := row[len(row)-1].(int64)
		damaged = damaged || !ok || !isTime
		rows = append(rows, recorded{seed, at})
	})
	if err == nil && damaged {
		err = fmt.Errorf("%w: a seed has cells of another type", track.ErrDamaged)
	}
	if err != nil {
		return nil, explain(err)
	}
	slices.SortFunc(rows, func(a, b recorded) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.ID, b.ID)) })
	seeds := make([]SeedScore, len(rows))
	for i, row := range rows {
		seeds[i] = row.SeedScore
	}
	if withMetrics {
		if err := r.addMetricScores(ctx, seeds, sel); err != nil {
			return nil, explain(err)
		}
	}
	return seeds, nil
}

// seedScoreOf reads a row of [listSeedScores]; ok is false if the cells have other types than the schema allows.
func seedScoreOf(row []driver.Value) (s SeedScore, ok bool) {
	id, isID := row[0].(int64)
	ulid, isText := row[1].(string)
	number, isNumber := row[2].(int64)
	outcome, isOutcome := row[3].(string)
	message, isMessage := row[4].(string)
	digest, isDigest := row[5].([]byte)
	assessed, isAssessed := row[6].(int64)
	total, hasTotal := row[7].(float64)
	nFail, isCount := row[8].(int64)
	if ok = isID && isText && isNumber && isOutcome && isMessage && isDigest && len(digest) == sha256.Size && isAssessed && isCount; !ok {
		return s, false
	}
	if _, err := track.ParseOutcome(outcome); err != nil {
		return s, false
	}
	if !hasTotal {
		total = math.NaN()
	}
	return SeedScore{
		ID: id, ULID: ulid, Number: track.SeedNumber(number), Outcome: track.Outcome(outcome), Message: message, Assessed: assessed != 0,
		TotalScore: total, NFail: int(nFail), Digest: [sha256.Size]byte(digest),
	}, true
}

func (r *Reader) addMetricScores(ctx context.Context, seeds []SeedScore, sel Selection) error {
	positions, err := r.metricPositions(ctx, sel.SpecID)
	if err != nil {
		return err
	}
	check, err := r.checkRead(ctx, sel)
	if err != nil {
		return err
	}
	collect := scoreCollector(seeds, positions)
	err = r.streamSelected(ctx, sel, listMetricScores, []any{sel.SpecID}, func(row []driver.Value) {
		collect(row)
		check.addResult(row[0].(int64), row[1].(int64), row[3].(int64), row[2])
	})
	if err == nil {
		err = check.err(false)
	}
	return err
}

// scoreCollector returns a function that takes rows of a seed, a metric and a score, and fills in the scores of seeds.
func scoreCollector(seeds []SeedScore, positions map[int64]int) func(row []driver.Value) {
	byID := make(map[int64]*SeedScore, len(seeds))
	for i := range seeds {
		byID[seeds[i].ID] = &seeds[i]
	}
	all := make([]float64, len(seeds)*len(positions)) // of all seeds: one allocation
	var seed *SeedScore                               // the rows of a seed come together
	return func(row []driver.Value) {
		if id := row[0].(int64); seed == nil || seed.ID != id {
			if seed = byID[id]; seed == nil { // recorded since the seeds were read
				return
			}
			seed.Scores, all = all[:len(positions):len(positions)], all[len(positions):]
			for k := range seed.Scores {
				seed.Scores[k] = math.NaN()
			}
		}
		if score, ok := row[2].(float64); ok {
			seed.Scores[knownRow(positions, "metric", row[1].(int64))] = score
		}
	}
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

// SeedStatuses returns, by the id of the seed, the statuses of the metrics of the seeds of a selection, in the order of
// the spec. A status is empty where the seed has no value; a seed without results is left out.
func (r *Reader) SeedStatuses(ctx context.Context, sel Selection) (map[int64][]scoring.Status, error) {
	positions, err := r.metricPositions(ctx, sel.SpecID)
	if err != nil {
		return nil, explain(err)
	}
	statuses := map[int64][]scoring.Status{}
	err = r.streamSelected(ctx, sel, listMetricScores, []any{sel.SpecID}, func(row []driver.Value) {
		id := row[0].(int64)
		if statuses[id] == nil {
			statuses[id] = make([]scoring.Status, len(positions))
		}
		if row[2] != nil { // it has a value
			statuses[id][knownRow(positions, "metric", row[1].(int64))] = statusOf(row[3].(int64))
		}
	})
	return statuses, explain(err)
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
