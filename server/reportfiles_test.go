//go:build !race

package server_test

import (
	"net/http"
	"strings"
	"testing"

	"track/access"
	"track/answer"
	"track/ask"
)

// A report as files counts as an interim analysis, unless it is compared with files; it needs the scope to record one
// all the same, since whoever asks sees the verdict. Nothing in the request names a file of the server.
func TestReportFiles(t *testing.T) {
	s := serveReports(t, nil)
	reader, recorder := s.tokenFor(access.Read), s.tokenFor(access.Record)
	bound := s.token(access.Grant{Scopes: []access.Scope{access.Read, access.Record}, Scenarios: []access.Pattern{"growth"}})
	asked := 0
	for _, q := range ask.Exports() {
		if _, isReport := q.Zero.(answer.ReportFiles); !isReport {
			continue
		}
		asked++
		of := askedReports()[strings.TrimSuffix(q.Name, " files")]
		allowed, refused := reader, recorder
		if q.Writes {
			allowed, refused = recorder, reader
		}
		before := s.looks()
		for _, tt := range []struct {
			params string
			secret access.Secret
			accept string
			status int
		}{
			{"file=r.md&check=true", allowed, ask.Multipart, 200},
			{"file=r.html&check=true", refused, ask.Multipart, 403},
			{"file=r.md&check=true", allowed, "", 406},
			{"file=r.md&check=true", allowed, ask.HTML, 406},
			{"file=r.md&check=true", bound, ask.Multipart, map[bool]int{true: 200, false: 403}[of == "scenario=growth"]},
			{"file=../r.md", allowed, ask.Multipart, 400},
			{"file=/etc/passwd", allowed, ask.Multipart, 400},
			{"file=r.txt", allowed, ask.Multipart, 400},
			{"file=r.md&template=/etc/passwd", allowed, ask.Multipart, 400},
			{"file=r.md&output=/etc/passwd", allowed, ask.Multipart, 400},
		} {
			response, body := s.askFor(q, strings.TrimPrefix(of+"&"+tt.params, "&"), tt.secret, "Accept", tt.accept)
			if response.StatusCode != tt.status || tt.status == 200 && !strings.Contains(body, `{"n_files":`) {
				t.Errorf("%s %s as %q: %d, not %d: %.300s", q.Name, tt.params, tt.accept, response.StatusCode, tt.status, body)
			}
		}
		if after := s.looks(); after != before {
			t.Errorf("%s: %d looks are recorded by checks and refusals", q.Name, after-before)
		}
	}
	if asked != len(ask.Reports()) {
		t.Errorf("%d reports are files, not %d", asked, len(ask.Reports()))
	}
	q := ask.StabilityReport().Files().Question()
	before := s.looks()
	if response, body := s.askFor(q, "scenario=growth&file=r.md", recorder, "Accept", ask.Multipart); response.StatusCode != http.StatusOK || s.looks() == before {
		t.Errorf("no look is recorded: %d, %.300s", response.StatusCode, body)
	}
}
