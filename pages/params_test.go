package pages_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"track/importer/lines"
	"track/internal/outsidetest"
	"track/internal/testdb"
	"track/scoring"
	"track/store"
	"track/tracker/exchange"
	"track/tracker/seeds"
)

// newGrid returns a database with a scenario of two parameters, of which one has a name that would run.
func newGrid(t *testing.T, name string) *store.Store {
	t.Helper()
	st := testdb.New(t)
	spec := scoring.Spec{Scenario: "grid", Metrics: []scoring.Metric{{Name: "m", Weight: 1, Target: scoring.Range{Max: 20}}}}
	if _, err := seeds.AddSpec(t.Context(), st, spec, nil); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	for _, theta := range []int{8, 10, 12} {
		for _, rule := range []string{"a", "b" + name} {
			for seed := range 3 {
				params, err := json.Marshal(map[string]any{"theta": theta, "rule" + name: rule})
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&text, `{"kind":"seed","scenario":"grid","seed":"%d","configuration":{"params":%s},"values":{"m":%d}}`+"\n", seed, params, theta+seed+len(rule)%3)
			}
		}
	}
	recorder := seeds.NewRecorder(st, seeds.Options{}, rand.Reader)
	if summary, err := exchange.RecordAll(t.Context(), recorder, lines.Read("grid", &text), exchange.BatchObserver{}); err != nil || summary.Recorded != 18 {
		t.Fatalf("%+v, %v", summary, err)
	}
	return st
}

// TestParameters shows parameters as columns, groups and filters by them, draws them, and compares two configurations.
// All of it stands in the address.
func TestParameters(t *testing.T) {
	t.Parallel()
	base := serve(t, newGrid(t, ""))
	page := get(t, base+"/params?scenario=grid")
	for _, part := range []string{`sort.ranking=-param.theta`, `group.ranking=rule`, `where.ranking=param.theta%3D12`, "mean score against theta", "mean score by theta and rule", "heatmap="} {
		if !strings.Contains(page, part) {
			t.Errorf("the page has no %s", part)
		}
	}
	if n := strings.Count(get(t, base+"/params?scenario=grid&where.ranking="+url.QueryEscape("param.theta=12")+"&part.page=ranking"), "<tr data-href"); n != 2 {
		t.Errorf("%d configurations have the theta 12, want 2", n)
	}
	grouped := get(t, base+"/params?scenario=grid&group.ranking=theta&part.page=ranking")
	if first, last := strings.Index(grouped, "theta = 8"), strings.Index(grouped, "theta = 12"); first < 0 || last < first {
		t.Errorf("the groups are not in the order of the numbers: %d and %d", first, last)
	}
	tab := outsidetest.NewTab(t)
	tab.View(1280, 900, "light")
	tab.Open(base + "/params?scenario=grid")
	for _, key := range []string{"j", "x", "j", "x", "c"} {
		tab.Press(key)
	}
	tab.Wait(`location.pathname === "/compare" && document.querySelector("#metrics details") !== null`)
	tab.Open(base + "/history?scenario=grid&group.history=rule")
	tab.Wait(`[...document.querySelectorAll("#history tr.group")].length === 2`)
	if complaints := tab.Complaints(base); len(complaints) > 0 {
		t.Errorf("complaints: %q", complaints)
	}
}

// TestHostileParameters opens pages with names of parameters that would run if a page took them for its own.
func TestHostileParameters(t *testing.T) {
	t.Parallel()
	base := serve(t, newGrid(t, hostile))
	tab := outsidetest.NewTab(t)
	for i, address := range []string{"/params?scenario=grid", "/history?scenario=grid", "/history?scenario=grid&group.history=" + url.QueryEscape("rule"+hostile), "/params?scenario=grid&plot=theta&by=" + url.QueryEscape("rule"+hostile)} {
		tab.View([]int64{360, 1280}[i%2], 900, []string{"light", "dark"}[i/2])
		tab.Open(base + address)
		checkPage(t, tab, base, address)
		if strings.Contains(address, "history") {
			tab.Wait(`document.querySelector(".linechart canvas")?.width > 100`)
		}
		if outsidetest.Evaluate[bool](tab, "window.hostile === 1") {
			t.Errorf("%s: a name ran", address)
		}
		checkWidth(t, tab, address)
	}
}
