package store

import (
	"cmp"
	"context"
	"database/sql/driver"
	"math"
	"slices"
	"time"

	"track"
	"track/scoring"
)

// MeasuredSeed is a seed with what it measured, and how a spec judges that.
type MeasuredSeed struct {
	ULID       string
	Number     track.SeedNumber
	Outcome    track.Outcome
	RecordedAt time.Time
	Assessed   bool             // under the spec
	TotalScore float64          // NaN if it has none
	Metrics    []MeasuredMetric // of the spec, in its order, and then the others by name
}

// MeasuredMetric is a metric of a seed.
type MeasuredMetric struct {
	Name     string
	HasValue bool
	Value    float64
	Status   scoring.Status // empty if it was not judged
	Score    float64        // NaN if it has none
}

// VisitMeasured calls visit for each seed of a selection of one configuration, by number. The seed is valid during the
// call. A selection without a spec has no judgements. It keeps the heads of all seeds in memory, and the values of some
// hundred.
func (r *Reader) VisitMeasured(ctx context.Context, sel Selection, visit func(*MeasuredSeed) error) error {
	return explain(r.Snapshot(ctx, func(r *Reader) error {
		seeds, err := r.selectedSeeds(ctx, sel)
		if err != nil {
			return err
		}
		seeds = slices.Clone(seeds)
		slices.SortFunc(seeds, func(a, b selectedSeed) int {
			return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.id, b.id))
		})
		m := &measuredReader{Reader: r, ctx: ctx, sel: sel, names: map[int64]string{}}
		if m.judged, err = r.newJudged(ctx, sel.SpecID); err != nil {
			return err
		}
		err = r.stream(ctx, listMetrics, nil, func(row []driver.Value) { m.names[asInt(row[0])] = asText(row[1]) })
		for chunk := range slices.Chunk(seeds, scoresAtOnce) {
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				err = m.visitChunk(chunk, visit)
			}
		}
		return err
	}))
}

// measuredReader reads the values and results of seeds, some at once.
type measuredReader struct {
	*Reader
	ctx    context.Context
	sel    Selection
	names  map[int64]string // of metrics
	judged *judged
	seed   MeasuredSeed
}

// measuredRows are the values and results of one seed.
type measuredRows struct {
	values   map[int64]float64 // by metric
	scores   []float64         // in the order of the spec
	statuses []int8
}

func (m *measuredReader) visitChunk(chunk []selectedSeed, visit func(*MeasuredSeed) error) error {
	rows, ids := make(map[int64]*measuredRows, len(chunk)), make([]int64, len(chunk))
	for i := range chunk {
		ids[i], rows[chunk[i].id] = chunk[i].id, &measuredRows{values: map[int64]float64{}}
	}
	err := m.visitOfSeeds(m.ctx, listValuesOf, nil, ids, func(seed int64, text string) {
		must(eachValue(text, func(metric int64, value float64) { rows[seed].values[metric] = value }))
	})
	if err == nil {
		err = m.visitOfSeeds(m.ctx, listResultsOf, []any{m.sel.SpecID}, ids, func(seed int64, text string) {
			m.judged.read(text)
			of := rows[seed]
			of.scores, of.statuses = slices.Clone(m.judged.scores), slices.Clone(m.judged.statuses)
			for _, v := range m.judged.computed {
				of.values[v.metric] = v.value
			}
		})
	}
	for i := range chunk {
		if err == nil {
			err = visit(m.gather(&chunk[i], rows[chunk[i].id]))
		}
	}
	return err
}

// gather returns a seed with its metrics.
func (m *measuredReader) gather(s *selectedSeed, rows *measuredRows) *MeasuredSeed {
	list := m.seed.Metrics[:0]
	for i, id := range m.judged.metrics {
		metric := MeasuredMetric{Name: m.names[id], Score: math.NaN()}
		metric.Value, metric.HasValue = rows.values[id]
		if rows.scores != nil && rows.statuses[i] != noResult {
			metric.Score, metric.Status = rows.scores[i], statusOf(int64(rows.statuses[i]))
		}
		delete(rows.values, id)
		list = append(list, metric)
	}
	n := len(list)
	for id, value := range rows.values {
		list = append(list, MeasuredMetric{Name: m.names[id], HasValue: true, Value: value, Score: math.NaN()})
	}
	slices.SortFunc(list[n:], func(a, b MeasuredMetric) int { return cmp.Compare(a.Name, b.Name) })
	m.seed = MeasuredSeed{
		ULID: s.ulid, Number: s.number, Outcome: s.outcome, RecordedAt: fromMicros(s.recordedAt), Assessed: s.assessed, TotalScore: s.total, Metrics: list,
	}
	return &m.seed
}
