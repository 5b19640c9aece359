package stats

import (
	"math"

	"track/scoring/numeric"
)

// Convergence says how well the mean of an autocorrelated series is known, and whether its beginning still drifts.
type Convergence struct {
	N    int     `json:"n"`
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`   // of the values, with n-1
	ESS  float64 `json:"ess"`  // effective sample size of the mean, from 1 to n·log10(n); NaN if all values are equal
	MCSE float64 `json:"mcse"` // Monte Carlo standard error of the mean; 0 if all values are equal
	Drift
}

// Drift is a comparison of the beginning of a series with its second half.
type Drift struct {
	Verdict DriftVerdict `json:"drift"`
	Part    string       `json:"drift_part"` // of the series that differs most: "first half" or "first tenth"; empty if nothing was tested
	Early   float64      `json:"early_mean"` // of that part; NaN if nothing was tested
	Late    float64      `json:"late_mean"`  // of the second half
	Z       float64      `json:"z"`          // (Late - Early) over its standard error
	DF      float64      `json:"df"`         // of Student's t that Z is compared with
	P       float64      `json:"p"`          // two-sided, corrected for two tests
}

// DriftVerdict is what a comparison found.
type DriftVerdict string

// The verdicts.
const (
	Drifts     DriftVerdict = "drifts"
	noDrift    DriftVerdict = "no drift seen"
	TooShort   DriftVerdict = "too short" // for its autocorrelation
	isConstant DriftVerdict = "constant"
)

// The parts that are compared with the second half.
const (
	firstHalf  = "first half"
	firstTenth = "first tenth"
)

const (
	leastForDrift  = 20     // values
	leastDriftDF   = 5      // degrees of freedom of the variance of a mean
	driftAlpha     = 0.05   // of a verdict
	mostCovariance = 50_000 // values of which autocovariances are computed; longer series are averaged in blocks first
)

// NewConvergence returns the effective sample size and the Monte Carlo standard error of the mean of a stationary
// series in order of time, and tests whether it is stationary. xs has at least 4 finite values.
//
// The variance of the mean is that of Geyer's initial monotone sequence of autocovariances (Geyer, Statistical Science
// 7, 1992, section 3.3; the autocorrelations of Vehtari et al., Bayesian Analysis 16, 2021, equations 10 and 11, for
// one chain), ESS is n·s²/that, at most n·log10(n) as there. For AR(1) with coefficient φ it estimates
// n(1-φ)/(1+φ).
//
// [Drift] is Geweke's diagnostic (1992): the mean of the first tenth, and that of the first half, against that of the
// second half; the variance of a mean comes from the second half alone, so that a transient does not hide itself. With
// K lags used it has n/2/(2K+1) - 1 degrees of freedom, it is divided by 1 - (2K+1)/(n/2) for the mean that was taken
// off, and z is compared with Student's t. Below 5 degrees of freedom the verdict is [TooShort]. A drift is called at p
// < 0.05, twice the smaller p of both tests. On simulated AR(1) with φ up to 0.95 and 50 to 600 values, at most about 5
// % of the series raise a false alarm; at φ = 0.98 and 0.99 too, where most are too short. That does not hold for
// cycles about as long as the series, and for random walks, whose halves do differ.
func NewConvergence(xs []float64) (c Convergence, err error) {
	if err := check(xs, 4); err != nil {
		return c, err
	}
	m, ss := moments(xs)
	if !finite(ss) {
		return c, errOverflow
	}
	n := float64(len(xs))
	c = Convergence{N: len(xs), Mean: m, SD: math.Sqrt(ss / (n - 1)), ESS: math.NaN(), Drift: untested(TooShort)}
	if constant(xs) || ss == 0 {
		c.Verdict = isConstant
		return c, nil
	}
	blocks, size := inBlocks(xs)
	v := initialSequence(blocks)
	c.ESS = min(float64(n*(numeric.Log(n)/math.Ln10)), ss/n/(v.longRun*float64(size))*n)
	c.ESS = max(1, c.ESS)
	c.MCSE = c.SD / math.Sqrt(c.ESS)
	c.Drift = newDrift(xs)
	return c, nil
}

func untested(v DriftVerdict) Drift {
	return Drift{Verdict: v, Early: math.NaN(), Late: math.NaN(), Z: math.NaN(), DF: math.NaN(), P: math.NaN()}
}

// newDrift compares the beginning of a series with its second half.
func newDrift(xs []float64) Drift {
	n := len(xs)
	late := xs[n/2:]
	if n < leastForDrift {
		return untested(TooShort)
	}
	blocks, size := inBlocks(late)
	v := initialSequence(blocks)
	width := float64(2*v.lags + 1)
	d := untested(TooShort)
	d.DF = float64(len(blocks))/width - 1
	if d.DF < leastDriftDF {
		return d
	}
	longRun := v.longRun * float64(size) / (1 - width/float64(len(blocks)))
	d.P, d.Late = math.Inf(1), meanOf(late)
	for _, part := range []struct {
		name string
		xs   []float64
	}{{firstTenth, xs[:n/10]}, {firstHalf, xs[:n/2]}} {
		early := meanOf(part.xs)
		se := math.Sqrt(longRun * (1/float64(len(part.xs)) + 1/float64(len(late))))
		z := (d.Late - early) / se
		if se == 0 { // the second half is constant
			z = math.Copysign(math.Inf(1), d.Late-early)
		}
		if p := min(1, 2*2*numeric.StudentCDF(-math.Abs(z), d.DF)); p < d.P && d.Late != early {
			d.Part, d.Early, d.Z, d.P = part.name, early, z, p
		}
	}
	switch {
	case d.Part == "":
		return untested(noDrift)
	case d.P < driftAlpha:
		d.Verdict = Drifts
	default:
		d.Verdict = noDrift
	}
	return d
}

// SkipFor returns the smallest number of values to leave out at the beginning after which no drift is seen: tenths of
// the series, up to half of it. It returns 0 if no drift is seen now, and -1 if half is not enough.
func SkipFor(xs []float64) int {
	for tenths := range 6 {
		from := len(xs) / 10 * tenths
		if d := newDrift(xs[from:]); d.Verdict != Drifts {
			if d.Verdict == TooShort && tenths > 0 {
				return -1
			}
			return from
		}
	}
	return -1
}

// inBlocks returns the means of blocks of equal size, of a series that is too long to compute many autocovariances of;
// the rest at the end is left out.
func inBlocks(xs []float64) (blocks []float64, size int) {
	size = (len(xs) + mostCovariance - 1) / mostCovariance
	if size <= 1 {
		return xs, 1
	}
	for from := 0; from+size <= len(xs); from += size {
		blocks = append(blocks, meanOf(xs[from:from+size]))
	}
	return blocks, size
}

func meanOf(xs []float64) float64 {
	m, _ := moments(xs)
	return m
}

// longRunVariance is n times the variance of the mean of n values.
type longRunVariance struct {
	longRun float64
	lags    int // of the autocovariances that it sums
}

// initialSequence sums autocovariances in pairs of lags, (0, 1), (2, 3), …, as long as the sum of a pair is above 0,
// each pair at most as large as the one before.
func initialSequence(xs []float64) (v longRunVariance) {
	m := meanOf(xs)
	deviations := make([]float64, len(xs))
	for i, x := range xs {
		deviations[i] = x - m
	}
	variance := autocovariance(deviations, 0)
	sum, before := 0.0, math.Inf(1)
	for lag := 0; lag+1 < len(xs)/2; lag += 2 {
		first := variance
		if lag > 0 {
			first = autocovariance(deviations, lag)
		}
		pair := min(before, first+autocovariance(deviations, lag+1))
		if pair <= 0 {
			break
		}
		sum += pair
		before, v.lags = pair, lag+1
	}
	v.longRun = max(float64(2*sum)-variance, variance/float64(len(xs)))
	return v
}

// autocovariance divides by n at every lag.
func autocovariance(deviations []float64, lag int) float64 {
	sum := 0.0
	for i, d := range deviations[lag:] {
		sum += float64(deviations[i] * d)
	}
	return sum / float64(len(deviations))
}

// DriftOverSeeds is the comparison of [NewConvergence] for one series of several independent seeds: the t test, over
// seeds, of the difference between the mean of the second half and that of the first tenth, or of the first half. No
// autocorrelation needs to be estimated. Series with fewer than 20 values are left out; below 3 others nothing is
// tested.
func DriftOverSeeds(seeds [][]float64) (d Drift, n int) {
	tenths, halves, late := []float64{}, []float64{}, []float64{}
	for _, xs := range seeds {
		if len(xs) >= leastForDrift && check(xs, 1) == nil {
			tenths = append(tenths, meanOf(xs[:len(xs)/10]))
			halves = append(halves, meanOf(xs[:len(xs)/2]))
			late = append(late, meanOf(xs[len(xs)/2:]))
		}
	}
	const leastSeeds = 3
	d = untested(TooShort)
	if n = len(late); n < leastSeeds {
		return d, n
	}
	d = Drift{Verdict: noDrift, Early: math.NaN(), Late: meanOf(late), DF: float64(n - 1), P: 1, Z: 0}
	for _, part := range []struct {
		name  string
		means []float64
	}{{firstTenth, tenths}, {firstHalf, halves}} {
		differences := make([]float64, n)
		for i := range late {
			differences[i] = late[i] - part.means[i]
		}
		m, ss := moments(differences)
		if ss == 0 {
			continue // seeds that do not differ say nothing about others
		}
		z := m / math.Sqrt(ss/float64(n-1)/float64(n))
		if p := min(1, 2*2*numeric.StudentCDF(-math.Abs(z), d.DF)); d.Part == "" || p < d.P {
			d.Part, d.Early, d.Z, d.P = part.name, meanOf(part.means), z, p
		}
	}
	if d.P < driftAlpha {
		d.Verdict = Drifts
	}
	return d, n
}
