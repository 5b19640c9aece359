package server

import (
	"compress/gzip"
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	"track/answer"
	"track/ask"
	"track/reports/render"
	"track/store"
)

// The bounds of a query in SQL, which anybody who reads can make as large as they like.
const (
	defaultSQL = 10 * time.Second
	mostRows   = 1_000_000
	mostBytes  = 64 << 20
	mostOwnSQL = 2 // queries at once of a token
	mostSQL    = 3 // and of all: each takes one of few connections to a server of PostgreSQL
	queryPage  = "/query"
)

var errTooLong = errors.New("the query took too long")

// beginQuery bounds the time of a query, and the queries at once. End must be called once unless there is an error.
func (s *Server) beginQuery(ctx context.Context) (_ context.Context, end func(), err error) {
	leave, err := s.queries.enter(grantOf(ctx).Name)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.config.SQLTime, errTooLong)
	return ctx, func() { cancel(); leave() }, nil
}

// sendPages writes an answer page by page. What fails behind the first page cuts the answer off, so that nobody takes
// it for a whole one.
func (s *Server) sendPages(w http.ResponseWriter, r *http.Request, q ask.Question, st *store.Store, form form, params url.Values) error {
	ctx, end, err := s.beginQuery(r.Context())
	if err != nil {
		return err
	}
	defer end()
	leave, err := s.queue.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.config.SQLTime + time.Second)) // of a client that does not read
	var page answer.Answer
	var pages *render.Pages
	for next, err := range q.Pages(ctx, ask.Source{Store: st, MostRows: mostRows, MostBytes: mostBytes}, params) {
		switch {
		case err != nil && pages == nil:
			return err
		case err == nil && page == nil:
			page = next
			continue
		case err == nil && pages == nil:
			w.Header().Set("Content-Type", form.contentType())
			w.Header().Set("Trailer", limitedHeader)
			pages = render.NewPages(w, renderOptions(r, form))
			err = pages.Write(page)
		}
		if err == nil {
			err = pages.Write(next)
		}
		if err != nil {
			s.config.Log.WarnContext(ctx, "an answer was cut off", "error", err)
			panic(http.ErrAbortHandler)
		}
		page = next
	}
	if pages == nil {
		text, err := answerText(r, page, form)
		if err == nil {
			text.compressedFor(r, gzip.BestSpeed).write(w)
		}
		return err
	}
	if l, ok := page.(answer.LimitedAnswer); ok && l.Limited() != nil {
		w.Header().Set(limitedHeader, l.Limited().Text)
	}
	return pages.Close()
}

// errBusy is the error for a request that would wait behind too many others.
var errBusy = errors.New("too many requests are waiting: try again")

// atOnce bounds what somebody does at once, and what all do.
type atOnce struct {
	own, all int

	mu  sync.Mutex
	of  map[string]int
	sum int
}

// enter lets somebody in. Leave must be called once unless there is an error.
func (b *atOnce) enter(name string) (leave func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.of[name] >= b.own || b.sum >= b.all {
		return nil, errBusy
	}
	if b.of == nil {
		b.of = map[string]int{}
	}
	b.of[name]++
	b.sum++
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.sum--
		if b.of[name]--; b.of[name] == 0 {
			delete(b.of, name)
		}
	}, nil
}

// queue bounds how many answers are computed at once, and how many requests wait for that.
type queue struct{ places, computing chan struct{} }

func newQueue(computing, waiting int) queue {
	return queue{places: make(chan struct{}, computing+waiting), computing: make(chan struct{}, computing)}
}

// enter waits for a turn. Leave must be called once unless there is an error.
func (q queue) enter(ctx context.Context) (leave func(), err error) {
	select {
	case q.places <- struct{}{}:
	default:
		return nil, errBusy
	}
	select {
	case q.computing <- struct{}{}:
		return func() { <-q.computing; <-q.places }, nil
	case <-ctx.Done():
		<-q.places
		return nil, ctx.Err()
	}
}
