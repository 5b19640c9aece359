package format

import (
	"math"
	"testing"
)

// Four decimals, four significant digits below 0.1: a number that is rounded up to the next power of ten has those of
// that power.
func TestSignificant(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0.0000", 2.63598: "2.6360", -0.45: "-0.4500", 0.1: "0.1000", 0.099999: "0.1000", 0.0123456: "0.01235", -0.00999999: "-0.01000", 0.0001: "0.0001000",
		0.00001234567: "1.235e-05", 2e9: "2e+09", 12345.678: "12345.6780",
	} {
		if got := Significant(x); got != want {
			t.Errorf("Significant(%v) = %s, want %s", x, got, want)
		}
	}
	if got := Significant(math.NaN()); got != "-" {
		t.Errorf("NaN: %s", got)
	}
}
