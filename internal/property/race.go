//go:build race

package property

// mostChecks bounds the checks of a property under the race detector: it makes SQLite some twenty times slower, and
// races show in a few rounds.
const mostChecks = 5
