//go:build race

package batch_test

// The race detector makes reading ten times slower.
func init() { largeFile = 20 << 20 }
