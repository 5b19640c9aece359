// Package scoring judges what a simulation seed measured against declared targets.
//
// It is pure: no clock, no randomness, no I/O. Every function is a restatement of a published formula; all arithmetic
// is float64 in the order written, because values often fall exactly on a boundary. Products that feed a sum are
// wrapped in float64(...) so that no compiler fuses them into one rounding (Go specification, "Floating-point
// operators").
//
// A [Spec] names the metrics of a scenario; [Assess] judges one seed under it; [NewStability] aggregates many seeds.
package scoring
