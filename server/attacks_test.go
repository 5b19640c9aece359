//go:build !race

package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"track/answer"
	"track/ask"
	"track/server"
)

// Whatever a parameter holds is text: no file is read or written for it (MLflow CVE-2023-1177, CVE-2024-8859,
// CVE-2025-11201, CVE-2026-2614), nothing is fetched (MLflow CVE-2026-2393), and no command runs (Ray CVE-2023-48022).
func TestParametersAreText(t *testing.T) {
	var fetched atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { fetched.Add(1) }))
	t.Cleanup(other.Close)
	dir := t.TempDir()
	const content = "what-only-the-file-holds"
	file, made := filepath.Join(dir, "secret.yaml"), filepath.Join(dir, "made")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	texts := []string{
		file, "file://" + file, "@" + file, "../../../../../../../../.." + file, made, "-o" + made,
		other.URL + "/x", "$(touch " + made + ")", "; touch " + made + " #", "| touch " + made,
	}
	s := serve(t, func(c *server.Config) { c.NoAuth = true })
	asked := 0
	for _, route := range server.Routes(ask.All()) {
		if route.Question == nil {
			continue
		}
		for _, p := range route.Question.Params {
			for _, text := range texts {
				values := url.Values{}
				for _, other := range route.Question.Params {
					if other.Required {
						values.Set(other.Name, "growth")
					}
				}
				values.Set(p.Name, text)
				path, body := route.Pattern, values.Encode()
				if route.Method == http.MethodGet {
					path, body = route.Pattern+"?"+body, ""
				}
				response, answered := s.do(route.Method, path, "", body, form...)
				if response.StatusCode >= 500 || strings.Contains(answered, content) {
					t.Errorf("%s %s %s: %d: %s", route.Method, path, body, response.StatusCode, answered)
				}
				asked++
			}
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 || fetched.Load() != 0 || asked < 1000 {
		t.Errorf("after %d requests: files %v, %d fetched, %v", asked, entries, fetched.Load(), err)
	}
}

// No path of a request leads to a file, whatever it climbs over (MLflow CVE-2023-6831, Aim CVE-2024-8769).
func TestNoPathIsAFile(t *testing.T) {
	s := serve(t, func(c *server.Config) { c.NoAuth = true })
	for _, path := range []string{
		"/etc/passwd", "/../../../../etc/passwd", "/api/v1/../../../../etc/passwd", "/api/v1/..%2f..%2f..%2fetc%2fpasswd", "/api/v1/%2e%2e/%2e%2e/etc/passwd",
		"/api/v1/artifact/show/../../../etc/passwd", "/static/../server.go", "/.track/track.db", "/" + strings.TrimPrefix(s.store.Path(), "/"),
	} {
		for _, method := range methods() {
			response, body := s.do(method, path, "", "", form...)
			if code := response.StatusCode; code == http.StatusOK || code >= 500 || strings.Contains(body, "root:") || strings.Contains(body, "SQLite format") {
				t.Errorf("%s %s: %d: %.200s", method, path, code, body)
			}
		}
	}
}

// A page has a largest size, which no parameter raises; the rest follows (MLflow CVE-2025-0453).
func TestPageCaps(t *testing.T) {
	s := serve(t, func(c *server.Config) { c.NoAuth = true })
	var many strings.Builder
	for i := range answer.MaxPage + 3 {
		fmt.Fprintf(&many, `{"kind":"seed","scenario":"many","seed":"%d","outcome":"error","configuration":{"commit":"c"}}`+"\n", i)
		fmt.Fprintf(&many, `{"kind":"execution","lineage":"many","version":"v1","task":"t","key":"%d"}`+"\n", i)
	}
	if response, body := s.do(http.MethodPost, server.LinesPath, "", many.String()); response.StatusCode != http.StatusOK || !strings.Contains(body, `"rejected":0`) {
		t.Fatalf("%d: %.200s", response.StatusCode, body)
	}
	for _, path := range []string{"/api/v1/seeds?scenario=many", "/api/v1/executions?lineage=many"} {
		for _, limit := range []string{"0", "1001", "1000000000000"} {
			_, body := s.do(http.MethodGet, path+"&limit="+limit, "", "", "Accept", "application/json")
			var page answer.List[json.RawMessage]
			if err := json.Unmarshal([]byte(body), &page); err != nil || len(page.Items) != answer.MaxPage || page.Next == "" {
				t.Errorf("%s with limit=%s: %d items, next %q, %v", path, limit, len(page.Items), page.Next, err)
			}
		}
		for _, limit := range []string{"-1", "9223372036854775808", "1e9", "x"} {
			if response, body := s.do(http.MethodGet, path+"&limit="+limit, "", ""); response.StatusCode != http.StatusBadRequest || !strings.Contains(body, `"param":"limit"`) {
				t.Errorf("%s with limit=%s: %d: %.200s", path, limit, response.StatusCode, body)
			}
		}
	}
}

// A browser guesses no type of an answer and runs nothing of it, so that a name with a script in it stays a text.
func TestAnswersAreInert(t *testing.T) {
	s := serve(t, func(c *server.Config) { c.NoAuth = true })
	const script = "<script>alert(1)</script>"
	for _, route := range server.Routes(ask.All()) {
		if route.Pattern == eventsPath {
			continue
		}
		for _, accept := range []string{"", "text/html", "image/svg+xml", "*/*"} {
			path := route.Pattern
			if route.Method == http.MethodGet {
				path += "?scenario=" + url.QueryEscape(script)
			}
			response, body := s.do(route.Method, path, "", "", append([]string{"Accept", accept}, form...)...)
			header := response.Header
			policy, media := header.Get("Content-Security-Policy"), header.Get("Content-Type")
			if header.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(policy, "default-src 'none'") || !strings.HasSuffix(policy, "sandbox") {
				t.Errorf("%s as %q: %v", path, accept, header)
			}
			if strings.HasPrefix(media, "text/html") && strings.Contains(body, script) {
				t.Errorf("%s as %q is HTML with a script in it", path, accept)
			}
		}
	}
}
