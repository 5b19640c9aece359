package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/time/rate"

	"track"
	"track/access"
	"track/ask"
	"track/tracker/tokens"
)

// checkHost refuses requests that were sent to another name. A page of a foreign site whose name was made to resolve to
// this machine (DNS rebinding) is of the same origin as what it asks for, so no check of origins stops it.
func (s *Server) checkHost(next http.Handler) http.Handler {
	allowed := append([]string{"localhost", "127.0.0.1", "::1"}, s.config.Hosts...)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.ContainsFunc(allowed, func(name string) bool { return strings.EqualFold(name, hostName(r.Host)) }) {
			s.config.Log.WarnContext(r.Context(), "refused a request to a foreign host", "host", r.Host, "remote", r.RemoteAddr)
			refuse(w, http.StatusForbidden, fmt.Errorf("the server is not known as %q: start it with --allowed-host to allow that name", hostName(r.Host)))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostName returns a host without its port.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// guard lets a request through to a route if its token allows that.
func (s *Server) guard(route Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
		if route.page {
			w = s.forBrowser(w, r)
		}
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cache-Control", "no-store")
		r.Body = http.MaxBytesReader(w, r.Body, cmp.Or(route.body, maxBody))
		noteRoute(r.Context(), route)
		if route.Scope != "" {
			grant, err := s.authenticate(r)
			if err != nil {
				s.refuseToken(w, r, err)
				return
			}
			noteGrant(r.Context(), grant)
			if wait, ok := s.rate.allow(); !ok {
				refuseRate(w, s.config.Rate, wait)
				return
			}
			if !grant.Allows(route.Scope) {
				refuse(w, http.StatusForbidden, fmt.Errorf("the token %s does not allow this: it needs the scope %s", grant.Name, route.Scope))
				return
			}
		}
		ctx := r.Context()
		if route.stream == "" {
			limit := s.config.QueryTime
			if route.isLong() {
				limit = max(limit, longAnswer)
				control := http.NewResponseController(w) // else it is cut off earlier
				_ = errors.Join(control.SetReadDeadline(time.Time{}), control.SetWriteDeadline(time.Now().Add(limit+readTime)))
			}
			limited, cancel := context.WithTimeout(ctx, limit)
			defer cancel()
			ctx = limited
		}
		if err := route.serve(s, w, r.WithContext(ctx)); err != nil {
			s.refuseFor(ctx, w, err)
		}
	})
}

// errNoToken is the error for a request without a token, or with one that is not valid.
var errNoToken = errors.New("a valid token is needed, in the header Authorization")

// authenticate returns what whoever sent a request may do.
func (s *Server) authenticate(r *http.Request) (access.Grant, error) {
	if s.config.NoAuth {
		return access.Grant{Name: s.config.OwnerName, Scopes: []access.Scope{access.Admin}}, nil
	}
	secret, err := secretOf(r)
	if err != nil {
		if r.Header.Get("Authorization") != "" {
			return access.Grant{}, err
		}
		var found bool
		if secret, found = s.sessionSecret(r); !found {
			if grant, found := s.userGrant(r); found {
				return grant, nil
			}
			return access.Grant{}, err
		}
	}
	if s.config.Owner != "" && secret.Hash() == s.config.Owner.Hash() {
		return access.Grant{Name: s.config.OwnerName, Scopes: []access.Scope{access.Admin}}, nil
	}
	_, release, err := s.database.use(r.Context())
	if err != nil {
		return access.Grant{}, err
	}
	defer release()
	grant, err := tokens.Authenticate(r.Context(), s.database.tokens, secret, s.config.Now())
	switch {
	case errors.Is(err, track.ErrNotFound):
		return access.Grant{}, fmt.Errorf("the token is not valid: it has expired or was revoked, or it is one of another server (%w)", errNoToken)
	case err == nil:
		s.database.noteUse(secret, s.config.Now())
	}
	return grant, err
}

// secretOf returns the token of a request: a bearer's, or the password of a client that knows no tokens.
func secretOf(r *http.Request) (access.Secret, error) {
	text, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		_, text, ok = r.BasicAuth()
	}
	if !ok {
		return "", errNoToken
	}
	secret, err := access.ParseSecret(strings.TrimSpace(text))
	if err != nil {
		return "", fmt.Errorf("%w (%w)", err, errNoToken)
	}
	return secret, nil
}

// refuseToken answers a request that has no valid token.
func (s *Server) refuseToken(w http.ResponseWriter, r *http.Request, err error) {
	if !errors.Is(err, errNoToken) {
		s.refuseFor(r.Context(), w, err)
		return
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="track"`)
	refuse(w, http.StatusUnauthorized, err)
}

// checkNames refuses a question about what the token is not for. A token for some scenarios or lineages may only ask
// questions that name one of them: lists, SQL and searches would show others.
func checkNames(grant access.Grant, q ask.Question, names []ask.Name) error {
	if !grant.IsBound() {
		return nil
	}
	if q.Unbound {
		return forbidden(fmt.Sprintf("the token %s is for some scenarios or lineages, and the answer to %q has more", grant.Name, q.Name))
	}
	for _, n := range names {
		if n.Lineage && !grant.MayNameLineage(n.Text) || !n.Lineage && !grant.MayNameScenario(n.Text) {
			return forbidden(fmt.Sprintf("the token %s is not for %s", grant.Name, n.Text))
		}
	}
	if len(names) == 0 {
		return forbidden(fmt.Sprintf("the token %s is for some scenarios or lineages, and %q names none", grant.Name, q.Name))
	}
	return nil
}

// requestRate bounds the requests of all together.
type requestRate struct {
	limiter *rate.Limiter // nil for no bound
	now     func() time.Time
}

func newRequestRate(perSecond float64, now func() time.Time) requestRate {
	if perSecond == 0 {
		return requestRate{}
	}
	return requestRate{rate.NewLimiter(rate.Limit(perSecond), max(1, int(2*perSecond))), now}
}

// allow reports whether a request may be answered now, and if not, when.
func (r requestRate) allow() (wait time.Duration, ok bool) {
	if r.limiter == nil {
		return 0, true
	}
	now := r.now()
	asked := r.limiter.ReserveN(now, 1)
	if wait = asked.DelayFrom(now); wait == 0 {
		return 0, true
	}
	asked.CancelAt(now)
	return wait, false
}

// refuseRate answers a request that is one too many.
func refuseRate(w http.ResponseWriter, perSecond float64, wait time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
	refuse(w, http.StatusTooManyRequests, fmt.Errorf("more than %g requests a second: wait %s", perSecond, wait.Round(time.Millisecond)))
}

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
