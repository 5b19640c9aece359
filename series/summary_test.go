package series

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestSummarize(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name   string
		values []float64
		want   Summary
	}{
		{"nothing", nil, Summary{0, 0, nan, nan, nan, nan}},
		{"one", []float64{3}, Summary{1, 0, 3, 3, 3, 3}},
		{"some", []float64{3, 1, 5, 3}, Summary{4, 0, 1, 3, 5, 3}},
		{"with NaN", []float64{nan, 1, 3, nan}, Summary{4, 2, 1, 2, 3, nan}},
		{"only NaN", []float64{nan, nan}, Summary{2, 2, nan, nan, nan, nan}},
		{"infinite", []float64{1, inf, 2}, Summary{3, 0, 1, inf, inf, 2}},
		{"lost digits", []float64{1, 1e100, 1, -1e100}, Summary{4, 0, -1e100, 0.5, 1e100, -1e100}}, // a plain sum is 0
	} {
		if diff := cmp.Diff(c.want, Summarize(c.values), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
