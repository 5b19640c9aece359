package scoring

import (
	"math"
	"testing"
)

// TestOperationOrder: values lie exactly on limits so often that the last bit of a limit counts. The products are
// formed from the left, tolerance*multiplier*escalation, but for the buffer of RANGE, which is warnBuffer*escalation
// widths. The vectors cannot tell, as their multipliers are powers of two.
func TestOperationOrder(t *testing.T) {
	meanTolerance := func(actual, tolerance, multiplier, escalation float64) Status {
		return checkMeanTolerance(actual, 0, tolerance, multiplier, escalation)
	}
	rangeFromZero := func(actual, upper, buffer, escalation float64) Status {
		return checkRange(actual, 0, upper, buffer, escalation)
	}
	for _, c := range []struct {
		name                         string
		check                        func(actual, size, multiplier, escalation float64) Status
		size, multiplier, escalation float64
		limit                        float64 // the largest value that is WARN
	}{
		{"CheckMeanTolerance", meanTolerance, 0.3, 3.5, 1.5, 1.5750000000000002}, // 0.3*(3.5*1.5) is 1.575
		{"CheckMeanTolerance", meanTolerance, 0.3, 2.5, 0.7, 0.5249999999999999}, // 0.3*(2.5*0.7) is 0.525
		{"CheckOutlierPenalty", checkOutlierPenalty, 0.3, 3.5, 1.5, 1.5750000000000002},
		{"CheckOutlierPenalty", checkOutlierPenalty, 0.3, 2.5, 0.7, 0.5249999999999999},
		{"CheckRange", rangeFromZero, 0.9, 0.7, 1.3, 1.7189999999999999}, // 0.9 + 0.9*0.7*1.3 is 1.719
		{"CheckRange", rangeFromZero, 2.7, 0.7, 3, 8.37},                 // 2.7 + 2.7*0.7*3 is 8.370000000000001
	} {
		if got := c.check(c.limit, c.size, c.multiplier, c.escalation); got != Warn {
			t.Errorf("%s: %v is %s, want WARN", c.name, c.limit, got)
		}
		above := math.Nextafter(c.limit, math.Inf(1))
		if got := c.check(above, c.size, c.multiplier, c.escalation); got != Fail {
			t.Errorf("%s: %v is %s, want FAIL", c.name, above, got)
		}
	}
}

// TestCheckHardBounds calls it directly, as Assess lets no NaN through to it.
func TestCheckHardBounds(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name           string
		status, atUnit Status
		actual         float64
		want           Status
	}{
		{"NaN is outside", Fail, Fail, math.NaN(), Fail},
		{"NaN is outside, whatever its status", Pass, Pass, math.NaN(), Fail},
		{"softened", Fail, Fail, 5, Warn},
		{"failed by escalation alone", Fail, Warn, 5, Fail},
		{"warned by escalation alone", Warn, Fail, 5, Warn},
		{"passed", Pass, Pass, 5, Pass},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := checkHardBounds(c.status, c.atUnit, c.actual, 0, 10); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if got := checkHardBounds(c.status, c.atUnit, c.actual, -inf, inf); got != c.want { // no bounds set
				t.Errorf("unbounded: %s, want %s", got, c.want)
			}
		})
	}
}
