package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// These tests simulate what the methods promise, from fixed seeds. A rate of r over n repetitions has the Monte Carlo
// sd √(r(1-r)/n); the limits are 4 of them.

func rng() *rand.Rand { return rand.New(rand.NewPCG(20, 26)) }

func normals(r *rand.Rand, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = 10 + 2*r.NormFloat64()
	}
	return xs
}

// rate is the share of repetitions in which event happens.
func rate(repetitions int, event func() bool) float64 {
	n := 0
	for range repetitions {
		if event() {
			n++
		}
	}
	return float64(n) / float64(repetitions)
}

func wantRate(t *testing.T, what string, got, want float64, repetitions int) {
	t.Helper()
	if limit := 4 * math.Sqrt(want*(1-want)/float64(repetitions)); math.Abs(got-want) > limit {
		t.Errorf("%s: %.4f of %d repetitions, want %.4f ± %.4f", what, got, repetitions, want, limit)
	}
}

func wantAtMost(t *testing.T, what string, got, want float64, repetitions int) {
	t.Helper()
	if limit := want + 4*math.Sqrt(want*(1-want)/float64(repetitions)); got > limit {
		t.Errorf("%s: %.4f of %d repetitions, want at most %.4f", what, got, repetitions, limit)
	}
}

func TestIntervalsCoverTheirConfidence(t *testing.T) {
	const repetitions = 2_000
	for _, n := range []int{2, 3, 5, 10} {
		r := rng()
		got := rate(repetitions, func() bool {
			m, err := NewMean(normals(r, n), 0.95)
			fatal(t, err)
			return m.Interval.Contains(10)
		})
		wantRate(t, "t interval", got, 0.95, repetitions)
		got = rate(repetitions, func() bool {
			s, err := NewSD(normals(r, n), 0.95)
			fatal(t, err)
			return s.Interval.Contains(2)
		})
		wantRate(t, "chi-square interval", got, 0.95, repetitions)
		got = rate(repetitions, func() bool {
			p, err := NewPrediction(normals(r, n), 0.98)
			fatal(t, err)
			return p.Interval.Contains(normals(r, 1)[0])
		})
		wantRate(t, "prediction interval", got, 0.98, repetitions)
	}
}

// Uniform scores pass from 0.2 up: mean 1/2, sd 1/√12, rate 0.8. The box need only cover at least its confidence.
func TestBoxCoversItsConfidence(t *testing.T) {
	const repetitions = 2_000
	truth := 0.5 * 0.8 * (1 - 1/math.Sqrt(12))
	for _, n := range []int{2, 3, 5, 10, 30} {
		r := rng()
		missed := rate(repetitions, func() bool {
			scores, passed := make([]float64, n), 0
			for i := range scores {
				if scores[i] = r.Float64(); scores[i] >= 0.2 {
					passed++
				}
			}
			c, err := NewCombined(scores, passed, n, 0.95)
			fatal(t, err)
			return !c.Interval.Contains(truth)
		})
		wantAtMost(t, "box misses", missed, 0.05, repetitions)
	}
}

// Under the hypothesis a p-value is at most alpha with probability at most alpha, whatever the distribution.
func TestTestsKeepTheirLevel(t *testing.T) {
	const repetitions = 2_000
	r := rng()
	heavy := func(n int) []float64 { // symmetric, without a variance, with ties
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = math.Round(4*r.NormFloat64()/math.Abs(r.NormFloat64())) / 4
		}
		return xs
	}
	p := map[string]func() float64{
		"sign flip, exact": func() float64 { p, err := SignFlip(heavy(9), 1); fatal(t, err); return p.P.TwoSided },
		"signed rank": func() float64 {
			p, err := WilcoxonSignedRank(heavy(9), DropZeros)
			fatal(t, err)
			return p.P.TwoSided
		},
		"mann-whitney": func() float64 { p, err := NewMannWhitney(heavy(6), heavy(7)); fatal(t, err); return p.P.TwoSided },
		"two-sample": func() float64 {
			p, err := PermuteTwoSample(heavy(6), heavy(7), 1)
			fatal(t, err)
			return p.P.TwoSided
		},
	}
	for name, test := range p {
		wantAtMost(t, name, rate(repetitions, func() bool { return test() <= 0.05 }), 0.05, repetitions)
	}
}

// Looking after every one of 60 pairs, a t test would reject in a third of the cases; the e-value keeps its level.
func TestEValueAllowsLooking(t *testing.T) {
	const repetitions = 2_000
	r := rng()
	got := rate(repetitions, func() bool {
		d := make([]float64, 60)
		for i := range d {
			d[i] = r.NormFloat64() / math.Abs(r.NormFloat64())
		}
		e, err := SymmetricEValue(d)
		fatal(t, err)
		return e.AnytimeP().TwoSided <= 0.05
	})
	wantAtMost(t, "false positives", got, 0.05, repetitions)
}

func TestConfidenceSequencesAllowLooking(t *testing.T) {
	const repetitions = 300
	for name, sequence := range map[string]func([]float64, float64) (ConfidenceSequence, error){
		"betting": BettingSequence, "bernstein": BernsteinSequence,
	} {
		r := rng()
		missed := rate(repetitions, func() bool {
			scores := make([]float64, 30)
			for i := range scores {
				scores[i] = math.Sqrt(r.Float64()) // mean 2/3
			}
			c, err := sequence(scores, 0.8)
			fatal(t, err)
			return !c.last().Contains(2.0 / 3)
		})
		wantAtMost(t, name+" misses", missed, 0.2, repetitions)
	}
}

// The plan from the upper bound reaches its power in at least 80 % of pilots (here to 75 % in 300, two Monte Carlo
// sd), the plan from the sd itself in fewer than half.
func TestPilotSizeReachesItsPower(t *testing.T) {
	const repetitions, delta, sd = 120, 1.0, 2.0
	design := Design{Alpha: 0.05, Alternative: TwoSided}
	for _, n := range []int{5, 10} {
		r := rng()
		plugIn := 0
		got := rate(repetitions, func() bool {
			pilot, err := design.SeedsFromPilot(normals(r, n), delta, 0.8)
			fatal(t, err)
			fromSD, err := design.seedsNeeded(delta/pilot.SD, 0.8)
			fatal(t, err)
			if reaches(t, design, delta/sd, fromSD) {
				plugIn++
			}
			return reaches(t, design, delta/sd, pilot.N)
		})
		if got < 0.8-2.2*math.Sqrt(0.8*0.2/repetitions) {
			t.Errorf("n = %d: the bound reaches the power in %.2f of cases", n, got)
		}
		if share := float64(plugIn) / repetitions; share > 0.5 {
			t.Errorf("n = %d: the sd itself reaches the power in %.2f of cases", n, share)
		}
	}
}

func reaches(t *testing.T, d Design, dz float64, n int) bool {
	t.Helper()
	power, err := d.Power(dz, n)
	fatal(t, err)
	return power >= 0.8
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
