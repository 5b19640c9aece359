package main

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"track/importer/importertest"
	"track/internal/outsidetest"
)

// checkSite opens all reports of a folder in a browser.
func checkSite(t *testing.T, folder string) outsidetest.Site {
	t.Helper()
	s := outsidetest.OpenSite(t, folder)
	for _, problem := range s.Problems {
		t.Error(problem)
	}
	return s
}

// Every report of real data, as Markdown and as HTML, alone and in an index, is shown as it should be: no errors, all
// pictures, no link that leads nowhere.
func TestReportsInBrowser(t *testing.T) {
	t.Parallel()
	outsidetest.NeedTab(t)
	in := indexedDatabase(t, asTheyAre)
	s := checkSite(t, writeExampleReports(t, exampleDatabase(t, asTheyAre)))
	if len(s.Pages) != 2*len(exampleReports) {
		t.Errorf("%d pages", len(s.Pages))
	}
	for _, page := range s.Pages { // each report has pictures: as SVG in HTML, beside Markdown
		if n := page.Drawings + page.Images; n < 2 {
			t.Errorf("%s shows %d pictures", page.Name, n)
		}
	}
	folder := t.TempDir()
	for _, index := range []string{"index.md", "index.html"} {
		in.must("", "report", "index", "-o", filepath.Join(folder, index))
	}
	s = checkSite(t, folder)
	pages := map[string]outsidetest.SitePage{}
	for _, page := range s.Pages {
		pages[page.Name] = page
	}
	for _, suffix := range []string{".md", ".html"} {
		reached := reachable(pages, "index"+suffix)
		if len(reached) != len(pages)/2 || len(pages) != 22 {
			t.Errorf("of %d pages the index leads to %d: %v", len(pages), len(reached), reached)
		}
		for name, page := range pages {
			if path.Ext(name) == suffix && !slices.Contains(page.Links, "index"+suffix) && name != "index"+suffix {
				t.Errorf("%s does not lead back", name)
			}
		}
	}
}

// Names that look like markup, paths or links change nothing of that.
func TestHostileReportsInBrowser(t *testing.T) {
	t.Parallel()
	outsidetest.NeedTab(t)
	in, folder := hostileDatabase(t), t.TempDir()
	for _, index := range []string{"index.md", "index.html"} {
		in.must("", "report", "index", "-o", filepath.Join(folder, index))
	}
	s := checkSite(t, folder)
	if want := 2 * (1 + 2*len(hostileNames) + (len(hostileNames)+3)/4); len(s.Pages) != want {
		t.Errorf("%d pages, want %d", len(s.Pages), want)
	}
}

// reachable are the pages to which links lead from one of them on.
func reachable(pages map[string]outsidetest.SitePage, from string) (list []string) {
	list = []string{from}
	for i := 0; i < len(list); i++ {
		for _, link := range pages[list[i]].Links {
			if !slices.Contains(list, link) {
				list = append(list, link)
			}
		}
	}
	return list
}

// The reports of lineages, that of the loop and those of real runs, are shown as they should be.
func TestLineageReportsInBrowser(t *testing.T) {
	t.Parallel()
	outsidetest.NeedTab(t)
	folder := t.TempDir()
	database := filepath.Join(folder, "track.db")
	evolveLoop(t, database)
	askTrack(t, database, "report", "lineage", "sepa", "-o", filepath.Join(folder, "sepa.md"))
	askTrack(t, database, "report", "lineage", "sepa", "-o", filepath.Join(folder, "sepa.html"))
	checkLineages(t, folder, map[string]int{"sepa": 2})
}

func TestRealLineageReportsInBrowser(t *testing.T) {
	t.Parallel()
	outsidetest.NeedTab(t)
	runs := importertest.RealRuns(t)
	folder, dir := t.TempDir(), t.TempDir()
	for format, run := range map[string]string{"openevolve": "openevolve-metagpt-mast", "shinka": "shinka-txn-gemini3pro-run5"} {
		mustTrack(t, dir, "import", format, filepath.Join(runs, run), "--lineage", run, "--seed", "1", "--at", "2026-01-02T03:04:05Z", "--db", "track.db")
		for _, suffix := range []string{".md", ".html"} {
			mustTrack(t, dir, "report", "lineage", run, "-o", filepath.Join(folder, run+suffix), "--db", "track.db")
		}
	}
	checkLineages(t, folder, map[string]int{"openevolve-metagpt-mast": 2, "shinka-txn-gemini3pro-run5": 1}) // one has truths, so a front
}

// checkLineages expects the report of each lineage in both forms, with so many pictures.
func checkLineages(t *testing.T, folder string, pictures map[string]int) {
	t.Helper()
	s := checkSite(t, folder)
	if n := len(pictures); len(s.Pages) != 2*n {
		t.Errorf("%d pages of %d lineages", len(s.Pages), n)
	}
	for _, page := range s.Pages {
		lineage, isMarkdown := strings.CutSuffix(page.Name, ".md")
		want := [2]int{pictures[strings.TrimSuffix(lineage, ".html")], 0}
		if isMarkdown {
			slices.Reverse(want[:])
		}
		if got := [2]int{page.Drawings, page.Images}; got != want {
			t.Errorf("%s shows %v drawings and images, want %v", page.Name, got, want)
		}
	}
}
