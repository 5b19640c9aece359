package sweeps

import (
	"cmp"
	"context"
	"math"
	"slices"

	"track"
	"track/sweep"
)

// HalvedTier is a round of successive halving, after which the best configurations went on.
type HalvedTier struct {
	sweep.Tier
	Ranked []RankedConfiguration // the best first
	Kept   int                   // of them, the first so many went on
}

// RankedConfiguration is a configuration in a round of successive halving.
type RankedConfiguration struct {
	track.Configuration
	Hash    string
	Mean    float64 // of the total scores of all its seeds of the round, of which those without a score count as 0
	NSeeds  int
	NScored int
}

// halve ranks the configurations of a tier on the same seeds, and plans those of the next one for the best of them. Equal ones keep their
// order in the grid.
func (s *Sweeper) halve(ctx context.Context, active []*sweptConfiguration, tier, next sweep.Tier) ([]*sweptConfiguration, error) {
	halved := HalvedTier{Tier: tier, Kept: min(next.Configurations, len(active))}
	byHash := map[string]*sweptConfiguration{}
	for _, c := range active {
		rows, err := s.scores(ctx, c, s.options.Plan.Seeds.Slice(0, tier.Seeds))
		if err != nil {
			return nil, err
		}
		ranked := RankedConfiguration{Configuration: c.Configuration, Hash: c.Hash, NSeeds: len(rows)}
		for _, row := range rows {
			if !math.IsNaN(row.TotalScore) {
				ranked.Mean += row.TotalScore / float64(len(rows))
				ranked.NScored++
			}
		}
		byHash[c.Hash] = c
		halved.Ranked = append(halved.Ranked, ranked)
	}
	slices.SortStableFunc(halved.Ranked, func(a, b RankedConfiguration) int { return cmp.Compare(b.Mean, a.Mean) })
	s.summary.Halved = append(s.summary.Halved, halved)
	if s.observer.Halved != nil {
		s.observer.Halved(halved)
	}
	var kept []*sweptConfiguration
	for i, ranked := range halved.Ranked {
		c := byHash[ranked.Hash]
		if c.Dropped = next.Configurations > 0 && i >= halved.Kept; !c.Dropped && next.Configurations > 0 {
			c.Planned = s.options.Plan.Seeds.Slice(0, next.Seeds)
			kept = append(kept, c)
		}
	}
	return kept, nil
}
