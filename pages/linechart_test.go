package pages_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"track/importer/lines"
	"track/internal/outsidetest"
	"track/internal/sample"
	"track/store"
	"track/tracker/exchange"
	"track/tracker/seeds"
)

// words is what stands below a chart.
const words = `document.querySelector(".linechart output").textContent`

// TestLineCharts reads values from the history of a scenario: by the pointer, by keys, and with a part enlarged, which
// the address keeps.
func TestLineCharts(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	base := serve(t, st)
	tab := outsidetest.NewTab(t)
	tab.View(1280, 900, "light")
	tab.Open(base + "/history?scenario=growth_plus")
	tab.Wait(`document.querySelector(".linechart canvas")?.width > 300`)
	tab.Wait(words + `.includes("95% t interval") && ` + words + `.includes("n = 10")`)
	last := outsidetest.Evaluate[string](tab, words)
	outsidetest.Evaluate[bool](tab, `(document.querySelector(".u-over").focus(), true)`)
	tab.Press("ArrowLeft")
	tab.Wait(words + ` !== ` + quoted(last))
	tab.Press("ArrowRight")
	tab.Wait(words + ` === ` + quoted(last))
	tab.Press("+")
	tab.Wait(`location.search.includes("zoom.chart-picture=")`)
	tab.Open(base + tab.Address())
	tab.Wait(`document.querySelector(".linechart canvas")?.width > 300 && location.search.includes("zoom.")`)
	tab.Click(`.linechart button[title="Show all"]`)
	tab.Wait(`!location.search.includes("zoom.")`)
	if shown := outsidetest.Evaluate[bool](tab, `getComputedStyle(document.querySelector(".still")).display === "none"`); !shown {
		t.Error("the picture stays beside the chart")
	}
	outsidetest.Evaluate[bool](tab, `(document.querySelector(".u-over").focus(), true)`)
	tab.Press("Home")
	tab.Press("Enter")
	tab.Wait(`location.pathname === "/stability"`)
	recordSeries(t, st)
	tab.Open(base + "/series/bands?scenario=waves")
	tab.Wait(`document.querySelector(".linechart canvas")?.width > 300`)
	if legend := outsidetest.Evaluate[string](tab, `[...document.querySelectorAll(".plot-key button")].map((key) => key.textContent).join()`); legend != "smallest to largest,quartiles,median" {
		t.Errorf("the legend of bands names %s", legend)
	}
	hidesLine(t, tab, "smallest to largest")
	choosesLines(t, tab)
	if complaints := tab.Complaints(base); len(complaints) > 0 {
		t.Errorf("complaints: %q", complaints)
	}
}

// TestChartsOfLineages reads the score of a candidate, and a name that would run stays a text.
func TestChartsOfLineages(t *testing.T) {
	t.Parallel()
	base := serve(t, evolved(t))
	tab := outsidetest.NewTab(t)
	tab.View(1280, 900, "dark")
	tab.Open(base + "/lineage/show?lineage=l")
	tab.Wait(`document.querySelector(".linechart canvas")?.width > 300 && ` + words + `.includes("mutation 4")`)
	outsidetest.Evaluate[bool](tab, `(document.querySelector(".u-over").focus(), true)`)
	tab.Press("ArrowLeft")
	tab.Wait(words + `.includes("accepted, active, score ")`)
	for _, violation := range tab.Violations() {
		t.Error(violation)
	}
	outsidetest.Evaluate[bool](tab, `(document.querySelector("#front-chart").scrollIntoView(), true)`)
	tab.Picture("front-lineage")
	tab.Open(base + "/lineage/front?lineage=l")
	tab.Wait(`document.querySelector(".linechart canvas")?.width > 300 && ` + words + `.includes(", n = ")`)
	if outsidetest.Evaluate[bool](tab, `document.body.textContent.includes("other objectives") || !document.querySelector("#objectives a")`) {
		t.Error("other objectives are named beside the links to them")
	}
	hidesLine(t, tab, "not on the front")
	outsidetest.Evaluate[bool](tab, `(document.querySelector(".u-over").focus(), true)`)
	tab.Press("Home")
	tab.Wait(words + `.includes("v001, the root, on the front: ") && ` + words + `.includes(" 0.01500, 95% t interval ") && ` + words + `.includes(" score 33.00, 95% t interval ")`)
	tab.Press("ArrowRight")
	tab.Wait(words + `.includes(", not on the front: ") && ` + words + `.includes(" 0.03000, n = 1; ") && ` + words + `.includes(" score 11.25")`)
	// The pointer goes to the nearest point in both directions, not to the one with the nearest cost.
	tab.Wait(`(() => {
		const over = document.querySelector(".u-over"), at = over.getBoundingClientRect(), put = (x, y) => over.dispatchEvent(new MouseEvent("mousemove", {clientX: at.left + x * at.width, clientY: at.top + y * at.height, movementX: 1, bubbles: true}));
		over.dispatchEvent(new MouseEvent("mouseenter")); put(0.54, 0.27);
		return ` + words + `.includes("score 56.25");
	})()`)
	for _, violation := range tab.Violations() {
		t.Error(violation)
	}
	tab.Picture("front")
	tab.Open(base + "/lineage/history?lineage=l")
	tab.Wait(`document.querySelector(".linechart canvas")?.width > 300 && ` + words + `.includes("n = 3")`)
	if complaints := tab.Complaints(base); len(complaints) > 0 {
		t.Errorf("complaints: %q", complaints)
	}
	if ran := outsidetest.Evaluate[bool](tab, "window.hostile === 1"); ran {
		t.Error("a text ran")
	}
}

// The data of large charts are apart from their page, and only pages with charts load uPlot.
func TestChartData(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	base := serve(t, st)
	history := get(t, base+"/history?scenario=growth_plus")
	for _, part := range []string{`"words":["bam-engine-0.10.2`, "/assets/uplot.js?v=", "/assets/uplot.css?v="} {
		if !strings.Contains(history, part) {
			t.Errorf("the page of a history has no %s", part)
		}
	}
	if home := get(t, base+"/"); strings.Contains(home, "uplot") {
		t.Error("the home page loads uPlot")
	}
}

func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"` }

// The files of uPlot are those of its package on npm. make uplot compares them with the package.
func TestUPlot(t *testing.T) {
	t.Parallel()
	const folder = "assets/vendor/uplot"
	sums, err := os.ReadFile(filepath.Join(folder, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(sums)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if is := sha256.Sum256(content); hex.EncodeToString(is[:]) != sum {
			t.Errorf("%s is not the one of the package", name)
		}
	}
	if licence := string(asset(t, "uplot-licence.txt")); !strings.Contains(licence, "The MIT License") {
		t.Error("the licence is not served")
	}
}

// recordSeries records four seeds with a series of which no two meet.
func recordSeries(t *testing.T, st *store.Store) {
	t.Helper()
	var text strings.Builder
	for seed := range 4 {
		fmt.Fprintf(&text, `{"kind":"seed","scenario":"waves","seed":"%d","values":{"a":1},"series":{"u":[%d,%d,%d]}}`+"\n", seed, 10*seed, 10*seed+2, 10*seed+1)
	}
	recorder := seeds.NewRecorder(st, seeds.Options{}, rand.Reader)
	if summary, err := exchange.RecordAll(t.Context(), recorder, lines.Read("waves", strings.NewReader(text.String())), exchange.BatchObserver{}); err != nil || summary.Recorded != 4 {
		t.Fatalf("%+v, %v", summary, err)
	}
}

// drawing returns what the chart of the page shows after the next frames.
func drawing(tab *outsidetest.Tab) string {
	return outsidetest.Evaluate[string](tab, `new Promise((told) => requestAnimationFrame(() => requestAnimationFrame(() => told(document.querySelector(".linechart canvas").toDataURL()))))`)
}

// choosesLines chooses lines by keys, with and without the pointer before: the words and the drawing are of the same
// line.
func choosesLines(t *testing.T, tab *outsidetest.Tab) {
	t.Helper()
	outsidetest.Evaluate[bool](tab, `(document.querySelector(".u-over").focus(), true)`)
	seen := map[string]string{}
	check := func(key string) {
		t.Helper()
		tab.Press(key)
		picture := drawing(tab)
		_, line, _ := strings.Cut(outsidetest.Evaluate[string](tab, words), "; ")
		line, _, _ = strings.Cut(line, ":")
		if before, known := seen[line]; known && before != picture {
			t.Errorf("%s chooses %q, but it is drawn otherwise than before", key, line)
		}
		for other, drawn := range seen {
			if other != line && drawn == picture {
				t.Errorf("%s chooses %q, but %q is drawn", key, line, other)
			}
		}
		seen[line] = picture
	}
	for _, key := range []string{"End", "ArrowUp", "ArrowUp", "ArrowDown", "ArrowDown"} {
		check(key)
	}
	outsidetest.Evaluate[bool](tab, `(() => { const over = document.querySelector(".u-over"), at = over.getBoundingClientRect();
		over.dispatchEvent(new MouseEvent("mouseenter"));
		return over.dispatchEvent(new MouseEvent("mousemove", { clientX: at.right - 2, clientY: at.top + at.height / 2, movementX: 1, bubbles: true })); })()`)
	for _, key := range []string{"ArrowUp", "ArrowUp", "ArrowDown"} {
		check(key)
	}
	if len(seen) < 3 {
		t.Errorf("the keys choose among %d lines", len(seen))
	}
}

// hidesLine hides a line by its entry in the legend, and shows it again by the keyboard.
func hidesLine(t *testing.T, tab *outsidetest.Tab, label string) {
	t.Helper()
	key := fmt.Sprintf(`[...document.querySelectorAll(".plot-key button")].find((key) => key.textContent === %q)`, label)
	before := drawing(tab)
	outsidetest.Evaluate[bool](tab, `(`+key+`.click(), true)`)
	tab.Wait(key + `.ariaPressed === "false"`)
	if drawing(tab) == before {
		t.Errorf("%s is not hidden", label)
	}
	outsidetest.Evaluate[bool](tab, `(`+key+`.focus(), true)`)
	tab.Press("Enter")
	tab.Wait(key + `.ariaPressed === "true"`)
	if drawing(tab) != before {
		t.Errorf("%s is not shown as before", label)
	}
}
