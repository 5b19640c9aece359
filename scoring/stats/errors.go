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
