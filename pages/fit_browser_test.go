//go:build browser

package pages_test

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"track/ask"
	"track/internal/outsidetest"
	"track/internal/sample"
	"track/pages"
)

// sampleAddresses returns the address of every page of the sample.
func sampleAddresses(names *strings.Replacer) (list []string) {
	list = []string{"/", "/terms", "/nosuch", "/stability", "/stability?scenario=nosuch", "/report/scenario?scenario=growth_plus", "/report/improvement?candidate=growth_plus&baseline=growth_plus%40theta-14", "/report/index"}
	paths := map[string]string{}
	for _, q := range slices.Concat(ask.All(), ask.Reports()) {
		paths[q.Name] = "/" + q.Path
	}
	known := map[string]bool{}
	for _, p := range pages.All() {
		known[p.Path] = true
	}
	for name, asked := range sample.Questions() {
		if !known[paths[name]] {
			continue
		}
		for _, in := range asked {
			list = append(list, strings.TrimSuffix(paths[name]+"?"+names.Replace(in), "?"))
		}
	}
	slices.Sort(list)
	return list
}

// TestPagesInBrowser opens every page: no error on the console, no request to another host, no violation of axe-core.
func TestPagesInBrowser(t *testing.T) {
	t.Parallel()
	st, names := sample.New(t)
	base := serve(t, st)
	tab := outsidetest.NewTab(t)
	tab.View(1280, 900, "light")
	addresses := sampleAddresses(names)
	if len(addresses) < 50 {
		t.Fatalf("%d pages", len(addresses))
	}
	drawn := map[string]bool{} // paths of which the figures were drawn
	for _, address := range addresses {
		t.Run(address, func(t *testing.T) {
			tab.Open(base + address)
			checkPage(t, tab, base, address)
			if path, _, _ := strings.Cut(address, "?"); !drawn[path] {
				drawn[path] = true
				checkDrawn(t, tab, address)
			}
		})
	}
	// A time in a sentence is whole, in the reader's zone, and has that of UTC on hover.
	tab.Open(base + names.Replace("/show/execution?id=EXECUTION"))
	if at := outsidetest.Evaluate[[]string](tab, `[...document.querySelectorAll("p time[data-exact]")].map((time) => time.textContent + " is " + time.title.split("\n")[1])`); len(at) == 0 || !regexp.MustCompile(`^\w+ \d+, 2026, [^Z]+ is 2026-\d\d-\d\d \d\d:\d\d:\d\d UTC$`).MatchString(at[0]) {
		t.Errorf("the times of an execution are %q", at)
	}
	// A long text in a column that is not seen yet does not make the others tall: three lines at most.
	tab.View(360, 900, "light")
	tab.Open(base + "/gate?scenario=growth_plus")
	if tallest := outsidetest.Evaluate[int](tab, `Math.max(...[...document.querySelectorAll("tbody tr")].map((row) => row.offsetHeight))`); tallest < 20 || tallest > 66 {
		t.Errorf("the tallest row of a gate has %d pixels", tallest)
	}
	// What a reader looks for is seen without scrolling to the side.
	if right := outsidetest.Evaluate[int](tab, `Math.ceil(document.querySelector("#rules tbody tr").cells[3].getBoundingClientRect().right)`); right <= 0 || right > 360 {
		t.Errorf("the limit of a rule ends at %d of 360 pixels", right)
	}
	// No text reaches into the next column.
	tab.Open(base + "/executions")
	if over := outsidetest.Evaluate[[]string](tab, `[...document.querySelectorAll("td")].filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent)`); len(over) > 0 {
		t.Errorf("texts that are wider than their columns: %q", over)
	}
	// Paper is white, also for a reader who has chosen the dark scheme.
	tab.View(800, 900, "dark")
	outsidetest.Evaluate[bool](tab, `(document.documentElement.dataset.scheme = "dark", true)`)
	tab.Print()
	if ink := outsidetest.Evaluate[string](tab, `getComputedStyle(document.body).color`); ink != "rgb(31, 35, 40)" {
		t.Errorf("text on paper has the color %s", ink)
	}
}

// TestPagesFitBrowser opens the main pages; see checkFit.
func TestPagesFitBrowser(t *testing.T) {
	t.Parallel()
	st, names := sample.New(t)
	checkFit(t, serve(t, st), map[string]string{
		"home": "/", "scenario": "/history?scenario=growth_plus", "configuration": "/stability?scenario=growth_plus", "seed": "/show/seed?scenario=growth_plus&seed=0",
		"compare": "/compare?scenario=growth_plus&scenario=growth_plus@theta-14", "lineage": "/lineage/show?lineage=l", "mutation": names.Replace("/mutation/show?mutation=DECIDED&lineage=l"),
		"execution": names.Replace("/show/execution?id=EXECUTION"), "sql": "/query?sql=" + url.QueryEscape("SELECT scenario, seed FROM v_seed"), "search": "/search?text=done",
	})
}

// checkFit opens pages in windows of three widths, in light or dark, and then looks at them in the other scheme:
// nothing is wrong with them, and a page is not wider than its window.
func checkFit(t *testing.T, base string, addresses map[string]string) {
	t.Helper()
	const widest = 2560
	tab := outsidetest.NewTab(t)
	for width, schemes := range map[int64][2]string{360: {"light", "dark"}, 1280: {"dark", "light"}, widest: {"light", "dark"}} {
		for name, address := range addresses {
			t.Run(fmt.Sprintf("%s-%d", name, width), func(t *testing.T) {
				tab.View(width, 900, schemes[0])
				tab.Open(base + address)
				checkWidth(t, tab, address)
				tab.Picture(fmt.Sprintf("%s-%d-%s", name, width, schemes[0]))
				if width == widest { // it has the parts and the colours of the next one
					checkConsole(t, tab, base, address)
				} else {
					checkPage(t, tab, base, address)
				}
				tab.View(width, 900, schemes[1])
				if width == 1280 {
					for _, violation := range tab.ViolationsOfColour() {
						t.Errorf("%s, turned %s: %s", address, schemes[1], violation)
					}
				}
				tab.Picture(fmt.Sprintf("%s-%d-%s", name, width, schemes[1]))
			})
		}
	}
}

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

// TestSeedPagesFitBrowser opens the pages about seeds; see checkFit.
func TestSeedPagesFitBrowser(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	checkFit(t, serve(t, st), seedPages())
}

// TestAgentPagesFitBrowser opens the pages about agents; see checkFit.
func TestAgentPagesFitBrowser(t *testing.T) {
	t.Parallel()
	st := evolved(t)
	ids := traced(t, st, 60)
	checkFit(t, serve(t, st), map[string]string{
		"lineage-versions": "/lineage/show?lineage=l", "tree": "/lineage/tree?lineage=l", "version": "/version/show?version=l@v002", "execution-traced": "/show/execution?id=" + ids[0],
		"executions": "/executions?lineage=traced", "compared": "/compare/executions?" + url.Values{"id": ids}.Encode(), "search-traced": "/search?text=file&lineage=traced",
	})
}
