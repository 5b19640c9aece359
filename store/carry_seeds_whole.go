package store

import (
	"fmt"

	"track"
	"track/series"
)

// Whole returns the seed with its values, the numbers of its series, and its files, as it was recorded. It reports false
// if some of them were pruned.
func (s *SeedRecord) Whole() (seed track.Seed, isWhole bool, err error) {
	seed = s.Seed
	seed.Values = make(map[string]float64, len(s.Values))
	for _, v := range s.Values {
		seed.Values[v.Metric] = v.Value
	}
	for _, part := range s.SeriesParts {
		if !part.PrunedAt.IsZero() {
			return seed, false, nil
		}
		list := track.Series{Name: part.Name, Values: make([]float64, 0, part.N)}
		for _, chunk := range part.Chunks {
			if list.Values, err = series.AppendDecoded(list.Values, series.Chunk(chunk)); err != nil {
				return seed, false, fmt.Errorf("%w: series %s of seed %s: %w", track.ErrDamaged, part.Name, s.SeedHead.ID, err)
			}
		}
		seed.Series = append(seed.Series, list)
	}
	for _, file := range s.Artifacts {
		if !file.PrunedAt.IsZero() {
			return seed, false, nil
		}
		seed.Artifacts = append(seed.Artifacts, track.Artifact{Name: file.Name, Content: file.content, LeftOut: file.LeftOut})
	}
	return seed, true, nil
}
