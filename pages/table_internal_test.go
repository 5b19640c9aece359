package pages

import (
	"slices"
	"testing"

	"track/answer"
)

// TestBarColumns checks that a score of 0 has a bar only among scores that end at 1.
func TestBarColumns(t *testing.T) {
	t.Parallel()
	columns := answer.Columns{{Name: "seed"}, {Name: "score"}}
	for _, tt := range []struct {
		other float64
		want  bool
	}{{0.5, true}, {89.3, false}, {-2, false}} {
		if got := barColumns(answer.Table{Columns: columns, Rows: [][]any{{1, 0.0}, {2, tt.other}}}); got[1] != tt.want || got[0] {
			t.Errorf("0 and %v: %v, want %v", tt.other, got, tt.want)
		}
	}
}

// Numbers of seeds are texts: they are sorted as numbers, also above 2^53.
func TestNumbersInTextsAreSorted(t *testing.T) {
	texts := []any{"10", "9", "18446744073709551615", "18446744073709551614", "a", "1a"}
	slices.SortStableFunc(texts, func(a, b any) int { return compareCells(a, b, false) })
	if want := []any{"9", "10", "18446744073709551614", "18446744073709551615", "1a", "a"}; !slices.Equal(texts, want) {
		t.Errorf("sorted: %v, want %v", texts, want)
	}
}
