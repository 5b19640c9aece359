package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"track/scoring/stats"
)

// The centre of symmetric differences is outside at any of four looks in at most 1 - confidence of all sequences, with
// heavy tails and with ties as well.
func TestSymmetricIntervalCoverage(t *testing.T) {
	const repetitions, centre = 250, 0.1
	for name, draw := range map[string]func(*rand.Rand) float64{
		"uniform": func(r *rand.Rand) float64 { return 0.3 * (2*r.Float64() - 1) },
		"Cauchy":  func(r *rand.Rand) float64 { return 0.02 * r.NormFloat64() / r.NormFloat64() },
		"ties":    func(r *rand.Rand) float64 { return 0.2 * math.Trunc(1.5*(2*r.Float64()-1)) },
	} {
		r, missed := rand.New(rand.NewPCG(3, 1)), 0
		for range repetitions {
			d := make([]float64, 40)
			for k := range d {
				d[k] = centre + max(-0.8, min(0.8, draw(r)))
			}
			for _, n := range []int{8, 15, 25, 40} {
				i, err := stats.SymmetricInterval(d[:n], -1, 1, 0.8)
				if err != nil {
					t.Fatal(err)
				}
				if !(i.Lo <= centre+1e-9 && centre-1e-9 <= i.Hi) {
					missed++
					break
				}
			}
		}
		// Four standard errors above 0.2; never missing would be no interval of this confidence.
		if rate := float64(missed) / repetitions; rate > 0.302 || missed == 0 {
			t.Errorf("%s: missed in %.3f", name, rate)
		}
	}
}

// An end that is not an end of what is possible has the e-value that the confidence asks for.
func TestSymmetricIntervalEnds(t *testing.T) {
	d := []float64{.05, .07, .06, .04, .08, .05, .06, .07, .05, .06}
	i, err := stats.SymmetricInterval(d, -1, 1, 0.95)
	if err != nil || !(0 < i.Lo && i.Lo < 0.06 && 0.06 < i.Hi && i.Hi < 0.1) {
		t.Fatalf("%+v, %v", i, err)
	}
	below := make([]float64, len(d))
	for k, x := range d {
		below[k] = x - (i.Lo - 1e-6)
	}
	e, err := stats.SymmetricEValue(below)
	if err != nil || e.AnytimeP().Greater > 0.025 {
		t.Errorf("p at the lower end %v, %v", e.AnytimeP().Greater, err)
	}
	if few, err := stats.SymmetricInterval(d[:4], -1, 1, 0.95); err != nil || few.Lo != -1 || few.Hi != 1 {
		t.Errorf("four pairs: %+v, %v", few, err)
	}
}
