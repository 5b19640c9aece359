package pages_test

import (
	"testing"

	"track/internal/sample"
)

// seedPages returns the pages about seeds, by name.
func seedPages() map[string]string {
	return map[string]string{
		"scenarios": "/", "configuration-theta": "/stability?scenario=growth_plus%40theta-14", "scores": "/stability?scenario=growth_plus&tab.page=scores",
		"provenance": "/stability?scenario=growth_plus&tab.page=provenance", "changes": "/stability?scenario=growth_plus&tab.page=changes",
		"matrix": "/matrix?scenario=growth_plus&by=configurations", "label": "/matrix?by=scenarios&label=theta-14", "matrix-form": "/matrix",
		"seed-ok": "/show/seed?scenario=growth_plus%40theta-14&seed=0", "seed-failed": "/show/seed?scenario=growth_plus%40small-economy&seed=0",
		"sides": "/compare?scenario=growth_plus%40bam-engine-0.10.2&scenario=growth_plus%40theta-14", "seeds": "/seeds?scenario=growth_plus%40theta-14", "gate": "/gate?scenario=growth_plus",
		"bands": "/series/bands?scenario=growth_plus%40theta-14", "sweep": "/sweep/show?sweep=01KE2Y54G0000000000000000S",
	}
}

// TestSeedPagesFit opens the pages about seeds; see checkFit.
func TestSeedPagesFit(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	checkFit(t, serve(t, st), seedPages())
}
