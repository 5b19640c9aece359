package server_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"track"
	"track/access"
	"track/answer"
	"track/ask"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/scoring"
	"track/server"
	"track/store"
	"track/tracker/seeds"
	"track/tracker/tokens"
)

// service is a server on a database with one scenario, and what is needed to ask it.
type service struct {
	t     *testing.T
	url   string
	store *store.Store
	log   *bytes.Buffer // complete once the server is closed
	now   func() time.Time
}

func serve(t *testing.T, change func(*server.Config)) *service {
	t.Helper()
	return serveWith(t, change, func(*server.Server) {})
}

// serveWith is [serve] for a test that needs the server itself.
func serveWith(t *testing.T, change func(*server.Config), made func(*server.Server)) *service {
	t.Helper()
	st := testdb.New(t)
	record(t, st, "growth", 5)
	s := &service{t: t, store: st, log: new(bytes.Buffer), now: testdb.Clock}
	config := server.Config{
		Open: func(ctx context.Context) (*store.Store, error) {
			return store.OpenForUpdate(ctx, st.Path(), testdb.Clock)
		},
		Now: func() time.Time { return s.now() }, Log: slog.New(slog.NewTextHandler(s.log, nil)), Version: "test",
	}
	if change != nil {
		change(&config)
	}
	served := server.New(config)
	made(served)
	listening := httptest.NewUnstartedServer(nil)
	listening.Config = served.HTTP()
	listening.Start()
	t.Cleanup(func() {
		listening.Close()
		if err := served.Close(); err != nil {
			t.Error(err)
		}
	})
	s.url = listening.URL
	return s
}

// record adds a spec and n seeds of a scenario.
func record(t *testing.T, st *store.Store, scenario string, n int) {
	t.Helper()
	trackertest.AddSpec(t, st, trackertest.Ranges(scenario, [2]float64{0, 10}))
	for i := range n {
		trackertest.Record(t, st, seeds.Options{}, trackertest.Seed(scenario, track.SeedNumber(i), map[string]float64{"a": float64(i)}))
	}
}

// token returns a new token.
func (s *service) token(g access.Grant) access.Secret {
	s.t.Helper()
	if g.Name == "" {
		g.Name = rand.Text()
	}
	added, err := tokens.Add(s.t.Context(), s.store, answer.AddTokenQuestion{Grant: g, Expires: time.Hour})
	if err != nil {
		s.t.Fatal(err)
	}
	return added.Secret
}

func (s *service) tokenFor(scopes ...access.Scope) access.Secret {
	return s.token(access.Grant{Scopes: scopes})
}

// do sends a request; header holds names and values in turn.
func (s *service) do(method, path string, secret access.Secret, body string, header ...string) (*http.Response, string) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if secret != "" {
		request.Header.Set("Authorization", "Bearer "+string(secret))
	}
	for pair := range slices.Chunk(header, 2) {
		if pair[0] == "Host" {
			request.Host = pair[1]
			continue
		}
		request.Header.Set(pair[0], pair[1])
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response, string(text)
}

// form is the header of a body that is a form.
var form = []string{"Content-Type", "application/x-www-form-urlencoded"}

func methods() []string {
	return []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, "TRACE", "PROPFIND"}
}

// Nobody gets anything without a token but whether the server is there: every route, every method (MLflow CVE-2026-0545,
// CVE-2026-2652, Ray CVE-2026-27482).
func TestNoToken(t *testing.T) {
	s := serve(t, nil)
	revoked := s.token(access.Grant{Name: "revoked", Scopes: []access.Scope{access.Admin}})
	if _, err := tokens.Revoke(t.Context(), s.store, answer.RevokeTokenQuestion{Name: "revoked"}); err != nil {
		t.Fatal(err)
	}
	foreign, err := access.NewSecret(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	routes := server.Routes(ask.All())
	if len(routes) < 60 {
		t.Fatalf("%d routes", len(routes))
	}
	for _, route := range routes {
		for _, method := range methods() {
			for _, secret := range []access.Secret{"", revoked, foreign, "trk_no"} {
				response, body := s.do(method, route.Pattern, secret, "", form...)
				want := http.StatusUnauthorized
				switch {
				case !takes(routes, route.Pattern, method):
					want = http.StatusMethodNotAllowed
				case route.Scope == "":
					want = http.StatusOK
				}
				if response.StatusCode != want || strings.Contains(body, "growth") {
					t.Errorf("%s %s with %q: %d, not %d: %s", method, route.Pattern, secret, response.StatusCode, want, body)
				}
			}
		}
	}
}

// takes reports whether there is a route for a method at a pattern.
func takes(routes []server.Route, pattern, method string) bool {
	return slices.ContainsFunc(routes, func(r server.Route) bool {
		return r.Pattern == pattern && (r.Method == method || r.Method == http.MethodGet && method == http.MethodHead)
	})
}

// A token allows what its scopes say, on every route (MLflow CVE-2026-2651).
func TestScopes(t *testing.T) {
	s := serve(t, nil)
	holders := map[access.Scope]access.Secret{}
	for _, scope := range access.Scopes() {
		holders[scope] = s.tokenFor(scope)
	}
	for _, route := range server.Routes(ask.All()) {
		if route.Scope == "" || route.Pattern == eventsPath || route.Question != nil && route.Question.Name == "token revoke" {
			continue
		}
		for scope, secret := range holders {
			response, body := s.do(route.Method, route.Pattern, secret, "", form...)
			allowed := scope == route.Scope || scope == access.Admin
			if (response.StatusCode == http.StatusForbidden) == allowed || response.StatusCode == http.StatusUnauthorized || response.StatusCode >= 500 {
				t.Errorf("%s %s with the scope %s: %d: %s", route.Method, route.Pattern, scope, response.StatusCode, body)
			}
		}
	}
}

// A page of a foreign site whose name leads here is refused on every route, streams and health too (MLflow
// CVE-2025-14279, Ray CVE-2025-62593, MCP SDK CVE-2026-34742).
func TestForeignHost(t *testing.T) {
	s := serve(t, func(c *server.Config) { c.NoAuth, c.Hosts = true, []string{"track.example.org"} })
	for _, route := range server.Routes(ask.All()) {
		for _, host := range []string{"evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example:7717", "xtrack.example.org", ""} {
			if host == "" {
				continue // net/http sends the address then
			}
			for _, method := range methods() {
				if response, body := s.do(method, route.Pattern, "", "", "Host", host); response.StatusCode != http.StatusForbidden || strings.Contains(body, "growth") {
					t.Errorf("%s %s of %q: %d", method, route.Pattern, host, response.StatusCode)
				}
			}
		}
	}
	for _, host := range []string{"localhost", "LOCALHOST:1234", "127.0.0.1:7717", "[::1]:7717", "[::1]", "track.example.org:443"} {
		if response, _ := s.do(http.MethodGet, "/healthz", "", "", "Host", host); response.StatusCode != http.StatusOK {
			t.Errorf("of %q: %d", host, response.StatusCode)
		}
	}
}

// A page of another site cannot make a browser change anything (MLflow CVE-2025-1473), and a suffix of an origin is not
// the origin (Jupyter CVE-2026-40110).
func TestForeignOrigin(t *testing.T) {
	s := serve(t, func(c *server.Config) { c.NoAuth = true })
	for _, route := range server.Routes(ask.All()) {
		for _, origin := range [][]string{
			{"Origin", "https://evil.example"}, {"Origin", "null"}, {"Origin", s.url + ".evil.example"}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
		} {
			for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
				if response, _ := s.do(method, route.Pattern, "", "", append(origin, form...)...); response.StatusCode != http.StatusForbidden {
					t.Errorf("%s %s from %v: %d", method, route.Pattern, origin, response.StatusCode)
				}
			}
		}
	}
	if response, _ := s.do(http.MethodPost, "/api/v1/gate", "", "scenario=growth", append(form, "Origin", s.url)...); response.StatusCode != http.StatusOK {
		t.Errorf("from the own origin: %d", response.StatusCode)
	}
}

// A token for some scenarios shows nothing of others, whichever question is asked.
func TestBoundTokens(t *testing.T) {
	s := serve(t, nil)
	record(t, s.store, "secret", 5)
	bound := s.token(access.Grant{Scopes: access.Scopes(), Scenarios: []access.Pattern{"growth"}})
	for _, route := range server.Routes(ask.All()) {
		if route.Question == nil || route.Question.Name == "token revoke" {
			continue
		}
		for _, params := range []string{"", "scenario=secret", "scenario=growth&scenario=secret", "candidate=secret&baseline=growth", "candidate=growth&baseline=secret", "lineage=l", "text=secret", "sql=select+1", "id=1"} {
			path, body := route.Pattern, params
			if route.Method == http.MethodGet {
				path, body = route.Pattern+"?"+params, ""
			}
			response, text := s.do(route.Method, path, bound, body, form...)
			if unknown := strings.Contains(text, "there is no such parameter"); response.StatusCode != http.StatusForbidden && !unknown || strings.Contains(text, "confidence") {
				t.Errorf("%s %s %s: %d: %s", route.Method, path, body, response.StatusCode, text)
			}
		}
	}
	some := s.token(access.Grant{Name: "some", Scopes: access.Scopes(), Scenarios: []access.Pattern{"sec*"}})
	record(t, s.store, "sectors", 5)
	for path, hint := range map[string]string{"seeds?scenario=secre": "", "seeds?scenario=secqqqqqq": "", "stability?scenario=secret%40nosuch": "list its configurations"} {
		response, body := s.do(http.MethodGet, "/api/v1/"+path, some, "")
		if response.StatusCode != http.StatusNotFound || strings.Contains(body, "growth") || strings.Contains(body, "sectors") || !strings.Contains(body, hint) {
			t.Errorf("%s: %d: %s", path, response.StatusCode, body)
		}
	}
	for path, want := range map[string]int{"stability?scenario=growth": 200, "stability?scenario=growth%40nosuch": 404, "seeds?scenario=growth": 200} {
		if response, body := s.do(http.MethodGet, "/api/v1/"+path, bound, ""); response.StatusCode != want {
			t.Errorf("%s: %d: %s", path, response.StatusCode, body)
		}
	}
}

func TestTags(t *testing.T) {
	owner, err := access.NewSecret(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, func(c *server.Config) { c.Owner = owner })
	another := s.tokenFor(access.Read)
	const path = "/api/v1/stability?scenario=growth"
	first, _ := s.do(http.MethodGet, path, owner, "")
	tag := first.Header.Get("ETag")
	if tag == "" {
		t.Fatal("no tag")
	}
	ask := func(what string, secret access.Secret, want int, header ...string) string {
		t.Helper()
		response, body := s.do(http.MethodGet, path, secret, "", append(header, "If-None-Match", `"x", `+tag)...)
		if response.StatusCode != want || (want == http.StatusNotModified) != (body == "") {
			t.Errorf("%s: %d, %d bytes", what, response.StatusCode, len(body))
		}
		return response.Header.Get("ETag")
	}
	ask("again", owner, http.StatusNotModified)
	ask("another format", owner, http.StatusOK, "Accept", "text/csv")
	ask("another token", another, http.StatusOK)
	record(t, s.store, "other", 1)
	if now := ask("after a record", owner, http.StatusOK); now == tag {
		t.Error("the tag is the same after a record")
	}
	if response, _ := s.do(http.MethodGet, "/api/v1/seeds?since=1h", owner, ""); response.Header.Get("ETag") != "" {
		t.Error("an answer that depends on the time has a tag")
	}
}

func TestFormats(t *testing.T) {
	s := serve(t, func(c *server.Config) { c.NoAuth = true })
	for accept, want := range map[string]string{
		"": "application/json", "*/*": "application/json", "text/csv": "text/csv; charset=utf-8", "text/*": "text/csv; charset=utf-8", "text/markdown": "text/markdown; charset=utf-8",
		"application/x-ndjson": "application/x-ndjson", "image/png, text/plain;q=0.5": "text/plain; charset=utf-8", "image/png": "", "application/json;q=0": "",
	} {
		response, body := s.do(http.MethodGet, "/api/v1/seeds?scenario=growth", "", "", "Accept", accept)
		if want == "" && response.StatusCode != http.StatusNotAcceptable || want != "" && (response.Header.Get("Content-Type") != want || !strings.Contains(body, "growth")) {
			t.Errorf("%q: %d, %s", accept, response.StatusCode, response.Header.Get("Content-Type"))
		}
	}
	response, body := s.do(http.MethodGet, "/api/v1/seeds?limit=2", "", "", "Accept", "application/x-ndjson")
	if link := response.Header.Get("Link"); strings.Count(body, "\n") != 2 || !strings.Contains(link, `rel="next"`) {
		t.Errorf("a page of two: %q, %s", link, body)
	}
}

func TestProblems(t *testing.T) {
	s := serve(t, func(c *server.Config) { c.NoAuth = true })
	for _, tt := range []struct {
		method, path, body string
		header             []string
		status             int
		part               string
	}{
		{"GET", "/api/v1/stability", "", nil, 400, `"message":"missing","param":"scenario"`},
		{"GET", "/api/v1/stability?scenario=nosuch", "", nil, 404, "the scenarios are"},
		{"GET", "/api/v1/stability?scenario=growth&scenario=growth", "", nil, 400, "more than once"},
		{"GET", "/api/v1/stability?nosuch=1", "", nil, 400, "there is no such parameter"},
		{"GET", "/api/v1/stability?%zz", "", nil, 400, "invalid"},
		{"GET", "/api/v1/nosuch", "", nil, 404, "there is nothing at"},
		{"GET", "/api/v1/stability/", "", nil, 404, "there is nothing at"},
		{"PUT", "/api/v1/stability", "", nil, 405, "this is asked by GET"},
		{"GET", "/api/v1/improvement?candidate=growth", "", nil, 405, "this is asked by POST"},
		{"PUT", "/api/v1/gate", "", nil, 405, "this is asked by GET or POST"},
		{"POST", "/api/v1/gate?scenario=growth", "", form, 400, "stand in its body"},
		{"POST", "/api/v1/gate", "{", []string{"Content-Type", "application/json"}, 400, "no JSON object"},
		{"POST", "/api/v1/gate", `{"scenario":{"a":1}}`, []string{"Content-Type", "application/json"}, 400, "is not a text, a number or a boolean"},
		{"POST", "/api/v1/gate", "scenario=growth", []string{"Content-Type", "text/xml"}, 400, "the body is"},
		{"POST", "/api/v1/gate", "scenario=" + strings.Repeat("x", 2<<20), form, 413, "too large"},
		{"GET", "/api/v1/query?sql=DELETE+FROM+seed", "", nil, 400, ""},
		{"GET", "/api/v1/query?sql=ATTACH+%27/etc/passwd%27+AS+x", "", nil, 400, ""},
		{"POST", "/api/v1/rollback", "lineage=nosuch&to=v001&reason=x", form, 404, ""},
	} {
		response, body := s.do(tt.method, tt.path, "", tt.body, tt.header...)
		var p server.Problem
		if response.StatusCode != tt.status || !strings.Contains(body, tt.part) || response.Header.Get("Content-Type") != "application/problem+json" ||
			json.Unmarshal([]byte(body), &p) != nil || p.Status != tt.status || p.Title == "" || p.Detail == "" {
			t.Errorf("%s %s: %d, not %d: %s", tt.method, tt.path, response.StatusCode, tt.status, body)
		}
		if strings.Contains(body, s.store.Path()) {
			t.Errorf("%s %s names a file of the server: %s", tt.method, tt.path, body)
		}
	}
}

// looks returns how many interim analyses are recorded.
func (s *service) looks() int {
	s.t.Helper()
	return int(testdb.Rows(s.t, s.store, "SELECT count(*) FROM look")[0][0].(int64))
}

// A preview of a gate says by which rules and from what it would judge, but neither judges nor counts as a look.
func TestGatePreview(t *testing.T) {
	s := serve(t, nil)
	secret := s.tokenFor(access.Read)
	const asked = "scenario=growth&min-score=0.5&min-seeds=3"
	response, body := s.do(http.MethodGet, "/api/v1/gate?"+asked, secret, "")
	var preview answer.GatePreview
	if err := answer.Decode(strings.NewReader(body), &preview); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%d: %s: %v", response.StatusCode, body, err)
	}
	for _, accept := range []string{"application/json", "text/markdown", "text/csv", "text/plain"} {
		_, text := s.do(http.MethodGet, "/api/v1/gate?"+asked, secret, "", "Accept", accept)
		if regexp.MustCompile(`verdict|failing|\bPASS\b|\bFAIL\b|INCONCLUSIVE`).MatchString(text) || !strings.Contains(text, "growth") {
			t.Errorf("%s: %s", accept, text)
		}
	}
	if response.Header.Get("Track-Conclusion") != string(answer.Done) || response.Header.Get("ETag") == "" || s.looks() != 0 {
		t.Errorf("a preview: %v, %d looks", response.Header, s.looks())
	}
	if response, body := s.do(http.MethodPost, "/api/v1/gate", secret, asked, form...); response.StatusCode != http.StatusForbidden {
		t.Errorf("the gate itself: %d: %s", response.StatusCode, body)
	}
	_, body = s.do(http.MethodPost, "/api/v1/gate", s.tokenFor(access.Record), asked, form...)
	var gate answer.Gate
	if err := answer.Decode(strings.NewReader(body), &gate); err != nil || len(gate.Scenarios) != 1 || s.looks() != 1 {
		t.Fatalf("%s: %v, %d looks", body, err, s.looks())
	}
	want := answer.PreviewedScenario{
		Name: "growth", Scenario: "growth", Configuration: gate.Scenarios[0].Configuration, Label: gate.Scenarios[0].Label, Revision: gate.Scenarios[0].Revision,
		Rules: gate.Scenarios[0].Rules, Estimates: gate.Scenarios[0].Estimates, Measured: gate.Scenarios[0].Measured,
	}
	if diff := cmp.Diff([]answer.PreviewedScenario{want}, preview.Scenarios, cmpopts.EquateNaNs(), cmpopts.IgnoreUnexported(scoring.GateRules{})); diff != "" || want.Estimates.NSeeds != 5 {
		t.Errorf("(-gate +preview):\n%s", diff)
	}
}

// What is changed is recorded with the name of the token, and the log says who did what, but no token.
func TestActor(t *testing.T) {
	s := serve(t, nil)
	secret := s.token(access.Grant{Name: "deploy", Scopes: []access.Scope{access.Decide, access.Read}})
	response, body := s.do(http.MethodPost, "/api/v1/baseline/set", secret, `{"scenario":"growth","reason":"release"}`, "Content-Type", "application/json")
	if response.StatusCode != http.StatusOK {
		t.Fatal(response.StatusCode, body)
	}
	if _, body := s.do(http.MethodGet, "/api/v1/baseline/show?scenario=growth", secret, ""); !strings.Contains(body, `"actor":"deploy"`) {
		t.Errorf("pinned by somebody else: %s", body)
	}
	if _, body := s.do(http.MethodGet, "/metrics", secret, ""); !strings.Contains(body, `track_requests_total{method="POST",route="/api/v1/baseline/set",status="200"} 1`) {
		t.Errorf("metrics: %s", body)
	}
	if response, body := s.do(http.MethodPost, server.LinesPath, s.token(access.Grant{Name: "ci", Scopes: []access.Scope{access.Record}}), seedLine+seedLine); response.StatusCode != http.StatusOK {
		t.Fatal(response.StatusCode, body)
	}
	text := s.log.String()
	for _, part := range []string{
		"path=/api/v1/baseline/set status=200 holder=deploy", `msg=change what="baseline set" holder=deploy names=[growth]`, "msg=change what=lines holder=ci recorded=1 replaced=0 rejected=0 conflicts=0",
	} {
		if strings.Count(text, part) != 1 {
			t.Errorf("not once in the log: %s\n%s", part, text)
		}
	}
	for _, part := range []string{string(secret), "release", "show"} {
		if changes := regexp.MustCompile("(?m)^.*msg=change.*$").FindAllString(text, -1); strings.Contains(strings.Join(changes, "\n"), part) || strings.Contains(text, string(secret)) {
			t.Errorf("%q is in the log: %s", part, text)
		}
	}
}

// What stands in an address that the server does not know can be anything, such as a token that was pasted.
func TestUnknownPathsAreNotLogged(t *testing.T) {
	s := serve(t, nil)
	secret := string(s.tokenFor(access.Read))
	for _, path := range []string{"/", "/api/v1/", "/assets/", "/download/", "/api/v1/spool/"} {
		if response, _ := s.do(http.MethodGet, path+secret, access.Secret(secret), ""); response.StatusCode < 400 {
			t.Errorf("%s: %d", path, response.StatusCode)
		}
	}
	if text := s.log.String(); strings.Contains(text, secret) || strings.Count(text, "path=none") < 2 {
		t.Error(text)
	}
}

func TestExpiry(t *testing.T) {
	s := serve(t, nil)
	secret := s.tokenFor(access.Read)
	if response, _ := s.do(http.MethodGet, "/api/v1/spec/list", secret, ""); response.StatusCode != http.StatusOK {
		t.Errorf("before: %d", response.StatusCode)
	}
	s.now = func() time.Time { return testdb.Clock().Add(time.Hour) }
	if response, _ := s.do(http.MethodGet, "/api/v1/spec/list", secret, ""); response.StatusCode != http.StatusUnauthorized {
		t.Errorf("after: %d", response.StatusCode)
	}
}

// Clients that know no tokens send one as the password.
func TestBasic(t *testing.T) {
	s := serve(t, nil)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/api/v1/spec/list", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth("anybody", string(s.tokenFor(access.Read)))
	response, err := http.DefaultClient.Do(request)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatal(response, err)
	}
	_ = response.Body.Close()
}

// The owner of the server may do everything, and is named.
func TestOwner(t *testing.T) {
	owner, err := access.NewSecret(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, func(c *server.Config) { c.Owner, c.OwnerName = owner, "ana" })
	response, body := s.do(http.MethodPost, "/api/v1/token/add", owner, url.Values{"name": {"ci"}, "scope": {"read"}}.Encode(), form...)
	if response.StatusCode != http.StatusOK || !strings.Contains(body, `"token":"trk_`) || !strings.Contains(body, `"added_by":"ana"`) {
		t.Errorf("%d: %s", response.StatusCode, body)
	}
}

// A database that another program made unreadable is not served, and one that is whole again is.
func TestReopens(t *testing.T) {
	var failing error
	s := serve(t, func(c *server.Config) {
		open := c.Open
		c.NoAuth = true
		c.Open = func(ctx context.Context) (*store.Store, error) {
			if failing != nil {
				return nil, failing
			}
			return open(ctx)
		}
	})
	failing = track.WithHint(track.ErrDatabase, track.NewHint("make it one of this version", "migrate"))
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 503, "/api/v1/spec/list": 503} {
		if response, body := s.do(http.MethodGet, path, "", ""); response.StatusCode != want {
			t.Errorf("%s: %d: %s", path, response.StatusCode, body)
		}
	}
	failing = nil
	for _, path := range []string{"/readyz", "/api/v1/spec/list"} {
		if response, body := s.do(http.MethodGet, path, "", ""); response.StatusCode != 200 {
			t.Errorf("%s: %d: %s", path, response.StatusCode, body)
		}
	}
}
