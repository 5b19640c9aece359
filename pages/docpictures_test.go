package pages_test

import (
	"os"
	"path/filepath"
	"testing"

	"track/internal/outsidetest"
	"track/internal/sample"
)

// TestPicturesOfDocuments opens the pages that the documents show, with the data of examples/bam. make pictures takes the
// pictures anew.
func TestPicturesOfDocuments(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	base := serve(t, st)
	tab := outsidetest.NewTab(t)
	tab.View(1200, 780, "light")
	for _, page := range []struct{ picture, address, shows string }{
		{"page-configuration", "/stability?scenario=growth_plus%40theta-14", `document.querySelectorAll("#metrics tbody tr").length > 10`},
		{"page-matrix", "/matrix?scenario=growth_plus%40theta-14&order=failures", `document.querySelector("canvas")?.height > 100`},
		{"page-compare", "/compare?scenario=growth_plus%40bam-engine-0.10.2&scenario=growth_plus%40theta-14", `document.querySelectorAll("main svg").length > 0`},
		{"page-seed", "/show/seed?scenario=growth_plus%40theta-14&seed=6", `document.querySelectorAll("main table tr").length > 10`},
	} {
		tab.Open(base + page.address)
		tab.Wait(page.shows)
		tab.Picture(page.picture)
		if _, err := os.Stat(filepath.Join("..", "docs", "images", page.picture+".png")); err != nil {
			t.Errorf("make pictures has not taken it: %v", err)
		}
	}
}
