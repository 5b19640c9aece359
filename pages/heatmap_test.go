package pages_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"testing"

	"track/importer/lines"
	"track/internal/outsidetest"
	"track/internal/sample"
	"track/internal/testdb"
	"track/scoring"
	"track/store"
	"track/tracker/exchange"
	"track/tracker/seeds"
)

const heatStatus = `document.querySelector(".heat-status").textContent`

// TestHeatMap goes from the heat map of a configuration to a seed: by keys, and by the table that stands in for it.
func TestHeatMap(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	base := serve(t, st)
	tab := outsidetest.NewTab(t)
	tab.View(1280, 900, "light")
	tab.Open(base + "/stability?scenario=growth_plus%40theta-14")
	tab.Wait(`document.querySelector(".heat-view canvas")?.width > 300`)
	tab.Wait(`(document.querySelectorAll(".heatmap .files a").length === 3)`)
	media := outsidetest.Evaluate[[]string](tab, `Promise.all([...document.querySelectorAll(".heatmap .files a")].map(async (a) => (await fetch(a.href)).headers.get("Content-Type")))`)
	if !slices.Equal(media, []string{"image/svg+xml", "text/csv; charset=utf-8", "application/json"}) {
		t.Errorf("the files of the heat map are %q", media)
	}
	outsidetest.Evaluate[bool](tab, `(document.querySelector(".heat-view canvas").focus(), true)`)
	for _, key := range []string{"ArrowRight", "ArrowRight", "ArrowDown"} {
		tab.Press(key)
	}
	tab.Wait(heatStatus + `.includes("seed 2: ") && ` + heatStatus + `.includes("value")`) // the numbers come a moment later
	tab.Press("Enter")
	tab.Wait(`location.pathname === "/show/seed" && location.search.includes("seed=2")`)
	recordSeeds(t, st, "growth_plus", 77, 1)
	tab.Open(base + "/matrix?scenario=growth_plus&by=configurations&order=failures")
	tab.Wait(`document.querySelector(".heat-view canvas")?.width > 300`)
	if open := outsidetest.Evaluate[bool](tab, `document.querySelector(".heat-cells").open`); open {
		t.Error("the table is open beside the canvas")
	}
	tab.Click(".heat-cells summary")
	tab.Wait(`document.querySelectorAll(".heat-cells tbody td").length === 4 * 11`)
	checkNotRun(t, tab)
	tab.Click(".heat-cells tbody td a[href$='seed=0']")
	tab.Wait(`location.pathname === "/show/seed" && location.search.includes("seed=0")`)
	if complaints := tab.Complaints(base); len(complaints) > 0 {
		t.Errorf("complaints: %q", complaints)
	}
}

// checkNotRun reads a seed that two of three configurations do not have: the legend, the words of its cell, its
// colour on the canvas and the table say so.
func checkNotRun(t *testing.T, tab *outsidetest.Tab) {
	t.Helper()
	const cell = `.heat-cells tbody tr td:last-child`
	if n := outsidetest.Evaluate[int](tab, `[...document.querySelectorAll("`+cell+`")].filter((one) => one.textContent === "not run" && one.className === "heat-absent").length`); n != 3 {
		t.Errorf("%d cells of the table are empty", n)
	}
	// The canvas shows the background there, whatever the cell before it is.
	others := outsidetest.Evaluate[[]string](tab, `(() => {
		const figure = document.querySelector(".heatmap"), data = JSON.parse(figure.querySelector("script").textContent), c = figure.querySelector("canvas").getContext("2d");
		const colour = (text) => text.match(/\d+/g).slice(0, 3).join(), others = [];
		data.items.forEach((row, r) => [...row.cells].forEach((cell, i) => {
			if (cell === "_") others.push(c.getImageData(280 + 24 * i + 3, 18 + 24 * r + 3, 1, 1).data.slice(0, 3).join());
		}));
		return others.filter((one) => one !== colour(getComputedStyle(document.body).backgroundColor)).concat(figure.querySelector('[data-cell="_"]')?.textContent ?? "no entry of the legend");
	})()`)
	if len(others) != 1 || others[0] != "not run" {
		t.Errorf("the canvas and the legend have %q", others)
	}
}

// printsWhole holds that paper has all seeds of a heat map, and its table only if it is open.
func printsWhole(t *testing.T, tab *outsidetest.Tab) {
	t.Helper()
	const width = `document.querySelector(".heat-view canvas").width / devicePixelRatio`
	seeds := outsidetest.Evaluate[float64](tab, `document.querySelector(".heatmap").map.data.seeds.length`)
	shown := outsidetest.Evaluate[float64](tab, `(dispatchEvent(new Event("beforeprint")), (`+width+` - document.querySelector(".heatmap").map.names) / document.querySelector(".heatmap").map.width)`)
	if shown < seeds-0.5 {
		t.Errorf("%.1f of %.0f seeds are printed", shown, seeds)
	}
	if wide := outsidetest.Evaluate[float64](tab, width); wide > 721 {
		t.Errorf("the printed heat map is %v pixels wide", wide)
	}
	outsidetest.Evaluate[bool](tab, `dispatchEvent(new Event("afterprint"))`)
	if wide := outsidetest.Evaluate[float64](tab, width); wide <= 721 {
		t.Errorf("after printing, the heat map is %v pixels wide", wide)
	}
}

// TestLargeHeatMap draws 10⁵ cells, and moves to the last one.
func TestLargeHeatMap(t *testing.T) {
	t.Parallel()
	const nSeeds, nMetrics = 1000, 100
	base := serve(t, newLarge(t, nSeeds, nMetrics, "v1"))
	tab := outsidetest.NewTab(t)
	tab.View(1280, 900, "light")
	tab.Open(base + "/stability?scenario=large")
	tab.Wait(`document.querySelector(".heat-view canvas")?.width > 300`)
	took := outsidetest.Evaluate[[]float64](tab, `(() => {
		const data = JSON.parse(document.querySelector(".heatmap script").textContent), began = performance.now();
		document.querySelector(".heat-view canvas").focus();
		return [data.items.length * data.seeds.length, performance.now() - began, performance.getEntriesByType("resource").filter((one) => one.name.includes("/api/v1/matrix")).length];
	})()`)
	if took[0] != nSeeds*nMetrics || took[2] != 0 {
		t.Errorf("%v cells, asked for %v times", took[0], took[2])
	}
	t.Logf("10⁵ cells: %.0f ms to draw", took[1])
	tab.Press("End")
	tab.Wait(heatStatus + `.includes("seed 999: ")`)
	tab.Picture("heatmap-large")
	printsWhole(t, tab)
}

// newLarge returns a database with many seeds of many metrics, under configurations with labels.
func newLarge(t *testing.T, nSeeds, nMetrics int, labels ...string) *store.Store {
	t.Helper()
	st := testdb.New(t)
	declared := scoring.Spec{Scenario: "large"}
	for k := range nMetrics {
		declared.Metrics = append(declared.Metrics, scoring.Metric{Name: fmt.Sprintf("metric_%02d", k), Weight: 1, Target: scoring.Range{Max: 10}})
	}
	if _, err := seeds.AddSpec(t.Context(), st, declared, nil); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	for n := range nSeeds * len(labels) {
		i, label := n%nSeeds, labels[n/nSeeds]
		var values []string
		for k := range nMetrics {
			values = append(values, fmt.Sprintf(`"metric_%02d":%d`, k, (i*i+k*k*k)%(13+k%7)))
		}
		fmt.Fprintf(&text, `{"kind":"seed","scenario":"large","seed":"%d","configuration":{"label":"%s"},"outcome":"ok","values":{%s}}`+"\n", i, label, strings.Join(values, ","))
	}
	recorder := seeds.NewRecorder(st, seeds.Options{}, rand.Reader)
	if summary, err := exchange.RecordAll(t.Context(), recorder, lines.Read("large", &text), exchange.BatchObserver{}); err != nil || summary.Recorded != nSeeds*len(labels) {
		t.Fatalf("%+v, %v", summary, err)
	}
	return st
}
