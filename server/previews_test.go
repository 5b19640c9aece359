//go:build !race

package server_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"track/access"
	"track/ask"
)

// The page of a report that judges seeds is a preview: it records no look, and has no verdict that would be one.
func TestPreviewsOfReports(t *testing.T) {
	s := serveReports(t, nil)
	reader := s.tokenFor(access.Read)
	// What only a recorded report says.
	verdicts := map[string]string{
		"report stability": `seeds?; rules: `, "report scenario": `seeds?; rules: |degraded`, "report index": `seeds?; rules: `,
		"report improvement": `degraded|(<strong>|\*\*)(PASS|WARN|FAIL|INCONCLUSIVE)|the candidate is (better|worse)|do not show which`,
	}
	previewed := 0
	for _, q := range ask.Reports() {
		if !q.Notes {
			continue
		}
		previewed++
		address := "/" + q.Path + "?" + askedReports()[q.Name]
		for _, file := range []string{"", "&file.page=preview.html", "&file.page=preview.md"} {
			response, body := s.do(http.MethodGet, address+file, reader, "", "Accept", "text/html")
			_, main, _ := strings.Cut(body, `id="main"`)
			if file != "" {
				main = body
			}
			if response.StatusCode != http.StatusOK || !strings.Contains(main, "This is a preview: it records no interim analysis") {
				t.Errorf("%s%s: %d, %.300s", address, file, response.StatusCode, main)
			}
			if found := regexp.MustCompile(verdicts[q.Name]).FindString(main); found != "" || verdicts[q.Name] == "" {
				t.Errorf("%s%s says %q", address, file, found)
			}
		}
		_, page := s.do(http.MethodGet, address, reader, "", "Accept", "text/html")
		if !strings.Contains(page, "It is recorded as an interim analysis:") || strings.Contains(page, "/download/"+q.Path) {
			t.Errorf("%s: the page does not say which command records a look, or links to an answer that does", address)
		}
	}
	if n := s.looks(); n != 0 || previewed != 4 {
		t.Errorf("%d looks are recorded by %d previews", n, previewed)
	}
	for _, q := range ask.Reports() {
		if _, body := s.askFor(q, askedReports()[q.Name], s.tokenFor(access.Record), "Accept", "text/html"); q.Notes && !regexp.MustCompile(verdicts[q.Name]).MatchString(body) {
			t.Errorf("%s, recorded, has none of the verdicts", q.Name)
		}
	}
}
