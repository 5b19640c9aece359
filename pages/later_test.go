package pages_test

import (
	"fmt"
	"strings"
	"testing"

	"track/answer"
	"track/internal/lineagetest"
	"track/internal/outsidetest"
	"track/internal/testdb"
)

// The report of a long lineage comes after its page. Without a script a link leads to both.
func TestLongLineageComesInParts(t *testing.T) {
	t.Parallel()
	st := testdb.New(t)
	loop := lineagetest.New(t, st, nil)
	loop.Run("v001", 50, 60, 55)
	for i := range 500 {
		loop.Propose(lineagetest.Text(fmt.Sprint("language ", i)), answer.ProposeQuestion{})
	}
	base := serve(t, st)
	const address, report = "/lineage/show?lineage=l", "What each step changed"
	page := get(t, base+address)
	if strings.Contains(page, report) || !strings.Contains(page, "500 proposed") || !strings.Contains(page, `data-later="`+address+`&amp;part.page=report"`) || !strings.Contains(page, address[:14]+`later.page=shown&amp;lineage=l`) {
		t.Errorf("the page is not a part with links to the rest: %s", page)
	}
	if part := get(t, base+address+"&part.page=report"); strings.Contains(part, "<body") || !strings.Contains(part, report) {
		t.Errorf("the part is %s", part)
	}
	if whole := get(t, base+address+"&later.page=shown"); strings.Contains(whole, "data-later") || !strings.Contains(whole, report) {
		t.Errorf("the whole page is %s", whole)
	}
	tab := outsidetest.NewTab(t)
	tab.View(1280, 900, "light")
	tab.Open(base + address)
	tab.Wait(fmt.Sprintf(`document.querySelector("[data-later]").textContent.includes(%q)`, report))
	checkPage(t, tab, base, address)
}

// The pictures of two large sides come after their page.
func TestPairsComeLater(t *testing.T) {
	t.Parallel()
	base := serve(t, newLarge(t, 110, 100, "v1", "v2")) + "/compare?scenario=large@v1&scenario=large@v2"
	const picture = "Change of each metric"
	page, whole, part := get(t, base), get(t, base+"&later.page=shown"), get(t, base+"&part.page=pairs")
	if strings.Contains(page, picture) || !strings.Contains(page, `data-later="/compare?part.page=pairs`) || !strings.Contains(page, "110 pairs: total score ") {
		t.Errorf("the page has the pictures, or neither their address nor the verdict:\n%s", page)
	}
	if !strings.Contains(part, picture) || strings.Contains(part, "<body") {
		t.Errorf("the part is %s", part)
	}
	if !strings.Contains(whole, picture) || strings.Contains(whole, "data-later") || !strings.Contains(whole, "of 100 metrics") {
		t.Errorf("the whole page is %s", whole)
	}
	if part := get(t, base+"&part.page=differences"); !strings.Contains(part, "All metrics as a table") || strings.Contains(part, picture) || strings.Contains(part, "data-later") {
		t.Errorf("the part with the differences is %s", part)
	}
}

// The means of many older configurations come after the verdicts of the newest.
func TestMeansComeLater(t *testing.T) {
	t.Parallel()
	base := serve(t, newLarge(t, 2501, 1, "v1", "v2"))
	page, whole, part := get(t, base+"/"), get(t, base+"/?later.page=shown"), get(t, base+"/?part.page=scenarios")
	const picture = "scores of 2 configurations"
	if strings.Contains(page, picture) || !strings.Contains(page, `data-later="/?part.page=scenarios"`) || !strings.Contains(page, ">2501<") || !strings.Contains(page, "2 configurations") {
		t.Errorf("the page has the pictures, or neither their address nor the numbers:\n%s", page)
	}
	if !strings.Contains(part, picture) || !strings.Contains(part, ">2501<") || strings.Contains(part, "<body") {
		t.Errorf("the part is %s", part)
	}
	if !strings.Contains(whole, picture) || strings.Contains(whole, "data-later") || strings.Count(whole, `id="scenarios"`) != 1 {
		t.Errorf("the whole page is %s", whole)
	}
}
