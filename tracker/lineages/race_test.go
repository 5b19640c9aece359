//go:build race

package lineages_test

// The race detector makes SQLite some twenty times slower.
func init() { underRace = true }
