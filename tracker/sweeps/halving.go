package sweeps

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"track/answer"
	"track/store"
	"track/sweep"
)

// halve ranks the configurations of a tier on the same seeds, and plans the seeds of the next tier for the best of
// them. Equal configurations keep their order in the grid. If the server stays away, it returns [errUnjudged].
func (s *Sweeper) halve(ctx context.Context, stop <-chan struct{}, active []*sweptConfiguration, tier, next sweep.Tier) (kept []*sweptConfiguration, err error) {
	round := answer.HalvingRound{Configurations: tier.Configurations, Seeds: tier.Seeds}
	byHash := map[string]*sweptConfiguration{}
	for _, c := range active {
		var rows []store.Seed
		err := s.judgeAtOnce(ctx, stop, func() (err error) {
			rows, err = s.judge.scores(ctx, c, s.options.Plan.Seeds.Slice(0, tier.Seeds))
			return err
		})
		if errors.Is(err, errUnjudged) {
			for _, c := range active {
				c.unasked = true
			}
			return nil, s.leaveUnjudged(active)
		}
		if err != nil {
			return nil, err
		}
		byHash[c.hash] = c
		round.Ranked = append(round.Ranked, rank(c.hash, rows))
	}
	slices.SortStableFunc(round.Ranked, func(a, b answer.RankedConfiguration) int { return cmp.Compare(b.MeanScore, a.MeanScore) })
	for i := range round.Ranked {
		c := byHash[round.Ranked[i].Hash]
		round.Ranked[i].Kept = i < next.Configurations
		if c.dropped = next.Configurations > 0 && i >= next.Configurations; round.Ranked[i].Kept {
			c.plan(s.options.Plan.Seeds.Slice(0, next.Seeds))
			kept = append(kept, c)
		}
	}
	s.result.Halving = append(s.result.Halving, round)
	if s.observer.Halved != nil {
		s.observer.Halved(round)
	}
	return kept, nil
}

// rank returns a configuration with the mean score of its seeds. A seed without a score counts as 0.
func rank(hash string, rows []store.Seed) answer.RankedConfiguration {
	ranked := answer.RankedConfiguration{Hash: hash, NSeeds: len(rows)}
	for _, row := range rows {
		if !math.IsNaN(row.TotalScore) {
			ranked.MeanScore += row.TotalScore / float64(len(rows))
			ranked.NScored++
		}
	}
	return ranked
}
