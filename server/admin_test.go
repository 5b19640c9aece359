//go:build !race

package server_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"track/access"
	"track/server"
)

// loggedIn returns a browser with a session.
func (s *service) loggedIn(g access.Grant) visitor {
	s.t.Helper()
	v := s.visitor()
	if response, _ := v.post("/login", url.Values{"token": {string(s.token(g))}}); response.StatusCode != http.StatusSeeOther {
		s.t.Fatalf("the login of %s: %d", g.Name, response.StatusCode)
	}
	return v
}

// Each page, and each form of one, needs its scope.
func TestScopesOfPages(t *testing.T) {
	s := serve(t, nil)
	holders := map[access.Scope]access.Secret{}
	for _, scope := range access.Scopes() {
		holders[scope] = s.tokenFor(scope)
	}
	admin := 0
	for _, route := range server.PageRoutes() {
		if route.Scope == "" {
			continue
		}
		if route.Scope == access.Admin {
			admin++
		}
		path := strings.NewReplacer("{$}", "", "{question...}", "seeds").Replace(route.Pattern)
		for scope, secret := range holders {
			response, _ := s.do(route.Method, path, secret, "", form...)
			allowed := scope == route.Scope || scope == access.Admin
			if (response.StatusCode == http.StatusForbidden) == allowed || response.StatusCode == http.StatusUnauthorized || response.StatusCode >= 500 {
				t.Errorf("%s %s with the scope %s: %d", route.Method, path, scope, response.StatusCode)
			}
		}
	}
	if admin != 5 {
		t.Errorf("%d routes need the scope admin, want two pages and three forms", admin)
	}
}

var shownSecret = regexp.MustCompile(`trk_[0-9A-Za-z]{49}`)

// A token that a page adds is shown once and works. After it is revoked, its session leads to the login.
func TestTokenPages(t *testing.T) {
	var s *service
	t.Cleanup(func() { checkTokenLog(t, s.log.String()) }) // after the server is closed
	s = serve(t, nil)
	ann := s.loggedIn(access.Grant{Name: "ann", Scopes: []access.Scope{access.Admin}})
	response, body := ann.post("/token/add", url.Values{"name": {"ci"}, "scope": {"read", "record"}, "scenario": {"growth\r\nbam/*\r\n"}, "lineage": {""}, "expires": {"90d"}})
	secret := access.Secret(shownSecret.FindString(body))
	if response.StatusCode != http.StatusOK || secret == "" || response.Header.Get("Cache-Control") != "no-store" || response.Header.Get("Content-Encoding") != "" {
		t.Fatalf("%d, %v: %s", response.StatusCode, response.Header, body)
	}
	checkInert(t, "/token/add", body)
	ci := s.visitor()
	if response, _ := ci.post("/login", url.Values{"token": {string(secret)}}); response.StatusCode != http.StatusSeeOther {
		t.Errorf("the new token cannot log in: %d", response.StatusCode)
	}
	for path, want := range map[string]int{"/stability?scenario=growth": http.StatusOK, "/stability?scenario=other": http.StatusForbidden, "/token/list": http.StatusForbidden, "/status": http.StatusForbidden} {
		if response, _ := ci.get(path); response.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, response.StatusCode, want)
		}
	}
	_, body = ann.get("/token/list")
	for _, want := range []string{"ci", "read record", "scenario growth, scenario bam/*", "valid", `href="/status"`, `action="/token/add"`, `action="/token/set"`, `action="/token/revoke"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the list does not have %q", want)
		}
	}
	if shownSecret.MatchString(body) {
		t.Error("the list shows a secret")
	}
	response, _ = ann.post("/token/set", url.Values{"name": {"ci"}, "expires": {" none "}})
	if to := response.Header.Get("Location"); response.StatusCode != http.StatusSeeOther || to != "/token/list" {
		t.Errorf("%d to %q", response.StatusCode, to)
	}
	if response, _ := ann.post("/token/set", url.Values{"name": {"ci"}, "expires": {""}}); response.StatusCode != http.StatusBadRequest {
		t.Errorf("changed without anything to change: %d", response.StatusCode)
	}
	if response, _ := ann.post("/token/revoke", url.Values{"name": {"ci"}}); response.StatusCode != http.StatusBadRequest {
		t.Errorf("revoked without being sure: %d", response.StatusCode)
	}
	response, _ = ann.post("/token/revoke", url.Values{"name": {"ci"}, "sure": {"yes"}})
	if to := response.Header.Get("Location"); response.StatusCode != http.StatusSeeOther || to != "/token/list" {
		t.Errorf("%d to %q", response.StatusCode, to)
	}
	response, _ = ci.get("/stability?scenario=growth")
	if to := response.Header.Get("Location"); response.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to, "/login?") {
		t.Errorf("a session of a revoked token: %d to %q", response.StatusCode, to)
	}
}

// checkTokenLog holds that the log of a server that is closed names who changed which token, and no secret.
func checkTokenLog(t *testing.T, log string) {
	t.Helper()
	for _, want := range []string{`what="token add" holder=ann token=ci`, `what="token set" holder=ann token=ci`, `what="token revoke" holder=ann token=ci`} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not have %q", want)
		}
	}
	if shownSecret.MatchString(log) {
		t.Error("the log has a secret")
	}
}

// Neither a reader, nor an administrator of some scenarios, nor another site adds, changes or revokes a token by a
// page.
func TestTokenFormsOfOthers(t *testing.T) {
	s := serve(t, nil)
	reader := s.loggedIn(access.Grant{Name: "reader", Scopes: []access.Scope{access.Read}})
	bound := s.loggedIn(access.Grant{Name: "bound", Scopes: []access.Scope{access.Admin}, Scenarios: []access.Pattern{"growth"}})
	admin := s.loggedIn(access.Grant{Name: "ann", Scopes: []access.Scope{access.Admin}})
	add := url.Values{"name": {"x"}, "scope": {"admin"}}
	revoke := url.Values{"name": {"ann"}, "sure": {"yes"}}
	change := url.Values{"name": {"ann"}, "expires": {"1h"}}
	for path, form := range map[string]url.Values{"/token/add": add, "/token/set": change, "/token/revoke": revoke} {
		for name, v := range map[string]visitor{"a reader": reader, "an administrator of some scenarios": bound} {
			if response, body := v.post(path, form); response.StatusCode != http.StatusForbidden || shownSecret.MatchString(body) {
				t.Errorf("%s of %s: %d", path, name, response.StatusCode)
			}
		}
		for _, header := range [][2]string{{"Origin", "https://evil.example"}, {"Origin", "null"}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}} {
			request, err := http.NewRequest(http.MethodPost, s.url+path, strings.NewReader(form.Encode()))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			request.Header.Set(header[0], header[1])
			if response, _ := admin.read(admin.client.Do(request)); response.StatusCode != http.StatusForbidden {
				t.Errorf("%s with %s: %d", path, header, response.StatusCode)
			}
		}
	}
	for _, path := range []string{"/token/list", "/status"} {
		if response, _ := bound.get(path); response.StatusCode != http.StatusForbidden {
			t.Errorf("%s of an administrator of some scenarios: %d", path, response.StatusCode)
		}
	}
	if _, body := reader.get("/"); strings.Contains(body, "/token/list") || strings.Contains(body, `"/status"`) {
		t.Error("the header leads a reader to the pages of administrators")
	}
	if _, body := admin.get("/token/list"); strings.Contains(body, `value="x"`) || !strings.Contains(body, `value="ann"`) {
		t.Errorf("a token was added or revoked: %s", body)
	}
}

// The page of the server says how it is. Without tokens the page of tokens says so.
func TestStatusPage(t *testing.T) {
	s := serve(t, func(c *server.Config) { c.NoAuth, c.OwnerName = true, "ann" })
	response, body := s.visitor().get("/status")
	for _, want := range []string{"test", "schema version", "open streams", "of at most 512", "computing", "waiting", "no sweep runs", "growth", "Newest seeds"} {
		if !strings.Contains(body, want) {
			t.Errorf("%d: the status does not have %q", response.StatusCode, want)
		}
	}
	if _, body := s.visitor().get("/token/list"); !strings.Contains(body, "--no-auth") {
		t.Error("the page of tokens does not say that nobody needs one")
	}
	if response, body := s.visitor().post("/token/add", url.Values{"name": {"ci"}, "scope": {"read"}}); response.StatusCode != http.StatusOK || !strings.Contains(body, "ann") {
		t.Errorf("%d: %s", response.StatusCode, body)
	}
}
