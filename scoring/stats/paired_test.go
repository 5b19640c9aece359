package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"track/scoring/stats"
)

// The power that a plan states is the share of experiments in which both the t interval and the sign-flip test decide,
// within 2 points. It was 17 points less for a t test alone at n = 6.
func TestPowerOfBothTests(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		alpha float64
		n     int
		runs  int
	}{
		{0.05, 6, 3000}, {0.05, 7, 3000}, {0.05, 8, 2500}, {0.05, 10, 2000}, {0.05, 14, 1000}, {0.05, 20, 250}, {0.05, 30, 500},
		{0.0125, 8, 2500}, {0.0125, 9, 2000}, {0.0125, 12, 1500}, {0.01, 8, 2500},
	} {
		design := stats.Design{Alpha: c.alpha, Alternative: stats.TwoSided, Confirmed: true}
		for _, power := range []float64{0.8, 0.5} {
			dz, err := design.DetectableDz(c.n, power)
			if err != nil {
				t.Fatal(err)
			}
			decided := 0
			for range c.runs {
				if bothDecide(t, r, c.n, dz, c.alpha) {
					decided++
				}
			}
			got := float64(decided) / float64(c.runs)
			if off := math.Abs(got - power); off > 0.02+4*math.Sqrt(power*(1-power)/float64(c.runs)) {
				t.Errorf("n = %d, alpha %v: power %v at dz %.3f, want %v", c.n, c.alpha, got, dz, power)
			}
		}
	}
}

// bothDecide says whether both tests find n differences above 0, which are normal with mean dz and sd 1.
func bothDecide(t *testing.T, r *rand.Rand, n int, dz, alpha float64) bool {
	t.Helper()
	d := make([]float64, n)
	for i := range d {
		d[i] = dz + r.NormFloat64()
	}
	interval, err := stats.TInterval(d, 1-alpha)
	if err != nil {
		t.Fatal(err)
	}
	if interval.Lo <= 0 {
		return false
	}
	flip, err := stats.SignFlip(d, 1)
	if err != nil {
		t.Fatal(err)
	}
	return flip.P.Greater <= alpha/2
}

// A plan never asks for fewer pairs than the exact test needs, however large the effect is.
func TestSeedsNeededByBothTests(t *testing.T) {
	pilot := []float64{0.01, -0.01, 0.02, 0, 0.005}
	for alpha, least := range map[float64]int{0.05: 6, 0.1: 5, 0.025: 7, 0.01: 8, 0.001: 11} {
		plan, err := stats.Design{Alpha: alpha, Alternative: stats.TwoSided, Confirmed: true}.SeedsFromPilot(pilot, 1, 0.8)
		if err != nil || plan.N != least || stats.LeastPairs(alpha) != least {
			t.Errorf("alpha %v: %d pairs, least %d, want %d; error %v", alpha, plan.N, stats.LeastPairs(alpha), least, err)
		}
	}
}

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

// The levels of equal looks are 2(1-Φ(c)) of the constants in Jennison & Turnbull (2000), table 2.1: 2.178, 2.289,
// 2.361, 2.413 and 2.555 at 0.05 for 2, 3, 4, 5 and 10 looks; 2.772 and 2.986 at 0.01 for 2 and 5; 1.875 at 0.1 for 2.
func TestPocockAlpha(t *testing.T) {
	for _, c := range []struct {
		alpha float64
		n     []int
		want  float64
	}{
		{0.05, []int{10}, 0.05},
		{0.05, []int{10, 20}, 0.02939},
		{0.05, []int{10, 20, 30}, 0.02206},
		{0.05, []int{10, 20, 30, 40}, 0.01821},
		{0.05, []int{10, 20, 30, 40, 50}, 0.01581},
		{0.05, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 0.01061},
		{0.01, []int{30, 60}, 0.005570},
		{0.01, []int{1, 2, 3, 4, 5}, 0.002826},
		{0.1, []int{4, 8}, 0.06078},
	} {
		got := stats.PocockAlpha(c.alpha, c.n)
		if math.Abs(got-c.want) > 0.0035*c.want {
			t.Errorf("%v at %v: %v, want %v", c.n, c.alpha, got, c.want)
		}
	}
}

// Of looks at almost the same observations the first spends almost all, and looks far apart are nearly independent.
func TestPocockAlphaOfUnevenLooks(t *testing.T) {
	if got := stats.PocockAlpha(0.05, []int{999, 1000}); got < 0.045 || got > 0.05 {
		t.Errorf("looks at 999 and 1000: %v", got)
	}
	far := stats.PocockAlpha(0.05, []int{2, 20_000})
	if sidak := 1 - math.Sqrt(0.95); far < 0.025 || far > sidak+1e-4 {
		t.Errorf("looks at 2 and 20,000: %v, independent looks have %v", far, sidak)
	}
}

// The chance that any look rejects is alpha, in 40,000 walks with looks that are not evenly spaced.
func TestPocockAlphaKeepsAlpha(t *testing.T) {
	looks := []int{8, 10, 25, 60}
	z := math.Sqrt2 * math.Erfinv(1-stats.PocockAlpha(0.05, looks))
	r, rejected, walks := rand.New(rand.NewPCG(1, 2)), 0, 40_000
	for range walks {
		sum, n := 0.0, 0
		for _, look := range looks {
			for ; n < look; n++ {
				sum += r.NormFloat64()
			}
			if math.Abs(sum) > z*math.Sqrt(float64(n)) {
				rejected++
				break
			}
		}
	}
	if rate := float64(rejected) / float64(walks); rate < 0.046 || rate > 0.054 {
		t.Errorf("any of the looks rejects in %v", rate)
	}
}

func BenchmarkPocockAlpha(b *testing.B) {
	for b.Loop() {
		stats.PocockAlpha(0.05, []int{8, 10, 20, 30})
	}
}
