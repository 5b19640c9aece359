package stats

import (
	"errors"
	"math"
	"testing"
)

// A slide of 0.02 a value under noise of 0.01 has that slope; eight values in falling order have the exact p 2/8!.
func TestTrend(t *testing.T) {
	r := rng()
	var xs []float64
	for i := range 20 {
		xs = append(xs, 0.95-0.02*float64(i)+0.01*r.NormFloat64())
	}
	got, err := NewTrend(xs, 1)
	if err != nil || got.N != 20 || got.Rho > -0.97 || got.P > 0.001 || !near(got.Slope, -0.02, 0.002) || math.Abs(got.Lag1) > 0.5 {
		t.Errorf("%+v, error %v", got, err)
	}
	got, err = NewTrend([]float64{8, 7, 6, 5, 4, 3, 2, 1}, 1)
	if err != nil || got.Rho != -1 || !near(got.P, 2.0/40320, 1e-12) || got.Slope != -1 {
		t.Errorf("%+v, error %v", got, err)
	}
	got, err = NewTrend(make([]float64, 9), 1)
	if err != nil || got.P != 1 || got.Slope != 0 || got.Rho != 0 {
		t.Errorf("equal values: %+v, error %v", got, err)
	}
	if _, err := NewTrend(make([]float64, 7), 1); !errors.Is(err, ErrTooFew) {
		t.Errorf("7 values: error %v", err)
	}
}
