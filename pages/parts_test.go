package pages_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"track"
	"track/answer"
	"track/ask"
	"track/internal/lineagetest"
	"track/internal/outsidetest"
	"track/internal/sample"
	"track/internal/testdb"
	"track/pages"
	"track/reports/document"
	"track/store"
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
	const address, report = "/lineage/show?lineage=l", "Cost and identity"
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

// countedAnswer counts how often its tables are made.
type countedAnswer struct{ made *int }

func (countedAnswer) Lead() []answer.Sentence { return nil }

func (a countedAnswer) Tables() []answer.Table {
	*a.made++
	rows := make([][]any, 1000)
	for i := range rows {
		rows[i] = []any{i}
	}
	return []answer.Table{{Name: "rows", Columns: answer.Columns{{Name: "i"}}, Rows: rows}}
}

// oneAnswer answers each question with the same, and keeps what is kept.
type oneAnswer struct {
	answer answer.Answer
	asked  *int
	kept   map[string]answer.Answer
}

func (o oneAnswer) Ask(context.Context, ask.Question, url.Values) (answer.Answer, error) {
	*o.asked++
	return o.answer, nil
}

func (oneAnswer) Compose(context.Context, ask.Question, url.Values) (document.Document, error) {
	return document.Document{}, nil
}

func (o oneAnswer) Kept(key string) (answer.Answer, bool) {
	a, found := o.kept[key]
	return a, found
}

func (o oneAnswer) Keep(key string, a answer.Answer) { o.kept[key] = a }

// The tables of a long answer are made once, however many pages of its rows are read.
func TestTablesAreMadeOnce(t *testing.T) {
	t.Parallel()
	made, asked := 0, 0
	from := oneAnswer{countedAnswer{&made}, &asked, map[string]answer.Answer{}}
	for _, p := range pages.All() {
		if p.Path != "/query" {
			continue
		}
		for _, row := range []string{"0", "100", "200"} {
			in := url.Values{"sql": {"SELECT 1"}, "from.rows": {row}, "part.page": {"rows"}}
			if err := p.Write(t.Context(), io.Discard, pages.Request{Asker: from, Keeper: from, In: in}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if made != 1 || asked != 1 {
		t.Errorf("the tables were made %d times for %d answers, want once for one", made, asked)
	}
}

// get returns a page as a browser without scripts gets it.
func get(t *testing.T, address string) string {
	t.Helper()
	response, err := http.Get(address) //nolint:noctx // a server of this test
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// The heading of a page is a name. What an answer says more stands below it, and its parameters are folded.
func TestHeadingIsName(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	base := serve(t, st)
	for _, address := range []string{"/stability?scenario=growth_plus@theta-14", "/history?scenario=growth_plus", "/lineage/show?lineage=l"} {
		_, rest, _ := strings.Cut(get(t, base+address), "<h1>")
		heading, _, found := strings.Cut(rest, "</h1>")
		if !found || heading == "" || len(heading) > 60 || strings.Contains(heading, "{") {
			t.Errorf("%s: the heading is %q", address, heading)
		}
	}
}

// A page without an answer offers neither its command nor its downloads; one with an answer offers both at its top.
func TestActions(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	base := serve(t, st)
	for address, want := range map[string]bool{"/stability": false, "/stability?scenario=growth_plus": true} {
		head, _, _ := strings.Cut(get(t, base+address), "<section")
		for _, id := range []string{`id="as-command"`, `id="downloads"`} {
			if strings.Contains(head, id) != want {
				t.Errorf("%s: %s is at the top: %v, want %v", address, id, !want, want)
			}
		}
	}
}

// A term is explained on the page that uses it, without a script.
func TestTerms(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	base := serve(t, st)
	page := get(t, base+"/seeds?scenario=growth_plus")
	if n := strings.Count(page, `id="term-score"`); n != 1 || !strings.Contains(page, `popovertarget="term-score"`) {
		t.Errorf("score is explained %d times", n)
	}
	if !strings.Contains(page, `<a href="/terms#score">`) || !strings.Contains(get(t, base+"/terms"), `<div id="score"><dt>score</dt><dd>Of a metric: `) {
		t.Error("what explains the score does not lead to its entry")
	}
}

var (
	// timed is what may hold a time as it is: an element of a time, code, and what a script reads.
	timed    = regexp.MustCompile(`(?s)<(time|pre|code|script|textarea)\b.*?</(time|pre|code|script|textarea)>|<span class="help".*?</span>|<[^>]*>`)
	bareTime = regexp.MustCompile(`.{0,40}(20\d\d-\d\d-\d\dT|20\d\d-\d\d-\d\d \d\d:\d\d|\d\d:\d\d UTC).{0,20}`)
)

// checkTimes reports times of a page that a script cannot show in the reader's zone.
func checkTimes(t *testing.T, page, body string) {
	t.Helper()
	for _, found := range bareTime.FindAllString(timed.ReplaceAllString(body, "¦"), -1) {
		t.Errorf("%s: a time that is no <time>: %q", page, found)
	}
}

// A list without rows names the commands that would fill it, with the names of what is recorded. One that is filtered
// does not: the rows may be elsewhere.
func TestEmptyListsTeach(t *testing.T) {
	t.Parallel()
	st := testdb.New(t)
	base := serve(t, st)
	for address, want := range map[string]string{
		"/sweep/list": "track sweep --scenario growth_plus --seeds 0..9 -- python simulate.py --seed {seed}", "/executions": "track record execution --lineage sepa --version v001 --events executions.jsonl",
	} {
		if page := get(t, base+address); !strings.Contains(page, want) {
			t.Errorf("%s does not say %q", address, want)
		}
	}
	err := st.Update(t.Context(), func(tx *store.Tx) error {
		seed := track.Seed{Scenario: "my waves", Number: 1, Outcome: track.OutcomeOK, Values: map[string]float64{"a": 1}}
		_, _, err := tx.AddSeed(seed, seed.Digest())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if page := get(t, base+"/sweep/list"); !strings.Contains(page, "track sweep --scenario &#39;my waves&#39; --seeds 0..9") {
		t.Errorf("the list of sweeps does not name the scenario that is recorded")
	}
	if page := get(t, base+"/sweep/list?scenario=other"); strings.Contains(page, "To begin") {
		t.Error("a list of one scenario teaches")
	}
}
