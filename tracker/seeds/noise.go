package seeds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"track"
	"track/answer"
	"track/scoring"
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
	rows, err := r.SeedScores(ctx, sel, true)
	if err != nil {
		return s, err
	}
	rows = store.Distinct(rows)
	s.n = len(rows)
	if len(rows) <= maxResampled || slices.ContainsFunc(rows, isUnassessed) {
		s.seeds, err = distinctJudged(ctx, r, choice, q.Seeds, spec)
	} else {
		s.seeds, err = someJudged(rows, drawSeed(q.DrawSeed), spec), nil
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
func someJudged(rows []store.Seed, seed uint64, spec specInUse) []verdict.JudgedSeed {
	chosen := rand.New(rand.NewPCG(seed, uint64(len(rows)))).Perm(len(rows))[:maxResampled]
	slices.Sort(chosen)
	seeds := make([]verdict.JudgedSeed, len(chosen))
	for i, k := range chosen {
		seeds[i] = judgedSeedOf(rows[k], spec.decoded)
	}
	return seeds
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

// JudgeStability aggregates the stored results of the seeds that a question selects. It returns an error if seeds that
// ran well were never judged under the spec: leaving them out, or counting them as failed, would both be wrong.
func JudgeStability(ctx context.Context, r *store.Reader, q answer.StabilityQuestion) (answer.Stability, error) {
	report, err := stability(ctx, r, q.Of, StabilityOptions{SpecVersion: q.Spec, Seeds: q.Seeds, AllowMixed: q.AllowMixed})
	if errors.Is(err, track.ErrAmbiguous) {
		return answer.Stability{}, track.WithHint(err, track.NewHint("take them together", "stability", q.Of.String()).With("allow-mixed", ""))
	}
	if err != nil {
		return answer.Stability{}, err
	}
	a := report.Answer()
	if len(report.Configurations) == 1 {
		if a.Annotations, err = annotationsOf(ctx, r, report.Choice); err != nil {
			return a, err
		}
	}
	if a.Grouped = q.Grouped; !q.Grouped {
		a.Metrics = slices.Clone(a.Metrics)
		slices.SortStableFunc(a.Metrics, compareWorstFirst)
	}
	return a, nil
}

// Answer returns the report as an answer.
func (r StabilityReport) Answer() answer.Stability {
	a := answer.Stability{
		Scenario: r.Scenario, Spec: specRef(r.Stored), Configuration: recordedConfiguration(r.Configurations[0]),
		NOthers: r.NOthers, Newest: r.newest(), NEnvironments: r.NEnvironments, EnvironmentsDiffer: r.EnvironmentsDiffer,
		Stability: r.Stability, Judgement: r.Judgement, FailingSeeds: explainFailing(r.Failing, r.Spec, len(r.Configurations) > 1),
	}
	if len(r.Configurations) > 1 {
		for _, c := range r.Configurations {
			a.Configurations = append(a.Configurations, recordedConfiguration(c))
		}
	}
	return a
}

func specRef(s store.Spec) answer.SpecRef { return answer.SpecRef{Version: s.Version, Hash: s.Hash} }

func recordedConfiguration(c store.Configuration) track.RecordedConfiguration {
	return track.RecordedConfiguration{Hash: c.Hash, Configuration: c.Configuration}
}

// compareWorstFirst puts metrics first that passed in the fewest seeds.
func compareWorstFirst(a, b scoring.MetricStability) int {
	return cmp.Or(
		cmp.Compare(orNaN(a.PassRate), orNaN(b.PassRate)),
		cmp.Compare(orNaN(a.MeanScore), orNaN(b.MeanScore)),
		cmp.Compare(-orNaN(a.StdScore), -orNaN(b.StdScore)),
	)
}

// orNaN returns NaN for a number that does not exist.
func orNaN(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

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
