package verdict

import (
	"errors"
	"fmt"
	"math"

	"track/scoring/stats"
)

// TotalDelta is the change of the total score over the pairs.
type TotalDelta struct {
	Candidate    float64        `json:"candidate_score_over_pairs"` // mean over the pairs
	Baseline     float64        `json:"baseline_score_over_pairs"`
	MeanDelta    float64        `json:"mean_delta"`
	SD           *float64       `json:"sd"` // sample standard deviation of the differences; nil for one pair
	Dz           *float64       `json:"dz"` // standardised difference with Hedges' correction; nil if the differences do not vary
	Interval     stats.Interval `json:"ci"` // of MeanDelta
	P            float64        `json:"p"`  // sign-flip test, two-sided; the anytime p-value with Look.Anytime
	PMethod      string         `json:"p_method"`
	PImprovement float64        `json:"p_improvement"` // share of wins, a tie counting half
	Wins         int            `json:"wins"`
	Losses       int            `json:"losses"`
	Ties         int            `json:"ties"`
	WinShare     *float64       `json:"win_share"`    // wins among the pairs that are no tie; nil if all are ties
	WinShareCI   stats.Interval `json:"win_share_ci"` // Wilson
	Correlation  *float64       `json:"correlation"`  // of the total scores of the pairs, Pearson; nil if a side does not vary
	// DetectableDz is the effect that so many pairs detect with power 0.8, in standard deviations of the differences,
	// and Detectable the same as a difference of scores, beyond the margin. Both are nil if the differences do not vary.
	DetectableDz *float64 `json:"mde_dz"`
	Detectable   *float64 `json:"mde"`
	// SeedsNeeded is how many pairs show with power 0.8 that the difference Sought is beyond the margin; nil without a
	// margin, and if it is unknown or beyond all measure.
	SeedsNeeded *int     `json:"seeds_needed"`
	Sought      *float64 `json:"sought"` // twice the margin; nil without a margin

	equal                       bool    // all differences are equal but for rounding, and there are two or more
	anytimeGreater, anytimeLess float64 // anytime p-values of the same
}

func (i *Improvement) compareTotals(p pairs) error {
	i.Total = new(TotalDelta)
	t := i.Total
	candidate, baseline := totals(p.candidate), totals(p.baseline)
	d, err := stats.Differences(candidate, baseline)
	if err != nil {
		return fmt.Errorf("total scores: %w", err)
	}
	confidence := 1 - i.Options.Alpha()
	summary, err := stats.Summarize(d)
	if err != nil {
		return fmt.Errorf("total scores: %w", err)
	}
	i.Pairs, i.Differences = numbers(p.candidate), d
	t.Candidate, t.Baseline, t.MeanDelta, t.SD = mean(candidate), mean(baseline), summary.Mean, ifDefined(summary.SD())
	t.Interval = summary.MeanInterval(confidence)
	wins, err := stats.NewProbImprovement(candidate, baseline, confidence)
	if err != nil {
		return fmt.Errorf("total scores: %w", err)
	}
	t.PImprovement, t.Wins, t.Losses, t.Ties = wins.Value, wins.Wins, wins.Losses, wins.Ties
	t.WinShare, t.WinShareCI = ifDefined(wins.Decided.Value), wins.Decided.Interval
	if err := t.test(d, i.Options); err != nil {
		return fmt.Errorf("total scores: %w", err)
	}
	t.size(d, candidate, baseline, i.Options)
	if t.Correlation = ifDefined(stats.Pearson(candidate, baseline)); t.equal && len(d) > 1 && !i.Options.Look.Anytime {
		t.Interval.Lo, t.Interval.Hi = math.NaN(), math.NaN()
	}
	return nil
}

// test fills in the p-value, and for looks at any time the interval that allows for them.
func (t *TotalDelta) test(d []float64, o Options) error {
	if !o.Look.Anytime {
		p, err := stats.SignFlip(d, drawSeed)
		if err != nil {
			return err
		}
		t.P, t.PMethod = p.P.TwoSided, flipMethod(p)
		return nil
	}
	e, err := stats.SymmetricEValue(d)
	if err != nil {
		return err
	}
	t.P, t.PMethod = twoSided(e), "symmetric e-value, valid at any time"
	if t.anytimeGreater, t.anytimeLess, err = beyondMargin(d, o.Margin); err != nil {
		return err
	}
	t.Interval, err = anytimeInterval(d, o.Confidence)
	return err
}

// size fills in how large the difference is compared with its noise, and what it would take to see it.
func (t *TotalDelta) size(d, candidate, baseline []float64, o Options) {
	effect, err := stats.NewEffect(candidate, baseline, stats.EffectDz)
	if t.equal = errors.Is(err, stats.ErrZeroVariance); err == nil {
		t.Dz = &effect.G
	}
	design := stats.Design{Alpha: o.Alpha(), Alternative: stats.TwoSided, Confirmed: true}
	if dz, err := design.DetectableDz(len(d), TargetPower); err == nil && t.SD != nil && *t.SD > 0 && !t.equal {
		t.DetectableDz, t.Detectable = ptr(dz), ptr(o.Margin+float64(dz**t.SD))
	}
	if o.Margin == 0 {
		return
	}
	t.Sought = ptr(2 * o.Margin)
	if plan, err := design.SeedsFromPilot(d, o.Margin, TargetPower); err == nil && !t.equal {
		t.SeedsNeeded = &plan.N
	}
}

// ifDefined returns nil for NaN.
func ifDefined(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

func flipMethod(p stats.Permutation) string {
	if p.Exact {
		return "sign-flip test, exact"
	}
	return fmt.Sprintf("sign-flip test, %d draws from seed %d", p.Permutations, p.Seed)
}
