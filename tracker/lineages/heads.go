package lineages

import (
	"track/evolution"
	"track/store"
)

// headHistory are the changes of the active version, oldest first.
type headHistory []store.HeadChange

// versions returns the versions that were ever active, in the order of their first time.
func (h headHistory) versions() (names []string) {
	seen := map[string]bool{"": true}
	for _, c := range h {
		if !seen[c.After] {
			seen[c.After], names = true, append(names, c.After)
		}
	}
	return names
}

// positions numbers the versions that were ever active in the order of their first time, from 1.
func (h headHistory) positions() map[string]int {
	positions := map[string]int{}
	for i, name := range h.versions() {
		positions[name] = i + 1
	}
	return positions
}

// distrusted returns the versions that triggers left since a mutation was accepted, or somebody went back by hand. To
// go back to one of them without a new reason to trust it could go on for ever.
func (h headHistory) distrusted() map[string]bool {
	left := map[string]bool{}
	for i := len(h) - 1; i >= 0; i-- {
		if h[i].Kind != evolution.KindRollback || h[i].Trigger == string(evolution.TriggerHand) {
			break
		}
		left[h[i].Before] = true
	}
	return left
}
