package server

import (
	"math"
	"testing"
)

// A cursor may be any number: that of PostgreSQL is a hash.
func TestTagOfEachCursor(t *testing.T) {
	seen := map[string]int64{}
	for _, cursor := range []int64{0, 1, -1, 0xD800, 0xD801, 1 << 21, 1<<21 + 1, 1 << 40, math.MinInt64, math.MaxInt64} {
		tag := tagOf(cursor, "epoch", "version", []any{"seeds"})
		if other, isKnown := seen[tag]; isKnown {
			t.Errorf("%d and %d have the same tag", cursor, other)
		}
		seen[tag] = cursor
	}
}
