package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"track"
	"track/access"
	"track/ask"
)

// requestNote is what is noted of a request while it is answered.
type requestNote struct {
	route  string
	grant  access.Grant // of whoever sent it
	status int
}

type noteKey struct{}

// noRoute is the route of a request to an address that the server does not have.
const noRoute = "none"

func noteOf(ctx context.Context) *requestNote {
	note, _ := ctx.Value(noteKey{}).(*requestNote)
	return note
}

func noteRoute(ctx context.Context, r Route) { noteOf(ctx).route = r.Pattern }

func noteGrant(ctx context.Context, g access.Grant) { noteOf(ctx).grant = g }

// grantOf returns what whoever sent a request may do.
func grantOf(ctx context.Context) access.Grant { return noteOf(ctx).grant }

// logged writes a line on each request: who did what. Parameters and bodies are in none.
func (s *Server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note := &requestNote{status: http.StatusOK, route: noRoute}
		began := time.Now()
		next.ServeHTTP(&noting{w, note}, r.WithContext(context.WithValue(r.Context(), noteKey{}, note)))
		taken := time.Since(began)
		level := slog.LevelInfo
		if note.status >= http.StatusInternalServerError {
			level = slog.LevelError
		}
		s.config.Log.Log(r.Context(), level, "request", "method", r.Method, "path", note.path(r), "status", note.status, "holder", note.grant.Name, "remote", r.RemoteAddr, "ms", taken.Milliseconds())
		s.metrics.count(requestKind{methodLabel(r.Method), note.route, note.status}, taken)
	})
}

// path returns the path of a request as it is logged. One that was refused may hold anything, such as a token that was
// pasted: its route is logged in its place.
func (n *requestNote) path(r *http.Request) string {
	if n.status >= http.StatusBadRequest && (n.route == noRoute || strings.Contains(n.route, "{")) {
		return n.route
	}
	return r.URL.Path
}

// logChange writes who changed what, once it is in the database. Of the parameters it has names of scenarios,
// lineages and tokens alone: others can hold secrets.
func (s *Server) logChange(ctx context.Context, what string, about ...any) {
	s.config.Log.InfoContext(ctx, "change", append([]any{"what", what, "holder", grantOf(ctx).Name}, about...)...)
}

func textsOf(names []ask.Name) (list []string) {
	for _, n := range names {
		list = append(list, n.Text)
	}
	return list
}

// methodLabel returns a method that HTTP knows; a client can send any word.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions, http.MethodPatch:
		return method
	}
	return "other"
}

// noting notes the status of an answer.
type noting struct {
	http.ResponseWriter
	note *requestNote
}

func (n *noting) WriteHeader(status int) {
	n.note.status = status
	n.ResponseWriter.WriteHeader(status)
}

// Unwrap lets [http.ResponseController] find the writer.
func (n *noting) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// recovering answers a request whose handler panicked.
func (s *Server) recovering(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var err error
		func() {
			defer track.CatchPanic(&err)
			next.ServeHTTP(w, r)
		}()
		var panicked *track.PanicError
		if errors.As(err, &panicked) && panicked.Value == http.ErrAbortHandler {
			panic(http.ErrAbortHandler) // net/http ends the connection
		}
		if err != nil {
			s.config.Log.ErrorContext(r.Context(), "defect", "error", fmt.Sprint(err))
			refuse(w, http.StatusInternalServerError, fmt.Errorf("the server has a defect; its log says more"))
		}
	})
}
