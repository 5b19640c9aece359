package server_test

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"track/access"
	"track/answer"
	"track/server"
)

const (
	seedLine      = `{"kind":"seed","scenario":"growth","seed":"100","values":{"a":1},"configuration":{"label":"sent"}}` + "\n"
	executionLine = `{"kind":"execution","lineage":"l","version":"v1","task":"t","key":"1","message":"m"}` + "\n"
)

func TestLines(t *testing.T) {
	s := serve(t, nil)
	recorder := s.tokenFor(access.Record)
	secretFile := filepath.Join(t.TempDir(), "secret.csv")
	if err := os.WriteFile(secretFile, []byte("u\n1\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, body string
		secret     access.Secret
		status     int
		part       string
	}{
		{"facts", seedLine + executionLine, recorder, 200, `"recorded":2,"executions":1,"duplicates":0`},
		{"facts again", seedLine + executionLine, recorder, 200, `"recorded":0,"duplicates":2`},
		{"other values", strings.Replace(seedLine, `"a":1`, `"a":2`, 1), recorder, 200, `"conflicts":1`},
		{"a bad line among good ones", "{\n" + strings.Replace(seedLine, "100", "101", 1), recorder, 200, `"recorded":1,"duplicates":0,"conflicts":0,"rejected":1`},
		{"a file of the server", strings.Replace(seedLine, `"values"`, `"series_file":"`+secretFile+`","values"`, 1), recorder, 200, "lines that are sent name no files"},
		{"another file of the server", strings.Replace(seedLine, `"values"`, `"artifacts":["`+secretFile+`"],"values"`, 1), recorder, 200, "lines that are sent name no files"},
		{"a withdrawal", `{"kind":"withdrawal","id":"01ARZ3NDEKTSV4RRFFQ69G5FAV","scenario":"growth","action":"withdrawn","what":"seed"}` + "\n", recorder, 200, `"rejected":1`},
		{"a lineage", `{"kind":"lineage","name":"l"}` + "\n", recorder, 200, `"rejected":1`},
		{"for others", seedLine + executionLine, s.token(access.Grant{Scopes: []access.Scope{access.Record}, Scenarios: []access.Pattern{"other"}}), 200, `"rejected":2`},
		{"for this one", seedLine + executionLine, s.token(access.Grant{Scopes: []access.Scope{access.Record}, Scenarios: []access.Pattern{"gro*"}}), 200, `"duplicates":1,"conflicts":0,"rejected":1`},
		{"a reader", seedLine, s.tokenFor(access.Read), 403, "it needs the scope record"},
		{"nothing", "", recorder, 200, `"recorded":0`},
	} {
		response, body := s.do(http.MethodPost, server.LinesPath, tt.secret, tt.body)
		if response.StatusCode != tt.status || !strings.Contains(body, tt.part) {
			t.Errorf("%s: %d: %s", tt.name, response.StatusCode, body)
		}
	}
}

// Of many bad lines, the answer has the reasons of the first ones and the numbers of the others.
func TestLinesManyProblems(t *testing.T) {
	s := serve(t, nil)
	_, body := s.do(http.MethodPost, server.LinesPath, s.tokenFor(access.Record), strings.Repeat(`{"kind":"seed","scenario":"growth","seed":"x"}`+"\n", 3000)+seedLine)
	var a answer.RecordedLines
	if err := answer.Decode(strings.NewReader(body), &a); err != nil {
		t.Fatal(err)
	}
	if len(a.Errors) != 50 || a.ErrorsOmitted != 2950 || len(a.Unlisted) != 2950 || a.Unlisted[0] != 51 || a.Unlisted[2949] != 3000 || a.Rejected != 3000 || a.Recorded != 1 {
		t.Errorf("%d with reasons, %d without, %d numbers, %d rejected, %d recorded", len(a.Errors), a.ErrorsOmitted, len(a.Unlisted), a.Rejected, a.Recorded)
	}
	if len(body) > 32<<10 {
		t.Errorf("the answer has %d bytes", len(body))
	}
}

// Bombs and endless bodies are given up.
func TestLinesLimits(t *testing.T) {
	s := serve(t, func(c *server.Config) { c.NoAuth = true })
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	for range 160 {
		if _, err := z.Write(make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	long := strings.TrimSuffix(seedLine, "\n") + strings.Repeat(" ", 1<<20) + "\n" // few lines are soon recorded
	for _, tt := range []struct {
		name, body, encoding string
		status               int
	}{
		{"a bomb", bomb.String(), "gzip", 413},
		{"no gzip", seedLine, "gzip", 400},
		{"cut off", bomb.String()[:bomb.Len()/4], "gzip", 400},
		{"another encoding", seedLine, "br", 400},
		{"too large", strings.Repeat(long, 73<<20/len(long)), "", 413},
	} {
		response, body := s.do(http.MethodPost, server.LinesPath, "", tt.body, "Content-Encoding", tt.encoding)
		if response.StatusCode != tt.status {
			t.Errorf("%s: %d: %.300s", tt.name, response.StatusCode, body)
		}
	}
}
