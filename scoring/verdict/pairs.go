package verdict

import (
	"math"
	"runtime"
	"slices"
	"sync"
)

// pairs are the seeds that both sides have, in the order in which the candidate's were recorded.
type pairs struct {
	candidate, baseline                   []JudgedSeed
	unmatchedCandidate, unmatchedBaseline []uint64
	repeated                              int // pairs left out, because a side repeats an earlier seed
}

// pairedScores are the scores of one metric; a seed without one scores 0.
type pairedScores struct{ candidate, baseline []float64 }

func pair(candidate, baseline []JudgedSeed) pairs {
	byNumber := make(map[uint64]JudgedSeed, len(baseline))
	for _, seed := range baseline {
		byNumber[seed.Number] = seed
	}
	var p pairs
	for _, seed := range candidate {
		other, ok := byNumber[seed.Number]
		if !ok {
			p.unmatchedCandidate = append(p.unmatchedCandidate, seed.Number)
			continue
		}
		delete(byNumber, seed.Number)
		if seed.Repeats || other.Repeats {
			p.repeated++
			continue
		}
		p.candidate, p.baseline = append(p.candidate, seed), append(p.baseline, other)
	}
	for _, seed := range baseline {
		if _, left := byNumber[seed.Number]; left {
			p.unmatchedBaseline = append(p.unmatchedBaseline, seed.Number)
		}
	}
	return p
}

func (p pairs) scores(metric int) pairedScores {
	return pairedScores{metricScores(p.candidate, metric), metricScores(p.baseline, metric)}
}

func metricScores(seeds []JudgedSeed, metric int) []float64 {
	xs := make([]float64, len(seeds))
	for i, seed := range seeds {
		if seed.Scores != nil && !math.IsNaN(seed.Scores[metric]) {
			xs[i] = seed.Scores[metric]
		}
	}
	return xs
}

func totals(seeds []JudgedSeed) []float64 {
	xs := make([]float64, len(seeds))
	for i, seed := range seeds {
		xs[i] = seed.Total
	}
	return xs
}

// distinct returns the seeds that repeat no other.
func distinct(seeds []JudgedSeed) []JudgedSeed {
	return slices.DeleteFunc(slices.Clone(seeds), func(s JudgedSeed) bool { return s.Repeats })
}

func numbers(seeds []JudgedSeed) []uint64 {
	list := make([]uint64, len(seeds))
	for i, seed := range seeds {
		list[i] = seed.Number
	}
	return list
}

func failures(seeds []JudgedSeed) []FailedSeed {
	var list []FailedSeed
	for _, seed := range seeds {
		if seed.Failed != "" {
			list = append(list, FailedSeed{seed.Number, seed.Failed})
		}
	}
	return list
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// inParallel calls do for 0 to n-1 on all processors.
func inParallel(n int, do func(int)) {
	workers := min(n, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for i := w; i < n; i += workers {
				do(i)
			}
		})
	}
	wait.Wait()
}
