package stats

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"track/internal/property"
)

// The p-value is the share of all signs whose sum is as large, counted one by one.
func TestSignFlipGreaterCountsAllSigns(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		d := rapid.SliceOfN(rapid.Map(rapid.IntRange(-40, 60), func(i int) float64 { return float64(i) / 10 }), 1, 11).Draw(t, "d")
		sum, slack := sumAndSlack(d)
		n := 0
		for signs := range 1 << len(d) {
			flipped := 0.0
			for i, x := range d {
				if signs>>i&1 == 1 {
					x = -x
				}
				flipped += x
			}
			if flipped >= sum-slack {
				n++
			}
		}
		p, err := SignFlipGreater(d)
		if want := float64(n) / float64(int(1)<<len(d)); err != nil || p != want {
			t.Fatalf("%v: %v %v, want %v", d, p, err, want)
		}
	})
}

func TestSignFlipGreater(t *testing.T) {
	equal := make([]float64, 40)
	for i := range equal {
		equal[i] = 0.1
	}
	mixed := append([]float64{0, 0, 0}, equal[:20]...)
	for _, c := range []struct {
		d    []float64
		want float64
	}{
		{equal, math.Ldexp(1, -40)}, {mixed, math.Ldexp(1, -20)}, {[]float64{0, 0}, 1}, {[]float64{-1, -2}, 1}, {[]float64{1, -1}, 0.75},
		// exact sums of decimals: 0.1 + 0.2 - 0.3 is not above 0, so half of the eight sums and the two ties reach it
		{[]float64{0.1, 0.2, -0.3}, 0.625},
	} {
		if p, err := SignFlipGreater(c.d); err != nil || p != c.want {
			t.Errorf("%v: %v %v, want %v", c.d, p, err, c.want)
		}
	}
	if _, err := SignFlipGreater(make([]float64, 41)); !errors.Is(err, errTooManyDifferences) {
		t.Error(err)
	}
	if _, err := SignFlipGreater(nil); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
}
