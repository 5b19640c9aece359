package server

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"track"
	"track/access"
	"track/answer"
	"track/ask"
	"track/pages"
	"track/store"
)

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
