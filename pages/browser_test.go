package pages_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"track/internal/outsidetest"
	"track/internal/sample"
	"track/internal/testdb"
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
	checkConsole(t, tab, base, address)
}

func checkConsole(t *testing.T, tab *outsidetest.Tab, base, address string) {
	t.Helper()
	for _, complaint := range tab.Complaints(base) {
		if !strings.Contains(address, "nosuch") {
			t.Errorf("%s: %s", address, complaint)
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
