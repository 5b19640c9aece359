//go:build race

package lineages_test

import "flag"

// The race detector makes SQLite some twenty times slower, and what it looks for shows in a few rounds of a property.
func init() {
	underRace = true
	if err := flag.Set("rapid.checks", "5"); err != nil {
		panic(err)
	}
}
