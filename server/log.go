package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
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

// metrics counts requests by route and status.
type metrics struct {
	mu       sync.Mutex
	requests map[requestKind]requestCount
}

type requestKind struct {
	method, route string
	status        int
}

type requestCount struct {
	n     int64
	taken time.Duration
}

func (m *metrics) count(kind requestKind, taken time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.requests == nil {
		m.requests = map[requestKind]requestCount{}
	}
	c := m.requests[kind]
	m.requests[kind] = requestCount{c.n + 1, c.taken + taken}
}

// writeMetrics writes the figures in the text format of Prometheus.
func (s *Server) writeMetrics(w http.ResponseWriter, r *http.Request) error {
	if grant := grantOf(r.Context()); grant.IsBound() {
		return forbidden(fmt.Sprintf("the token %s is for some scenarios or lineages, and these figures are of all", grant.Name))
	}
	s.metrics.mu.Lock()
	requests := maps.Clone(s.metrics.requests)
	s.metrics.mu.Unlock()
	kinds := slices.SortedFunc(maps.Keys(requests), func(a, b requestKind) int {
		return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
	})
	var counts, seconds strings.Builder
	for _, k := range kinds {
		labels := fmt.Sprintf("{method=%q,route=%q,status=\"%d\"}", k.method, k.route, k.status)
		fmt.Fprintf(&counts, "track_requests_total%s %d\n", labels, requests[k].n)
		fmt.Fprintf(&seconds, "track_request_seconds_total%s %g\n", labels, requests[k].taken.Seconds())
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	fmt.Fprintf(w, "# HELP track_requests_total Requests that were answered.\n# TYPE track_requests_total counter\n%s"+
		"# HELP track_request_seconds_total Time that answers took.\n# TYPE track_request_seconds_total counter\n%s"+
		"# HELP track_heap_bytes Memory in use.\n# TYPE track_heap_bytes gauge\ntrack_heap_bytes %d\n"+
		"# HELP track_answers_computing Answers that are being computed.\n# TYPE track_answers_computing gauge\ntrack_answers_computing %d\n",
		&counts, &seconds, memory.HeapAlloc, len(s.queue.computing))
	return nil
}

// health says that the server is there, whatever the state of the database.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) error {
	writeText(w, "ok\n")
	return nil
}

// ready says whether the database can be opened, as a new process would open it.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) error {
	st, release, err := s.database.use(r.Context())
	if err == nil {
		_, err = st.Scenarios(r.Context())
		release()
	}
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, errors.New("the database cannot be asked")) // why is for those who have a token, and in the log
		s.config.Log.WarnContext(r.Context(), "not ready", "error", err)
		return nil
	}
	writeText(w, "ready\n")
	return nil
}

func writeText(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(text)) // the client has gone
}
