package main

import (
	"track"
	"track/reports"
)

// shellHint writes a hint as a person types it.
func shellHint(h track.Hint) string { return reports.ShellHint(h) }
