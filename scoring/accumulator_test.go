package scoring

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"track/internal/property"
)

func accumulate(xs []float64) Moments {
	var a Accumulator
	for _, x := range xs {
		a.Add(x)
	}
	return a.Moments()
}

// TestAccumulatorEqualsTwoPasses holds the one-pass sums against the definition in two passes, also under a large
// common offset.
func TestAccumulatorEqualsTwoPasses(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		offset := rapid.SampledFrom([]float64{0, 1, -1e6, 1e9}).Draw(t, "offset")
		xs := rapid.SliceOfN(rapid.Float64Range(-1, 1), 1, 200).Draw(t, "xs")
		for i := range xs {
			xs[i] += offset
		}
		got, want := accumulate(xs), NewMoments(xs)
		if got.N != want.N || got.Min != want.Min || got.Max != want.Max {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		// The definition itself rounds its mean to the spacing of numbers at the offset.
		tolerance := 1e-12 + 4*math.Abs(offset)*0x1p-52
		if math.Abs(got.Mean-want.Mean) > tolerance || math.Abs(got.Std-want.Std) > tolerance {
			t.Fatalf("got %+v, want %+v within %g", got, want, tolerance)
		}
	})
}

func TestAccumulatorNonFinite(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name string
		xs   []float64
		mean float64
	}{
		{"nothing", nil, nan},
		{"NaN among numbers", []float64{1, nan, 3}, nan},
		{"infinity first", []float64{inf, 1}, inf},
		{"infinity last", []float64{1, -inf}, -inf},
		{"both infinities", []float64{inf, 1, -inf}, nan},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := accumulate(c.xs)
			if got.Mean != c.mean && !(math.IsNaN(got.Mean) && math.IsNaN(c.mean)) {
				t.Errorf("mean %v, want %v", got.Mean, c.mean)
			}
			if !math.IsNaN(got.Std) {
				t.Errorf("std %v, want NaN", got.Std)
			}
		})
	}
}

// TestAccumulatorEqual: numbers that are all the same have no spread at all, whatever they are.
func TestAccumulatorEqual(t *testing.T) {
	if got := accumulate([]float64{0.1, 0.1, 0.1}); got.Std != 0 || got.Mean != 0.1 {
		t.Errorf("got %+v, want mean 0.1 and std 0", got)
	}
}
