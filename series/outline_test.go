package series_test

import (
	"math"
	"testing"

	"track/series"
)

func TestOutline(t *testing.T) {
	nan := math.NaN()
	got := series.Outline([]float64{1, 3, nan, 5, nan, math.Inf(1)}, 3)
	if len(got) != 3 || got[0] != 2 || got[1] != 5 || !math.IsNaN(got[2]) {
		t.Errorf("%v, want [2 5 NaN]", got)
	}
	if got := series.Outline([]float64{1, 2}, 3); len(got) != 2 || got[1] != 2 {
		t.Errorf("%v of a short series, want [1 2]", got)
	}
}
