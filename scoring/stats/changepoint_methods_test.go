package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Methods that find change points and that no program uses: vectors hold them, and tests compare [NewHistory] with
// them.

const (
	divisiveMinSegment = 5    // values in a segment of E-divisive
	divisiveMaxP       = 0.01 // a split with a larger p is none
	divisiveDraws      = 199  // permutations a split is tested with: p is at least 0.005
)

// noiseSD estimates the noise around a level that may change: median|x_t - x_{t-1}|/(0.6745·√2), right for
// independent normal noise and blind to a few jumps. It is 0 where more than half of the successive values are equal.
// Fewer than 2 are ErrTooFew.
func noiseSD(xs []float64) (float64, error) {
	if err := check(xs, 2); err != nil {
		return 0, err
	}
	steps := make([]float64, len(xs)-1)
	for i := range steps {
		steps[i] = math.Abs(xs[i+1] - xs[i])
	}
	sigma := median(steps) / (0.6745 * math.Sqrt2)
	if !finite(sigma * sigma) {
		return 0, errOverflow
	}
	return sigma, nil
}

// partition is a series cut into segments of one level each.
type partition struct {
	ChangePoints []int   // first index of every segment but the first
	Cost         float64 // squared error of the segments + penalty · change points; NaN where there is no segmentation
}

// optimalPartition finds the segments of at least minSize values with the smallest squared error around their means
// plus penalty for every change point, exactly, in O(N²) (Jackson et al. 2005; what PELT must return). Fewer than
// minSize values have no segmentation. Of equal costs the one with the later last change point wins.
func optimalPartition(xs []float64, penalty float64, minSize int) (partition, error) {
	if err := check(xs, 1); err != nil {
		return partition{}, err
	}
	if !(penalty >= 0 && finite(penalty)) {
		return partition{}, badParam("penalty %v", penalty)
	}
	if minSize < 1 {
		return partition{}, badParam("minimal segment of %d values", minSize)
	}
	n := len(xs)
	if n < minSize {
		return partition{Cost: math.NaN()}, nil
	}
	squaredError := squaredErrors(xs)
	best := make([]float64, n+1) // best[t]: cost of the first t values, with one penalty too many
	last := make([]int, n+1)     // start of their last segment
	for t := range best {
		best[t] = math.Inf(1)
	}
	best[0] = 0
	for t := minSize; t <= n; t++ {
		for s := 0; s <= t-minSize; s++ {
			if cost := best[s] + squaredError(s, t) + penalty; cost <= best[t] {
				best[t], last[t] = cost, s
			}
		}
	}
	p := partition{Cost: best[n] - penalty}
	if !finite(p.Cost) {
		return partition{}, errOverflow
	}
	for t := last[n]; t > 0; t = last[t] {
		p.ChangePoints = append(p.ChangePoints, t)
	}
	slices.Reverse(p.ChangePoints)
	return p, nil
}

// squaredErrors returns the function that gives the squared error of xs[s:t] around its mean, from running sums of
// the values minus their overall mean.
func squaredErrors(xs []float64) func(s, t int) float64 {
	m, _ := moments(xs)
	sum, squares := make([]float64, len(xs)+1), make([]float64, len(xs)+1)
	for i, x := range xs {
		sum[i+1] = sum[i] + (x - m)
		squares[i+1] = squares[i] + float64((x-m)*(x-m))
	}
	return func(s, t int) float64 {
		d := sum[t] - sum[s]
		return max(0, squares[t]-squares[s]-float64(d*d)/float64(t-s))
	}
}

// splitPoint is a change found by E-divisive.
type splitPoint struct {
	Index int     // first index of the new segment
	QHat  float64 // the energy statistic
	P     float64 // by permutation; NaN from [BestSplit], which does not test
}

// bestSplit visits the ends of the second group from left to right. within[t] is the sum of the distances inside
// xs[t:end], and first[t] the one inside xs[:t]. Of equal statistics the smallest index wins.
func bestSplit(xs []float64, minSize int) (best splitPoint, ok bool) {
	within, first := make([]float64, len(xs)), make([]float64, len(xs)+1)
	for end := 1; end <= len(xs); end++ {
		toNew := 0.0
		for t := end - 2; t >= 0; t-- {
			toNew += math.Abs(xs[end-1] - xs[t])
			within[t] += toNew
		}
		first[end] = within[0]
		for t := minSize; t <= end-minSize; t++ {
			q := energy(within[0], first[t], within[t], float64(t), float64(end-t))
			slack := float64(1e-12 * math.Abs(q))
			if !ok || q > best.QHat+slack || q >= best.QHat-slack && t < best.Index {
				best, ok = splitPoint{Index: t, QHat: q, P: math.NaN()}, true
			}
		}
	}
	return best, ok && !constant(xs)
}

// energy is q̂ from the sums of distances inside both groups together, inside the first (n values) and inside the
// second (m).
func energy(all, first, second, n, m float64) float64 {
	q := float64(2 / (m + n) * (all - first - second))
	if n > 1 {
		q -= float64(2 * m / (m + n) / (n - 1) * first)
	}
	if m > 1 {
		q -= float64(2 * n / (m + n) / (m - 1) * second)
	}
	return q
}

// divisive is hierarchical E-divisive (Matteson & James 2014): the best split of all segments is tested against the
// best splits after values are shuffled inside their segments, 199 times from seed, with p = (b+1)/200; while p ≤
// 0.01 it is kept and the search goes on. Segments have at least 5 values. It finds changes of level and of spread.
// Splits come in order of their index.
func divisive(xs []float64, seed uint64) ([]splitPoint, error) {
	if err := check(xs, 1); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, streamSegments))
	var splits []splitPoint
	for {
		edges := splitEdges(splits, len(xs))
		found, ok := bestOfSegments(xs, edges)
		if !ok {
			return splits, nil
		}
		if found.P = divisiveP(xs, edges, found.QHat, rng); found.P > divisiveMaxP {
			return splits, nil
		}
		splits = append(splits, found)
		slices.SortFunc(splits, func(a, b splitPoint) int { return a.Index - b.Index })
	}
}

func splitEdges(splits []splitPoint, n int) []int {
	points := make([]int, len(splits))
	for i, s := range splits {
		points[i] = s.Index
	}
	return segmentEdges(points, n)
}

func bestOfSegments(xs []float64, edges []int) (best splitPoint, ok bool) {
	for i := range edges[1:] {
		s, found := bestSplit(xs[edges[i]:edges[i+1]], divisiveMinSegment)
		if found && (!ok || s.QHat > best.QHat) {
			s.Index += edges[i]
			best, ok = s, true
		}
	}
	return best, ok
}

// divisiveP is exact up to divisiveMaxP, and anything larger beyond.
func divisiveP(xs []float64, edges []int, qHat float64, rng *rand.Rand) float64 {
	shuffled := slices.Clone(xs)
	asLarge := 0
	for range divisiveDraws {
		for i := range edges[1:] {
			segment := shuffled[edges[i]:edges[i+1]]
			rng.Shuffle(len(segment), func(a, b int) { segment[a], segment[b] = segment[b], segment[a] })
		}
		if s, ok := bestOfSegments(shuffled, edges); ok && s.QHat >= qHat-float64(sumTolerance*math.Abs(qHat)) {
			asLarge++
		}
		if drawn(asLarge, divisiveDraws) > divisiveMaxP {
			break // it can only grow
		}
	}
	return drawn(asLarge, divisiveDraws)
}
