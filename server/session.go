package server

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"track"
	"track/access"
	"track/answer"
	"track/ask"
	"track/pages"
	"track/store"
)

const (
	loginPath     = "/login"
	sessionCookie = "track_session"
	sessionTime   = 12 * time.Hour // without a request
	mostSessions  = 10_000
)

// sessions are those of browsers. They are kept in memory alone: after a restart of the server everybody logs in again.
type sessions struct {
	now func() time.Time

	mu    sync.Mutex
	of    map[string]session       // by what the cookie holds
	codes map[string]access.Secret // that begin a session once
}

type session struct {
	secret access.Secret // checked with each request, so that revoking it ends the session
	last   time.Time
}

func newSessions(now func() time.Time) *sessions {
	return &sessions{now: now, of: map[string]session{}, codes: map[string]access.Secret{}}
}

// begin returns what the cookie of a new session holds.
func (s *sessions) begin(secret access.Secret) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.of) >= mostSessions {
		s.forgetOld()
	}
	id := rand.Text()
	s.of[id] = session{secret, s.now()}
	return id
}

// forgetOld drops sessions that have ended, and the one that was used longest ago if none has.
func (s *sessions) forgetOld() {
	oldest := ""
	for id, one := range s.of {
		if s.now().Sub(one.last) > sessionTime {
			delete(s.of, id)
		} else if oldest == "" || one.last.Before(s.of[oldest].last) {
			oldest = id
		}
	}
	if len(s.of) >= mostSessions {
		delete(s.of, oldest)
	}
}

// secret returns the secret of the token that a session was begun with.
func (s *sessions) secret(id string) (access.Secret, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, found := s.of[id]
	if !found || s.now().Sub(one.last) > sessionTime {
		delete(s.of, id)
		return "", false
	}
	one.last = s.now()
	s.of[id] = one
	return one.secret, true
}

func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.of, id)
}

// newCode returns a code that begins one session.
func (s *sessions) newCode(secret access.Secret) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	code := rand.Text()
	s.codes[code] = secret
	return code
}

// take returns the secret that a code stands for, once.
func (s *sessions) take(code string) (access.Secret, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	secret, found := s.codes[code]
	delete(s.codes, code)
	return secret, found
}

// LoginLink returns the path that begins a session of the owner in a browser, once.
func (s *Server) LoginLink() string {
	if s.config.NoAuth {
		return s.config.BasePath + "/"
	}
	return s.config.BasePath + loginPath + "?code=" + s.sessions.newCode(s.config.Owner)
}

// showLogin asks for a token; the code of a one-time link takes its place.
func (s *Server) showLogin(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	if code := query.Get("code"); code != "" {
		if secret, found := s.sessions.take(code); found {
			s.beginSession(w, r, secret, query.Get("next"))
			return nil
		}
		return s.writeLogin(w, r, http.StatusUnauthorized, query.Get("next"), "This link was used before. Use a new one, or a token.")
	}
	return s.writeLogin(w, r, http.StatusOK, query.Get("next"), "")
}

// login begins a session with the token of a form.
func (s *Server) login(w http.ResponseWriter, r *http.Request) error {
	in, err := paramsOf(r)
	if err != nil {
		return err
	}
	asked := r.Clone(r.Context())
	asked.Header = http.Header{"Authorization": {"Bearer " + strings.TrimSpace(in.Get("token"))}}
	if _, err := s.authenticate(asked); err != nil {
		return s.writeLogin(w, r, http.StatusUnauthorized, in.Get("next"), "This token is not valid.")
	}
	secret, err := secretOf(asked)
	if err != nil { // nobody needs a token here
		http.Redirect(w, r, s.config.BasePath+"/", http.StatusSeeOther)
		return nil
	}
	s.beginSession(w, r, secret, in.Get("next"))
	return nil
}

func (s *Server) writeLogin(w http.ResponseWriter, r *http.Request, status int, next, problem string) error {
	var page bytes.Buffer
	if err := pages.WriteLogin(&page, s.config.BasePath, next, problem); err != nil {
		return err
	}
	writeHTML(w, r, status, page.Bytes())
	return nil
}

func (s *Server) beginSession(w http.ResponseWriter, r *http.Request, secret access.Secret, next string) {
	http.SetCookie(w, s.cookie(r, s.sessions.begin(secret), 0))
	http.Redirect(w, r, s.localAddress(next), http.StatusSeeOther)
}

// cookie returns the cookie of a session. Other sites cannot send it, and scripts cannot read it.
func (s *Server) cookie(r *http.Request, value string, maxAge int) *http.Cookie {
	return &http.Cookie{Name: sessionCookie, Value: value, Path: s.config.BasePath + "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil || proxyOf(r.Context()).encrypts, MaxAge: maxAge}
}

// localAddress returns an address of this server; the home page for any other.
func (s *Server) localAddress(next string) string {
	to, err := url.Parse(next)
	if err != nil || to.Scheme != "" || to.Host != "" || to.User != nil || to.Opaque != "" || !strings.HasPrefix(next, s.config.BasePath+"/") ||
		strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") {
		return s.config.BasePath + "/"
	}
	return next
}

// logout ends the session of a browser.
func (s *Server) logout(w http.ResponseWriter, r *http.Request) error {
	if cookie, err := r.Cookie(sessionCookie); err == nil {
		s.sessions.end(cookie.Value)
	}
	http.SetCookie(w, s.cookie(r, "", -1))
	http.Redirect(w, r, s.config.BasePath+loginPath, http.StatusSeeOther)
	return nil
}

// sessionSecret returns the secret of the session of a browser.
func (s *Server) sessionSecret(r *http.Request) (access.Secret, bool) {
	cookie, err := r.Cookie(sessionCookie)
	if err != nil {
		return "", false
	}
	return s.sessions.secret(cookie.Value)
}

// sessionHolder names whoever has a session; nobody where a request needs none.
func sessionHolder(r *http.Request, grant access.Grant) string {
	if _, err := r.Cookie(sessionCookie); err != nil {
		return ""
	}
	return grant.Name
}

// adminRoutes returns what the forms of the page of tokens send.
func adminRoutes() []Route {
	return []Route{
		{Method: http.MethodPost, Pattern: "/token/add", Scope: access.Admin, Summary: "add a token, and show it once", page: true, serve: (*Server).addToken},
		{Method: http.MethodPost, Pattern: "/token/set", Scope: access.Admin, Summary: "change the expiry of a token", page: true, serve: (*Server).setToken},
		{Method: http.MethodPost, Pattern: "/token/revoke", Scope: access.Admin, Summary: "revoke a token", page: true, serve: (*Server).revokeToken},
	}
}

// addToken adds the token of a form. The page with its secret is kept by no cache, has an address without it, and is
// not compressed, because its length would tell of the secret.
func (s *Server) addToken(w http.ResponseWriter, r *http.Request) error {
	form, err := paramsOf(r)
	if err != nil {
		return err
	}
	in := trimmed(form, "name", "expires")
	if scopes := form["scope"]; len(scopes) > 0 {
		in.Set("scope", strings.Join(scopes, ","))
	}
	for _, name := range []string{"scenario", "lineage"} {
		for line := range strings.Lines(form.Get(name)) {
			if line = strings.TrimSpace(line); line != "" {
				in.Add(name, line)
			}
		}
	}
	var page bytes.Buffer
	err = s.change(r, ask.AddToken().Question(), in, func(a answer.Answer, asker *pageAsker) error {
		return pages.WriteAddedToken(&page, s.pageRequest(r, asker), a.(answer.AddedToken))
	})
	if err != nil {
		return err
	}
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(page.Len()))
	_, _ = page.WriteTo(w) // the reader has gone
	return nil
}

// trimmed returns the fields of a form that are filled in.
func trimmed(form url.Values, names ...string) url.Values {
	in := url.Values{}
	for _, name := range names {
		if text := strings.TrimSpace(form.Get(name)); text != "" {
			in.Set(name, text)
		}
	}
	return in
}

// setToken changes the token of a form, and leads back to the list.
func (s *Server) setToken(w http.ResponseWriter, r *http.Request) error {
	form, err := paramsOf(r)
	if err != nil {
		return err
	}
	in := trimmed(form, "expires")
	in.Set("name", form.Get("name"))
	return s.changeAndList(w, r, ask.SetToken().Question(), in)
}

// revokeToken revokes the token of a form, and leads back to the list.
func (s *Server) revokeToken(w http.ResponseWriter, r *http.Request) error {
	form, err := paramsOf(r)
	if err != nil {
		return err
	}
	if form.Get("sure") != "yes" {
		return fmt.Errorf("%w: tick that it cannot be undone, and send the form again", track.ErrInvalid)
	}
	return s.changeAndList(w, r, ask.RevokeToken().Question(), url.Values{"name": {form.Get("name")}})
}

// changeAndList changes a token, and leads back to the list.
func (s *Server) changeAndList(w http.ResponseWriter, r *http.Request, q ask.Question, in url.Values) error {
	err := s.change(r, q, in, func(answer.Answer, *pageAsker) error { return nil })
	if err == nil {
		http.Redirect(w, r, s.config.BasePath+"/token/list", http.StatusSeeOther)
	}
	return err
}

// change asks a question about a token that changes something, as far as whoever sent the request may, and notes it in
// the log.
func (s *Server) change(r *http.Request, q ask.Question, in url.Values, done func(a answer.Answer, asker *pageAsker) error) error {
	st, release, err := s.database.use(r.Context())
	if err != nil {
		return err
	}
	defer release()
	leave, err := s.queue.enter(r.Context())
	if err != nil {
		return err
	}
	defer leave()
	grant := grantOf(r.Context())
	asker := &pageAsker{grant: grant, from: ask.Source{Store: st, Actor: grant.Name}}
	a, err := asker.Ask(r.Context(), q, in)
	if err != nil {
		return err
	}
	s.logChange(r.Context(), q.Name, "token", in.Get("name"))
	return done(a, asker)
}

// status returns how the server is, for the page that shows it.
func (s *Server) status(ctx context.Context, st *store.Store) (pages.ServerStatus, error) {
	size, err := st.FileSize(ctx)
	kind := "SQLite"
	if store.IsServer(st.Path()) {
		kind = "PostgreSQL"
	}
	load := func(c chan struct{}) pages.Load { return pages.Load{N: len(c), Most: cap(c)} }
	computing, places := load(s.queue.computing), load(s.queue.places)
	return pages.ServerStatus{
		Version: s.config.Version, Database: store.WithoutPassword(st.Path()), Kind: kind, Schema: store.SchemaVersion, Bytes: size, Began: s.began, Now: s.config.Now(),
		Streams: pages.Load{N: s.streams.count(), Most: mostStreams}, Computing: computing,
		Waiting: pages.Load{N: max(0, places.N-computing.N), Most: places.Most - computing.Most}, Recording: load(s.recording.computing),
	}, err
}
