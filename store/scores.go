package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
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
	SELECT seed.id, seed.ulid, seed.number, seed.outcome, coalesce(seed.message, '') AS message, seed.digest, assessment.total_score,
	       (assessment.n_pass << 40) | (assessment.n_warn << 20) | assessment.n_fail AS counts, seed.recorded_at
	  FROM seed LEFT JOIN assessment ON assessment.seed_id = seed.id AND assessment.spec_id = $1
	 WHERE {selection}`

// seedScoreRow is a seed as it is listed.
type seedScoreRow struct {
	SeedScore
	counts     [3]int // of its results
	recordedAt int64
}

// SeedScores returns the seeds of a selection in the order in which they were recorded, with the scores of their
// metrics where withMetrics is set. It compares these with what was stored beside them.
func (r *Reader) SeedScores(ctx context.Context, sel Selection, withMetrics bool) (seeds []SeedScore, err error) {
	var rows []seedScoreRow
	err = r.Snapshot(ctx, func(r *Reader) error {
		if rows, err = r.seedScores(ctx, sel); err != nil || !withMetrics {
			return err
		}
		return r.addMetricScores(ctx, rows, sel.SpecID)
	})
	seeds = make([]SeedScore, len(rows))
	for i := range rows {
		seeds[i] = rows[i].SeedScore
	}
	return seeds, explain(err)
}

// seedScores returns the seeds of a selection in the order in which they were recorded.
func (r *Reader) seedScores(ctx context.Context, sel Selection) ([]seedScoreRow, error) {
	if err := r.checkSelected(ctx, sel); err != nil {
		return nil, err
	}
	var rows []seedScoreRow
	damaged := false
	err := r.streamSelected(ctx, sel, listSeedScores, []any{sel.SpecID}, func(row []driver.Value) {
		seed, ok := seedScoreOf(row)
		damaged = damaged || !ok
		rows = append(rows, seed)
	})
	if err == nil && damaged {
		err = fmt.Errorf("%w: a seed has cells of another type", track.ErrDamaged)
	}
	slices.SortFunc(rows, func(a, b seedScoreRow) int {
		return cmp.Or(cmp.Compare(a.recordedAt, b.recordedAt), cmp.Compare(a.ID, b.ID))
	})
	return rows, err
}

// seedScoreOf reads a row of [listSeedScores]; ok is false if the cells have other types than the schema allows.
func seedScoreOf(row []driver.Value) (s seedScoreRow, ok bool) {
	id, isID := row[0].(int64)
	ulid, isText := row[1].(string)
	number, isNumber := row[2].(int64)
	outcome, isOutcome := row[3].(string)
	message, isMessage := row[4].(string)
	digest, isDigest := row[5].([]byte)
	total, hasTotal := row[6].(float64)
	counts, isAssessed := row[7].(int64)
	recordedAt, isTime := row[8].(int64)
	if ok = isID && isText && isNumber && isOutcome && isMessage && isDigest && len(digest) == sha256.Size && isTime; !ok {
		return s, false
	}
	if _, err := track.ParseOutcome(outcome); err != nil {
		return s, false
	}
	if !hasTotal {
		total = math.NaN()
	}
	s.counts, s.recordedAt = unpackCounts(counts), recordedAt
	s.SeedScore = SeedScore{
		ID: id, ULID: ulid, Number: track.SeedNumber(number), Outcome: track.Outcome(outcome), Message: message, Assessed: isAssessed,
		TotalScore: total, NFail: s.counts[2], Digest: [sha256.Size]byte(digest),
	}
	return s, true
}

// addMetricScores fills in the scores of the metrics of seeds.
func (r *Reader) addMetricScores(ctx context.Context, seeds []seedScoreRow, specID int64) error {
	check, err := r.newReadCheck(ctx, specID)
	if err != nil {
		return err
	}
	var judged []*seedScoreRow
	for i := range seeds {
		if seeds[i].Assessed {
			judged = append(judged, &seeds[i])
		}
	}
	slices.SortFunc(judged, func(a, b *seedScoreRow) int { return cmp.Compare(a.ID, b.ID) }) // the order of the table
	for _, s := range judged {
		total := sql.NullFloat64{Float64: s.TotalScore, Valid: !math.IsNaN(s.TotalScore)}
		check.addJudged(s.ID, judgedSeed{total: total, counts: s.counts})
	}
	n := len(check.results.weights.scores)
	all := make([]float64, 0, len(judged)*n) // of all seeds: one allocation
	return check.scanResults(func(at int) {
		all = append(all, check.results.weights.scores...)
		judged[at].Scores = all[len(all)-n : len(all) : len(all)]
	})
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

// SeedStatuses returns, by the id of the seed, the statuses of the metrics of seeds that were judged under a spec, in
// the order of the spec. A status is empty where the seed has no value.
func (r *Reader) SeedStatuses(ctx context.Context, seeds []SeedScore, specID int64) (map[int64][]scoring.Status, error) {
	var ids []int64
	for _, seed := range seeds {
		if seed.Assessed {
			ids = append(ids, seed.ID)
		}
	}
	slices.Sort(ids)
	statuses := make(map[int64][]scoring.Status, len(ids))
	err := r.Snapshot(ctx, func(r *Reader) error {
		check, err := r.newReadCheck(ctx, specID)
		if err != nil {
			return err
		}
		results := check.results.weights
		n := len(results.scores)
		all := make([]scoring.Status, len(ids)*n) // of all seeds: one allocation
		return check.results.scan(ctx, r, ids, func(seed int64) {
			for i, score := range results.scores {
				if !math.IsNaN(score) { // it has a value
					all[i] = statusOf(int64(results.statuses[i]))
				}
			}
			statuses[seed], all = all[:n:n], all[n:]
		})
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
