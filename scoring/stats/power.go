package stats

import (
	"fmt"
	"math"

	"track/scoring/numeric"
)

// Alternative says which differences a test looks for.
type Alternative string

// The alternatives.
const (
	TwoSided Alternative = "two-sided"
	oneSided Alternative = "one-sided" // greater
)

// MaxSeeds is the largest number of seeds that [Design.seedsNeeded] answers.
const MaxSeeds = 1_000_000

// PilotUpper is the confidence with which the sd is below the bound that [Design.SeedsFromPilot] plans with.
const PilotUpper = 0.8

// Design is a planned paired t test.
type Design struct {
	Alpha       float64
	Alternative Alternative
	Confirmed   bool // the t test decides only what the sign-flip test, one-sided at alpha/2, confirms; see [SignFlip]
}

// levelTogether is the level at which a t test alone has the power that both tests have together, for normal
// differences; 0 if the sign-flip test cannot reach the level. K of the 2ⁿ signs may be as extreme as the data. That is
// level K/2ⁿ, and the power is that of a t test at a smaller one, by the factor 1 - (n - 2.3)/(10·K^0.73). The factor
// is fitted to simulated power at n = 6 to 12 and K = 2 to 102, and right within 2 points of power.
func (t Design) levelTogether(n int) float64 {
	k, factor := t.extreme(n), 1.0
	if k < 1 {
		return 0
	}
	if n <= ExactSignFlip {
		factor = max(0.1, 1-(float64(n)-2.3)/(10*numeric.Pow(k, 0.73)))
	}
	return min(t.Alpha, t.Alpha*float64(k/(t.side()*signs(n))*factor))
}

// side is the level of the sign-flip test, which is one-sided.
func (t Design) side() float64 {
	if t.Alternative == TwoSided {
		return t.Alpha / 2
	}
	return t.Alpha
}

// extreme is how many of the signs of n differences may be as extreme as the data if the test is to reach its level.
func (t Design) extreme(n int) float64 {
	return math.Floor(float64(t.side() * signs(n) * (1 + 1e-12))) // 1 - confidence may be a little too small
}

// signs is how many signs of n differences are counted, or drawn.
func signs(n int) float64 {
	if n <= ExactSignFlip {
		return math.Ldexp(1, n)
	}
	return nDraws + 1
}

func (t Design) power(dz float64, n int) float64 {
	df, shift := float64(n-1), dz*math.Sqrt(float64(n))
	if t.Confirmed {
		together := t
		together.Alpha, together.Confirmed = t.levelTogether(n), false
		switch {
		case together.Alpha == 0:
			return 0
		case n <= ExactSignFlip && t.extreme(n) == 1: // all differences must have the same sign
			t.Confirmed = false
			return min(t.power(dz, n), numeric.Pow(numeric.NormalCDF(dz), float64(n)))
		}
		return together.power(dz, n)
	}
	critical := studentQuantile(1-t.Alpha, df)
	if t.Alternative == oneSided {
		critical = studentQuantile(1-2*t.Alpha, df)
		return noncentralUpper(critical, df, shift)
	}
	return min(1, noncentralUpper(critical, df, shift)+noncentralUpper(critical, df, -shift))
}

// DetectableDz is the dz that n pairs detect with the given power, the minimal detectable effect: 3.3, 1.7, 1.0, 0.66
// and 0.53 at n = 3, 5, 10, 20 and 30, two-sided at alpha 0.05 with power 0.8. The power must exceed alpha.
func (t Design) DetectableDz(n int, power float64) (float64, error) {
	if err := t.checkTarget(power); err != nil {
		return 0, err
	}
	if n < 2 {
		return 0, TooFewError{Need: 2, Have: n}
	}
	if t.Confirmed && t.levelTogether(n) == 0 {
		return 0, TooFewError{Need: LeastPairs(t.Alpha), Have: n}
	}
	hi := 1.0
	for t.power(hi, n) < power {
		hi *= 2
	}
	return bisect(0, hi, func(dz float64) bool { return t.power(dz, n) < power }), nil
}

// seedsNeeded is the smallest number of pairs, at least 2, that detects dz with the given power. One-sided, dz must
// be positive. More than a million is ErrOutOfRange.
//
// Do not put an observed dz in: its error goes straight into the answer. See [Design.SeedsFromPilot].
func (t Design) seedsNeeded(dz, power float64) (int, error) {
	if err := t.checkTarget(power); err != nil {
		return 0, err
	}
	switch {
	case !finite(dz):
		return 0, fmt.Errorf("dz is %v: %w", dz, errNonFinite)
	case dz == 0 || dz < 0 && t.Alternative == oneSided:
		return 0, badParam("no number of seeds detects dz %v", dz)
	}
	for n := 2; n <= ExactSignFlip; n++ { // more pairs have fewer signs that are counted, and may detect nothing
		if t.power(dz, n) >= power {
			return n, nil
		}
	}
	if t.power(dz, MaxSeeds) < power {
		return 0, fmt.Errorf("more than %d seeds: %w", MaxSeeds, ErrOutOfRange)
	}
	lo, hi := ExactSignFlip, 2*ExactSignFlip // lo is too few
	for t.power(dz, hi) < power {
		lo, hi = hi, min(2*hi, MaxSeeds)
	}
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; t.power(dz, mid) < power {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi, nil
}

// PilotSize says how many pairs an experiment needs that was planned from a pilot.
type PilotSize struct {
	NPilot   int
	SD       float64 // of the pilot's differences
	SDUpper  float64 // its 80 % upper bound, which the plan uses
	Delta    float64 // mean difference to detect
	Dz       float64 // Delta / SDUpper
	N        int     // pairs needed
	Power    float64 // power with N pairs if the sd is SDUpper
	Warnings []Warning
}

// SeedsFromPilot computes the pairs needed to detect a mean difference of delta, from the 80 % upper bound
// s·√((n-1)/χ²(0.2, n-1)) of the sd of a pilot's differences. The sd itself is too small more often than not, and a
// plan from it reaches its power in fewer than half of the cases; with the bound it does in at least 80 %.
//
// It assumes normal differences. Fewer than 2 in the pilot are ErrTooFew; equal ones are ErrZeroVariance.
func (t Design) SeedsFromPilot(pilot []float64, delta, power float64) (PilotSize, error) {
	if err := check(pilot, 2); err != nil {
		return PilotSize{}, err
	}
	if !(delta > 0 && finite(delta)) {
		return PilotSize{}, badParam("delta %v is not a positive number", delta)
	}
	s := sampleSD(pilot)
	switch {
	case s == 0:
		return PilotSize{}, ErrZeroVariance
	case !finite(s):
		return PilotSize{}, errOverflow
	}
	upper := sdBound(s, len(pilot), 1-PilotUpper)
	n, err := t.seedsNeeded(delta/upper, power)
	if err != nil {
		return PilotSize{}, err
	}
	return PilotSize{
		NPilot: len(pilot), SD: s, SDUpper: upper, Delta: delta, Dz: delta / upper,
		N: n, Power: t.power(delta/upper, n), Warnings: smallN(len(pilot)),
	}, nil
}

// SeedsForWidth is the smallest number of values whose t interval of the mean is at most that wide, if their sd is the
// 80 % upper bound of the pilot's. Errors are those of [Design.SeedsFromPilot].
func SeedsForWidth(pilot []float64, width, confidence float64) (size PilotSize, err error) {
	if err := check(pilot, 2); err != nil {
		return size, err
	}
	s := sampleSD(pilot)
	if s == 0 {
		return size, ErrZeroVariance
	}
	upper := sdBound(s, len(pilot), 1-PilotUpper)
	isWide := func(n int) bool {
		return 2*studentQuantile(confidence, float64(n-1))*upper/math.Sqrt(float64(n)) > width
	}
	lo, hi := 1, 2
	for isWide(hi) {
		if lo, hi = hi, 2*hi; lo > MaxSeeds {
			return size, ErrOutOfRange
		}
	}
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; isWide(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return PilotSize{NPilot: len(pilot), SD: s, SDUpper: upper, N: hi, Warnings: smallN(len(pilot))}, nil
}

func (t Design) check() error {
	if err := checkOpenUnit("alpha", t.Alpha); err != nil {
		return err
	}
	switch {
	case t.Alternative != TwoSided && t.Alternative != oneSided:
		return badParam("alternative %q", t.Alternative)
	case t.Alternative == oneSided && t.Alpha >= 0.5:
		return badParam("one-sided alpha %v is not below 0.5", t.Alpha)
	}
	return nil
}

func (t Design) checkTarget(power float64) error {
	if err := t.check(); err != nil {
		return err
	}
	if !(power > t.Alpha && power < 1) {
		return badParam("power %v is not between alpha %v and 1", power, t.Alpha)
	}
	return nil
}

// noncentralUpper is P(T > t) for the noncentral t with df degrees of freedom and noncentrality shift, t > 0, as the
// mean of Φ(shift - t·U) over U = √(χ²/df). The lower tail P(T < -t) is noncentralUpper(t, df, -shift).
//
// Outside [from, to] Φ is 0 or 1 but for 1e-19; U is within 10/√df of 1 but for less than that. Between, the
// integrand is smooth on the scale of the interval, and 112 Gauss points give 1e-13.
func noncentralUpper(t, df, shift float64) float64 {
	from, to := max(0, (shift-9)/t), max(0, (shift+9)/t)
	p := numeric.ChiSquaredCDF(df*from*from, df)
	lo, hi := max(from, 1-10/math.Sqrt(df)), min(to, 1+10/math.Sqrt(df))
	if lo >= hi {
		return p
	}
	logConst := math.Ln2 + float64(df/2*numeric.Log(df/2)) - numeric.LogGamma(df/2)
	p += numeric.Integrate(func(u float64) float64 {
		density := numeric.Exp(logConst + float64((df-1)*numeric.Log(u)) - float64(df*u*u/2))
		return density * numeric.NormalCDF(shift-float64(t*u))
	}, lo, hi, 7)
	return min(1, p)
}

// bisect returns where below stops being true on [lo, hi], to the last bits.
func bisect(lo, hi float64, below func(float64) bool) float64 {
	for range 200 {
		mid := lo + float64((hi-lo)/2)
		if mid == lo || mid == hi {
			break
		}
		if below(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}
