package scoring

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestBands checks the statuses of a metric at all limits: at the ends of each band, at the next float64 beyond, and at
// any other value.
func TestBands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Metric{Name: "x", Weight: rapid.SampledFrom([]float64{0, 0.1, 0.5, 1, 1.5, 2, 2.25, 2.4, 3, 100}).Draw(t, "weight"), Target: drawTarget(t)}
		if len(m.Target.problems()) > 0 {
			t.Skip("not a valid target")
		}
		status := func(x float64) Status { return m.Target.check(x, failEscalationMultiplier(m.Weight)) }
		bands := m.Bands()
		if bands[0].Lo != nil || bands[len(bands)-1].Hi != nil {
			t.Fatalf("not all values have a band: %v", bands)
		}
		for i, b := range bands {
			if b.Lo != nil && status(*b.Lo) != b.Status || b.Hi != nil && status(*b.Hi) != b.Status {
				t.Fatalf("band %d of %v: its ends are not %s", i, m.Target, b.Status)
			}
			if i > 0 && (bands[i-1].Status == b.Status || math.Nextafter(*bands[i-1].Hi, math.Inf(1)) != *b.Lo) {
				t.Fatalf("band %d of %v does not follow the one before", i, m.Target)
			}
		}
		x := rapid.Float64Range(-10, 10).Draw(t, "x")
		for _, x := range []float64{x, x * 1e-6, x * 1e9, 0} {
			for _, b := range bands {
				if (b.Lo == nil || x >= *b.Lo) && (b.Hi == nil || x <= *b.Hi) && status(x) != b.Status {
					t.Fatalf("%v of %v, weight %v: %s, in the band of %s", x, m.Target, m.Weight, status(x), b.Status)
				}
			}
		}
	})
}

func drawTarget(t *rapid.T) Target {
	number := func(name string) float64 {
		return rapid.OneOf(rapid.Float64Range(-2, 2), rapid.SampledFrom([]float64{0, 0.065, 0.02, 1, 0.9, 0.8, 1e-9, 1e6, -1})).Draw(t, name)
	}
	bound := func(name string) *float64 {
		if rapid.Bool().Draw(t, "has "+name) {
			return nil
		}
		x := number(name)
		return &x
	}
	switch rapid.IntRange(0, 4).Draw(t, "type") {
	case 0:
		return MeanTolerance{number("target"), number("tolerance"), bound("min"), bound("max")}
	case 1:
		return Range{number("min"), number("max")}
	case 2:
		return PctWithin{number("target"), number("min")}
	case 3:
		return Outlier{number("max_outlier"), 2}
	}
	return Boolean{number("threshold"), rapid.Bool().Draw(t, "invert")}
}

// TestBandsOfExamples checks limits that are computed by hand from the formulas in docs/reference/spec.md.
func TestBandsOfExamples(t *testing.T) {
	lo, hi := 0.0, 0.15
	for _, test := range []struct {
		metric     Metric
		pass, warn string
		fail       string
	}{
		{Metric{Weight: 1.5, Target: MeanTolerance{Target: 0.065, Tolerance: 0.02}}, "0.045 to 0.085", "-0.015 to 0.045 or 0.085 to 0.145", "below -0.015 or above 0.145"},              // e = 2
		{Metric{Weight: 3, Target: MeanTolerance{0.065, 0.02, &lo, &hi}}, "0.045 to 0.085", "0 to 0.025 or 0.105 to 0.15", "below 0 or 0.025 to 0.045 or 0.085 to 0.105 or above 0.15"}, // e = 0.5
		{Metric{Weight: 1.5, Target: Range{0, 1}}, "0 to 1", "-1 to 0 or 1 to 2", "below -1 or above 2"},
		{Metric{Weight: 1.5, Target: PctWithin{0.8, 0.6}, Format: FormatPercent}, "from 80%", "40% to 80%", "below 40%"},
		{Metric{Weight: 1.5, Target: Outlier{MaxOutlier: 0.05}}, "up to 0.05", "0.05 to 0.2", "above 0.2"},
		{Metric{Target: Boolean{Threshold: 0.2, Invert: true}}, "below 0.2", "", "from 0.2"},
		{Metric{Target: Boolean{Threshold: 0.2}}, "above 0.2", "", "up to 0.2"},
		{Metric{Weight: 1, Target: Range{3, 3}}, "exactly 3", "", "below 3 or above 3"},
	} {
		for status, want := range map[Status]string{Pass: test.pass, Warn: test.warn, Fail: test.fail} {
			if got := test.metric.BandText(status); got != want {
				t.Errorf("%v, weight %v: %s is %q, want %q", test.metric.Target, test.metric.Weight, status, got, want)
			}
		}
	}
}
