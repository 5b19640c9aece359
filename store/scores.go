package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql/driver"
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
	Repeats       bool              // it measured exactly what an earlier seed of its configuration did, and not whole numbers alone
	Scores        []float64         // in the order of the spec, NaN where there is none; nil unless asked for, and for a seed without results
}

// SeedScores returns the seeds of a selection in the order in which they were recorded, with the scores of their
// metrics where withMetrics is set.
func (r *Reader) SeedScores(ctx context.Context, sel Selection, withMetrics bool) (seeds []SeedScore, err error) {
	err = r.Snapshot(ctx, func(r *Reader) error {
		selected, err := r.selectedSeeds(ctx, sel)
		if err != nil {
			return err
		}
		selected = slices.Clone(selected)
		slices.SortFunc(selected, func(a, b selectedSeed) int {
			return cmp.Or(cmp.Compare(a.recordedAt, b.recordedAt), cmp.Compare(a.id, b.id))
		})
		seeds = make([]SeedScore, len(selected))
		at := make(map[int64]int, len(selected))
		for i := range selected {
			seeds[i], at[selected[i].id] = selected[i].score(), i
		}
		if !withMetrics {
			return nil
		}
		return r.visitJudged(ctx, sel, func(seed int64, j *judged) { seeds[at[seed]].Scores = slices.Clone(j.scores) })
	})
	return seeds, explain(err)
}

// Distinct returns the seeds that count: one of those that repeat each other.
func Distinct(seeds []SeedScore) []SeedScore {
	return slices.DeleteFunc(slices.Clone(seeds), func(s SeedScore) bool { return s.Repeats })
}

func (s *selectedSeed) score() SeedScore {
	return SeedScore{
		ID: s.id, ULID: s.ulid, Number: s.number, Configuration: s.configuration, Outcome: s.outcome, Message: s.message, Assessed: s.assessed, TotalScore: s.total,
		NWarn: int(s.counts[1]), NFail: int(s.counts[2]), Digest: s.digest, Repeats: s.repeats,
	}
}

// scoresAtOnce is how many seeds one statement of [Reader.AddMetricScores] reads.
const scoresAtOnce = 500

// AddMetricScores fills in the scores of the metrics of seeds under a spec. It suits a few seeds of many:
// [Reader.SeedScores] reads those of all.
func (r *Reader) AddMetricScores(ctx context.Context, seeds []SeedScore, specID int64) error {
	j, err := r.newJudged(ctx, specID)
	for chunk := range slices.Chunk(seeds, scoresAtOnce) {
		ids, at := make([]int64, len(chunk)), make(map[int64]int, len(chunk))
		for i := range chunk {
			ids[i], at[chunk[i].ID] = chunk[i].ID, i
		}
		if err == nil {
			err = r.visitOfSeeds(ctx, listResultsOf, []any{specID}, ids, func(seed int64, text string) {
				j.read(text)
				chunk[at[seed]].Scores = slices.Clone(j.scores)
			})
		}
	}
	return explain(err)
}

const listMetricPositions = `SELECT metric_id FROM spec_metric WHERE spec_id = $1 ORDER BY position`

// What was computed when the seed was judged stands for series that may be pruned since.
const listMeasured = `
	SELECT seed.id, coalesce(packed_value.numbers, '{}'), coalesce(packed_result.results, '{}')
	  FROM seed LEFT JOIN packed_value ON packed_value.seed_id = seed.id
	  LEFT JOIN packed_result ON packed_result.seed_id = seed.id AND packed_result.spec_id = $1
	 WHERE {selection} AND seed.outcome = 'ok'`

const listMetricNames = `SELECT id, name FROM metric WHERE id IN (SELECT metric_id FROM spec_metric WHERE spec_id = $1)`

// MeasuredValues returns, by the id of the seed, what the seeds of a selection that ran well measured of the metrics of
// the spec, and what was computed from their series where they were judged under it.
func (r *Reader) MeasuredValues(ctx context.Context, sel Selection) (map[int64]map[string]float64, error) {
	names := map[int64]string{}
	err := r.stream(ctx, listMetricNames, []any{sel.SpecID}, func(row []driver.Value) { names[asInt(row[0])] = asText(row[1]) })
	if err != nil {
		return nil, explain(err)
	}
	values := map[int64]map[string]float64{}
	err = r.streamSelected(ctx, sel, listMeasured, []any{sel.SpecID}, func(row []driver.Value) {
		of := make(map[string]float64, len(names))
		add := func(metric int64, value float64) {
			if name, known := names[metric]; known {
				of[name] = value
			}
		}
		must(eachValue(asText(row[1]), add))
		must(eachResult(asText(row[2]), func(r storedResult) {
			if r.hasComputed() {
				add(r.metric, r.value)
			}
		}))
		if len(of) > 0 {
			values[asInt(row[0])] = of
		}
	})
	return values, explain(err)
}

const getMetric = `SELECT coalesce((SELECT id FROM metric WHERE name = $1), 0)`

// OneMeasured returns, by the id of the seed, the values of one metric as [Reader.MeasuredValues] does for all.
func (r *Reader) OneMeasured(ctx context.Context, sel Selection, name string) (map[int64]float64, error) {
	var metric int64
	if err := r.read().GetContext(ctx, &metric, getMetric, name); err != nil {
		return nil, explain(err)
	}
	values := map[int64]float64{}
	err := r.streamSelected(ctx, sel, listMeasured, []any{sel.SpecID}, func(row []driver.Value) {
		id := asInt(row[0])
		value, found, err := valueOf(asText(row[1]), metric)
		must(err)
		if found {
			values[id] = value
		}
		result, found, err := resultOf(asText(row[2]), metric)
		must(err)
		if found && result.hasComputed() {
			values[id] = result.value
		}
	})
	return values, explain(err)
}
