// Package effects ranks the configurations of a grid or of a design, and says what each parameter does to the outcome.
//
// An outcome is a number that each seed of each configuration has, such as the total score. If the same seeds ran under
// all configurations, their noise is common to all, and differences are taken seed by seed (common random numbers).
//
// The package is pure. It gives the same bits on every processor.
package effects
