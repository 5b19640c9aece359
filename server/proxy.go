package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"track/access"
)

// The headers in which a proxy says whom it asks for. Only those of trusted proxies are believed.
const (
	forwardedFor   = "X-Forwarded-For"
	forwardedProto = "X-Forwarded-Proto"
	forwardedHost  = "X-Forwarded-Host"
)

// maxUser is the longest name of a user in bytes.
const maxUser = 200

type proxyKey struct{}

// proxied is what a trusted proxy says of a request.
type proxied struct {
	user     string // who signed in there; empty for nobody
	encrypts bool   // the client reached the proxy by HTTPS
}

// behindProxies believes the headers of trusted proxies: the address of the client, the name that it asked, and who
// signed in. Those of anybody else are taken away.
func (s *Server) behindProxies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.isTrusted(r.RemoteAddr) {
			if s.config.SSOHeader != "" && r.Header.Get(s.config.SSOHeader) != "" {
				s.config.Log.WarnContext(r.Context(), "refused the name of a user from an address that is no trusted proxy", "remote", r.RemoteAddr)
				r.Header.Del(s.config.SSOHeader)
			}
			next.ServeHTTP(w, r)
			return
		}
		said := proxied{encrypts: strings.EqualFold(r.Header.Get(forwardedProto), "https")}
		if s.config.SSOHeader != "" {
			users := r.Header.Values(s.config.SSOHeader)
			if len(users) == 1 && isUser(users[0]) {
				said.user = users[0]
			} else if len(users) > 0 {
				s.config.Log.WarnContext(r.Context(), "a proxy sent no valid name of a user", "remote", r.RemoteAddr)
			}
		}
		r = r.WithContext(context.WithValue(r.Context(), proxyKey{}, said))
		if client := s.client(r.Header.Values(forwardedFor)); client != "" {
			r.RemoteAddr = client
		}
		if hosts := r.Header.Values(forwardedHost); len(hosts) == 1 && !strings.Contains(hosts[0], ",") {
			r.Host = hosts[0]
		}
		next.ServeHTTP(w, r)
	})
}

// proxyOf returns what a trusted proxy said of a request.
func proxyOf(ctx context.Context) proxied {
	said, _ := ctx.Value(proxyKey{}).(proxied)
	return said
}

// isTrusted reports whether an address, with or without a port, is that of a trusted proxy.
func (s *Server) isTrusted(address string) bool {
	ip, ok := parseAddress(address)
	return ok && slices.ContainsFunc(s.config.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// client returns the address of the client: the last one that no trusted proxy has. What stands before it anybody may
// have written.
func (s *Server) client(headers []string) string {
	list := strings.Split(strings.Join(headers, ","), ",")
	for _, address := range slices.Backward(list) {
		address = strings.TrimSpace(address)
		if _, ok := parseAddress(address); !ok {
			return ""
		}
		if !s.isTrusted(address) {
			return address
		}
	}
	return ""
}

func parseAddress(address string) (netip.Addr, bool) {
	if with, err := netip.ParseAddrPort(address); err == nil {
		return with.Addr().Unmap().WithZone(""), true
	}
	ip, err := netip.ParseAddr(strings.Trim(address, "[]"))
	return ip.Unmap().WithZone(""), err == nil
}

// isUser reports whether a text can be recorded as the name of a user.
func isUser(name string) bool {
	return name != "" && len(name) <= maxUser && utf8.ValidString(name) && strings.TrimSpace(name) == name &&
		!strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

// userGrant returns what somebody may do who signed in at the proxy.
func (s *Server) userGrant(r *http.Request) (access.Grant, bool) {
	user := proxyOf(r.Context()).user
	return access.Grant{Name: user, Scopes: s.config.SSOScopes}, user != ""
}

// Check returns an error for settings that would let anybody say who they are.
func (c Config) Check() error {
	switch {
	case c.SSOHeader != "" && len(c.TrustedProxies) == 0:
		return errors.New("single sign-on needs the address of the proxy that is trusted to say who signed in")
	case c.SSOHeader != "" && slices.Contains([]string{"authorization", "cookie", "host", "origin"}, strings.ToLower(c.SSOHeader)):
		return fmt.Errorf("%s is not a header for the name of a user", c.SSOHeader)
	}
	return nil
}
