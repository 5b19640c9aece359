//go:build nightly

package verdict_test

const (
	worldDraws   = 5000
	worldMetrics = 20
)
