package stats

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"track/internal/property"
)

// Of the six pairs of {1, 2, 3} and {0, 1.5}, 1 < 1.5 alone is lost: 5/6. The shares of the second group below each
// of the first are 1/2, 1, 1 with variance 1/12, and of the first above each of the second 1 and 2/3 with variance
// 1/18: the variance of the area is 1/36 + 1/36.
func TestAUC(t *testing.T) {
	a, err := NewAUC([]float64{1, 2, 3}, []float64{0, 1.5}, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	half := 1.959963984540054 * math.Sqrt(1./18)
	if math.Abs(a.Value-5./6) > 1e-12 || math.Abs(a.Interval.Lo-(5./6-half)) > 1e-12 || a.Interval.Hi != 1 {
		t.Errorf("%+v, want 5/6 ± %v, cut at 1", a, half)
	}
	if a, err := NewAUC([]float64{2, 3}, []float64{0, 1}, 0.95); err != nil || a.Value != 1 || len(a.Warnings) != 2 {
		t.Errorf("fully separated: %+v, %v; want two warnings", a, err)
	}
	if a, err := NewAUC([]float64{2}, []float64{0, 1}, 0.95); err != nil || a.Interval.Defined() {
		t.Errorf("one value: %+v, %v; want no interval", a, err)
	}
	if _, err := NewAUC(nil, []float64{0, 1}, 0.95); !errors.Is(err, ErrEmpty) {
		t.Errorf("an empty group: %v", err)
	}
}

// Swapping the groups mirrors area and interval, and the area is the probability of improvement of unpaired samples.
func TestAUCProperties(t *testing.T) {
	values := rapid.SliceOfN(rapid.Float64Range(-3, 3), 2, 12)
	property.Check(t, func(t *rapid.T) {
		x, y := values.Draw(t, "x"), values.Draw(t, "y")
		a, err := NewAUC(x, y, 0.9)
		b, errB := NewAUC(y, x, 0.9)
		p, errP := NewProbImprovementUnpaired(x, y)
		if err != nil || errB != nil || errP != nil {
			t.Fatal(err, errB, errP)
		}
		if math.Abs(a.Value+b.Value-1) > 1e-12 || math.Abs(a.Interval.Lo-(1-b.Interval.Hi)) > 1e-9 {
			t.Fatalf("%+v and %+v", a, b)
		}
		if math.Abs(a.Value-p.Value) > 1e-12 || !a.Interval.Contains(a.Value) {
			t.Fatalf("%+v, probability %v", a, p.Value)
		}
	})
}
