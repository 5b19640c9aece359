package stats

import (
	"math/rand/v2"
	"testing"
)

// Columns hold the numbers of the generator of the standard library.
func TestStridesAgree(t *testing.T) {
	const rows = 50
	for _, n := range []int{1, 2, 3, 64, 157} {
		source := rand.NewPCG(7, streamSignFlip)
		want := make([]uint64, rows*n)
		for i := range want {
			want[i] = source.Uint64()
		}
		columns := newStrides(7, streamSignFlip, n)
		column := make([]uint64, rows)
		for c := range n {
			columns.next(column)
			for r, got := range column {
				if got != want[r*n+c] {
					t.Fatalf("%d columns: column %d has %d in row %d, want %d", n, c, got, r, want[r*n+c])
				}
			}
		}
	}
}
