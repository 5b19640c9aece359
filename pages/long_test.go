package pages_test

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"track"
	"track/internal/outsidetest"
	"track/internal/sample"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/scoring"
	"track/store"
	"track/tracker/seeds"
)

// manyRows is the address of a table of 100,000 rows: their numbers, from 1.
var manyRows = "/query?limit=0&sql=" + url.QueryEscape("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT i, i % 3 AS rest FROM n")

// firstCells returns the first cell of each row of a page.
func firstCells(page string) (list []string) {
	for _, found := range regexp.MustCompile(`<tr[^>]*><td[^>]*>(?:<[^/][^>]*>)*([^<]*)<`).FindAllStringSubmatch(page, -1) {
		list = append(list, found[1])
	}
	return list
}

// A long table comes in pages, also without scripts, and each is small.
func TestLongTableInPages(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	base := serve(t, st)
	for address, want := range map[string]int{
		manyRows: 1, manyRows + "&from.rows=100": 101, manyRows + "&from.rows=99950": 99951, manyRows + "&from.rows=100000": 1,
		manyRows + "&sort.rows=-i": 100_000, manyRows + "&filter.rows=77777": 77_777, manyRows + "&where.rows=" + url.QueryEscape("i=5"): 5,
	} {
		page := get(t, base+address)
		if cells := firstCells(page); len(cells) == 0 || cells[0] != strconv.Itoa(want) || len(cells) > 100 {
			t.Errorf("%s: %d rows from %q, want at most 100 from %d", address, len(cells), cells[:min(1, len(cells))], want)
		}
		if n := compressed(t, []byte(page)); n > 150<<10 {
			t.Errorf("%s: %d bytes", address, n)
		}
		if strings.Contains(page, `class="more"`) != (want == 1 || want == 101 || want == 100_000) {
			t.Errorf("%s: another page is offered: %v", address, strings.Contains(page, `class="more"`))
		}
	}
}

// recordSeeds records seeds 0 to n-1 of a scenario of their own; every fifth fails.
func recordSeeds(t *testing.T, to *store.Store, scenario string, from, n int) {
	t.Helper()
	for i := range n {
		seed := trackertest.Seed(scenario, track.SeedNumber(from+i), map[string]float64{"a": float64(i % 10)})
		if (from+i)%5 == 0 {
			seed.Outcome, seed.Values = track.OutcomeError, nil
		}
		trackertest.Record(t, to, seeds.Options{}, seed)
	}
}

// A list that is sorted or filtered is so as a whole, not page by page.
func TestListIsSortedAsWhole(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	recordSeeds(t, st, "many", 0, 130)
	base := serve(t, st)
	seedsOf := func(address string) (list []string) {
		for _, found := range regexp.MustCompile(`<tr data-href="[^"]*seed=(\d+)`).FindAllStringSubmatch(get(t, base+address), -1) {
			list = append(list, found[1])
		}
		return list
	}
	if got := seedsOf("/seeds?scenario=many&sort.seeds=seed"); len(got) != 100 || !slices.Equal(got[:3], []string{"0", "1", "2"}) {
		t.Errorf("%d rows, %q", len(got), got[:min(3, len(got))])
	}
	if got := seedsOf("/seeds?scenario=many&sort.seeds=seed&from.seeds=100"); len(got) != 30 || got[0] != "100" {
		t.Errorf("the second page has %d rows: %q", len(got), got)
	}
	if got := seedsOf("/seeds?scenario=many&sort.seeds=seed&where.seeds=outcome%3Derror"); len(got) != 26 || got[25] != "125" {
		t.Errorf("%d seeds failed: %q", len(got), got)
	}
	recordSeeds(t, st, "many", 130, 5) // what is kept must not outlive the state that it is of
	if got := seedsOf("/seeds?scenario=many&sort.seeds=-seed"); len(got) != 100 || got[0] != "134" {
		t.Errorf("after five more: %q", got[:min(3, len(got))])
	}
}

// A table of 100,000 rows scrolls: the rows that are seen are there, and not many others.
func TestLongTableScrolls(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	base := serve(t, st)
	tab := outsidetest.NewTab(t)
	tab.View(1280, 900, "light")
	tab.Open(base + manyRows)
	const seen = `(() => { const box = document.querySelector(".scroll.long"), top = box.getBoundingClientRect().top + box.querySelector("thead").offsetHeight; for (const row of box.querySelectorAll("tbody tr:not(.space)")) { if (row.getBoundingClientRect().bottom > top + 1) return row.cells[0].textContent.trim(); } return ""; })()`
	tab.Wait(`Boolean(document.querySelector(".scroll.windowed"))`)
	for _, row := range []int{50, 150, 250, 350, 450, 30, 420} {
		tab.Wait(fmt.Sprintf(`(() => { const box = document.querySelector(".scroll.long"); box.scrollTop = %d * box.windowed.height; return %s === "%d"; })()`, row, seen, row+1))
		if n := outsidetest.Evaluate[int](tab, `document.querySelectorAll("#rows tbody tr").length`); n > 400 {
			t.Errorf("at row %d there are %d rows", row, n)
		}
	}
	if complaints := tab.Complaints(base); len(complaints) > 0 {
		t.Errorf("complaints: %q", complaints)
	}
	for _, violation := range tab.Violations() {
		t.Error(violation)
	}
	// Columns are as wide as the texts that were there when their widths were fixed.
	words := "swe-agent-traj,inspect-ai,openhands,tau-bench,codex-rollout,claude-code,atif,sepa,gepa"
	tab.Open(base + strings.Replace(manyRows, "i+%25+3+AS+rest", url.QueryEscape("'"+strings.ReplaceAll(words, ",", "','")+"'"), 1))
	tab.Wait(`Boolean(document.querySelector(".scroll.windowed"))`)
	if cut := outsidetest.Evaluate[[]string](tab, `[...document.querySelectorAll("#rows tbody tr:nth-child(2) td")].filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)`); len(cut) > 0 {
		t.Errorf("texts that are cut: %q", cut)
	}
}

// A click on a value shows the rows that have it, and a click on that condition shows all again.
func TestRowsOfValue(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	recordSeeds(t, st, "many", 0, 20)
	base := serve(t, st)
	tab := outsidetest.NewTab(t)
	tab.View(1280, 900, "light")
	tab.Open(base + "/seeds?scenario=many")
	const rows = `document.querySelectorAll("#seeds tbody tr").length`
	outsidetest.Evaluate[bool](tab, `(document.querySelector('#seeds a.only[href*="error"]').click(), true)`)
	tab.Wait(rows + ` === 4 && location.search.includes("where.seeds=outcome%3Derror")`)
	outsidetest.Evaluate[bool](tab, `(document.querySelector("#seeds .chip").click(), true)`)
	tab.Wait(rows + ` === 20 && !location.search.includes("where")`)
}

// A page says of which scenarios and lineages it shows something, unless that may be all.
func TestPagesSayWhatTheyShow(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	base := serve(t, st)
	const all = ""
	for address, want := range map[string]string{
		"/": all, "/lineage/list": all, "/query?sql=SELECT+1": all, "/matrix?by=scenarios&label=theta-14": all, "/seeds": all,
		"/stability?scenario=growth_plus%40theta-14": `[null,"growth_plus"]`, "/show/seed?scenario=growth_plus%40theta-14&seed=0": `[null,"growth_plus"]`,
		"/sweep/show?sweep=01KE2Y54G0000000000000000S": `[null,"growth_plus"]`, "/lineage/show?lineage=l": `[null,"l"]`,
		"/compare?scenario=growth_plus%40bam-engine-0.10.2&scenario=growth_plus%40theta-14": `[null,"growth_plus"]`, "/gate?scenario=growth_plus": `[null,"growth_plus"]`,
	} {
		got := all
		if found := regexp.MustCompile(`<body data-events="[^"]*" data-shows="([^"]*)"`).FindStringSubmatch(get(t, base+address)); found != nil {
			got = html.UnescapeString(found[1])
		}
		if got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}

// Rows that are recorded while somebody reads are announced, and shown on a click. Nothing moves before.
func TestNewRowsAreAnnounced(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	spec := scoring.Spec{Scenario: "many", Metrics: []scoring.Metric{{Name: "a", Weight: 1, Target: scoring.Range{Max: 7}}}}
	if _, err := seeds.AddSpec(t.Context(), st, spec, nil); err != nil {
		t.Fatal(err)
	}
	recordSeeds(t, st, "many", 0, 40)
	base := serve(t, st)
	tab := outsidetest.NewTab(t)
	tab.View(1280, 500, "light")
	tab.Open(base + "/seeds?scenario=many")
	tab.Wait(`document.querySelector("#live").textContent === "live"`)
	outsidetest.Evaluate[bool](tab, `(document.querySelector(".scroll.long").scrollTop = 200, true)`)
	const fetches = `performance.getEntriesByType("resource").filter((one) => one.name === location.href).length`
	outsidetest.Evaluate[bool](tab, `(window.heard = 0, new EventSource("/api/v1/events").addEventListener("change", () => heard++), true)`)
	tab.Wait(`heard === 1`) // where the stream begins
	recordSeeds(t, st, "others", 0, 1)
	tab.Wait(`heard === 2`)
	recordSeeds(t, st, "many", 40, 3)
	tab.Wait(`document.querySelector("#news button")?.textContent.startsWith("3 new seeds")`)
	if top := outsidetest.Evaluate[int](tab, `document.querySelector(".scroll.long").scrollTop`); top != 200 {
		t.Errorf("the table moved to %d", top)
	}
	if n := outsidetest.Evaluate[int](tab, fetches); n != 1 {
		t.Errorf("the page was fetched %d times, although only one event named what it shows", n)
	}
	outsidetest.Evaluate[bool](tab, `(document.querySelector("#news button").click(), true)`)
	tab.Wait(`document.querySelector("#seeds tbody tr").dataset.href.includes("seed=42")`)
	recordSeeds(t, st, "many", 43, 1) // the reader is at the top
	tab.Wait(`document.querySelector("#seeds tbody tr").dataset.href.includes("seed=43")`)
	followsSweep(t, tab, st, base)
}

// followsSweep records seeds of a sweep whose page is open: what it shows changes, and the reader stays at the same
// place and keeps the focus, far from its top and at its top.
func followsSweep(t *testing.T, tab *outsidetest.Tab, st *store.Store, base string) {
	t.Helper()
	const sweep = "01KE2Y54G0000000000000000T"
	newest, err := st.NewestConfiguration(t.Context(), "many")
	if err != nil {
		t.Fatal(err)
	}
	planned := []track.PlannedSeeds{{Configuration: newest.Configuration, Seeds: track.SeedRanges{{First: 0, Last: 99}}}}
	if err := st.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.AddSweep(track.Sweep{ID: sweep, Scenario: "many", Plan: "{}", StartedAt: testdb.Clock(), Planned: planned})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	tab.View(1800, 300, "light")
	tab.Open(base + "/sweep/show?sweep=" + sweep)
	const recorded, heading, picture = `document.querySelector(".facts .number").textContent`, `document.querySelector("#heatmap h2").getBoundingClientRect().top`, `document.querySelector(".heatmap canvas").toDataURL()`
	tab.Wait(`document.querySelector("#live").textContent === "live" && document.querySelector(".heatmap canvas").width > 300 && ` + recorded + ` === "44"`)
	tab.Wait(`(document.querySelector(".heatmap canvas").focus({ preventScroll: true }), scrollTo(0, 150), scrollY === 150)`)
	tab.Press("End")
	tab.Wait(heatStatus + `.includes("seed 43: ")`)
	place, before := outsidetest.Evaluate[float64](tab, heading), outsidetest.Evaluate[string](tab, picture)
	recordSeeds(t, st, "many", 44, 1)
	tab.Wait(recorded + ` === "45" && document.querySelector(".heatmap").map.data.items[0].cells.length === 45`)
	if now := outsidetest.Evaluate[float64](tab, heading); now != place {
		t.Errorf("the heading moved from %v to %v", place, now)
	}
	if outsidetest.Evaluate[string](tab, picture) == before {
		t.Error("the heat map shows no new cell")
	}
	tab.Wait(`(scrollTo(0, 0), scrollY === 0)`)
	recordSeeds(t, st, "many", 45, 1)
	tab.Wait(recorded + ` === "46"`)
	if !outsidetest.Evaluate[bool](tab, `document.activeElement === document.querySelector(".heatmap canvas") && `+heatStatus+`.includes("seed 43: ") && document.querySelectorAll(".heatmap .tools").length === 1`) {
		t.Error("the reader is not at the cell where they were")
	}
	if complaints := tab.Complaints(base); len(complaints) > 0 {
		t.Errorf("complaints: %q", complaints)
	}
}
