package pages_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"track/ask"
	"track/internal/outsidetest"
	"track/internal/sample"
	"track/internal/testdb"
	"track/pages"
	"track/server"
	"track/store"
)

// serve serves the pages of a database to everybody.
func serve(t *testing.T, st *store.Store) (base string) {
	t.Helper()
	path := st.Path()
	served := server.New(server.Config{
		Open: func(ctx context.Context) (*store.Store, error) { return store.OpenForUpdate(ctx, path, testdb.Clock) },
		Now:  testdb.Clock, Log: slog.New(slog.DiscardHandler), NoAuth: true,
	})
	listening := httptest.NewServer(served.Handler())
	t.Cleanup(func() {
		listening.CloseClientConnections()
		listening.Close()
		if err := served.Close(); err != nil {
			t.Error(err)
		}
	})
	return listening.URL
}

// sampleAddresses returns the address of every page of the sample.
func sampleAddresses(t *testing.T, names *strings.Replacer) (list []string) {
	t.Helper()
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
	addresses := sampleAddresses(t, names)
	if len(addresses) < 50 {
		t.Fatalf("%d pages", len(addresses))
	}
	drawn := map[string]bool{} // paths of which the figures were drawn
	for _, address := range addresses {
		tab.Open(base + address)
		checkPage(t, tab, base, address)
		if path, _, _ := strings.Cut(address, "?"); !drawn[path] {
			drawn[path] = true
			checkDrawn(t, tab, address)
		}
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

func checkPage(t *testing.T, tab *outsidetest.Tab, base, address string) {
	t.Helper()
	if outsidetest.Evaluate[string](tab, `document.querySelector("h1")?.textContent ?? ""`) == "" {
		t.Errorf("%s: no heading", address)
	}
	if small := outsidetest.Evaluate[[]string](tab, `[...document.querySelectorAll("main h2:not(#panel h2)")].map((title) => title.textContent).filter((title) => /^\p{Ll}/u.test(title))`); len(small) > 0 {
		t.Errorf("%s: titles of sections without a capital: %q", address, small)
	}
	for _, violation := range tab.Violations() {
		t.Errorf("%s: %s", address, violation)
	}
	for _, complaint := range tab.Complaints(base) {
		if !strings.Contains(address, "nosuch") {
			t.Errorf("%s: %s", address, complaint)
		}
	}
}

// TestPagesFit opens the main pages; see checkFit.
func TestPagesFit(t *testing.T) {
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
	tab := outsidetest.NewTab(t)
	for width, schemes := range map[int64][2]string{360: {"light", "dark"}, 1280: {"dark", "light"}, 2560: {"light", "dark"}} {
		for name, address := range addresses {
			tab.View(width, 900, schemes[0])
			tab.Open(base + address)
			checkPage(t, tab, base, address)
			checkWidth(t, tab, address)
			tab.Picture(fmt.Sprintf("%s-%d-%s", name, width, schemes[0]))
			tab.View(width, 900, schemes[1])
			for _, violation := range tab.ViolationsOfColour() {
				t.Errorf("%s, turned %s: %s", address, schemes[1], violation)
			}
			tab.Picture(fmt.Sprintf("%s-%d-%s", name, width, schemes[1]))
		}
	}
}

func checkWidth(t *testing.T, tab *outsidetest.Tab, address string) {
	t.Helper()
	if wider := outsidetest.Evaluate[int](tab, "document.documentElement.scrollWidth - innerWidth"); wider > 0 {
		t.Errorf("%s is %d pixels wider than its window", address, wider)
	}
}

// TestPagesByKeyboard goes from the scenarios to a seed, and to a comparison, by keys alone.
func TestPagesByKeyboard(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	base := serve(t, st)
	tab := outsidetest.NewTab(t)
	tab.View(1280, 900, "light")
	tab.Open(base + "/seeds?scenario=growth_plus")
	tab.Press("j")
	tab.Press("j")
	tab.Press("k")
	seed := outsidetest.Evaluate[string](tab, `document.querySelector("tr.current").dataset.href`)
	tab.Press("Enter")
	tab.Wait(`document.querySelector("h1")?.textContent.includes("seed") && location.pathname === "/show/seed"`)
	if tab.Address() != seed {
		t.Errorf("Enter leads to %s, not to %s", tab.Address(), seed)
	}
	tab.Open(base + "/history?scenario=growth_plus")
	for _, key := range []string{"j", "x", "j", "x"} {
		tab.Press(key)
	}
	tab.Press("c")
	tab.Wait(`location.pathname === "/compare" && document.querySelector("#scheme")?.hidden === false`)
	if n := strings.Count(tab.Address(), "scenario="); n != 2 {
		t.Errorf("%s compares %d configurations, want 2", tab.Address(), n)
	}
	tab.Open(base + "/history?scenario=growth_plus") // by mouse: the ticks are in the address, and a reload keeps them
	tab.Click("#history tbody tr:nth-child(1) .tick")
	tab.Click("#history tbody tr:nth-child(2) .tick")
	tab.Open(base + tab.Address())
	if n := outsidetest.Evaluate[int](tab, `document.querySelectorAll("#history .tick:checked").length`); n != 2 || strings.Count(tab.Address(), "tick.page=") != 2 {
		t.Errorf("%d rows are ticked at %s, want 2", n, tab.Address())
	}
	tab.Click("form.compare button")
	tab.Wait(`location.pathname === "/compare" && document.querySelector("#scheme")?.hidden === false`)
	if n := strings.Count(tab.Address(), "scenario="); n != 2 {
		t.Errorf("%s compares %d configurations, want 2", tab.Address(), n)
	}
	// Each dot of a picture is a link to its seed. The tabulator reaches one of them, the arrows the others.
	const dots = `document.querySelectorAll(".track-chart a[href]")`
	tab.Open(base + "/stability?scenario=growth_plus@theta-14&tab.page=scores")
	if stops := outsidetest.Evaluate[[]int](tab, "[...new Set([...document.querySelectorAll('.track-chart')].map((chart) => [...chart.querySelectorAll('a')].filter((dot) => dot.tabIndex === 0).length))]"); len(stops) != 1 || stops[0] != 1 {
		t.Errorf("tab stops of a chart: %v, want 1", stops)
	}
	seed = outsidetest.Evaluate[string](tab, dots+"[1].getAttribute('href')")
	outsidetest.Evaluate[bool](tab, "("+dots+"[0].focus(), true)")
	tab.Press("ArrowRight")
	tab.Press("Enter")
	tab.Wait(`location.pathname === "/show/seed" && document.querySelector("#scheme")?.hidden === false`)
	if tab.Address() != seed || !strings.Contains(seed, "theta-14") && !strings.Contains(seed, "6429cc72eb") {
		t.Errorf("the second dot leads to %s, not to %s", tab.Address(), seed)
	}
	tab.Press("/")
	if id := outsidetest.Evaluate[string](tab, "document.activeElement.id"); id != "search" {
		t.Errorf("the focus is on %q, not on the search", id)
	}
}

// TestTablesByMouse sorts, filters and cuts a table: the address says it all, and gives the same page without a script.
func TestTablesByMouse(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	base := serve(t, st)
	tab := outsidetest.NewTab(t)
	tab.View(1280, 900, "light")
	tab.Open(base + "/seeds?scenario=growth_plus")
	const first = `document.querySelector("#seeds tbody tr td:nth-child(2)").textContent.trim()`
	tab.Click(`#seeds thead th:nth-child(2) a`)
	tab.Wait(`location.search.includes("sort.seeds=-seed") && ` + first + ` === "9"`)
	outsidetest.Evaluate[bool](tab, `(document.querySelector("#seeds input[type=search]").value = "7", true)`)
	tab.Click("#seeds form.filter button")
	tab.Wait(`location.search.includes("filter.seeds=7")`)
	shown := outsidetest.Evaluate[string](tab, `document.querySelector("#seeds table").textContent`)
	address := tab.Address()
	tab.Open(base + address)
	if again := outsidetest.Evaluate[string](tab, `document.querySelector("#seeds table").textContent`); again != shown {
		t.Errorf("%s shows another table when it is opened anew:\n%s\n%s", address, shown, again)
	}
	if complaints := tab.Complaints(base); len(complaints) > 0 {
		t.Errorf("complaints: %q", complaints)
	}
}
