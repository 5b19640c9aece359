package evolution_test

import (
	"testing"

	"pgregory.net/rapid"

	"track/evolution"
	"track/internal/property"
)

// A point is on the front if and only if no other one is at least as good in both objectives and better in one.
func TestFront(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		number := rapid.Map(rapid.IntRange(-3, 3), func(i int) float64 { return float64(i) })
		points := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]float64 { return [2]float64{number.Draw(t, "first"), number.Draw(t, "second")} }), 0, 12).Draw(t, "points")
		for i, on := range evolution.Front(points) {
			want := true
			for _, p := range points {
				want = want && !(p != points[i] && p[0] >= points[i][0] && p[1] >= points[i][1])
			}
			if on != want {
				t.Errorf("%v of %v is on the front: %v, want %v", points[i], points, on, want)
			}
		}
	})
}
