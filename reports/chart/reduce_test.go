package chart

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"track/internal/property"
)

var unexported = cmp.AllowUnexported(point{})

func TestReduce(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		name   string
		y      []float64 // at x 0, 1, 2, …
		column pixel
		want   [][]point
	}{
		{"nothing", nil, 1, nil},
		{"only gaps", []float64{nan, nan}, 1, nil},
		{"all points", []float64{3, 1, 2}, 1, [][]point{{{0, 3}, {1, 1}, {2, 2}}}},
		{"two to a column are kept", []float64{3, 1, 2, 2}, 2, [][]point{{{0, 3}, {1, 1}, {2, 2}, {3, 2}}}},
		{"lowest and highest in their order", []float64{2, 9, 3, 1, 2, 5, 5, 5}, 4, [][]point{{{1, 9}, {3, 1}, {4, 2}, {5, 5}}}},
		{"gaps cut", []float64{nan, 1, 2, nan, nan, 3, nan}, 1, [][]point{{{1, 1}, {2, 2}}, {{5, 3}}}},
		{"a gap within a column does not", []float64{1, nan, nan, 2, 3}, 4, [][]point{{{0, 1}, {3, 2}, {4, 3}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := reduce(len(tt.y), func(i int) (point, bool) {
				return point{float64(i), tt.y[i]}, !math.IsNaN(tt.y[i])
			}, tt.column)
			if tt.name == "two to a column are kept" { // equal points are one: nothing is between them
				tt.want[0] = tt.want[0][:3]
			}
			if diff := cmp.Diff(tt.want, got, unexported); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// No spike is lost, no point is made up, and there are no more than two to a column.
func TestReduceKeepsExtremes(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		y := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(0, 100), rapid.Just(math.NaN())), 0, 200).Draw(t, "y")
		column := rapid.SampledFrom([]pixel{1, 2, 8, 64}).Draw(t, "column")
		density := rapid.SampledFrom([]float64{0.1, 1, 7}).Draw(t, "points per unit")
		type extremes struct{ low, high float64 }
		want, got := map[int]extremes{}, map[int]extremes{}
		note := func(m map[int]extremes, p point) {
			c := int(p.x / float64(column))
			e, ok := m[c]
			if !ok {
				e = extremes{p.y, p.y}
			}
			m[c] = extremes{min(e.low, p.y), max(e.high, p.y)}
		}
		var all []point
		runs := reduce(len(y), func(i int) (point, bool) {
			p := point{float64(i) / density, y[i]}
			if math.IsNaN(p.y) {
				return p, false
			}
			all = append(all, p)
			note(want, p)
			return p, true
		}, column)
		kept := slices.Concat(runs...)
		for i, p := range kept {
			note(got, p)
			if !slices.Contains(all, p) || i > 0 && p.x <= kept[i-1].x {
				t.Errorf("point %v is new or out of order", p)
			}
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(extremes{})); diff != "" {
			t.Error(diff)
		}
		if len(kept) > 2*len(want) {
			t.Errorf("%d points in %d columns", len(kept), len(want))
		}
	})
}
