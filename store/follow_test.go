package store

import (
	"strings"
	"testing"
)

// What a look reads depends on what is new, not on what is there.
func TestFollowPlans(t *testing.T) {
	st := planStore(t)
	for _, table := range followedTables() {
		for _, step := range plan(t, st, table.after, 1, 10) {
			if big.MatchString(step) {
				t.Errorf("%s: %s", table.kind, step)
			}
		}
		if steps := plan(t, st, table.last); len(steps) != 1 || !strings.HasPrefix(steps[0], "SEARCH") {
			t.Errorf("the last of %s: %v", table.kind, steps)
		}
	}
	for _, step := range plan(t, st, lastLedgers) {
		if big.MatchString(step) {
			t.Errorf("ledgers: %s", step)
		}
	}
}
