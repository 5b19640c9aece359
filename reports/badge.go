package reports

import (
	"fmt"

	"track/scoring"
	"track/scoring/format"
	"track/scoring/verdict"
)

// Badge is the answer of an endpoint that shields.io draws a badge from (https://shields.io/badges/endpoint-badge).
type Badge struct {
	SchemaVersion int    `json:"schemaVersion"`
	Label         string `json:"label"`
	Message       string `json:"message"`
	Color         string `json:"color"`
	IsError       bool   `json:"isError,omitempty"`
}

// GateBadge returns the badge of a gate: its verdict, and the number of seeds that it rests on.
func GateBadge(g verdict.Gate) Badge {
	b := Badge{SchemaVersion: 1, Label: "track gate", Color: "lightgrey"}
	seeds, leftOut := 0, 0
	for _, s := range g.Scenarios {
		seeds, leftOut = seeds+s.Estimates.NSeeds, leftOut+len(s.LeftOut)
	}
	b.Message = fmt.Sprintf("%s (%d %s", g.Verdict, seeds, format.Plural(seeds, "seed"))
	if leftOut > 0 {
		b.Message += fmt.Sprintf(", %s not guarded", format.Counted(leftOut, "metric"))
	}
	b.Message += ")"
	switch g.Verdict {
	case scoring.VerdictPass:
		b.Color = "brightgreen"
	case scoring.VerdictWarn:
		b.Color = "yellow"
	case scoring.VerdictFail:
		b.Color, b.IsError = "red", true
	}
	return b
}
