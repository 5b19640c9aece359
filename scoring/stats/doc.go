// Package stats computes the intervals, tests, effect sizes, sample sizes and change points that say how sure an
// aggregate over 3 to 30 seeds is.
//
// It is pure: no clock, no I/O, no global randomness. What draws at random takes its seed as an argument and uses a
// PCG generator (math/rand/v2), so the same seed gives the same answer. Inputs are never changed.
//
// Every result is a value that carries its n, its method and its [Warning] list; every interval says its confidence.
// Empty and non-finite inputs are errors, never 0 and never skipped: a caller that wants to leave a seed out does so
// before, and records why. One value has no spread: [NewMean] returns it with an interval whose ends are NaN (see
// [Interval.Defined]), and whatever is about the spread itself returns [ErrTooFew].
//
// Paired functions take a candidate and a baseline already joined by seed, and look at candidate - baseline;
// "greater" means that the candidate is greater.
//
// There is no bootstrap: at n = 3 and 5 a "95 %" percentile or BCa interval covers 72 to 82 %, where the t interval
// covers 94 to 95 %, so nothing here uses one.
package stats
