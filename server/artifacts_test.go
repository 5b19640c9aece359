//go:build !race

package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"track"
	"track/access"
	"track/internal/trackertest"
	"track/tracker/seeds"
)

// A file comes as it was recorded, to whoever may see its seed, and a browser does nothing with it (MLflow CVE-2023-6831).
func TestArtifactContent(t *testing.T) {
	s := serve(t, nil)
	const content = "<script>alert(1)</script>\x00"
	seed := trackertest.Seed("growth", 77, map[string]float64{"a": 1})
	seed.Artifacts = []track.Artifact{{Name: "plots/a.html", Content: content}, {Name: "large", LeftOut: "too large"}}
	trackertest.Record(t, s.store, seeds.Options{}, seed)
	bound := func(pattern access.Pattern) access.Secret {
		return s.token(access.Grant{Scopes: []access.Scope{access.Read}, Scenarios: []access.Pattern{pattern}})
	}
	reader := s.tokenFor(access.Read)
	for _, tt := range []struct {
		scenario, seed, name string
		secret               access.Secret
		status               int
	}{
		{"growth", "77", "plots/a.html", reader, 200},
		{"growth", "77", "plots/a.html", bound("growth"), 200},
		{"growth", "77", "plots/a.html", bound("bam/*"), 403},
		{"growth", "77", "plots/a.html", s.tokenFor(access.Record), 403},
		{"growth", "77", "plots/a.html", "", 401},
		{"growth", "77", "plots/b.html", reader, 404},
		{"growth", "77", "large", reader, 404},
		{"growth", "78", "plots/a.html", reader, 404},
		{"nobody", "77", "plots/a.html", reader, 404},
		{"growth", "77", "../../etc/passwd", reader, 400},
		{"growth", "77", "/etc/passwd", reader, 400},
		{"growth", "x", "plots/a.html", reader, 400},
		{"", "77", "plots/a.html", reader, 400},
	} {
		query := url.Values{"scenario": {tt.scenario}, "seed": {tt.seed}, "name": {tt.name}}
		response, body := s.do(http.MethodGet, "/api/v1/artifact/content?"+query.Encode(), tt.secret, "")
		if response.StatusCode != tt.status || (body == content) != (tt.status == 200) {
			t.Errorf("%+v: %d: %s", tt, response.StatusCode, body)
		}
		if tt.status != 200 {
			continue
		}
		for name, want := range map[string]string{
			"Content-Type": "application/octet-stream", "X-Content-Type-Options": "nosniff", "Content-Disposition": "attachment; filename=a.html",
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
		} {
			if got := response.Header.Get(name); !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
}
