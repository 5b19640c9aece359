package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Parameters of [NewHistory].
const (
	HistoryMinValues  = 20   // fewer values are ErrTooFew
	historyMinSegment = 5    // values in a segment
	HistoryMaxP       = 0.05 // the usual level of a test
	historyDraws      = 999  // permutations a split is tested with: p is at least 0.001
)

// ChangePoint is a change of level: the segment that begins at Index differs from the one before.
type ChangePoint struct {
	Index  int     `json:"index"`
	Before float64 `json:"before"` // mean of the segment that ends before Index
	After  float64 `json:"after"`  // mean of the segment that begins at Index
	P      float64 `json:"p"`      // of the split, among all splits of the segments that there were
}

// History is where a series of values changed its level.
type History struct {
	N        int
	Points   []ChangePoint // none if they are unreliable
	Lag1     float64       // autocorrelation of what the segments leave; NaN where that is nothing
	Seed     uint64
	Warnings []Warning
}

// NewHistory finds changes of level by binary segmentation (Scott and Knott 1974) with the maximally selected Wilcoxon
// statistic (Miller and Siegmund 1982; Lausen and Schumacher 1992): the largest standardized rank sum of the values
// before a split, over all splits of all segments into parts of at least 5 values. A split is kept while p ≤ maxP by
// 999 permutations of the values inside their segments, drawn from seed, p = (b+1)/1000. So without any change at most
// maxP of histories show one, whatever the distribution, if the values are exchangeable: independent, of one
// distribution. Ranks keep the power under heavy tails.
//
// A drift or an autocorrelation are steps to it. If the values have a lag-1 autocorrelation above 0.3 around their
// segments, no points are given, with [warnAutocorrelated]. (Not the values themselves: every change of level
// correlates them.) If it is smaller, and significant, points come with [warnDependent]. Fewer than 20 values are
// ErrTooFew. It is for reports, never for a gate.
func NewHistory(xs []float64, maxP float64, seed uint64) (History, error) {
	if err := check(xs, HistoryMinValues); err != nil {
		return History{}, err
	}
	if _, ss := moments(xs); !finite(ss) {
		return History{}, errOverflow
	}
	h := History{N: len(xs), Seed: seed}
	splits := rankSegments(xs, maxP, seed)
	h.Lag1 = lag1(residuals(xs, splitIndices(splits)))
	if h.Lag1 > MaxLag1 {
		h.Warnings = []Warning{warnAutocorrelated}
		return h, nil
	}
	edges := segmentEdges(splitIndices(splits), len(xs))
	for i, s := range splits {
		before, _ := moments(xs[edges[i]:s.Index])
		after, _ := moments(xs[s.Index:edges[i+2]])
		h.Points = append(h.Points, ChangePoint{Index: s.Index, Before: before, After: after, P: s.P})
	}
	if len(splits) > 0 && isDependent(h.Lag1, len(xs), len(splits)+1) {
		h.Warnings = []Warning{warnDependent}
	}
	return h, nil
}

// isDependent tests the lag-1 autocorrelation of n residuals around the means of some segments, one-sided at 10 %. Of
// independent values it is about normal with mean -segments/n and variance 1/n (Bartlett 1946; Kendall 1954).
func isDependent(lag1 float64, n, segments int) bool {
	const quantile = 1.2815515655446004 // of the normal distribution, at 0.9
	return float64((lag1+float64(segments)/float64(n))*math.Sqrt(float64(n))) > quantile
}

// rankSplit is a split of a series.
type rankSplit struct {
	Index     int // first index of the new segment
	Statistic float64
	P         float64
}

// rankSegments returns the splits of a series in the order of their index.
func rankSegments(xs []float64, maxP float64, seed uint64) (splits []rankSplit) {
	rng := rand.New(rand.NewPCG(seed, streamSegments))
	for {
		edges := segmentEdges(splitIndices(splits), len(xs))
		ranks := segmentRanks(xs, edges)
		found, ok := bestRankSplit(ranks, edges)
		if !ok {
			return splits
		}
		if found.P = rankSplitP(ranks, edges, found.Statistic, maxP, rng); found.P > maxP {
			return splits
		}
		splits = append(splits, found)
		slices.SortFunc(splits, func(a, b rankSplit) int { return a.Index - b.Index })
	}
}

func splitIndices(splits []rankSplit) []int {
	points := make([]int, len(splits))
	for i, s := range splits {
		points[i] = s.Index
	}
	return points
}

// segmentRanks replaces values by twice their mid-rank within their segment minus its mean, which is a whole number.
func segmentRanks(xs []float64, edges []int) []float64 {
	ranks := make([]float64, len(xs))
	for i := range edges[1:] {
		segment := xs[edges[i]:edges[i+1]]
		ordered := sorted(segment)
		for j, x := range segment {
			below, _ := slices.BinarySearch(ordered, x)
			upTo, _ := slices.BinarySearch(ordered, math.Nextafter(x, math.Inf(1)))
			ranks[edges[i]+j] = float64(below + upTo - len(segment))
		}
	}
	return ranks
}

// bestRankSplit finds the split with the largest standardized sum of ranks: squared, and divided by k(n−k) and the sum
// of squares of the ranks. Of equal ones the first wins. ok is false if no segment can be split.
func bestRankSplit(ranks []float64, edges []int) (best rankSplit, ok bool) {
	for i := range edges[1:] {
		segment := ranks[edges[i]:edges[i+1]]
		squares := 0.0
		for _, r := range segment {
			squares += float64(r * r)
		}
		if squares == 0 {
			continue
		}
		n, sum := len(segment), 0.0
		scale := float64(n) * float64(n-1) / squares
		for k := 1; k <= n-historyMinSegment; k++ {
			sum += segment[k-1]
			if k < historyMinSegment {
				continue
			}
			z := float64(sum*sum) / float64(k*(n-k)) * scale
			if !ok || z > float64(best.Statistic*(1+sumTolerance)) {
				best, ok = rankSplit{Index: edges[i] + k, Statistic: z, P: math.NaN()}, true
			}
		}
	}
	return best, ok
}

// rankSplitP is exact up to maxP, and anything larger beyond.
func rankSplitP(ranks []float64, edges []int, statistic, maxP float64, rng *rand.Rand) float64 {
	shuffled := slices.Clone(ranks)
	asLarge := 0
	for range historyDraws {
		for i := range edges[1:] {
			segment := shuffled[edges[i]:edges[i+1]]
			rng.Shuffle(len(segment), func(a, b int) { segment[a], segment[b] = segment[b], segment[a] })
		}
		if s, _ := bestRankSplit(shuffled, edges); s.Statistic >= float64(statistic*(1-sumTolerance)) {
			asLarge++
		}
		if drawn(asLarge, historyDraws) > maxP {
			break // it can only grow
		}
	}
	return drawn(asLarge, historyDraws)
}

// segmentEdges puts 0 before and n after the change points.
func segmentEdges(points []int, n int) []int {
	return append(append([]int{0}, points...), n)
}

// residuals returns the values minus the means of their segments.
func residuals(xs []float64, points []int) []float64 {
	out := slices.Clone(xs)
	edges := segmentEdges(points, len(xs))
	for i := range edges[1:] {
		segment := out[edges[i]:edges[i+1]]
		m, _ := moments(segment)
		for j := range segment {
			segment[j] -= m
		}
	}
	return out
}

// lag1 is NaN for constant values.
func lag1(xs []float64) float64 {
	m, ss := moments(xs)
	products := 0.0
	for i := range xs[1:] {
		products += float64((xs[i] - m) * (xs[i+1] - m))
	}
	return products / ss
}
