package server

import (
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

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
