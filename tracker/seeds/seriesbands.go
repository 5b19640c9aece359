package seeds

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"track"
	"track/answer"
	"track/store"
)

// bandSeeds is the largest number of seeds in a band: each is a line of its own.
const bandSeeds = 200

// ShowSeriesBands returns a series over the seeds of a configuration.
func ShowSeriesBands(ctx context.Context, r *store.Reader, q answer.SeriesBandsQuestion) (a answer.SeriesBands, err error) {
	choice, err := Choose(ctx, r, q.Of, false)
	if err != nil {
		return a, err
	}
	c := choice.Configurations[0]
	a = answer.SeriesBands{Scenario: q.Of.Scenario, Configuration: c.Hash, Label: c.Label, Name: q.Name, Names: []string{}, Points: []answer.BandPoint{}, Seeds: []answer.BandSeed{}}
	list, err := r.SeedIDs(ctx, store.Selection{Scenario: q.Of.Scenario, Configurations: []int64{c.ID}, Seeds: q.Seeds})
	if err != nil {
		return a, err
	}
	slices.SortFunc(list, func(x, y track.RecordedSeed) int { return cmp.Compare(x.Number, y.Number) })
	if len(list) > bandSeeds {
		a.NOthers, list = len(list)-bandSeeds, list[:bandSeeds]
	}
	values, err := bandValues(ctx, r, list, &a)
	if err != nil {
		return a, err
	}
	fillBand(&a, values, q.Points)
	return a, nil
}

// bandValues reads the series of the seeds, and notes their names, and which seeds have none.
func bandValues(ctx context.Context, r *store.Reader, list []track.RecordedSeed, a *answer.SeriesBands) (values [][]float64, err error) {
	for _, seed := range list {
		infos, err := r.Series(ctx, seed.ID)
		if err != nil {
			return nil, err
		}
		found := false
		for _, info := range infos {
			if !slices.Contains(a.Names, info.Name) {
				a.Names = append(a.Names, info.Name)
			}
			if a.Name == "" {
				a.Name = info.Name
			}
			if info.Name != a.Name || !info.PrunedAt.IsZero() {
				continue
			}
			decoded, err := decodeSeries(ctx, r, seed.ID, info)
			if err != nil {
				return nil, err
			}
			found = true
			values, a.N = append(values, decoded), max(a.N, len(decoded))
			a.Seeds = append(a.Seeds, answer.BandSeed{Seed: seed.Number})
		}
		if !found {
			a.Without = append(a.Without, seed.Number)
		}
	}
	slices.Sort(a.Names)
	if len(values) == 0 && a.Name != "" && !slices.Contains(a.Names, a.Name) {
		return nil, didYouMean(fmt.Errorf("series %s: %w", a.Name, track.ErrNotFound), a.Name, a.Names)
	}
	return values, nil
}

// fillBand fills in the values at some points, evenly spaced, and what they have in common.
func fillBand(a *answer.SeriesBands, values [][]float64, points int) {
	points = min(points, a.N)
	for k := range points {
		at := 0
		if points > 1 {
			at = k * (a.N - 1) / (points - 1)
		}
		var there []float64
		for i, series := range values {
			value := math.NaN()
			if at < len(series) {
				value = series[at]
			}
			a.Seeds[i].Values = append(a.Seeds[i].Values, value)
			if !math.IsNaN(value) && !math.IsInf(value, 0) {
				there = append(there, value)
			}
		}
		slices.Sort(there)
		a.Points = append(a.Points, answer.BandPoint{
			At: at, N: len(there), Low: quantile(there, 0), Q1: quantile(there, 0.25), Median: quantile(there, 0.5), Q3: quantile(there, 0.75), High: quantile(there, 1),
		})
	}
}

// quantile interpolates between order statistics (type 7 of Hyndman and Fan 1996); NaN for none.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	position := float64(q * float64(len(sorted)-1))
	i := int(position)
	t := position - float64(i)
	if t == 0 {
		return sorted[i]
	}
	return max(sorted[i], min(sorted[i+1], float64(sorted[i]*(1-t))+float64(sorted[i+1]*t)))
}
