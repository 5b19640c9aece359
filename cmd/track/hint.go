package main

import (
	"slices"

	"track"
	"track/reports"
)

// shellHint writes a hint as a person types it.
func shellHint(h track.Hint) string { return reports.ShellHint(h) }

func containsHint(list []track.Hint, hint track.Hint) bool {
	return slices.ContainsFunc(list, func(h track.Hint) bool { return shellHint(h) == shellHint(hint) })
}
