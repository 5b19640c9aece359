package pages_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"track/internal/sample"
)

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
