package chart

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"track/internal/property"
)

func TestTicks(t *testing.T) {
	tests := []struct {
		name string
		axis axis
		most int
		want string
	}{
		{"tenths", axis{lo: 0, hi: 1}, 10, "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0"},
		{"fifths", axis{lo: 0, hi: 1}, 9, "0 0.2 0.4 0.6 0.8 1.0"},
		{"halves", axis{lo: 0, hi: 1}, 4, "0 0.5 1.0"},
		{"as wide as a digit", axis{lo: 0, hi: 1}, 2, "0 0.5 1.0"},
		{"never fewer steps than two", axis{lo: 0, hi: 1}, -5, "0 0.5 1.0"},
		{"inside only", axis{lo: 0.0301, hi: 0.2479}, 5, "0.05 0.10 0.15 0.20"},
		{"across 0", axis{lo: -3, hi: 2.5}, 6, "−3 −2 −1 0 1 2"},
		{"years", axis{lo: 1950, hi: 2020}, 7, "1950 1960 1970 1980 1990 2000 2010 2020"},
		{"thousands", axis{lo: 0, hi: 1e6}, 5, "0 200,000 400,000 600,000 800,000 1,000,000"},
		{"ten thousand", axis{lo: 0, hi: 10000}, 5, "0 2,000 4,000 6,000 8,000 10,000"},
		{"fractions of thousands", axis{lo: 12000, hi: 12001}, 2, "12,000.0 12,000.5 12,001.0"},
		{"billions", axis{lo: 0, hi: 3e9}, 6, "0 0.5e9 1.0e9 1.5e9 2.0e9 2.5e9 3.0e9"},
		{"thousandths", axis{lo: 0, hi: 0.002}, 4, "0 0.0005 0.0010 0.0015 0.0020"},
		{"small", axis{lo: 0, hi: 2e-4}, 4, "0 0.5e−4 1.0e−4 1.5e−4 2.0e−4"},
		{"whole numbers", axis{lo: 0, hi: 2, whole: true}, 20, "0 1 2"},
		{"one value", axis{lo: 6.5, hi: 7.5, single: true}, 9, "7"},
		{"the largest", axis{lo: -math.MaxFloat64, hi: math.MaxFloat64}, 4, "−1e308 0 1e308"},
		{"the smallest", axis{lo: 0, hi: 1e-323}, 9, "0 0.5e−323 1.0e−323"},
		{"neighbours", axis{lo: 1e15, hi: 1e15 + 2}, 9, "1.0000000000000000e15 1.0000000000000005e15 1.0000000000000010e15 " +
			"1.0000000000000015e15 1.0000000000000020e15"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var labels []string
			for _, tick := range tt.axis.ticks(tt.most) {
				labels = append(labels, tick.label)
			}
			if got := strings.Join(labels, " "); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestTicksOfAnyRange(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		var e extent
		for range rapid.IntRange(1, 3).Draw(t, "values") {
			e.add(anyFloat.Draw(t, "value"))
		}
		most := rapid.IntRange(2, 20).Draw(t, "most")
		for _, a := range []axis{along(e, false), along(e, true), upright(e)} {
			if !(a.lo < a.hi) || !finite(a.lo) || !finite(a.hi) || e.n > 0 && (a.lo > e.lo || a.hi < e.hi) {
				t.Fatalf("axis %v does not hold %v", a, e)
			}
			ticks, labels := a.ticks(most), map[string]bool{}
			if len(ticks) > most+1 {
				t.Errorf("%d ticks on %v, at most %d steps", len(ticks), a, most)
			}
			s := a.scale(10, 20)
			last := math.Inf(-1)
			for _, tick := range ticks {
				if !(tick.value > last) || labels[tick.label] {
					t.Errorf("ticks %v of %v are not different and in order", ticks, a)
				}
				last, labels[tick.label] = tick.value, true
				if at := s.at(tick.value); !(10 <= at && at <= 20) {
					t.Errorf("tick %v of %v is drawn at %v", tick, a, at)
				}
			}
		}
	})
}

// anyFloat draws every kind of float64, and often those at the limits.
var anyFloat = rapid.OneOf(rapid.Float64Range(-10, 10), rapid.Float64(), rapid.SampledFrom([]float64{
	0, math.Copysign(0, -1), 1, 1 + 0x1p-52, 1e15, 1e15 + 1, math.SmallestNonzeroFloat64, 0x1p-1022,
	math.MaxFloat64, -math.MaxFloat64, math.NaN(), math.Inf(1), math.Inf(-1),
}))

func TestScale(t *testing.T) {
	huge := axis{lo: -math.MaxFloat64, hi: math.MaxFloat64}.scale(0, 100)
	if got := huge.at(0); got != 50 {
		t.Errorf("the middle of the largest axis is at %v", got)
	}
	tiny := axis{lo: 0, hi: 1e-323}.scale(100, 0)
	if got := tiny.at(math.SmallestNonzeroFloat64); got != 50 {
		t.Errorf("the middle of the smallest axis is at %v", got)
	}
}

func TestSpan(t *testing.T) {
	tests := []struct {
		lo, hi float64
		want   string
	}{
		{0.004, 0.12, "0.004 to 0.12"},
		{2, 2, "2"},
		{1e6, 1e6 + 3e-6, "1,000,000 to 1,000,000.000003"},
		{-math.MaxFloat64, 5e-324, "−1.798e308 to 5e−324"},
	}
	for _, tt := range tests {
		if got := (extent{lo: tt.lo, hi: tt.hi, n: 2}).span(); got != tt.want {
			t.Errorf("span of %v and %v: %q, want %q", tt.lo, tt.hi, got, tt.want)
		}
	}
}
