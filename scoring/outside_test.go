package scoring

import (
	"math"
	"testing"
)

// The expected shares are computed by hand from the bands of the examples in TestBandsOfExamples.
func TestOutside(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tolerance := Metric{Weight: 1.5, Target: MeanTolerance{Target: 0.065, Tolerance: 0.02}} // accepted: -0.015 to 0.145
	share := Metric{Weight: 1.5, Target: PctWithin{0.8, 0.6}}                               // from 0.4
	below := Metric{Target: Boolean{Threshold: 0.2, Invert: true}}
	for _, c := range []struct {
		name   string
		metric Metric
		value  float64
		want   float64
	}{
		{"in its target", tolerance, 0.065, 0},
		{"WARN", tolerance, 0.1, 0},
		{"half of the range above", tolerance, 0.225, 0.5},
		{"a whole range below", tolerance, -0.175, 1},
		{"half of the limit", share, 0.2, 0.5},
		{"twice the limit", below, 0.4, 1},
		{"above 0", Metric{Target: Boolean{Threshold: 0}}, -2, 2}, // the limit is the smallest number above 0
		{"one value is accepted", Metric{Weight: 1, Target: Range{3, 3}}, 6, 1},
		{"NaN", tolerance, nan, inf},
		{"infinite", below, -inf, inf}, // accepted by its bands, but never by a metric
		{"no target", Metric{}, 1, inf},
	} {
		if got := Outside(c.metric.Bands(), c.value); !(math.Abs(got-c.want) < 1e-9) && got != c.want {
			t.Errorf("%s: %v of %v is outside by %v, want %v", c.name, c.value, c.metric.Target, got, c.want)
		}
	}
}
