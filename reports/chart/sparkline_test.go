package chart

import (
	"math"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"track/internal/property"
)

func TestSparkline(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		name   string
		scores []float64
		most   int
		want   string
	}{
		{"none", nil, 0, ""},
		{"one", []float64{0.7}, 0, "▅"},
		{"all equal", []float64{0.7, 0.7, 0.7}, 0, "▅▅▅"},
		{"all missing", []float64{nan, inf}, 0, "··"},
		{"from the lowest to the highest", []float64{0, 1, 2, 3, 4, 5, 6, 7}, 0, "▁▂▃▄▅▆▇█"},
		{"gaps", []float64{nan, 1, nan, nan, 0, -inf}, 0, "·█··▁·"},
		{"the largest numbers", []float64{-math.MaxFloat64, 0, math.MaxFloat64}, 0, "▁▅█"},
		{"as many as there is room for", []float64{0, 1, 7}, 3, "▁▂█"},
		{"means of parts", []float64{0, 2, 8, 8, nan, 4, nan, nan}, 4, "▁█▄·"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Sparkline(tt.scores, tt.most); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestAnySparkline(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOfN(anyFloat, 0, 50).Draw(t, "scores")
		most := rapid.IntRange(0, 60).Draw(t, "most")
		want := len(scores)
		if most > 0 {
			want = min(want, most)
		}
		if got := Sparkline(scores, most); utf8.RuneCountInString(got) != want {
			t.Errorf("%q has not %d signs", got, want)
		}
	})
}
