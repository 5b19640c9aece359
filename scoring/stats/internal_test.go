package stats

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// gonum's series is good for |Mu| up to 37 and t > 0: two ways to the same number.
func TestNoncentralUpperAgreesWithGonum(t *testing.T) {
	for _, df := range []float64{1, 2, 4, 9, 29, 99, 999} {
		for _, at := range []float64{0.5, 1.3, 2, 4.3, 12.7, 63, 636} {
			for _, shift := range []float64{-20, -5, -1, 0, 0.1, 1, 3, 10, 20, 37} {
				got, want := noncentralUpper(at, df, shift), 1-distuv.NoncentralT{Nu: df, Mu: shift}.CDF(at)
				if math.Abs(got-want) > 1e-11 {
					t.Errorf("P(T > %v), df %v, noncentrality %v: %v, gonum %v", at, df, shift, got, want)
				}
			}
		}
	}
}

// Beyond, the other tail of a far shift is 0, and both tails add up for a central t.
func TestNoncentralUpperOfLargeShifts(t *testing.T) {
	for _, df := range []float64{1, 2, 9} {
		for _, shift := range []float64{38.4, 38.8, 45, 200} {
			if p := noncentralUpper(31.6, df, -shift); p != 0 {
				t.Errorf("df %v, noncentrality %v: lower tail %v", df, -shift, p)
			}
			if a, b := noncentralUpper(31.6, df, shift-1e-6), noncentralUpper(31.6, df, shift+1e-6); !(b >= a && b-a < 1e-6) {
				t.Errorf("df %v, noncentrality %v: from %v to %v", df, shift, a, b)
			}
		}
	}
	// 0.79780 of two million draws of (Z+40)/√(χ²₂/2) exceeded 31.6; their sd is 0.0003.
	if p := noncentralUpper(31.6, 2, 40); math.Abs(p-0.7980) > 0.001 {
		t.Errorf("simulated case: %v", p)
	}
}

// Where the rank tests stop being exact, the normal approximation is within 0.002 of the exact tails, heavy ties
// included.
func TestNormalTailsMeetExactTails(t *testing.T) {
	values := make([]float64, exactRanks)
	for i := range values {
		values[i] = float64(i * i % 37) // ties
	}
	ranks := doubledRanks(values)
	total := 0
	for _, r := range ranks {
		total += r
	}
	near := func(a, b PValues) bool {
		return math.Abs(a.Greater-b.Greater) < 2e-3 && math.Abs(a.Less-b.Less) < 2e-3 && math.Abs(a.TwoSided-b.TwoSided) < 4e-3
	}
	signed := signedRankDistribution(ranks)
	for at := total / 4; at < total*3/4; at += 50 {
		exact := tails(signed, at)
		if normal, _ := normalTails(float64(at), float64(total)/2, math.Sqrt(sumOfSquares(ranks)/4)); !near(exact, normal) {
			t.Errorf("signed rank sum %d: exact %v, normal %v", at, exact, normal)
		}
	}
	const k = 40
	mean := k * (exactRanks + 1)
	sums := rankSumDistribution(ranks, k)
	for at := mean - 1000; at < mean+1000; at += 50 {
		exact, exactDev := tails(sums, at), asDistant(sums, at, mean)
		normal, normalDev := normalTails(float64(at), float64(mean), rankSumSD(ranks, k))
		if !near(exact, normal) || math.Abs(exactDev-normalDev) > 2e-3 {
			t.Errorf("rank sum %d: exact %v and %v, normal %v and %v", at, exact, exactDev, normal, normalDev)
		}
	}
}

// The distributions are probabilities.
func TestDistributionsSumToOne(t *testing.T) {
	for _, p := range [][]float64{
		signedRankDistribution([]int{2, 5, 5, 9, 9}), rankSumDistribution([]int{2, 5, 5, 9, 9}, 2), rankSumDistribution([]int{4, 4, 4}, 3),
	} {
		sum := 0.0
		for _, v := range p {
			sum += v
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("%v sums to %v", p, sum)
		}
	}
}

// 481 and 46 are those of R: the last n below which pbinom has less power than 0.8.
func TestSeedsForRatesAndWidths(t *testing.T) {
	for rate, want := range map[float64]int{56. / 60: 481, 0.99: 46} {
		if n, err := SeedsForPassRate(rate, 0.9, 0.95, 0.8); err != nil || n != want {
			t.Errorf("at a rate of %v: %d, error %v, want %d", rate, n, err, want)
		}
	}
	if _, err := SeedsForPassRate(0.9, 0.9, 0.95, 0.8); !errors.Is(err, ErrOutOfRange) {
		t.Errorf("a rate at its limit: %v", err)
	}
	pilot := []float64{0.5, 0.6, 0.7, 0.8, 0.9}
	size, err := SeedsForWidth(pilot, 0.1, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	width := func(n int) float64 {
		return 2 * studentQuantile(0.95, float64(n-1)) * size.SDUpper / math.Sqrt(float64(n))
	}
	if width(size.N) > 0.1 || width(size.N-1) <= 0.1 || !(size.SDUpper > size.SD) {
		t.Errorf("%+v: widths %v and %v", size, width(size.N-1), width(size.N))
	}
}
