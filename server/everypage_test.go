//go:build !race

package server_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"track/access"
	"track/answer"
	"track/internal/testdb"
	"track/server"
	"track/store"
	"track/tracker/tokens"
)

// No page is shown to a session whose token was revoked, nor under the name of another host.
func TestEveryPageIsGuarded(t *testing.T) {
	s := serve(t, nil)
	v, secret := s.visitor(), s.token(access.Grant{Name: "ann", Scopes: []access.Scope{access.Read, access.Admin}})
	v.post("/login", url.Values{"token": {string(secret)}})
	if response, _ := v.get("/"); response.StatusCode != http.StatusOK {
		t.Fatalf("the session does not begin: %d", response.StatusCode)
	}
	for _, path := range pageAddresses() {
		if response, body := v.getFrom("evil.example", path); response.StatusCode != http.StatusForbidden || strings.Contains(body, "growth") {
			t.Errorf("%s under another name: %d", path, response.StatusCode)
		}
	}
	if _, err := tokens.Revoke(t.Context(), s.store, answer.RevokeTokenQuestion{Name: "ann"}); err != nil {
		t.Fatal(err)
	}
	for _, path := range pageAddresses() {
		response, body := v.get(path)
		if to := response.Header.Get("Location"); response.StatusCode != http.StatusSeeOther || to != "/login?next="+url.QueryEscape(path) || strings.Contains(body, "growth") {
			t.Errorf("%s after the token was revoked: %d to %q", path, response.StatusCode, to)
		}
	}
}

// getFrom opens a page under the name of a host.
func (v visitor) getFrom(host, path string) (*http.Response, string) {
	v.t.Helper()
	request, err := http.NewRequest(http.MethodGet, v.url+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	request.Host = host
	address, err := url.Parse(v.url)
	if err != nil {
		v.t.Fatal(err)
	}
	for _, cookie := range v.client.Jar.Cookies(address) {
		request.AddCookie(cookie)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	return v.read(response, err)
}

// Every page of an empty database says what is missing: with the status 200, or 404 for something that must be named.
func TestEveryPageOfEmptyDatabase(t *testing.T) {
	empty := testdb.New(t).Path()
	s := serve(t, func(c *server.Config) {
		c.NoAuth = true
		c.Open = func(ctx context.Context) (*store.Store, error) { return store.OpenForUpdate(ctx, empty, testdb.Clock) }
	})
	named := url.Values{"scenario": {"growth"}, "seed": {"1"}, "lineage": {"l"}, "mutation": {"1"}, "version": {"l@v1"}, "id": {"e"}, "sweep": {"01K"}, "text": {"done"}, "sql": {"SELECT 1"}}
	for _, path := range pageAddresses() {
		addresses := []string{path}
		for name, values := range named {
			addresses = append(addresses, path+"?"+url.Values{name: values}.Encode())
		}
		for _, address := range addresses {
			response, body := s.visitor().get(address)
			if !slices.Contains([]int{http.StatusOK, http.StatusNotFound, http.StatusBadRequest}, response.StatusCode) || address == path && response.StatusCode == http.StatusBadRequest || strings.Count(body, "<h1>") != 1 || len(response.Header.Values("Content-Security-Policy")) != 1 {
				t.Errorf("%s: %d, %.300s", address, response.StatusCode, body)
			}
		}
	}
}
