package scoring

import (
	"math"
	"testing"
)

func TestMeantAsPercent(t *testing.T) {
	rate := MeanTolerance{Target: 0.065, Tolerance: 0.02}
	for _, c := range []struct {
		target Target
		value  float64
		meant  float64 // 0 for a value that is no percentage
	}{
		{rate, 6.5, 0.065},
		{rate, 5, 0.05},
		{rate, 9, 0},     // 0.09 is a WARN
		{rate, 0.065, 0}, // on target
		{rate, 0.65, 0},  // ten times too much
		{rate, 65, 0},
		{rate, -6.5, 0},
		{rate, 0, 0},
		{rate, math.NaN(), 0},
		{rate, math.Inf(1), 0},
		{MeanTolerance{Target: 6.5, Tolerance: 0.5}, 0.065, 6.5},
		{MeanTolerance{Target: 6.5, Tolerance: 2}, 0.065, 0}, // a WARN as it is,
		{MeanTolerance{Target: -0.065, Tolerance: 0.02}, -6.5, -0.065},
		{MeanTolerance{Target: 0.01, Tolerance: 0.02}, 1, 0}, // 0 is on target
		{MeanTolerance{Target: 50, Tolerance: 45}, 0.5, 0},   // a WARN as it is
		{Range{5, 6}, 0.055, 5.5},
		{Range{1, 99}, 0.2, 0}, // 2 passes
		{Range{0.02, 0.1}, 5, 0.05},
		{Range{0, 0.1}, 5, 0},
		{PctWithin{0.9, 0.8}, 95, 0.95}, // which passes as it is
		{PctWithin{0.9, 0.8}, 0.95, 0},
		{PctWithin{0.9, 0.8}, 85, 0.85}, // which would pass as it is, and is a WARN
		{PctWithin{0.9, 0.8}, 101, 0},
		{Outlier{0.05, 1}, 3, 0.03},
		{Outlier{0.05, 1}, 0.03, 0},
		{Outlier{0.05, 1}, 0.5, 0}, // half of a percent, or half of all
		{Boolean{Threshold: 0.5}, 100, 0},
		{nil, 6.5, 0},
	} {
		meant, is := Metric{Name: "m", Target: c.target, Weight: 1}.MeantAsPercent(c.value)
		if is != (c.meant != 0) || is && math.Abs(meant-c.meant) > 1e-12 {
			t.Errorf("%v of %v: %v %v, want %v", c.value, c.target, meant, is, c.meant)
		}
	}
}
