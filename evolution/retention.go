package evolution

import (
	"cmp"
	"slices"
)

// Retain says which versions stay active: the newest keep of them, the best ever, and the active one. The others are
// archived: they stay in the history with their parents and scores, since a lineage that drops versions loses the
// parents of those it keeps. Each version is in exactly one of the two lists, newest first.
func Retain(list []Standing, inForce string, keep int) (active, archived []Standing) {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b Standing) int {
		return cmp.Or(cmp.Compare(b.Number, a.Number), cmp.Compare(a.Version, b.Version))
	})
	best, ok := Best(list)
	for i, s := range sorted {
		if i < keep || s.Version == inForce || ok && s.Version == best.Version {
			active = append(active, s)
		} else {
			archived = append(archived, s)
		}
	}
	return active, archived
}
