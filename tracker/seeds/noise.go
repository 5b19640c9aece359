package seeds

import (
	"context"
	"errors"
	"fmt"

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
	spec, seeds, err := newestJudged(ctx, r, choice, q.Seeds)
	if err != nil {
		return a, err
	}
	if q.Confidence != nil {
		q.Rules.Confidence = *q.Confidence
	}
	a = answer.Noise{
		Side: choice.side(), Spec: specRef(spec.stored), Rules: ActiveRules(spec.decoded, q.Rules), Base: degradationBase(spec.decoded, q.Base),
		Margin: q.Margin, Confidence: answer.ConfidenceOr(q.Confidence), NFailed: countFailed(seeds), MaxFlipRate: verdict.MaxFlipRate,
	}
	a.Noise, err = verdict.NewNoise(spec.decoded, seeds, verdict.NoiseOptions{
		Rules: a.Rules, Comparison: verdict.Options{Confidence: a.Confidence, Margin: a.Margin, Base: a.Base},
		Resamples: q.Resamples, Seed: drawSeed(q.DrawSeed), Sizes: q.Sizes, Stopped: func() bool { return ctx.Err() != nil },
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

// countFailed returns the number of seeds without a score.
func countFailed(seeds []verdict.JudgedSeed) (n int) {
	for _, seed := range seeds {
		if seed.Failed != "" {
			n++
		}
	}
	return n
}

// newestJudged returns the seeds of a choice under the newest spec of its scenario.
func newestJudged(ctx context.Context, r *store.Reader, choice Choice, ranges []track.SeedRange) (specInUse, []verdict.JudgedSeed, error) {
	spec, err := loadSpecInUse(ctx, r, choice.Scenario, 0)
	if err != nil {
		return spec, nil, err
	}
	seeds, _, err := judgedSeeds(ctx, r, choice.Scenario, choice.Configurations[0].ID, ranges, spec)
	return spec, seeds, err
}

// tooFewSeeds turns the statistical error of too few numbers into one of too few seeds.
func tooFewSeeds(err error) error {
	var few stats.TooFewError
	if errors.As(err, &few) {
		return fmt.Errorf("%w: %s: at least %d are needed", track.ErrInvalid, format.Counted(few.Have, "seed"), few.Need)
	}
	return err
}
