//go:build race

package lines_test

// The race detector makes reading ten times slower.
func init() { largeFile = 20 << 20 }
