package server

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"track/access"
	"track/answer"
	"track/ask"
	"track/pages"
	"track/reports/document"
)

// pagePolicy lets a page load what this server has, and nothing else; no script or style stands in a page itself.
const pagePolicy = "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"

// PageRoutes returns the routes of the pages, and of what they load.
func PageRoutes() []Route {
	routes := []Route{
		{Method: http.MethodGet, Pattern: "/assets/{name}", Summary: "send a file that pages load", serve: (*Server).writeAsset},
		{Method: http.MethodGet, Pattern: loginPath, Summary: "ask for a token, or take a one-time code", page: true, serve: (*Server).showLogin},
		{Method: http.MethodPost, Pattern: loginPath, Summary: "begin a session with a token", page: true, serve: (*Server).login},
		{Method: http.MethodPost, Pattern: "/logout", Summary: "end a session", page: true, serve: (*Server).logout},
		{Method: http.MethodGet, Pattern: "/download/{question...}", Scope: access.Read, Summary: "send an answer as a file", serve: (*Server).download},
	}
	routes = append(routes, adminRoutes()...)
	for _, p := range pages.All() {
		routes = append(routes, Route{
			Method: http.MethodGet, Pattern: p.Path, Scope: p.Scope, Summary: p.Title, page: true,
			serve: func(s *Server, w http.ResponseWriter, r *http.Request) error { return s.writePage(w, r, p) },
		})
	}
	return routes
}

// writePage writes a page for whoever asks, from one state of the database.
func (s *Server) writePage(w http.ResponseWriter, r *http.Request, p pages.Page) error {
	grant := grantOf(r.Context())
	st, release, err := s.database.use(r.Context())
	if err != nil {
		return err
	}
	defer release()
	w.Header().Set("Vary", "Accept-Encoding")
	w.Header().Set("Cache-Control", "private, no-cache")
	if s.notModified(w, r, p.IsLive(), "page", r.URL.Path, r.URL.RawQuery, sessionHolder(r, grant)) {
		return nil
	}
	if p.Path == queryPage {
		ctx, end, err := s.beginQuery(r.Context())
		if err != nil {
			return err
		}
		defer end()
		r = r.WithContext(ctx)
	}
	leave, err := s.queue.enter(r.Context())
	if err != nil {
		return err
	}
	defer leave()
	in, err := paramsOf(r)
	if err != nil {
		return err
	}
	var text written
	asker := &pageAsker{grant: grant}
	err = ask.Snapshot(r.Context(), ask.Source{Store: st, Actor: grant.Name, MostRows: mostRows, MostBytes: mostBytes}, func(from ask.Source) error {
		asker.from = from
		request := s.pageRequest(r, asker)
		kept := pageKeeper{kept: &s.kept}
		if !p.IsLive() {
			kept.state = s.state(r)
		}
		request.Keeper, request.In, request.Live = kept, in, !grant.IsBound()
		text, err = pageText(r, p, request)
		return err
	})
	if err != nil {
		return err
	}
	if asker.asksLive || in.Has("since") {
		w.Header().Del("ETag")
	}
	text.write(w)
	return nil
}

// pageText returns a page, or the file of it that the address names.
func pageText(r *http.Request, p pages.Page, request pages.Request) (written, error) {
	if pages.IsFile(request.In) {
		file, err := p.File(r.Context(), request)
		return fileOfPage(file).compressedFor(r, gzip.DefaultCompression), err
	}
	var page bytes.Buffer
	if err := p.Write(r.Context(), &page, request); err != nil {
		return written{}, err
	}
	return writtenPage(r, page.Bytes()), nil
}

// fileOfPage returns a file that a browser keeps.
func fileOfPage(f pages.File) written {
	named := mime.FormatMediaType("attachment", map[string]string{"filename": f.Name})
	return written{[][2]string{{"Content-Security-Policy", styledPolicy}, {"Content-Type", f.Media}, {"Content-Disposition", named}}, f.Content}
}

// pageRequest returns what each page needs for whoever sent a request.
func (s *Server) pageRequest(r *http.Request, asker *pageAsker) pages.Request {
	grant := asker.grant
	return pages.Request{
		Asker: asker, Base: s.config.BasePath, Who: sessionHolder(r, grant), Admin: grant.Allows(access.Admin) && !grant.IsBound(), Open: s.config.NoAuth,
		Server: func(ctx context.Context) (pages.ServerStatus, error) { return s.status(ctx, asker.from.Store) },
	}
}

// pageType is the content type of a page.
const pageType = "text/html; charset=utf-8"

func writeHTML(w http.ResponseWriter, r *http.Request, status int, page []byte) {
	w.Header().Set("Content-Type", pageType)
	w.Header().Set("Cache-Control", "private, no-cache")
	writeCompressed(w, r, status, page)
}

// pageAsker asks the questions of a page as far as the token allows.
type pageAsker struct {
	grant    access.Grant
	from     ask.Source
	asksLive bool // some answer depends on more than the database
}

func (a *pageAsker) Ask(ctx context.Context, q ask.Question, in url.Values) (answer.Answer, error) {
	if err := a.check(q, in); err != nil {
		return nil, err
	}
	return q.Ask(ctx, a.from, in)
}

func (a *pageAsker) Compose(ctx context.Context, q ask.Question, in url.Values) (document.Document, error) {
	if err := a.check(q, in); err != nil {
		return document.Document{}, err
	}
	return q.Compose(ctx, a.from, in)
}

func (a *pageAsker) check(q ask.Question, in url.Values) error {
	a.asksLive = a.asksLive || q.Live
	if !a.grant.Allows(q.Scope) {
		return forbidden("the token " + a.grant.Name + " does not allow this: it needs the scope " + string(q.Scope))
	}
	return checkNames(a.grant, q, q.Names(in))
}

// writeAsset sends a file that pages load. Its address changes with its content.
func (s *Server) writeAsset(w http.ResponseWriter, r *http.Request) error {
	content, media, err := pages.Asset(r.PathValue("name"))
	if errors.Is(err, fs.ErrNotExist) {
		refuse(w, http.StatusNotFound, errors.New("there is no such file"))
		return nil
	}
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", media)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	writeCompressed(w, r, http.StatusOK, content)
	return nil
}

// download sends an answer of the API in the form that the parameter "as" names, as a file.
func (s *Server) download(w http.ResponseWriter, r *http.Request) error {
	path := r.PathValue("question")
	for _, route := range Routes(ask.All()) {
		if route.Question == nil || route.Question.Path != path || route.Method != http.MethodGet {
			continue
		}
		if !grantOf(r.Context()).Allows(route.Scope) {
			return forbidden("this needs the scope " + string(route.Scope))
		}
		query := r.URL.Query()
		media := query.Get("as")
		query.Del("as")
		asked := r.Clone(r.Context())
		asked.URL.RawQuery = query.Encode()
		asked.Header.Set("Accept", media)
		_, suffix, _ := strings.Cut(media, "/")
		suffix = strings.TrimSuffix(map[string]string{"markdown": "md", "svg+xml": "svg"}[suffix]+"."+suffix, ".")
		name, _, _ := strings.Cut(suffix, ".")
		if name == "" {
			name = strings.TrimPrefix(suffix, ".")
		}
		w.Header().Set("Content-Disposition", `attachment; filename="`+strings.ReplaceAll(path, "/", "-")+"."+name+`"`)
		return s.answer(w, asked.WithContext(forSpreadsheets(asked.Context())), *route.Question)
	}
	refuse(w, http.StatusNotFound, errors.New("there is no such answer"))
	return nil
}

// pageWriter writes the problems of a page as a page, and sends whoever has no token to the login.
type pageWriter struct {
	http.ResponseWriter
	request *http.Request
	base    string
}

// forBrowser returns a writer for an answer that a browser shows.
func (s *Server) forBrowser(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	w.Header().Set("Content-Security-Policy", pagePolicy)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	return pageWriter{w, r, s.config.BasePath}
}

func (w pageWriter) writeProblem(status int, p answer.Problem) {
	w.Header().Del("ETag")
	w.Header().Del("WWW-Authenticate")
	if status == http.StatusUnauthorized {
		to := w.base + loginPath
		if w.request.Method == http.MethodGet {
			to += "?" + url.Values{"next": {w.request.URL.RequestURI()}}.Encode()
		}
		http.Redirect(w.ResponseWriter, w.request, to, http.StatusSeeOther)
		return
	}
	var page bytes.Buffer
	if err := pages.WriteError(&page, w.base, http.StatusText(status), p); err != nil {
		http.Error(w.ResponseWriter, p.Message, status)
		return
	}
	writeHTML(w.ResponseWriter, w.request, status, page.Bytes())
}

// Unwrap lets a controller of the response reach the connection.
func (w pageWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
