package scoring_test

import (
	"testing"

	"track/scoring"
)

func TestTargetString(t *testing.T) {
	lower, upper := 1.0, 10.0
	for _, c := range []struct {
		target scoring.Target
		kind   scoring.Type
		want   string
	}{
		{scoring.MeanTolerance{Target: 0.065, Tolerance: 0.02}, "MEAN_TOLERANCE", "0.065 ± 0.02"},
		{scoring.MeanTolerance{Target: 3, Tolerance: 2, Min: &lower}, "MEAN_TOLERANCE", "3 ± 2, ≥ 1"},
		{scoring.MeanTolerance{Target: 3, Tolerance: 2, Max: &upper}, "MEAN_TOLERANCE", "3 ± 2, ≤ 10"},
		{scoring.MeanTolerance{Target: 3, Tolerance: 2, Min: &lower, Max: &upper}, "MEAN_TOLERANCE", "3 ± 2 in [1, 10]"},
		{scoring.Range{Min: 0.0012345, Max: 0.002}, "RANGE", "[0.0012345, 0.002]"}, // no digit is lost
		{scoring.PctWithin{Target: 0.95, Min: 0.875}, "PCT_WITHIN", "≥ 95% (min 87.5%)"},
		{scoring.Outlier{MaxOutlier: 0.07, PenaltyWeight: 2}, "OUTLIER", "≤ 7%"}, // 100*0.07 is 7.000000000000001
		{scoring.Boolean{Threshold: 1e-05}, "BOOLEAN", "> 1e-05"},
		{scoring.Boolean{Threshold: -0.5, Invert: true}, "BOOLEAN", "< -0.5"},
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
	m := scoring.Metric{Target: scoring.Boolean{Threshold: 1}}
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
		want         scoring.Status
	}{
		{"on the lower bound", &lower, nil, 0.5, scoring.Warn}, // five tolerances off, softened
		{"below it", &lower, nil, 0.49, scoring.Fail},
		{"far above, unbounded there", &lower, nil, 99, scoring.Warn},
		{"on the upper bound", nil, &upper, 1.5, scoring.Warn},
		{"above it", nil, &upper, 1.51, scoring.Fail},
		{"far below, unbounded there", nil, &upper, -99, scoring.Warn},
		{"no bounds", nil, nil, 1.5, scoring.Fail}, // nothing softens
		{"on target", &lower, &upper, 1, scoring.Pass},
	} {
		t.Run(c.name, func(t *testing.T) {
			target := scoring.MeanTolerance{Target: 1, Tolerance: 0.1, Min: c.lower, Max: c.upper}
			if got := target.Check(c.value, 1); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			// The score knows no bounds.
			if got, want := target.Score(c.value), scoring.ScoreMeanTolerance(c.value, 1, 0.1); got != want {
				t.Errorf("score %v, want %v", got, want)
			}
		})
	}
}
