package scoring

import (
	"testing"
)

func TestTargetString(t *testing.T) {
	lower, upper := 1.0, 10.0
	for _, c := range []struct {
		target Target
		kind   Type
		want   string
	}{
		{MeanTolerance{Target: 0.065, Tolerance: 0.02}, "MEAN_TOLERANCE", "0.065 ± 0.02"},
		{MeanTolerance{Target: 3, Tolerance: 2, Min: &lower}, "MEAN_TOLERANCE", "3 ± 2, ≥ 1"},
		{MeanTolerance{Target: 3, Tolerance: 2, Max: &upper}, "MEAN_TOLERANCE", "3 ± 2, ≤ 10"},
		{MeanTolerance{Target: 3, Tolerance: 2, Min: &lower, Max: &upper}, "MEAN_TOLERANCE", "3 ± 2 in [1, 10]"},
		{Range{Min: 0.0012345, Max: 0.002}, "RANGE", "[0.0012345, 0.002]"}, // no digit is lost
		{PctWithin{Target: 0.95, Min: 0.875}, "PCT_WITHIN", "≥ 95% (min 87.5%)"},
		{Outlier{MaxOutlier: 0.07, PenaltyWeight: 2}, "OUTLIER", "≤ 7%"}, // 100*0.07 is 7.000000000000001
		{Boolean{Threshold: 1e-05}, "BOOLEAN", "> 1e-05"},
		{Boolean{Threshold: -0.5, Invert: true}, "BOOLEAN", "< -0.5"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if got := c.target.String(); got != c.want {
				t.Errorf("got %q", got)
			}
			if got := c.target.Type(); got != c.kind {
				t.Errorf("type %s, want %s", got, c.kind)
			}
		})
	}
}

func TestMetricDescription(t *testing.T) {
	m := Metric{Target: Boolean{Threshold: 1}}
	if got := m.Description(); got != "> 1" { // the target itself
		t.Errorf("without a description: %q", got)
	}
	m.TargetDesc = "prices above cost"
	if got := m.Description(); got != "prices above cost" {
		t.Errorf("with a description: %q", got)
	}
}

// TestHardBounds: bounds decide after the tolerance did, and belong to the inside.
func TestHardBounds(t *testing.T) {
	lower, upper := 0.5, 1.5
	for _, c := range []struct {
		name         string
		lower, upper *float64
		value        float64
		want         Status
	}{
		{"on the lower bound", &lower, nil, 0.5, Warn}, // five tolerances off, softened
		{"below it", &lower, nil, 0.49, Fail},
		{"far above, unbounded there", &lower, nil, 99, Warn},
		{"on the upper bound", nil, &upper, 1.5, Warn},
		{"above it", nil, &upper, 1.51, Fail},
		{"far below, unbounded there", nil, &upper, -99, Warn},
		{"no bounds", nil, nil, 1.5, Fail}, // nothing softens
		{"on target", &lower, &upper, 1, Pass},
	} {
		t.Run(c.name, func(t *testing.T) {
			target := MeanTolerance{Target: 1, Tolerance: 0.1, Min: c.lower, Max: c.upper}
			if got := target.check(c.value, 1); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			// The score knows no bounds.
			if got, want := target.score(c.value), scoreMeanTolerance(c.value, 1, 0.1); got != want {
				t.Errorf("score %v, want %v", got, want)
			}
		})
	}
}
