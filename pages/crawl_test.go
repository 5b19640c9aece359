package pages_test

import (
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"track"
	"track/access"
	"track/answer"
	"track/internal/sample"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/tracker/lineages"
	"track/tracker/seeds"
	"track/tracker/tokens"
)

var linkPattern = regexp.MustCompile(`(?:href|data-href|src)="(/[^"#]*)`)

// crawled returns the address of a link without what only the view depends on; tabs are pages of their own.
func crawled(address string) string {
	path, query, _ := strings.Cut(html.UnescapeString(address), "?")
	in, err := url.ParseQuery(query)
	if err != nil {
		return address
	}
	for name := range in {
		if strings.Contains(name, ".") && name != "tab.page" {
			delete(in, name)
		}
	}
	return strings.TrimSuffix(path+"?"+in.Encode(), "?")
}

// mostOfKind returns how many addresses are opened that differ in the values of their parameters alone.
func mostOfKind() int {
	if testing.Short() {
		return 1
	}
	return 2
}

// kindOf returns an address without the values of its parameters, but for the tab. Scenarios and lineages are kinds of
// their own, since they differ in what is recorded.
func kindOf(address string) string {
	path, query, _ := strings.Cut(address, "?")
	in, err := url.ParseQuery(query)
	if err != nil {
		return address
	}
	for name, values := range in {
		scenario, _, _ := strings.Cut(values[0], "@")
		in.Set(name, map[string]string{"scenario": scenario, "lineage": values[0], "tab.page": values[0]}[name])
	}
	return path + "?" + in.Encode()
}

// Every link of every page leads to a page, beginning with the start page. The database also has what has little to
// show: a scenario without a spec, a spec without seeds, a lineage without a ledger, configurations that are ambiguous
// and one that is alone.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	for i, params := range []string{`{"x":1}`, `{"x":2}`} {
		seed := trackertest.Seed("undeclared", 1, map[string]float64{"a": float64(i)})
		seed.Configuration.Params = track.Params(params)
		trackertest.Record(t, st, seeds.Options{}, seed)
	}
	trackertest.AddSpec(t, st, trackertest.Ranges("unrun", [2]float64{0, 5}))
	trackertest.AddSpec(t, st, trackertest.Ranges("alone", [2]float64{0, 5}))
	started := trackertest.Seed("alone", 1, map[string]float64{"a": 1})
	started.StartedAt = testdb.Clock()
	trackertest.Record(t, st, seeds.Options{}, started)
	if _, err := lineages.RollBack(t.Context(), st, answer.RollbackQuestion{Lineage: "l", To: "v001", Reason: "the page shows it"}); err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Add(t.Context(), st, answer.AddTokenQuestion{Grant: access.Grant{Name: "ann", Scopes: []access.Scope{access.Read}}, Expires: time.Hour}); err != nil {
		t.Fatal(err)
	}
	traced(t, st, 12)
	recordSeries(t, st)
	base, files := serve(t, st), figureFiles{}
	from, opened, todo := map[string]string{"/": "the address bar"}, map[string]int{}, []string{"/", "/compare?scenario=growth_plus&scenario=growth_plus%40theta-14"}
	for len(todo) > 0 {
		address := todo[0]
		todo = todo[1:]
		if opened[kindOf(address)]++; opened[kindOf(address)] > mostOfKind() {
			continue
		}
		status, body := open(t, base+address)
		if status >= http.StatusBadRequest {
			t.Errorf("%s links to %s: %d", from[address], address, status)
		}
		files.check(t, base, address, body)
		checkTimes(t, address, body)
		checkDownloads(t, address, body)
		for _, found := range linkPattern.FindAllStringSubmatch(body, -1) {
			if next := crawled(found[1]); from[next] == "" {
				from[next] = address
				todo = append(todo, next)
			}
		}
	}
	// All configurations are counted, and the start page says so if a name alone means another one.
	home := get(t, base+"/")
	_, undeclared, _ := strings.Cut(home, ">undeclared</a>")
	row, _, _ := strings.Cut(undeclared, "</tr>")
	if !strings.Contains(row, "2 configurations") || !strings.Contains(home, "growth_plus alone means growth_plus@") {
		t.Errorf("the start page says of undeclared %q", row)
	}
	if !strings.Contains(home, `<td class="long">the newest configuration; growth_plus alone`) {
		t.Error("a long cell of the start page may not take several lines")
	}
	for address, want := range map[string]string{"/report/stability?scenario=growth_plus": `<a href="/stability?scenario=growth_plus%40`, "/matrix?by=configurations&scenario=grid": "theta=", "/stability?scenario=growth_plus%40theta-14": "Next: "} {
		if !strings.Contains(get(t, base+address), want) {
			t.Errorf("%s has no %s", address, want)
		}
	}
	seed := get(t, base+"/show/seed?scenario=growth_plus%40theta-14&seed=0")
	for _, want := range []string{`<dt>recorded</dt><dd><time datetime="`, `data-copy="track sweep --scenario `} {
		if !strings.Contains(seed, want) {
			t.Errorf("the page of a seed has no %s", want)
		}
	}
	if missing := files.missing(); len(missing) > 0 {
		t.Errorf("no page has the figures %q as files; it has %v", missing, files)
	}
	if len(opened) < 60 {
		t.Errorf("only %d kinds of pages were found", len(opened))
	}
}

// open returns the status of an address, and its text if it is a page.
func open(t *testing.T, address string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "text/html,image/*,*/*;q=0.8")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") {
		return response.StatusCode, ""
	}
	return response.StatusCode, string(body)
}
