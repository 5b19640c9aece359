//go:build !nightly

package property

// Draws is how often a simulation repeats what it estimates.
const Draws = 200
