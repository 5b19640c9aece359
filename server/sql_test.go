package server_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"track/access"
	"track/server"
)

const endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "

func queryPath(sql, more string) string {
	return "/api/v1/query?sql=" + url.QueryEscape(sql) + more
}

// What a reader may not see is 403, and wrong SQL 400. A token for some scenarios has no SQL.
func TestStatusesOfQueries(t *testing.T) {
	s := serve(t, nil)
	reader := s.tokenFor(access.Read)
	bound := s.token(access.Grant{Scopes: []access.Scope{access.Read}, Scenarios: []access.Pattern{"growth"}})
	for _, tt := range []struct {
		sql    string
		secret access.Secret
		status int
	}{
		{"SELECT scenario FROM v_seed", reader, http.StatusOK},
		{"SELECT * FROM token", reader, http.StatusForbidden},
		{"SELECT name FROM sqlite_master", reader, http.StatusForbidden},
		{"SELECT * FROM v_seed WHERE load_extension('x')", reader, http.StatusForbidden},
		{"SELECT * FROM v_sed", reader, http.StatusBadRequest},
		{"SELECT nosuch FROM v_seed", reader, http.StatusBadRequest},
		{"SELECT 1; SELECT 2", reader, http.StatusBadRequest},
		{"SELECT scenario FROM v_seed WHERE scenario = 'growth'", bound, http.StatusForbidden},
		{"SELECT 1", s.tokenFor(access.Record), http.StatusForbidden},
	} {
		for _, path := range []string{"/api/v1/query?sql=", "/query?sql=", "/download/query?as=text/csv&sql="} {
			if response, body := s.do(http.MethodGet, path+url.QueryEscape(tt.sql), tt.secret, ""); response.StatusCode != tt.status {
				t.Errorf("%s%s: %d, not %d: %s", path, tt.sql, response.StatusCode, tt.status, body)
			}
		}
	}
}

// A large answer is sent in pages, as one document; one that has not all rows says so at its end.
func TestLargeQueryIsSentInPages(t *testing.T) {
	s := serve(t, func(c *server.Config) { c.SQLTime = 5 * time.Minute }) // the race detector is slow
	reader := s.tokenFor(access.Read)
	ask := func(sql, more, accept string) (*http.Response, string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+queryPath(sql, more), nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+string(reader))
		request.Header.Set("Accept", accept)
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		text, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%d, %v", response.StatusCode, err)
		}
		return response, string(text)
	}
	response, text := ask(endless+"i FROM n LIMIT 25000", "&limit=0", "text/csv")
	if strings.Count(text, "\n") != 25001 || response.ContentLength != -1 || response.Trailer.Get("Track-Limited") != "" {
		t.Errorf("CSV: %d lines, length %d, trailer %v", strings.Count(text, "\n"), response.ContentLength, response.Trailer)
	}
	if response, _ = ask(endless+"i FROM n", "&limit=20000", "text/csv"); !strings.Contains(response.Trailer.Get("Track-Limited"), "more rows than the first 20000") {
		t.Errorf("limited CSV: trailer %v", response.Trailer)
	}
	// 70 values of a megabyte: the answer ends at its bound.
	megabyte := "'xxxxxxxxxx'"
	for range 5 {
		megabyte = "replace(" + megabyte + ", 'x', 'xxxxxxxxxx')"
	}
	_, text = ask(endless+megabyte+" AS a FROM n LIMIT 70", "&limit=0", "application/json")
	var got struct {
		Items     []any `json:"items"`
		LimitedTo int   `json:"limited_to"`
		Bounded   bool  `json:"bounded"`
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil || !got.Bounded || got.LimitedTo != len(got.Items) || len(got.Items) < 64 || len(got.Items) > 68 {
		t.Errorf("JSON: %d rows, limited to %d, bounded %t: %v", len(got.Items), got.LimitedTo, got.Bounded, err)
	}
}

// A query that takes too long is given up, and so is one whose answer was begun: it is cut off, and looks like no whole
// one.
func TestQueryIsGivenUp(t *testing.T) {
	s := serve(t, func(c *server.Config) { c.SQLTime = 300 * time.Millisecond })
	reader := s.tokenFor(access.Read)
	if response, body := s.do(http.MethodGet, queryPath(endless+"count(*) FROM n", ""), reader, ""); response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("%d: %s", response.StatusCode, body)
	}
	if response, body := s.do(http.MethodGet, "/query?sql="+url.QueryEscape(endless+"count(*) FROM n"), reader, ""); response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("the page: %d: %s", response.StatusCode, body)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+queryPath(endless+"i FROM n WHERE i < 10010 OR i > 1000000000", "&limit=0"), nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+string(reader))
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode == http.StatusOK {
		if text, err := io.ReadAll(response.Body); err == nil {
			t.Errorf("an answer that was given up ends as a whole one: %d bytes", len(text))
		}
	}
}

// What a person downloads in a browser, no spreadsheet computes. What a program asks for has the cells as they are.
func TestDownloadsAreSafeForSpreadsheets(t *testing.T) {
	s := serve(t, nil)
	reader := s.tokenFor(access.Read)
	sql := url.QueryEscape("SELECT '=1+1' AS a, '-2.5' AS b, '@x' AS c")
	for path, want := range map[string]string{"/download/query?as=text/csv&sql=": "'=1+1,-2.5,'@x", "/api/v1/query?sql=": "=1+1,-2.5,@x"} {
		if _, body := s.do(http.MethodGet, path+sql, reader, "", "Accept", "text/csv"); !strings.Contains(body, "\n"+want+"\n") {
			t.Errorf("%s: %q, want %q", path, body, want)
		}
	}
}

// Figures of the whole server are for tokens that are not bound.
func TestMetricsAreForUnboundTokens(t *testing.T) {
	s := serve(t, nil)
	bound := s.token(access.Grant{Scopes: []access.Scope{access.Read}, Scenarios: []access.Pattern{"growth"}})
	for secret, status := range map[access.Secret]int{bound: http.StatusForbidden, s.tokenFor(access.Read): http.StatusOK} {
		if response, body := s.do(http.MethodGet, "/metrics", secret, ""); response.StatusCode != status {
			t.Errorf("%d, not %d: %s", response.StatusCode, status, body)
		}
	}
}
