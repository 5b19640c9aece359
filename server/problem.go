package server

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"track"
	"track/answer"
	"track/tracker/exchange"
)

// Problem is the body of an answer that is an error: RFC 9457 (problem+json), with the fields of [answer.Problem].
type Problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`

	answer.Problem `json:",embed"`
}

const problemType = "application/problem+json"

// forbidden is the error for what a token does not allow.
type forbidden string

func (e forbidden) Error() string { return string(e) }

// refuse answers with an error of the server itself.
func refuse(w http.ResponseWriter, status int, err error) {
	p := answer.ProblemOf(err)
	switch {
	case status == http.StatusNotFound:
		p.Kind = answer.NotFound
	case p.Kind == answer.Internal && status < http.StatusInternalServerError:
		p.Kind = answer.Invalid
	}
	writeProblem(w, status, p)
}

func writeProblem(w http.ResponseWriter, status int, p answer.Problem) {
	if page, ok := w.(interface {
		writeProblem(status int, p answer.Problem)
	}); ok {
		page.writeProblem(status, p)
		return
	}
	writeProblemBody(w, status, problemOf(status, p))
}

func problemOf(status int, p answer.Problem) Problem {
	return Problem{Title: http.StatusText(status), Status: status, Detail: p.Message, Problem: p}
}

func writeProblemBody(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", problemType)
	w.Header().Del("ETag")
	w.WriteHeader(status)
	_ = answer.Encode(w, body) // the client has gone
}

// gapProblem is the problem of lines that begin behind the position of their spool.
type gapProblem struct {
	Problem `json:",embed"`
	Through int64 `json:"through"`
}

// refuseFor answers with the error of a question.
func (s *Server) refuseFor(ctx context.Context, w http.ResponseWriter, err error) {
	var tooLarge *http.MaxBytesError
	var gap *exchange.SpoolGapError
	switch {
	case errors.As(err, &gap):
		writeProblemBody(w, http.StatusConflict, gapProblem{problemOf(http.StatusConflict, answer.ProblemOf(err)), gap.Through})
	case errors.As(err, &tooLarge):
		refuse(w, http.StatusRequestEntityTooLarge, err)
	case errors.As(err, new(forbidden)), errors.Is(err, track.ErrForbidden):
		refuse(w, http.StatusForbidden, err)
	case errors.Is(err, errBusy):
		w.Header().Set("Retry-After", retryAfterQueue)
		refuse(w, http.StatusTooManyRequests, err)
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil, errors.Is(err, errTooLong):
		refuse(w, http.StatusServiceUnavailable, errors.New("the answer took too long, and was given up"))
	default:
		p := answer.ProblemOf(err)
		if p.Kind == answer.Internal {
			s.config.Log.ErrorContext(ctx, "cannot answer", "error", err)
		}
		if p.Kind == answer.NotFound && grantOf(ctx).IsBound() { // a text lists names, also those of others
			p.Hints = slices.DeleteFunc(p.Hints, func(h track.Hint) bool { return h.Do == "" })
		}
		writeProblem(w, statusOf(p.Kind), p)
	}
}

// statusOf returns the status of an answer that is a problem of this kind.
func statusOf(kind answer.ProblemKind) int {
	switch kind {
	case answer.Invalid:
		return http.StatusBadRequest
	case answer.NotFound:
		return http.StatusNotFound
	case answer.Conflict, answer.Ambiguous, answer.Different:
		return http.StatusConflict
	case answer.Database:
		return http.StatusServiceUnavailable
	case answer.Damaged, answer.Internal:
	}
	return http.StatusInternalServerError
}

// notFound answers requests that fit no route.
func (s *Server) notFound(mux *http.ServeMux, routes []Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		if !strings.HasPrefix(r.URL.Path, s.config.BasePath+apiPath) && strings.Contains(r.Header.Get("Accept"), "text/html") {
			w = s.forBrowser(w, r)
		}
		var methods []string
		for _, route := range routes {
			asked := &http.Request{Method: route.Method, URL: r.URL, Host: r.Host}
			if _, pattern := mux.Handler(asked); pattern == route.Method+" "+s.config.BasePath+route.Pattern {
				methods = append(methods, route.Method)
			}
		}
		if len(methods) > 0 {
			slices.Sort(methods)
			w.Header().Set("Allow", strings.Join(methods, ", "))
			refuse(w, http.StatusMethodNotAllowed, errors.New("this is asked by "+strings.Join(methods, " or ")))
			return
		}
		refuse(w, http.StatusNotFound, errors.New("there is nothing at "+r.URL.Path))
	})
}
