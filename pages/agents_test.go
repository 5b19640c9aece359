package pages_test

import (
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"track"
	"track/answer"
	"track/ask"
	"track/internal/lineagetest"
	"track/internal/outsidetest"
	"track/internal/testdb"
	"track/store"
	"track/tracker/agents"
)

// hostile is a text that would run, close a tag, or end a script if a page took it for its own.
const hostile = `</script><script>window.hostile = 1</script><img src=x onerror="window.hostile = 1">"'&`

// evolved returns a lineage with accepted, rejected and open mutations, with hostile contents.
func evolved(t *testing.T) *store.Store {
	t.Helper()
	st := testdb.New(t)
	loop := lineagetest.New(t, st, nil)
	loop.Run("v001", 50, 60, 55)
	german := loop.Evolve("German", 70, 80, 75).Mutation.Child
	dutch := loop.Evolve("Dutch", 20, 10, 15).Mutation.Child
	french := loop.Evolve("French "+hostile, 90, 95, 99).Mutation.Child
	loop.Propose(lineagetest.Text("Latin"), answer.ProposeQuestion{Note: hostile})
	for version, costs := range map[string][]float64{"v001": {0.01, 0.02}, german: {0.05}, dutch: {0.03}, french: {0.06}} { // of executions that failed
		for _, cost := range costs {
			loop.Record(loop.Execution(version, func(e *track.Execution) { e.Status, e.Score, e.CostUSD = track.ExecutionError, nil, &cost }), false)
		}
	}
	return st
}

// traced returns the ids of two executions of many calls, of which some fail.
func traced(t *testing.T, st *store.Store, calls int) (ids []string) {
	t.Helper()
	for run := range 2 {
		prompt, e := "Fix it. "+hostile, track.Execution{Lineage: "traced", Version: "v1", Key: fmt.Sprint("run", run), Task: "t", Status: track.ExecutionOK, StartedAt: testdb.Clock()}
		output := "done"
		e.Prompt, e.Output = &prompt, &output
		for i := range calls {
			took, exit := time.Duration(i%7)*time.Second, 0
			text := strings.Repeat(fmt.Sprintf("line %d %s\n", i, hostile), 1+i%20)
			c := track.ToolCall{Tool: []string{"Read", "Bash", "Edit"}[i%3], Input: fmt.Sprintf(`{"n":%d}`, i), Output: &text, Exit: &exit, Duration: &took, Answered: true, StartedAt: testdb.Clock().Add(time.Duration(i) * time.Minute)}
			if i%50 == 30 || run == 1 && i == 5 {
				c.Error = "no such file " + hostile
			}
			if run == 1 && i == 9 {
				continue
			}
			if i%2 == 0 {
				n := int64(1000 + i)
				e.Requests = append(e.Requests, track.ModelRequest{Model: "m " + hostile, Tokens: &track.Tokens{Input: &n, CacheRead: &n, Output: &n}})
			}
			c.Request = len(e.Requests)
			e.Calls = append(e.Calls, c)
		}
		if err := st.Update(t.Context(), func(tx *store.Tx) error { return tx.SetKeepText("traced", true) }); err != nil {
			t.Fatal(err)
		}
		if _, err := agents.NewRecorder(st, agents.Options{}, rand.Reader).Record(t.Context(), []track.Execution{e}, false); err != nil {
			t.Fatal(err)
		}
	}
	listed, err := ask.Executions().Ask(t.Context(), ask.Source{Store: st}, answer.ExecutionsQuestion{Of: answer.LineageSelector{Lineage: "traced"}})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(listed.Items, func(a, b track.RecordedExecution) int { return strings.Compare(a.Key, b.Key) })
	for _, e := range listed.Items {
		ids = append(ids, e.ID)
	}
	return ids
}

// TestTreeByKeyboard walks a tree from the active version to its parent and back, and opens a version.
func TestTreeByKeyboard(t *testing.T) {
	t.Parallel()
	st := evolved(t)
	base := serve(t, st)
	tab := outsidetest.NewTab(t)
	tab.View(1280, 900, "light")
	tab.Open(base + "/lineage/tree?lineage=l")
	tab.Wait(`document.querySelector(".tree canvas") !== null && document.querySelector(".tree output").textContent !== ""`)
	said := func() string {
		return outsidetest.Evaluate[string](tab, `document.querySelector(".tree output").textContent`)
	}
	if !regexp.MustCompile(`^v\d+, active, fitness `).MatchString(said()) {
		t.Errorf("the tree begins at %q, not at the active version", said())
	}
	outsidetest.Evaluate[bool](tab, `(document.querySelector(".tree canvas").focus(), true)`)
	tab.Press("ArrowLeft")
	if !strings.Contains(said(), "accepted") {
		t.Errorf("the parent is %q", said())
	}
	tab.Press("ArrowRight")
	if !strings.Contains(said(), "active") {
		t.Errorf("the child on the path is %q", said())
	}
	tab.Press("+")
	tab.Press("0")
	tab.Press("Enter")
	tab.Wait(`document.querySelector("#panel")?.hidden === false`)
	if text := outsidetest.Evaluate[string](tab, `document.querySelector("#panel").textContent`); !strings.Contains(text, "replayed: the same") {
		t.Errorf("the panel does not say whether the decision replays: %s", text)
	}
	if marks := outsidetest.Evaluate[int](tab, `document.querySelectorAll("#panel .diff mark").length`); marks == 0 {
		t.Error("the difference marks no word")
	}
	checkPage(t, tab, base, "the tree with its panel")
	opened := tab.Address()
	if !strings.Contains(opened, "open.tree=") {
		t.Errorf("%s does not name the version that is open", opened)
	}
	tab.Open(base + opened)
	tab.Wait(`document.querySelector("#panel h2 a")?.href.includes("%40" + new URLSearchParams(location.search).get("open.tree"))`)
	if outsidetest.Evaluate[bool](tab, "window.hostile === 1") {
		t.Error("a content ran")
	}
	tab.Picture("tree-light")
}

// TestTracesByKeyboard jumps to what failed, also on a part of the trace that is not shown yet, and completes a text.
func TestTracesByKeyboard(t *testing.T) {
	t.Parallel()
	st := testdb.New(t)
	ids := traced(t, st, 450)
	base := serve(t, st)
	tab := outsidetest.NewTab(t)
	tab.View(1280, 900, "light")
	tab.Open(base + "/show/execution?id=" + ids[0])
	if n := outsidetest.Evaluate[int](tab, `document.querySelectorAll(".trace > li").length`); n > 400 {
		t.Errorf("the page begins with %d steps", n)
	}
	failed := outsidetest.Evaluate[int](tab, `document.querySelectorAll(".trace > .failed").length`)
	if open := outsidetest.Evaluate[int](tab, `document.querySelectorAll(".trace > .failed > details[open]").length`); open != failed || failed == 0 {
		t.Errorf("%d of %d failed steps are open", open, failed)
	}
	used := outsidetest.Evaluate[string](tab, `["#call-1", "#call-2"].map(id => document.querySelector(id + " .used").textContent).join(" | ") + " | " + document.querySelector(".run figcaption").textContent`)
	if !strings.HasPrefix(used, "request 1, model m ") || !strings.Contains(used, ": in 2,000 (cache 1,000), out 1,000 | same request as call 1 | ") || !strings.Contains(used, "tokens (read and written, also from a cache) below it") {
		t.Errorf("the steps say %q", used)
	}
	for range 9 {
		before := outsidetest.Evaluate[string](tab, "location.hash")
		tab.Press("n")
		tab.Wait(fmt.Sprintf(`location.hash !== %q && document.activeElement.closest(location.hash) !== null`, before))
	}
	if at := tab.Address(); !strings.Contains(at, "at.trace=call-431") {
		t.Errorf("after nine times n the page is at %s", at)
	}
	tab.Open(base + "/show/execution?id=" + ids[0])
	tab.Click("#call-31 .left a")
	tab.Wait(`document.querySelector("#call-31") !== null && document.querySelector("#call-31 .left") === null`)
	checkPage(t, tab, base, "a trace")
	if outsidetest.Evaluate[bool](tab, "window.hostile === 1") {
		t.Error("a text ran")
	}
	tab.Picture("trace-light")
	tab.Open(base + "/executions?lineage=traced")
	for _, key := range []string{"j", "x", "j", "x"} {
		tab.Press(key)
	}
	tab.Press("c")
	tab.Wait(`location.pathname === "/compare/executions"`)
	if text := outsidetest.Evaluate[string](tab, `document.querySelector("main").textContent`); !strings.Contains(text, "first difference: line 6") {
		t.Errorf("the comparison says %.300s", text)
	}
	checkPage(t, tab, base, "two executions")
	tab.Picture("executions-compared-light")
}

// TestTreeWithoutScript holds that a tree is a picture with links, and a table, for readers without scripts.
func TestTreeWithoutScript(t *testing.T) {
	t.Parallel()
	base := serve(t, evolved(t))
	response, err := http.Get(base + "/lineage/tree?lineage=l")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		`>accepted 2</text>`, `>rejected 1</text>`, `<a href="/version/show?version=l%40v004" tabindex="-1" aria-label="v004, active, fitness 67.09 (n = 3), delta +19.81, from v002 by by_hand">`,
		`data-name="versions"`,
	} {
		if !strings.Contains(string(page), part) {
			t.Errorf("the page lacks %s", part)
		}
	}
}
