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
// call. A selection without a spec has no judgements. The seeds are compared with their checksums and digests. It keeps
// the heads of all seeds in memory, and the values of some hundred.
func (r *Reader) VisitMeasured(ctx context.Context, sel Selection, visit func(*MeasuredSeed) error) error {
	return explain(r.Snapshot(ctx, func(r *Reader) error {
		seeds, err := r.readSelectedSeeds(ctx, sel)
		if err != nil {
			return err
		}
		slices.SortFunc(seeds, func(a, b selectedSeed) int {
			return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.id, b.id))
		})
		m := &measuredReader{Reader: r, ctx: ctx, sel: sel, names: map[int64]string{}}
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
	ctx   context.Context
	sel   Selection
	names map[int64]string // of metrics
	seed  MeasuredSeed
}

// measuredRows are the values and results of one seed.
type measuredRows struct {
	values   map[int64]float64 // by metric
	scores   []float64         // in the order of the spec
	statuses []int8
}

const (
	listComputedUnder = `SELECT seed_id, metric_id, value FROM computed_value WHERE spec_id = $1 AND reason IS NULL`
	ofComputedSeeds   = ` AND seed_id IN ({list})`
)

func (m *measuredReader) visitChunk(chunk []selectedSeed, visit func(*MeasuredSeed) error) error {
	rows := make(map[int64]*measuredRows, len(chunk))
	for i := range chunk {
		rows[chunk[i].id] = &measuredRows{values: map[int64]float64{}}
	}
	metrics, err := m.readResults(chunk, rows)
	if err == nil {
		err = m.readValues(chunk, rows)
	}
	if err == nil {
		err = m.readComputed(chunk, rows)
	}
	for i := range chunk {
		if err == nil {
			err = visit(m.gather(&chunk[i], rows[chunk[i].id], metrics))
		}
	}
	return err
}

// byID returns pointers to seeds in the order of their ids, in which their rows lie.
func byID(chunk []selectedSeed) []*selectedSeed {
	list := make([]*selectedSeed, len(chunk))
	for i := range chunk {
		list[i] = &chunk[i]
	}
	slices.SortFunc(list, func(a, b *selectedSeed) int { return cmp.Compare(a.id, b.id) })
	return list
}

// readResults reads the results of seeds, and returns the metrics of the spec.
func (m *measuredReader) readResults(chunk []selectedSeed, rows map[int64]*measuredRows) ([]int64, error) {
	check, err := m.newReadCheck(m.ctx, m.sel.SpecID)
	if err != nil {
		return nil, err
	}
	for _, seed := range byID(chunk) {
		if seed.assessed {
			check.add(seed)
		}
	}
	weights := check.results.weights
	err = check.scanResults(func(at int) {
		of := rows[check.ids[at]]
		of.scores, of.statuses = slices.Clone(weights.scores), slices.Clone(weights.statuses)
	})
	return weights.metrics, err
}

func (m *measuredReader) readValues(chunk []selectedSeed, rows map[int64]*measuredRows) error {
	check := &readCheck{Reader: m.Reader, ctx: m.ctx}
	check.values = seedCheck{found: check.found, metrics: m.names}
	for _, seed := range byID(chunk) {
		check.add(seed)
	}
	sel := m.sel // of the chunk, which is sorted by number
	sel.Seeds = []track.SeedRange{{First: chunk[0].number, Last: chunk[len(chunk)-1].number}}
	if err := check.addContents(sel); err != nil {
		return err
	}
	return check.scanValues(func(metrics []int64, values []float64) {
		of := rows[check.current]
		for i, metric := range metrics {
			of.values[metric] = values[i]
		}
	})
}

// readComputed adds what was computed from series when the seeds were judged.
func (m *measuredReader) readComputed(chunk []selectedSeed, rows map[int64]*measuredRows) error {
	c := clauses{}
	c.add(listComputedUnder, m.sel.SpecID)
	ids := make([]any, len(chunk))
	for i := range chunk {
		ids[i] = chunk[i].id
	}
	c.addList(ofComputedSeeds, ids...)
	query, args := c.statement()
	return m.stream(m.ctx, query, args, func(row []driver.Value) {
		rows[asInt(row[0])].values[asInt(row[1])] = storedValue(row[2])
	})
}

// gather returns a seed with its metrics.
func (m *measuredReader) gather(s *selectedSeed, rows *measuredRows, metrics []int64) *MeasuredSeed {
	list := m.seed.Metrics[:0]
	for i, id := range metrics {
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
