package stats

import (
	"math"

	"track/scoring/numeric"
)

// FisherExact returns the two-sided p-value of Fisher's exact test (Fisher 1935; R fisher.test): k of n have a
// property, and all of size together. It is the probability of the tables with these margins that are no more probable
// than the observed one. k must be from 0 to n, and so must all-k from 0 to size-n.
func FisherExact(k, n, all, size int) float64 {
	const slack = 1e-7 // R's: equal probabilities differ by rounding
	observed := hypergeometric(k, n, all, size)
	sum := 0.0
	for i := max(0, n+all-size); i <= min(n, all); i++ {
		if p := hypergeometric(i, n, all, size); p <= float64(observed*(1+slack)) {
			sum += p
		}
	}
	return min(1, sum)
}

// Table says that K of N have a property, and All of Size together.
type Table struct{ K, N, All, Size int }

// MantelHaenszel returns the two-sided p-value of the test of Cochran (1954), Mantel and Haenszel (1959) with
// continuity correction (R mantelhaen.test): that in no stratum the N differ from the rest. It is 1 if no stratum can
// show it.
func MantelHaenszel(strata []Table) float64 {
	excess, variance := 0.0, 0.0
	for _, t := range strata {
		if t.Size < 2 {
			continue
		}
		k, n, all, size := float64(t.K), float64(t.N), float64(t.All), float64(t.Size)
		excess += k - float64(n*all)/size
		variance += float64(n*(size-n)*all*(size-all)) / float64(size*size*(size-1))
	}
	if variance == 0 {
		return 1
	}
	excess = max(0, math.Abs(excess)-0.5)
	return numeric.ChiSquaredSurvival(float64(excess*excess)/variance, 1)
}

// hypergeometric is the probability that k of n drawn are among all of size.
func hypergeometric(k, n, all, size int) float64 {
	return numeric.Exp(logChoose(all, k) + logChoose(size-all, n-k) - logChoose(size, n))
}

func logChoose(n, k int) float64 {
	return numeric.LogGamma(float64(n+1)) - numeric.LogGamma(float64(k+1)) - numeric.LogGamma(float64(n-k+1))
}

// FTest returns the probability of a ratio of variances of at least f with df1 and df2 degrees of freedom, which are
// above 0.
func FTest(f, df1, df2 float64) float64 {
	if math.IsInf(f, 1) {
		return 0
	}
	return numeric.BetaCDF(df2/(df2+float64(df1*f)), df2/2, df1/2)
}
