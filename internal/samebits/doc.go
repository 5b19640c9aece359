// Package samebits has no code of its own. Its test holds that scores, statistics and decisions are the same to the
// last bit on every processor: a decision that was recorded on one machine must replay on another. `make arm64` runs
// it for arm64.
package samebits
