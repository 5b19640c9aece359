package stats

import (
	"errors"
	"fmt"
	"math"
)

// What can be wrong with an input; test with errors.Is.
var (
	ErrEmpty          = errors.New("no values")
	errNonFinite      = errors.New("not a finite number")
	ErrTooFew         = errors.New("too few values")
	errLengthMismatch = errors.New("samples differ in length")
	ErrZeroVariance   = errors.New("values do not vary")
	ErrBadParam       = errors.New("parameter outside its domain")
	ErrOutOfRange     = errors.New("value outside [0, 1]")

	errTooManyDifferences = fmt.Errorf("more than %d differences", MostSignFlipGreater)
)

// errOverflow is for finite values whose sum or squares are not.
var errOverflow = fmt.Errorf("a sum or a square overflows: %w", errNonFinite)

// TooFewError says how many values a method needs. It wraps [ErrTooFew].
type TooFewError struct{ Need, Have int }

func (e TooFewError) Error() string {
	return fmt.Sprintf("%v: need %d, have %d", ErrTooFew, e.Need, e.Have)
}

// Unwrap returns ErrTooFew.
func (e TooFewError) Unwrap() error { return ErrTooFew }

// check refuses no values, a value that is not finite, and fewer than need values.
func check(xs []float64, need int) error {
	if len(xs) == 0 {
		return ErrEmpty
	}
	for i, x := range xs {
		if !finite(x) {
			return fmt.Errorf("value %d is %v: %w", i, x, errNonFinite)
		}
	}
	if len(xs) < need {
		return TooFewError{Need: need, Have: len(xs)}
	}
	return nil
}

// checkBoth is check for two samples of any lengths.
func checkBoth(a, b []float64, need int) error {
	if err := check(a, need); err != nil {
		return err
	}
	return check(b, need)
}

// checkPairs is check for two samples joined pair by pair.
func checkPairs(a, b []float64, need int) error {
	if len(a) != len(b) {
		return fmt.Errorf("%w: %d and %d", errLengthMismatch, len(a), len(b))
	}
	return checkBoth(a, b, need)
}

// checkScores refuses values outside [0, 1], and what check refuses.
func checkScores(xs []float64, need int) error {
	if err := check(xs, need); err != nil {
		return err
	}
	for i, x := range xs {
		if x < 0 || x > 1 {
			return fmt.Errorf("value %d is %v: %w", i, x, ErrOutOfRange)
		}
	}
	return nil
}

// checkOpenUnit refuses a parameter outside (0, 1), NaN included.
func checkOpenUnit(name string, v float64) error {
	if !(v > 0 && v < 1) {
		return badParam("%s %v is not between 0 and 1", name, v)
	}
	return nil
}

func badParam(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrBadParam, fmt.Sprintf(format, args...))
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Warning is a reason to trust a result less. It is data: the code is stable, [Warning.Message] is for people.
type Warning string

// The warnings.
const (
	WarnSmallN         Warning = "small_n"
	WarnZeroVariance   Warning = "zero_variance"
	WarnSaturated      Warning = "saturated"
	WarnUntrimmed      Warning = "untrimmed"
	warnTail           Warning = "tail"
	warnEmptySequence  Warning = "empty_sequence"
	warnAutocorrelated Warning = "autocorrelated"
	warnDependent      Warning = "dependent"
)

// Limits of the warnings.
const (
	SmallN       = 5   // fewer values than this are too few to be sure of anything but a large effect
	maxSaturated = 0.2 // a larger share of scores at exactly 0 or 1 hides how good or bad they are
	MaxLag1      = 0.3 // a larger lag-1 autocorrelation makes change points unreliable
)

// Message says the warning in a sentence.
func (w Warning) Message() string {
	switch w {
	case WarnSmallN:
		return "n too small: fewer than 5 values"
	case WarnZeroVariance:
		return "all values are equal: the interval has no width, and says nothing about other seeds"
	case WarnSaturated:
		return "more than 20 % of the values are exactly 0 or 1: differences beyond these limits are not seen"
	case WarnUntrimmed:
		return "trimmed=0: too few values to trim any, this is the plain mean"
	case warnTail:
		return "fewer than one value is expected beyond this quantile: it is little more than the extreme value"
	case warnEmptySequence:
		return "the confidence sequence became empty: the mean moved, or this is one of the rare sequences that miss it"
	case warnAutocorrelated:
		return "lag-1 autocorrelation above 0.3: neighbours move together, or the level drifts; no change points are given"
	case warnDependent:
		return "the points may depend on their neighbours (lag-1 autocorrelation, p ≤ 0.1): then up to a third of the histories without a change show one"
	}
	return string(w)
}

// dataWarnings returns the warnings about a sample itself: fewer than 5 values, no variance, and, where all values
// lie in [0, 1], more than 20 % of them at exactly 0 or 1.
func dataWarnings(xs []float64) []Warning {
	var list []Warning
	if len(xs) < SmallN {
		list = append(list, WarnSmallN)
	}
	if len(xs) > 1 && constant(xs) {
		list = append(list, WarnZeroVariance)
	}
	if share, ok := saturatedShare(xs); ok && share > maxSaturated {
		list = append(list, WarnSaturated)
	}
	return list
}

// saturatedShare is the share of scores at exactly 0 or 1; ok is false where there are none, or one is outside [0,
// 1], because then they are not scores.
func saturatedShare(scores []float64) (share float64, ok bool) {
	if checkScores(scores, 1) != nil {
		return 0, false
	}
	n := 0
	for _, x := range scores {
		if x == 0 || x == 1 {
			n++
		}
	}
	return float64(n) / float64(len(scores)), true
}

// constant says that all values are equal. (Not that the sd is 0: it may underflow.)
func constant(xs []float64) bool {
	for _, x := range xs {
		if x != xs[0] {
			return false
		}
	}
	return true
}

// smallN is the warning for n values, or none.
func smallN(n int) []Warning {
	if n < SmallN {
		return []Warning{WarnSmallN}
	}
	return nil
}
