//go:build !nightly

package verdict_test

const (
	worldDraws   = 200 // comparisons of each world
	worldMetrics = 4
)
