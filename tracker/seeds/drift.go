package seeds

import (
	"context"
	"errors"
	"math"
	"slices"

	"track"
	"track/answer"
	"track/scoring"
	"track/scoring/stats"
	"track/store"
)

// finiteAfter returns the finite values of a series after its first skip.
func finiteAfter(values []float64, skip int) []float64 {
	rest := slices.Clone(values[min(skip, len(values)):])
	return slices.DeleteFunc(rest, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

// maxDriftSeeds is how many seeds show whether a mean drifts: more would only take longer to read.
const maxDriftSeeds = 30

// meanSource is a series over which a metric takes the mean.
type meanSource struct {
	series string
	skip   int
}

// driftsOf returns the means over series, of metrics of a spec, that still drift after their skip. It tests the first
// seeds of a selection that have them, with Holm's correction over series.
func driftsOf(ctx context.Context, st *store.Reader, sel store.Selection, declared scoring.Spec) ([]answer.MetricDrift, error) {
	metrics := map[meanSource][]string{}
	var sources []meanSource
	for _, m := range declared.Metrics {
		if !takesMeanOfSeries(m) {
			continue
		}
		source := meanSource{m.From.Series, m.From.Skip}
		if metrics[source] == nil {
			sources = append(sources, source)
		}
		metrics[source] = append(metrics[source], m.Name)
	}
	if len(sources) == 0 {
		return nil, nil
	}
	seeds, err := st.SeedIDs(ctx, sel)
	if err != nil {
		return nil, err
	}
	var list []answer.MetricDrift
	var p []float64
	for _, source := range sources {
		values, err := seriesOfSeeds(ctx, st, seeds[:min(len(seeds), maxDriftSeeds)], source)
		if err != nil {
			return nil, err
		}
		if d, n := stats.DriftOverSeeds(values); d.Part != "" {
			list = append(list, answer.MetricDrift{Metrics: metrics[source], Series: source.series, Skip: source.skip, NSeeds: n, Drift: d})
			p = append(p, d.P)
		}
	}
	adjusted, err := stats.Holm(p, 0.05)
	if err != nil {
		return nil, err
	}
	var drifting []answer.MetricDrift
	for i, d := range list {
		if d.P = adjusted.P[i]; adjusted.Reject[i] {
			drifting = append(drifting, d)
		}
	}
	return drifting, nil
}

// seriesOfSeeds returns a series of each seed that has it, after its skip.
func seriesOfSeeds(ctx context.Context, st *store.Reader, seeds []track.RecordedSeed, source meanSource) (list [][]float64, err error) {
	for _, seed := range seeds {
		values, err := loadSeries(ctx, st, seed.ID, source.series)
		switch {
		case errors.Is(err, track.ErrNotFound): // pruned, or never recorded
		case err != nil:
			return nil, err
		default:
			list = append(list, finiteAfter(values, source.skip))
		}
	}
	return list, nil
}
