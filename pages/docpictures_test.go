package pages_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"track/internal/lineagetest"
	"track/internal/outsidetest"
	"track/internal/sample"
	"track/internal/testdb"
	"track/store"
)

// grown returns a lineage with many versions, of which some were accepted.
func grown(t *testing.T) *store.Store {
	t.Helper()
	st := testdb.New(t)
	loop := lineagetest.New(t, st, nil)
	loop.Run("v001", 50, 52, 48)
	best := 50.0
	for i := range 18 {
		score := best - 4
		if i%3 == 1 {
			best += 3
			score = best
		}
		loop.Evolve("rule "+strings.Repeat("x", i), score-1, score, score+1)
	}
	return st
}

// TestPicturesOfDocuments opens the pages that the documents show, with the data of examples/bam. make pictures takes the
// pictures anew.
func TestPicturesOfDocuments(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	base := serve(t, st)
	evolving := serve(t, grown(t))
	tab := outsidetest.NewTab(t)
	tab.View(1200, 780, "light")
	for _, page := range []struct{ picture, address, shows string }{
		{"page-configuration", "/stability?scenario=growth_plus%40theta-14", `document.querySelectorAll("#metrics tbody tr").length > 10`},
		{"page-matrix", "/matrix?scenario=growth_plus%40theta-14&order=failures", `document.querySelector("canvas")?.height > 100`},
		{"page-compare", "/compare?scenario=growth_plus%40bam-engine-0.10.2&scenario=growth_plus%40theta-14", `document.querySelectorAll("main svg").length > 0`},
		{"page-tree", evolving + "/lineage/tree?lineage=l", `document.querySelector(".tree canvas")?.height > 100`},
		{"page-seed", "/show/seed?scenario=growth_plus%40theta-14&seed=6", `document.querySelectorAll("main table tr").length > 10`},
	} {
		address := page.address
		if strings.HasPrefix(address, "/") {
			address = base + address
		}
		tab.Open(address)
		tab.Wait(page.shows)
		tab.Picture(page.picture)
		if _, err := os.Stat(filepath.Join("..", "docs", "images", page.picture+".png")); err != nil {
			t.Errorf("make pictures has not taken it: %v", err)
		}
	}
}
