package main

import "testing"

// A small heap grows fourfold, a larger one by 48 MB, and a large one by half.
func TestHeapGrowth(t *testing.T) {
	for live, want := range map[uint64]int{0: 400, 1 << 20: 400, 12 << 20: 400, 24 << 20: 200, 48 << 20: 100, 96 << 20: 50, 1 << 40: 50} {
		if got := heapGrowth(live); got != want {
			t.Errorf("%d bytes: %d %%, want %d %%", live, got, want)
		}
	}
}
