package scoring_test

import (
	"math"
	"testing"

	"track/scoring"
)

// TestOperationOrder: values lie exactly on limits so often that the last bit of a limit counts. The products are formed from the
// left, tolerance*multiplier*escalation, but for the buffer of RANGE, which is warnBuffer*escalation widths. The vectors cannot
// tell, as their multipliers are powers of two.
func TestOperationOrder(t *testing.T) {
	meanTolerance := func(actual, tolerance, multiplier, escalation float64) scoring.Status {
		return scoring.CheckMeanTolerance(actual, 0, tolerance, multiplier, escalation)
	}
	rangeFromZero := func(actual, upper, buffer, escalation float64) scoring.Status {
		return scoring.CheckRange(actual, 0, upper, buffer, escalation)
	}
	for _, c := range []struct {
		name                         string
		check                        func(actual, size, multiplier, escalation float64) scoring.Status
		size, multiplier, escalation float64
		limit                        float64 // the largest value that is WARN
	}{
		{"CheckMeanTolerance", meanTolerance, 0.3, 3.5, 1.5, 1.5750000000000002}, // 0.3*(3.5*1.5) is 1.575
		{"CheckMeanTolerance", meanTolerance, 0.3, 2.5, 0.7, 0.5249999999999999}, // 0.3*(2.5*0.7) is 0.525
		{"CheckOutlierPenalty", scoring.CheckOutlierPenalty, 0.3, 3.5, 1.5, 1.5750000000000002},
		{"CheckOutlierPenalty", scoring.CheckOutlierPenalty, 0.3, 2.5, 0.7, 0.5249999999999999},
		{"CheckRange", rangeFromZero, 0.9, 0.7, 1.3, 1.7189999999999999}, // 0.9 + 0.9*0.7*1.3 is 1.719
		{"CheckRange", rangeFromZero, 2.7, 0.7, 3, 8.37},                 // 2.7 + 2.7*0.7*3 is 8.370000000000001
	} {
		if got := c.check(c.limit, c.size, c.multiplier, c.escalation); got != scoring.Warn {
			t.Errorf("%s: %v is %s, want WARN", c.name, c.limit, got)
		}
		above := math.Nextafter(c.limit, math.Inf(1))
		if got := c.check(above, c.size, c.multiplier, c.escalation); got != scoring.Fail {
			t.Errorf("%s: %v is %s, want FAIL", c.name, above, got)
		}
	}
}

// TestCheckHardBounds calls it directly, as Assess lets no NaN through to it.
func TestCheckHardBounds(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name           string
		status, atUnit scoring.Status
		actual         float64
		want           scoring.Status
	}{
		{"NaN is outside", scoring.Fail, scoring.Fail, math.NaN(), scoring.Fail},
		{"NaN is outside, whatever its status", scoring.Pass, scoring.Pass, math.NaN(), scoring.Fail},
		{"softened", scoring.Fail, scoring.Fail, 5, scoring.Warn},
		{"failed by escalation alone", scoring.Fail, scoring.Warn, 5, scoring.Fail},
		{"warned by escalation alone", scoring.Warn, scoring.Fail, 5, scoring.Warn},
		{"passed", scoring.Pass, scoring.Pass, 5, scoring.Pass},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := scoring.CheckHardBounds(c.status, c.atUnit, c.actual, 0, 10); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if got := scoring.CheckHardBounds(c.status, c.atUnit, c.actual, -inf, inf); got != c.want { // no bounds set
				t.Errorf("unbounded: %s, want %s", got, c.want)
			}
		})
	}
}
