package server_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"track"
	"track/access"
	"track/answer"
	"track/internal/trackertest"
	"track/server"
	"track/tracker/seeds"
	"track/tracker/tokens"
)

// visitor is a browser without scripts.
type visitor struct {
	t      *testing.T
	client *http.Client
	url    string
}

func (s *service) visitor() visitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	client := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return visitor{s.t, client, s.url}
}

func (v visitor) get(path string) (*http.Response, string) {
	v.t.Helper()
	return v.getWith(path, "")
}

// getWith opens a page that a browser has already, with a tag.
func (v visitor) getWith(path, tag string) (*http.Response, string) {
	v.t.Helper()
	request, err := http.NewRequest(http.MethodGet, v.url+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	request.Header.Set("Accept", "text/html,*/*;q=0.8")
	request.Header.Set("If-None-Match", tag)
	response, err := v.client.Do(request)
	return v.read(response, err)
}

func (v visitor) post(path string, form url.Values) (*http.Response, string) {
	v.t.Helper()
	response, err := v.client.PostForm(v.url+path, form)
	return v.read(response, err)
}

func (v visitor) read(response *http.Response, err error) (*http.Response, string) {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return response, string(body)
}

// pageAddresses returns the address of each page, with what a question needs.
func pageAddresses() (list []string) {
	for _, route := range server.PageRoutes() {
		if route.Method == http.MethodGet && route.Scope != "" && !strings.Contains(route.Pattern, "...") {
			list = append(list, strings.TrimSuffix(route.Pattern, "{$}"))
		}
	}
	return list
}

// Without a token every page leads to the login, which leads back.
func TestPagesNeedToken(t *testing.T) {
	s := serve(t, nil)
	addresses := pageAddresses()
	if len(addresses) < 30 {
		t.Fatalf("%d pages", len(addresses))
	}
	v := s.visitor()
	for _, path := range addresses {
		response, _ := v.get(path)
		if to := response.Header.Get("Location"); response.StatusCode != http.StatusSeeOther || to != "/login?next="+url.QueryEscape(path) {
			t.Errorf("%s: %d to %q", path, response.StatusCode, to)
		}
	}
}

func TestLogin(t *testing.T) {
	s := serve(t, nil)
	secret := s.token(access.Grant{Name: "reader", Scopes: []access.Scope{access.Read}})
	v := s.visitor()
	if response, body := v.post("/login", url.Values{"token": {"trk_wrong"}}); response.StatusCode != http.StatusUnauthorized || !strings.Contains(body, "not valid") || len(response.Cookies()) > 0 {
		t.Errorf("a wrong token: %d, %q", response.StatusCode, response.Cookies())
	}
	response, _ := v.post("/login", url.Values{"token": {string(secret)}, "next": {"/stability?scenario=growth"}})
	if to := response.Header.Get("Location"); response.StatusCode != http.StatusSeeOther || to != "/stability?scenario=growth" {
		t.Fatalf("%d to %q", response.StatusCode, to)
	}
	cookie := response.Cookies()[0]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || strings.Contains(cookie.Value, string(secret)) {
		t.Errorf("the cookie is %q", cookie)
	}
	response, body := v.get("/stability?scenario=growth")
	if response.StatusCode != http.StatusOK || !strings.Contains(body, "growth") || !strings.Contains(response.Header.Get("Content-Security-Policy"), "default-src 'self'") {
		t.Errorf("%d, %s", response.StatusCode, response.Header)
	}
	if response, _ := v.get("/api/v1/seeds?limit=1"); response.StatusCode != http.StatusOK {
		t.Errorf("the session cannot ask the API: %d", response.StatusCode)
	}
	if _, err := tokens.Revoke(t.Context(), s.store, answer.RevokeTokenQuestion{Name: "reader"}); err != nil {
		t.Fatal(err)
	}
	if response, _ := v.get("/"); response.StatusCode != http.StatusSeeOther {
		t.Errorf("a session of a revoked token: %d", response.StatusCode)
	}
}

func TestLogout(t *testing.T) {
	s := serve(t, nil)
	secret := s.token(access.Grant{Name: "reader", Scopes: []access.Scope{access.Read}})
	v := s.visitor()
	response, _ := v.post("/login", url.Values{"token": {string(secret)}})
	kept := response.Cookies()[0]
	if response, _ := v.post("/logout", nil); response.StatusCode != http.StatusSeeOther {
		t.Errorf("%d", response.StatusCode)
	}
	request, err := http.NewRequest(http.MethodGet, s.url+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.AddCookie(kept)
	if response, _ := v.read(v.client.Do(request)); response.StatusCode != http.StatusSeeOther {
		t.Errorf("the cookie still works after the logout: %d", response.StatusCode)
	}
}

// Nobody is sent to another server after the login.
func TestLoginLeadsNowhereElse(t *testing.T) {
	s := serve(t, nil)
	secret := s.token(access.Grant{Name: "reader", Scopes: []access.Scope{access.Read}})
	for _, next := range []string{"https://evil.example/", "//evil.example", `/\evil.example`, "javascript:alert(1)", "/\tevil", "evil", "", "http:evil.example"} {
		response, _ := s.visitor().post("/login", url.Values{"token": {string(secret)}, "next": {next}})
		if to := response.Header.Get("Location"); to != "/" {
			t.Errorf("%q leads to %q", next, to)
		}
	}
}

// Another site cannot log somebody in or out.
func TestLoginOfOtherSites(t *testing.T) {
	s := serve(t, nil)
	for _, path := range []string{"/login", "/logout"} {
		request, err := http.NewRequest(http.MethodPost, s.url+path, strings.NewReader("token=x"))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Origin", "https://evil.example")
		request.Header.Set("Sec-Fetch-Site", "cross-site")
		v := s.visitor()
		if response, _ := v.read(v.client.Do(request)); response.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d", path, response.StatusCode)
		}
	}
}

// A page under another name is refused, as everything is.
func TestPagesOfForeignHost(t *testing.T) {
	s := serve(t, func(c *server.Config) { c.NoAuth = true })
	for _, path := range append(pageAddresses(), "/login", "/assets/track.js") {
		request, err := http.NewRequest(http.MethodGet, s.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = "evil.example"
		v := s.visitor()
		if response, _ := v.read(v.client.Do(request)); response.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d", path, response.StatusCode)
		}
	}
}

// A token for some scenarios sees the pages of those alone.
func TestPagesOfBoundToken(t *testing.T) {
	s := serve(t, nil)
	record(t, s.store, "other", 2)
	secret := s.token(access.Grant{Name: "bound", Scopes: []access.Scope{access.Read}, Scenarios: []access.Pattern{"growth"}})
	v := s.visitor()
	v.post("/login", url.Values{"token": {string(secret)}})
	for path, want := range map[string]int{
		"/stability?scenario=growth": http.StatusOK, "/show/seed?scenario=growth&seed=1": http.StatusOK, "/stability?scenario=other": http.StatusForbidden,
		"/": http.StatusForbidden, "/query?sql=SELECT+1": http.StatusForbidden, "/download/seeds?as=text/csv": http.StatusForbidden, "/download/seeds?as=text/csv&scenario=growth": http.StatusOK,
	} {
		response, body := v.get(path)
		if response.StatusCode != want || !strings.Contains(path, "download") && !strings.Contains(response.Header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: %d, want %d: %s", path, response.StatusCode, want, body)
		}
	}
}

// A one-time link begins one session.
func TestLoginLink(t *testing.T) {
	var served *server.Server
	owner, err := access.NewSecret(strings.NewReader(strings.Repeat("x", 32)))
	if err != nil {
		t.Fatal(err)
	}
	s := serveWith(t, func(c *server.Config) { c.Owner, c.OwnerName = owner, "ann" }, func(made *server.Server) { served = made })
	link := served.LoginLink()
	first, second := s.visitor(), s.visitor()
	if response, _ := first.get(link); response.StatusCode != http.StatusSeeOther || len(response.Cookies()) != 1 {
		t.Fatalf("%d", response.StatusCode)
	}
	if response, body := first.get("/"); response.StatusCode != http.StatusOK || !strings.Contains(body, "ann") {
		t.Errorf("%d: %s", response.StatusCode, body)
	}
	if response, _ := second.get(link); response.StatusCode != http.StatusUnauthorized || len(response.Cookies()) > 0 {
		t.Errorf("the link works twice: %d", response.StatusCode)
	}
}

// The search of the menu finds names, each with its page, before it finds texts.
func TestSearchPageFindsNames(t *testing.T) {
	s := serve(t, func(c *server.Config) { c.NoAuth = true })
	_, body := s.visitor().get("/search?text=ROWT")
	name := strings.Index(body, `<a href="/history?scenario=growth">growth</a>`)
	if texts := strings.Index(body, `id="texts"`); name < 0 || texts < name {
		t.Errorf("the name is at %d, texts are at %d", name, texts)
	}
}

// What somebody recorded stays text on every page: no element and no attribute comes of it.
func TestHostileTextsInPages(t *testing.T) {
	s := serve(t, func(c *server.Config) { c.NoAuth = true })
	const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>`
	seed := trackertest.Seed("growth", 77, map[string]float64{"a": 1})
	seed.Configuration.Label = hostile
	seed.Outcome, seed.Message, seed.Values = track.OutcomeError, hostile+"\u202e", nil
	trackertest.Record(t, s.store, seeds.Options{}, seed)
	v := s.visitor()
	found := 0
	for _, path := range []string{
		"/", "/history?scenario=growth", "/params?scenario=growth", "/series/bands?scenario=" + url.QueryEscape("growth@"+hostile), "/lineage/list", "/seeds", "/stability?scenario=" + url.QueryEscape("growth@"+hostile), "/show/seed?seed=77&scenario=" + url.QueryEscape("growth@"+hostile),
		"/stability?scenario=" + url.QueryEscape(hostile), "/query?sql=" + url.QueryEscape("SELECT '"+hostile+"' AS \""+strings.ReplaceAll(hostile, `"`, `""`)+"\""), "/seeds?filter.seeds=" + url.QueryEscape(hostile),
		"/search?text=" + url.QueryEscape(hostile), "/" + url.PathEscape(hostile), "/login?next=" + url.QueryEscape(hostile),
	} {
		_, body := v.get(path)
		if strings.Contains(body, "alert(1)") {
			found++
		}
		checkInert(t, path, body)
	}
	if found < 6 {
		t.Errorf("the text is on %d pages only", found)
	}
}

// checkInert holds that a page has no script but the module, and no attribute that runs one.
func checkInert(t *testing.T, path, body string) {
	t.Helper()
	if strings.Contains(body, "\u202e") {
		t.Errorf("%s: has a mark of direction", path)
	}
	for tokens := html.NewTokenizer(strings.NewReader(body)); tokens.Next() != html.ErrorToken; {
		token := tokens.Token()
		if token.Type != html.StartTagToken && token.Type != html.SelfClosingTagToken {
			continue
		}
		for _, a := range token.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript:") || a.Val == "x" {
				t.Errorf("%s: <%s %s=%q>", path, token.Data, a.Key, a.Val)
			}
			if token.Data == "script" && a.Key == "src" && !strings.HasPrefix(a.Val, "/assets/track.js") && !strings.HasPrefix(a.Val, "/assets/uplot.js") {
				t.Errorf("%s: a script from %q", path, a.Val)
			}
		}
		if token.Data != "script" || len(token.Attr) == 2 {
			continue
		}
		// Data of a chart or a tree run nowhere.
		tokens.Next()
		if data := tokens.Text(); len(token.Attr) != 1 || token.Attr[0].Val != "application/json" || !json.Valid(data) || bytes.ContainsAny(data, "<>") {
			t.Errorf("%s: a script in the page", path)
		}
	}
}

// Pages, what they load, and answers are compressed for whoever reads that, and say the same.
func TestPagesAreCompressed(t *testing.T) {
	s := serve(t, func(c *server.Config) { c.NoAuth = true })
	for _, path := range []string{"/", "/stability?scenario=growth", "/assets/track.css", "/assets/track.js", "/api/v1/stability?scenario=growth", "/download/history?scenario=growth&as=image%2Fsvg%2Bxml"} {
		plain := ""
		tags := map[string]bool{}
		for _, accepted := range []string{"", "br, gzip;q=0", "br, gzip;q=0.5"} {
			response, body := s.readPacked(path, cmp.Or(accepted, "identity"), "")
			isPacked := response.Header.Get("Content-Encoding") == "gzip"
			if isPacked != strings.HasSuffix(accepted, "0.5") || !strings.Contains(strings.Join(response.Header.Values("Vary"), ","), "Accept-Encoding") {
				t.Errorf("%s for %q: %v", path, accepted, response.Header)
			}
			tags[response.Header.Get("ETag")] = true
			if !isPacked {
				plain = body
				continue
			}
			if len(body) >= len(plain)*2/3 || unpacked(t, body) != plain {
				t.Errorf("%s: %d bytes of %d, or others", path, len(body), len(plain))
			}
			if tag := response.Header.Get("ETag"); tag != "" {
				if again, _ := s.readPacked(path, accepted, tag); again.StatusCode != http.StatusNotModified {
					t.Errorf("%s is sent again to whoever has it: %d", path, again.StatusCode)
				}
			}
		}
		if !tags[""] && len(tags) != 2 {
			t.Errorf("%s: the tags %v name the compressed bytes and the others", path, tags)
		}
	}
	if response, _ := s.readPacked("/api/v1/spec/list", "gzip", ""); response.Header.Get("Content-Encoding") != "" {
		t.Error("a short answer is compressed")
	}
	long := url.Values{"name": {"n"}, "scope": {"read"}, "scenario": {strings.Repeat("long", 1000)}}
	request, err := http.NewRequest(http.MethodPost, s.url+"/api/v1/token/add", strings.NewReader(long.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", "gzip")
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if response, body := s.visitor().read(http.DefaultTransport.RoundTrip(request)); response.StatusCode != http.StatusOK || response.Header.Get("Content-Encoding") != "" || len(body) < 4000 {
		t.Errorf("a new token is compressed, or not there: %d %s", response.StatusCode, body)
	}
}

// readPacked sends a request as a client that accepts an encoding, and returns the bytes as they are sent.
func (s *service) readPacked(path, accepted, tag string) (*http.Response, string) {
	s.t.Helper()
	request, err := http.NewRequest(http.MethodGet, s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", accepted)
	request.Header.Set("If-None-Match", tag)
	return s.visitor().read(http.DefaultTransport.RoundTrip(request))
}

func unpacked(t *testing.T, packed string) string {
	t.Helper()
	z, err := gzip.NewReader(strings.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}
