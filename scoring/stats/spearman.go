package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"track/scoring/numeric"
)

// Methods of [NewSpearman].
const (
	methodBonettWright     = "fisher-z, bonett-wright"
	spearmanExact          = "all permutations"
	spearmanDrawn          = "10000 drawn permutations"
	spearmanT              = "t approximation"
	exactSpearman          = 8   // pairs whose permutations are all counted: 8! are 40,320
	drawnSpearman          = 100 // pairs up to which permutations are drawn
	smallestSpearmanNumber = 4   // pairs that an interval needs
)

// Spearman is a rank correlation.
type Spearman struct {
	N        int      `json:"n"`   // pairs
	Rho      float64  `json:"rho"` // from -1 to 1
	Interval Interval `json:"ci"`  // not defined below 4 pairs, and if the ranks agree completely
	P        float64  `json:"p"`   // two-sided, against no association
	Method   string   `json:"method"`
}

// NewSpearman computes Spearman's rank correlation of pairs, with mid-ranks for ties: the correlation of the ranks
// (R cor.test, scipy.stats.spearmanr).
//
// The interval is tanh(atanh(ρ) ± z·√((1 + ρ²/2)/(n - 3))) (Bonett & Wright, Psychometrika 65, 2000, equation 3), which
// covers about its confidence for |ρ| < 0.95. The two-sided p is the share of permutations of y at least as far from 0:
// all of them up to 8 pairs; up to 100 pairs 10,000 drawn by seed, with (b+1)/(B+1) (Phipson & Smyth 2010); beyond, the
// t approximation t = ρ√((n-2)/(1-ρ²)) with n-2 degrees of freedom (Kendall & Stuart). Fewer than 3 pairs are
// ErrTooFew; a side whose values are all equal is ErrZeroVariance.
func NewSpearman(x, y []float64, confidence float64, seed uint64) (Spearman, error) {
	if err := checkPairs(x, y, 3); err != nil {
		return Spearman{}, err
	}
	if err := checkOpenUnit("confidence", confidence); err != nil {
		return Spearman{}, err
	}
	if constant(x) || constant(y) {
		return Spearman{}, ErrZeroVariance
	}
	rx, ry := centredRanks(x), centredRanks(y)
	scale := math.Sqrt(float64(squares(rx)) * float64(squares(ry)))
	sum := product(rx, ry)
	s := Spearman{N: len(x), Rho: max(-1, min(1, float64(sum)/scale)), Interval: noInterval(confidence, methodBonettWright)}
	if rho := s.Rho; s.N >= smallestSpearmanNumber && math.Abs(rho) < 1 {
		half := float64(normalQuantile(confidence) * math.Sqrt((1+float64(float64(rho*rho)/2))/float64(s.N-3)))
		z := float64(0.5 * numeric.Log((1+rho)/(1-rho)))
		s.Interval.Lo, s.Interval.Hi = tanh(z-half), tanh(z+half)
	}
	switch {
	case s.N <= exactSpearman:
		s.Method, s.P = spearmanExact, allPermutations(rx, ry, max(sum, -sum))
	case s.N <= drawnSpearman:
		s.Method, s.P = spearmanDrawn, drawnPermutations(rx, ry, max(sum, -sum), seed)
	default:
		s.Method, s.P = spearmanT, s.tApproximation()
	}
	return s, nil
}

// centredRanks returns twice the mid-ranks less their mean: whole numbers, whose products and sums are exact.
func centredRanks(xs []float64) []int {
	ranks := doubledRanks(xs)
	for i := range ranks {
		ranks[i] -= len(xs) + 1
	}
	return ranks
}

func squares(r []int) int { return product(r, r) }

func product(x, y []int) (sum int) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

func tanh(z float64) float64 {
	e := numeric.Exp(float64(2 * z))
	if math.IsInf(e, 1) {
		return 1
	}
	return (e - 1) / (e + 1)
}

// allPermutations returns the share of permutations of y whose sum of products is at least that far from 0 (Heap's
// algorithm).
func allPermutations(x, y []int, distance int) float64 {
	y = slices.Clone(y)
	all, extreme := 0, 0
	count := func() {
		all++
		if sum := product(x, y); sum >= distance || -sum >= distance {
			extreme++
		}
	}
	count()
	stack := make([]int, len(y))
	for i := 1; i < len(y); {
		if stack[i] >= i {
			stack[i] = 0
			i++
			continue
		}
		at := 0
		if i%2 == 1 {
			at = stack[i]
		}
		y[at], y[i] = y[i], y[at]
		count()
		stack[i]++
		i = 1
	}
	return float64(extreme) / float64(all)
}

func drawnPermutations(x, y []int, distance int, seed uint64) float64 {
	rng := rand.New(rand.NewPCG(seed, uint64(len(x))))
	y = slices.Clone(y)
	extreme := 0
	for range nDraws {
		rng.Shuffle(len(y), func(i, j int) { y[i], y[j] = y[j], y[i] })
		if sum := product(x, y); sum >= distance || -sum >= distance {
			extreme++
		}
	}
	return drawn(extreme, nDraws)
}

func (s Spearman) tApproximation() float64 {
	if s.Rho*s.Rho == 1 {
		return 0
	}
	df := float64(s.N - 2)
	t := s.Rho * math.Sqrt(df/(1-float64(s.Rho*s.Rho)))
	return min(1, 2*numeric.StudentCDF(-math.Abs(t), df))
}
