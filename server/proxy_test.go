//go:build !race

package server_test

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"track/access"
	"track/server"
)

// ask sends a GET with headers, each "Name: value".
func (s *service) ask(path string, headers ...string) (*http.Response, string) {
	s.t.Helper()
	request, err := http.NewRequest(http.MethodGet, s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Add(name, value)
	}
	return s.visitor().read(http.DefaultClient.Do(request))
}

func trusting(networks ...string) func(*server.Config) {
	return func(c *server.Config) {
		for _, n := range networks {
			c.TrustedProxies = append(c.TrustedProxies, netip.MustParsePrefix(n))
		}
		c.SSOHeader, c.SSOScopes, c.Hosts = "X-Remote-User", []access.Scope{access.Read}, []string{"track.example.org"}
	}
}

// A trusted proxy says who signed in: that person has the scopes of single sign-on, and no others.
func TestSingleSignOn(t *testing.T) {
	s := serve(t, trusting("127.0.0.0/8"))
	if response, body := s.ask("/api/v1/seeds", "X-Remote-User: ann@example.org"); response.StatusCode != http.StatusOK {
		t.Errorf("%d: %s", response.StatusCode, body)
	}
	if response, body := s.ask("/api/v1/token/list", "X-Remote-User: ann@example.org"); response.StatusCode != http.StatusForbidden || !strings.Contains(body, "ann@example.org") {
		t.Errorf("%d: %s", response.StatusCode, body)
	}
	for _, wrong := range [][]string{
		{}, {"X-Remote-User: "}, {"X-Remote-User: a", "X-Remote-User: b"}, {"X-Remote-User: " + strings.Repeat("x", 201)}, {"X-Remote-User: a\u202eb"}, {"X-Remote-User: ann", "Authorization: Bearer trk_wrong"},
	} {
		if response, _ := s.ask("/api/v1/seeds", wrong...); response.StatusCode != http.StatusUnauthorized {
			t.Errorf("%q: %d", wrong, response.StatusCode)
		}
	}
}

// Who leaves out the path that all addresses begin with is led to the home page.
func TestBasePath(t *testing.T) {
	t.Parallel()
	s := serve(t, func(c *server.Config) { c.BasePath, c.NoAuth = "/lab/track", true })
	for path, want := range map[string]string{"/": "/lab/track/", "/lab/track": "/lab/track/", "/seeds": ""} {
		response, _ := s.do(http.MethodGet, path, "", "")
		if to := response.Header.Get("Location"); to != want || (want == "") != (response.StatusCode == http.StatusNotFound) {
			t.Errorf("%s: %d to %q, want %q", path, response.StatusCode, to, want)
		}
	}
	if response, body := s.do(http.MethodGet, "/lab/track/", "", ""); response.StatusCode != http.StatusOK {
		t.Errorf("home: %d: %.200s", response.StatusCode, body)
	}
	// A form that opens because a parameter is missing says which one is not known.
	if _, body := s.do(http.MethodGet, "/lab/track/compare?configuration=x", "", ""); !strings.Contains(body, "configuration: there is no such parameter") {
		t.Errorf("a parameter that is not known: %.3000s", body)
	}
}

// Nobody else can say who they are.
func TestSingleSignOnOfOthers(t *testing.T) {
	s := serve(t, trusting("10.0.0.0/8"))
	for _, headers := range [][]string{{"X-Remote-User: ann"}, {"X-Remote-User: ann", "X-Forwarded-For: 10.1.2.3"}, {"x-remote-user: ann", "Forwarded: for=10.1.2.3"}} {
		if response, _ := s.ask("/api/v1/seeds", headers...); response.StatusCode != http.StatusUnauthorized {
			t.Errorf("%q: %d", headers, response.StatusCode)
		}
	}
	if response, _ := s.ask("/api/v1/seeds", "X-Forwarded-Host: evil.example"); response.StatusCode != http.StatusUnauthorized {
		t.Errorf("the host of an untrusted proxy is believed: %d", response.StatusCode)
	}
}

// The log has the last address that no trusted proxy has. What stands before it anybody may have written.
func TestForwardedAddress(t *testing.T) {
	for _, c := range []struct {
		name, header, want string
	}{
		{"one", "203.0.113.7", "remote=203.0.113.7"},
		{"forged", "198.51.100.1, 203.0.113.7, 127.0.0.9", "remote=203.0.113.7"},
		{"version 6", "2001:db8::7", "remote=2001:db8::7"},
		{"no address", "evil\" level=ERROR", "remote=127.0.0.1:"},
		{"proxies alone", "127.0.0.9", "remote=127.0.0.1:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log string
			t.Run("asked", func(t *testing.T) {
				s := serve(t, trusting("127.0.0.0/8"))
				t.Cleanup(func() { log = s.log.String() })
				s.ask("/healthz", "X-Forwarded-For: "+c.header)
			})
			if !strings.Contains(log, c.want) {
				t.Errorf("the log has no %q: %s", c.want, log)
			}
		})
	}
}

// The name that the client asked for is checked, and its cookie is for HTTPS alone if it came by HTTPS.
func TestForwardedHostAndScheme(t *testing.T) {
	s := serve(t, trusting("127.0.0.0/8"))
	if response, _ := s.ask("/healthz", "X-Forwarded-Host: track.example.org"); response.StatusCode != http.StatusOK {
		t.Errorf("%d", response.StatusCode)
	}
	if response, _ := s.ask("/healthz", "X-Forwarded-Host: evil.example"); response.StatusCode != http.StatusForbidden {
		t.Errorf("%d", response.StatusCode)
	}
	secret := s.token(access.Grant{Name: "reader", Scopes: []access.Scope{access.Read}})
	request, err := http.NewRequest(http.MethodPost, s.url+"/login", strings.NewReader(url.Values{"token": {string(secret)}}.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("X-Forwarded-Proto", "https")
	v := s.visitor()
	response, _ := v.read(v.client.Do(request))
	if cookies := response.Cookies(); len(cookies) != 1 || !cookies[0].Secure {
		t.Errorf("%d, %q", response.StatusCode, cookies)
	}
}

func TestConfigCheck(t *testing.T) {
	for _, c := range []server.Config{
		{SSOHeader: "X-Remote-User"},
		{SSOHeader: "Authorization", TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}},
	} {
		if c.Check() == nil {
			t.Errorf("%q is taken", c.SSOHeader)
		}
	}
	if err := (server.Config{}).Check(); err != nil {
		t.Error(err)
	}
}

// Whoever asks when too many have asked is told when to come back.
func TestRate(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := serve(t, func(c *server.Config) { c.Rate = 2 })
	s.now = func() time.Time { return now }
	busy := s.token(access.Grant{Name: "busy", Scopes: []access.Scope{access.Read}})
	status := func(secret access.Secret) int {
		response, body := s.ask("/api/v1/seeds", "Authorization: Bearer "+string(secret))
		if response.StatusCode == http.StatusTooManyRequests && (response.Header.Get("Retry-After") != "1" || !strings.Contains(body, "more than 2 requests a second")) {
			t.Errorf("%s: %s", response.Header, body)
		}
		return response.StatusCode
	}
	for i, want := range []int{200, 200, 200, 200, 429, 429} {
		if got := status(busy); got != want {
			t.Errorf("request %d: %d, want %d", i, got, want)
		}
	}
	if response, _ := s.ask("/healthz"); response.StatusCode != http.StatusOK {
		t.Errorf("without a token: %d", response.StatusCode)
	}
	now = now.Add(time.Second)
	for i, want := range []int{200, 200, 429} {
		if got := status(busy); got != want {
			t.Errorf("request %d after a second: %d, want %d", i, got, want)
		}
	}
}
