package seeds

import (
	"context"
	"errors"
	"fmt"
	"math"

	"track"
	"track/answer"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
	"track/store"
)

// PlanSeeds computes how many seeds detect an effect, from the spread of the recorded ones. With a baseline, that is
// the spread of the paired differences. Without one, it is the spread of the difference of two independent seeds, √2
// times that of one seed.
func PlanSeeds(ctx context.Context, r *store.Reader, q answer.SeedsNeededQuestion) (a answer.SeedsNeeded, err error) {
	choice, err := Choose(ctx, r, q.Of, false)
	if err != nil {
		return a, err
	}
	if q.Effect == 0 {
		return planOne(ctx, r, choice, q)
	}
	pilot, err := loadPilot(ctx, r, choice, q)
	if err != nil {
		return a, err
	}
	size, err := stats.Design{Alpha: q.Alpha, Alternative: stats.TwoSided, Confirmed: true}.SeedsFromPilot(pilot.differences, q.Effect, q.Power)
	if err != nil {
		return a, planError(err, len(pilot.differences), q.Effect)
	}
	return answer.SeedsNeeded{
		Candidate: choice.side(), Baseline: pilot.baseline, Effect: q.Effect, Power: q.Power, Alpha: q.Alpha, NPilot: size.NPilot, NFailed: pilot.nFailed,
		SD: size.SD, SDUpper: size.SDUpper, Dz: size.Dz, N: size.N, Reached: size.Power, Warnings: pilot.warnings(size.Warnings),
	}, nil
}

// planOne computes how many seeds of one configuration show a pass rate, or bound the mean score to a width.
func planOne(ctx context.Context, r *store.Reader, choice Choice, q answer.SeedsNeededQuestion) (answer.SeedsNeeded, error) {
	a := answer.SeedsNeeded{Candidate: choice.side(), PassRate: q.PassRate, Width: q.Width, Power: q.Power, Alpha: q.Alpha, Warnings: []verdict.Warning{}}
	_, seeds, err := newestJudged(ctx, r, choice, q.Seeds)
	if err != nil {
		return a, err
	}
	var scores []float64
	passed := 0
	for _, s := range seeds {
		if s.Failed == "" {
			scores = append(scores, s.Total)
		}
		if s.Passed {
			passed++
		}
	}
	a.NPilot, a.NFailed = len(seeds), countFailed(seeds)
	if a.NPilot < 2 {
		return a, tooFewSeeds(stats.TooFewError{Need: 2, Have: a.NPilot})
	}
	if q.PassRate > 0 {
		a.Observed = float64(passed) / float64(a.NPilot)
		if a.N, err = stats.SeedsForPassRate(a.Observed, q.PassRate, 1-q.Alpha, q.Power); err != nil {
			return a, fmt.Errorf("%w: %s of %d seeds passed: no number of seeds up to %d shows %s at this rate", track.ErrInvalid, format.Share(a.Observed), a.NPilot, stats.MaxSeeds, format.Share(q.PassRate))
		}
		a.Reached = q.Power
		return a, nil
	}
	size, err := stats.SeedsForWidth(scores, q.Width, 1-q.Alpha)
	if err != nil {
		return a, planError(err, len(scores), q.Width)
	}
	a.SD, a.SDUpper, a.N = size.SD, size.SDUpper, size.N
	return a, nil
}

// planError says why there is no plan.
func planError(err error, nPilot int, effect float64) error {
	switch {
	case errors.Is(err, stats.ErrZeroVariance):
		return fmt.Errorf("%w: the %d seeds of the pilot do not vary: there is no spread to plan with", track.ErrInvalid, nPilot)
	case errors.Is(err, stats.ErrOutOfRange):
		return fmt.Errorf("%w: effect %v is too small for the noise: it takes more than %d seeds", track.ErrInvalid, effect, stats.MaxSeeds)
	case errors.Is(err, stats.ErrEmpty):
		return fmt.Errorf("%w: no seed of the pilot has a score", track.ErrInvalid)
	}
	return tooFewSeeds(err)
}

// pilot holds differences whose spread is expected in the experiment.
type pilot struct {
	differences []float64
	baseline    *answer.Side // nil if the pilot is one configuration
	nFailed     int          // seeds without a score
}

func (p pilot) warnings(list []stats.Warning) []verdict.Warning {
	warnings := []verdict.Warning{}
	for _, w := range list {
		warnings = append(warnings, verdict.Warning{Code: string(w), Message: w.Message()})
	}
	if p.nFailed > 0 && p.baseline == nil {
		warnings = append(warnings, verdict.Warning{Code: verdict.WarnFailedSeeds, Message: fmt.Sprintf(
			"%s left out of the pilot. A comparison scores failed seeds 0, so it needs many more seeds if some fail.", format.Counted(p.nFailed, "failed seed"))})
	}
	return warnings
}

func loadPilot(ctx context.Context, r *store.Reader, candidate Choice, q answer.SeedsNeededQuestion) (pilot, error) {
	compared, err := compare(ctx, r, candidate, answer.PairedQuestion{Baseline: q.Baseline, Judging: answer.Judging{Seeds: q.Seeds}}, "")
	switch {
	case err == nil && compared.NPairs >= 2:
		return pilot{compared.Differences, &compared.Baseline, len(compared.Failed.Candidate) + len(compared.Failed.Baseline)}, nil
	case q.Baseline != nil && err != nil:
		return pilot{}, err
	case q.Baseline != nil:
		return pilot{}, fmt.Errorf("%w: %s of seeds with the baseline: a pilot needs at least 2", track.ErrInvalid, format.Counted(compared.NPairs, "pair"))
	case err != nil && !errors.Is(err, track.ErrNotFound) && !errors.Is(err, ErrSameConfiguration):
		return pilot{}, err
	}
	_, seeds, err := newestJudged(ctx, r, candidate, q.Seeds)
	return pilotOf(seeds), err
}

// pilotOf returns the scores of seeds with the spread that differences of two independent seeds have.
func pilotOf(seeds []verdict.JudgedSeed) (p pilot) {
	p.nFailed = countFailed(seeds)
	for _, seed := range seeds {
		if seed.Failed == "" {
			p.differences = append(p.differences, seed.Total*math.Sqrt2)
		}
	}
	return p
}
