package seeds

import (
	"context"
	"errors"
	"fmt"
	"math"

	"track"
	"track/answer"
	"track/scoring"
	"track/scoring/stats"
	"track/scoring/verdict"
	"track/store"
)

// NoiseReport is an A/A check of the seeds of one configuration.
type NoiseReport struct {
	verdict.Noise
	Choice
	Stored  store.Spec
	NFailed int // seeds without a score, which are drawn like the others
	Options verdict.NoiseOptions
}

// Noise asks how often the gate and the improvement check in force would take one configuration for two.
func Noise(ctx context.Context, st *store.Reader, sel answer.Selector, ranges []track.SeedRange, base *float64, options verdict.NoiseOptions) (report NoiseReport, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		if report.Choice, err = Choose(ctx, st, sel, false); err != nil {
			return err
		}
		spec, seeds, err := newestJudged(ctx, st, report.Choice, ranges)
		if err != nil {
			return err
		}
		for _, seed := range seeds {
			if seed.Failed != "" {
				report.NFailed++
			}
		}
		report.Stored = spec.stored
		options.Rules = RulesInForce(spec.decoded, options.Rules)
		options.Comparison.Base = degradationBase(spec.decoded, base)
		report.Options = options
		report.Noise, err = verdict.NewNoise(spec.decoded, seeds, options)
		return tooFewSeeds(err)
	})
	return report, err
}

// newestJudged returns the seeds of a choice under the newest spec of its scenario.
func newestJudged(ctx context.Context, st *store.Reader, choice Choice, ranges []track.SeedRange) (specInUse, []verdict.JudgedSeed, error) {
	spec, err := loadSpecInUse(ctx, st, choice.Scenario, 0)
	if err != nil {
		return spec, nil, err
	}
	seeds, _, err := judgedSeeds(ctx, st, choice.Scenario, choice.Configurations[0].ID, ranges, spec)
	return spec, seeds, err
}

// tooFewSeeds makes an error of the user's out of one of arithmetic.
func tooFewSeeds(err error) error {
	var few stats.TooFewError
	if errors.As(err, &few) {
		return fmt.Errorf("%w: %d seeds, and this needs %d", track.ErrInvalid, few.Have, few.Need)
	}
	return err
}

// PlanOptions say what an experiment is to detect.
type PlanOptions struct {
	Effect   float64 // difference of mean total scores, above 0
	Power    float64
	Alpha    float64
	Baseline *answer.Selector // its pairs are the pilot; nil for the one that a pin or the spec names, if any
	Seeds    []track.SeedRange
}

// PlanReport says how many seeds an experiment needs.
type PlanReport struct {
	stats.PilotSize
	Choice
	Baseline *Choice // nil where the pilot is one configuration
	Options  PlanOptions
	Failed   int // seeds without a score: left out of a pilot of one configuration; in one of pairs each scores 0
}

// PlanSeeds computes the seeds that detect an effect, from the spread of the seeds there are: of the paired differences where there
// is a baseline, else of two independent seeds of the configuration, which is √2 times that of one.
func PlanSeeds(ctx context.Context, st *store.Reader, sel answer.Selector, options PlanOptions) (report PlanReport, err error) {
	report.Options = options
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		if report.Choice, err = Choose(ctx, st, sel, false); err != nil {
			return err
		}
		pilot, err := report.pilot(ctx, st)
		if err != nil {
			return err
		}
		report.PilotSize, err = stats.Design{Alpha: options.Alpha, Alternative: stats.TwoSided}.SeedsFromPilot(pilot, options.Effect, options.Power)
		switch {
		case errors.Is(err, stats.ErrZeroVariance):
			return fmt.Errorf("%w: the %d seeds of the pilot do not vary: nothing can be planned from them", track.ErrInvalid, len(pilot))
		case errors.Is(err, stats.ErrOutOfRange):
			return fmt.Errorf("%w: an effect of %v is too small beside the noise: more than %d seeds", track.ErrInvalid, options.Effect, stats.MaxSeeds)
		case errors.Is(err, stats.ErrEmpty):
			return fmt.Errorf("%w: no seed of the pilot has a score", track.ErrInvalid)
		}
		return tooFewSeeds(err)
	})
	return report, err
}

// pilot returns differences whose spread stands for that of the experiment.
func (r *PlanReport) pilot(ctx context.Context, st *store.Reader) ([]float64, error) {
	compared, err := compare(ctx, st, r.Choice, ImprovementOptions{
		Baseline: r.Options.Baseline, Seeds: r.Options.Seeds, Confidence: scoring.DefaultConfidence,
	})
	switch {
	case err == nil && compared.NPairs >= 2:
		r.Baseline, r.Failed = &compared.Baseline, len(compared.Failed.Candidate)+len(compared.Failed.Baseline)
		return compared.Differences, nil
	case r.Options.Baseline != nil && err != nil:
		return nil, err
	case r.Options.Baseline != nil:
		return nil, fmt.Errorf("%w: %d pairs of seeds with the baseline, and a pilot needs 2", track.ErrInvalid, compared.NPairs)
	case err != nil && !errors.Is(err, track.ErrNotFound) && !errors.Is(err, ErrSameConfiguration):
		return nil, err
	}
	_, seeds, err := newestJudged(ctx, st, r.Choice, r.Options.Seeds)
	if err != nil {
		return nil, err
	}
	var scores []float64
	for _, seed := range seeds {
		if seed.Failed != "" {
			r.Failed++
			continue
		}
		scores = append(scores, seed.Total)
	}
	return asDifferences(scores), nil
}

// asDifferences gives scores the spread that differences of two independent ones have.
func asDifferences(scores []float64) []float64 {
	for i := range scores {
		scores[i] *= math.Sqrt2
	}
	return scores
}
