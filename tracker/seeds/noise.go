package seeds

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"track"
	"track/answer"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
	"track/store"
)

// MeasureNoise asks how often the active gate and the improvement check would find a difference between two samples of
// one configuration.
func MeasureNoise(ctx context.Context, r *store.Reader, q answer.NoiseQuestion) (a answer.Noise, err error) {
	choice, err := Choose(ctx, r, q.Of, false)
	if err != nil {
		return a, err
	}
	spec, err := loadSpecInUse(ctx, r, choice.Scenario, 0)
	if err != nil {
		return a, err
	}
	some, err := sampleJudged(ctx, r, choice, q, spec)
	if err != nil {
		return a, err
	}
	if q.Confidence != nil {
		q.Rules.Confidence = *q.Confidence
	}
	a = answer.Noise{
		Side: choice.side(), Spec: specRef(spec.stored), Rules: spec.decoded.ActiveRules(q.Rules), Base: degradationBase(spec.decoded, q.Base),
		Margin: q.Margin, Confidence: answer.ConfidenceOr(q.Confidence), NFailed: some.nFailed, MaxFlipRate: verdict.MaxFlipRate,
	}
	a.Noise, err = verdict.NewNoise(spec.decoded, some.seeds, verdict.NoiseOptions{
		Rules: a.Rules, Comparison: verdict.Options{Confidence: a.Confidence, Margin: a.Margin, Base: a.Base},
		Resamples: q.Resamples, NSeeds: some.n, Seed: drawSeed(q.DrawSeed), Sizes: q.Sizes, Stopped: func() bool { return ctx.Err() != nil },
		Drawn: track.ProgressOf(ctx),
	})
	if errors.Is(err, verdict.ErrStopped) {
		return a, ctx.Err()
	}
	return a, tooFewSeeds(err)
}

func drawSeed(given *uint64) uint64 {
	if given == nil {
		return 1
	}
	return *given
}

// maxResampled is the number of seeds that samples are drawn from at most. So many show a distribution well, and
// reading the scores of all would take longer than the answer may.
const maxResampled = 10_000

// judgedSample is some of the seeds of a configuration, with how many there are.
type judgedSample struct {
	seeds      []verdict.JudgedSeed
	n, nFailed int // of all seeds; failed ones have no score
}

// sampleJudged returns the seeds of a choice, or [maxResampled] of them, drawn without replacement.
func sampleJudged(ctx context.Context, r *store.Reader, choice Choice, q answer.NoiseQuestion, spec specInUse) (s judgedSample, err error) {
	sel := store.Selection{Scenario: choice.Scenario, Configurations: []int64{choice.Configurations[0].ID}, SpecID: spec.stored.ID, Seeds: q.Seeds}
	rows, err := r.SeedScores(ctx, sel, false)
	if err != nil {
		return s, err
	}
	rows = store.Distinct(rows)
	s.n = len(rows)
	if len(rows) <= maxResampled || slices.ContainsFunc(rows, isUnassessed) {
		s.seeds, err = distinctJudged(ctx, r, choice, q.Seeds, spec)
	} else {
		s.seeds, err = someJudged(ctx, r, rows, drawSeed(q.DrawSeed), spec)
	}
	for _, row := range rows {
		if !ranWell(row) || math.IsNaN(row.TotalScore) {
			s.nFailed++
		}
	}
	if len(s.seeds) == s.n { // judged on the way, if some were not
		s.nFailed = countFailed(s.seeds)
	}
	return s, err
}

// someJudged returns some of the seeds, drawn by a seed, in the order in which they were recorded.
func someJudged(ctx context.Context, r *store.Reader, rows []store.SeedScore, seed uint64, spec specInUse) ([]verdict.JudgedSeed, error) {
	chosen := rand.New(rand.NewPCG(seed, uint64(len(rows)))).Perm(len(rows))[:maxResampled]
	slices.Sort(chosen)
	some := make([]store.SeedScore, len(chosen))
	for i, k := range chosen {
		some[i] = rows[k]
	}
	if err := r.AddMetricScores(ctx, some, spec.stored.ID); err != nil {
		return nil, err
	}
	seeds := make([]verdict.JudgedSeed, len(some))
	for i, row := range some {
		seeds[i] = judgedSeedOf(row, spec.decoded)
	}
	return seeds, nil
}

// countFailed returns the number of seeds without a score.
func countFailed(seeds []verdict.JudgedSeed) (n int) {
	for _, seed := range seeds {
		if seed.Failed != "" {
			n++
		}
	}
	return n
}

// newestJudged returns the distinct seeds of a choice under the newest spec of its scenario.
func newestJudged(ctx context.Context, r *store.Reader, choice Choice, ranges []track.SeedRange) (specInUse, []verdict.JudgedSeed, error) {
	spec, err := loadSpecInUse(ctx, r, choice.Scenario, 0)
	if err != nil {
		return spec, nil, err
	}
	seeds, err := distinctJudged(ctx, r, choice, ranges, spec)
	return spec, seeds, err
}

// distinctJudged returns the seeds of a choice with their scores: one of those that repeat each other.
func distinctJudged(ctx context.Context, r *store.Reader, choice Choice, ranges []track.SeedRange, spec specInUse) ([]verdict.JudgedSeed, error) {
	seeds, _, err := judgedSeeds(ctx, r, choice.Scenario, choice.Configurations[0].ID, ranges, spec)
	return slices.DeleteFunc(seeds, func(s verdict.JudgedSeed) bool { return s.Repeats }), err
}

// tooFewSeeds turns the statistical error of too few numbers into one of too few seeds.
func tooFewSeeds(err error) error {
	var few stats.TooFewError
	if errors.As(err, &few) {
		return fmt.Errorf("%w: %s: at least %d are needed", track.ErrInvalid, format.Counted(few.Have, "seed"), few.Need)
	}
	return err
}
