package server

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"track/access"
)

// The times and limits of streams of events.
const (
	lookEvery   = 500 * time.Millisecond // for a commit, while somebody listens
	aliveEvery  = 15 * time.Second       // for a comment that says that the stream goes on
	eventTime   = 10 * time.Second       // for one write: a reader that takes longer is dropped
	mostStreams = 512
	retryEvents = 2 * time.Second // that a client waits before it connects again
)

// streams tells those who listen that something was committed. One goroutine looks for all of them, and none while nobody
// listens.
type streams struct {
	look func(context.Context) (int64, error)

	mu        sync.Mutex
	listening map[chan struct{}]bool
	stop      context.CancelFunc // of the goroutine that looks; nil if there is none
	number    int64              // of the changes that were seen since the server has started
	last      int64              // what was seen last, if isKnown
	isKnown   bool
	ended     chan struct{} // closed when the server stops
	isEnded   bool
}

func newStreams(look func(context.Context) (int64, error)) *streams {
	return &streams{look: look, listening: map[chan struct{}]bool{}, ended: make(chan struct{})}
}

// listen returns what receives after a commit, however many there were. Leave must be called once unless there is an error.
func (s *streams) listen() (changed <-chan struct{}, leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.isEnded:
		return nil, nil, errEnded
	case len(s.listening) == mostStreams:
		return nil, nil, errBusy
	}
	own := make(chan struct{}, 1)
	s.listening[own] = true
	if s.stop == nil {
		var ctx context.Context
		ctx, s.stop = context.WithCancel(context.Background())
		go s.watch(ctx)
	}
	return own, func() { s.leave(own) }, nil
}

func (s *streams) leave(own chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listening, own)
	if len(s.listening) == 0 && s.stop != nil {
		s.stop()
		s.stop = nil
	}
}

// watch looks for commits until ctx ends. What was committed while nobody looked counts as one.
func (s *streams) watch(ctx context.Context) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		if cursor, err := s.look(ctx); ctx.Err() == nil {
			s.see(cursor, err == nil)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// see tells those who listen of a change. A database that could not be asked may have changed.
func (s *streams) see(cursor int64, isKnown bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	isSame := s.isKnown && cursor == s.last
	if s.last, s.isKnown = cursor, isKnown; isSame || !isKnown {
		return
	}
	s.number++
	for own := range s.listening {
		select {
		case own <- struct{}{}:
		default: // it has yet to hear of the last one
		}
	}
}

func (s *streams) current() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.number
}

// end ends all streams.
func (s *streams) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isEnded {
		s.isEnded = true
		close(s.ended)
	}
}

// writeEvents sends an event after each commit, or after several, until the client goes, its token ends, or the server
// stops. An event says that something changed, and not what: a token for some scenarios gets none.
func (s *Server) writeEvents(w http.ResponseWriter, r *http.Request) error {
	if grant := grantOf(r.Context()); grant.IsBound() {
		return forbidden(fmt.Sprintf("the token %s is for some scenarios or lineages, and events tell of all", grant.Name))
	}
	changed, leave, err := s.streams.listen()
	if err != nil {
		return err
	}
	defer leave()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // nginx sends each event at once
	if r.Method == http.MethodHead {
		return nil
	}
	s.stream(r, &eventStream{w: w, control: http.NewResponseController(w), epoch: s.epoch, seen: r.Header.Get("Last-Event-ID")}, changed)
	return nil
}

// stream sends events until there is a reason to end.
func (s *Server) stream(r *http.Request, to *eventStream, changed <-chan struct{}) {
	err := to.begin(s.streams.current())
	alive := time.NewTicker(s.config.AliveEvery)
	defer alive.Stop()
	for err == nil {
		isChange := false
		select {
		case <-r.Context().Done():
			return
		case <-s.streams.ended:
			return
		case <-changed:
			isChange = true
		case <-alive.C:
		}
		switch {
		case !s.stillAllows(r):
			return
		case isChange:
			err = to.change(s.streams.current())
		default:
			err = to.write(": alive\n\n")
		}
	}
}

// stillAllows reports whether the token of a request is still valid for the stream that it asked for.
func (s *Server) stillAllows(r *http.Request) bool {
	grant, err := s.authenticate(r)
	return err == nil && grant.Allows(access.Read)
}

// eventStream writes events to one client.
type eventStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	epoch   string // of the server
	seen    string // the cursor that the client has seen last
}

// begin sends the present state, unless the client has seen it. The limits for the time of a request do not hold for a
// stream.
func (e *eventStream) begin(number int64) error {
	if err := e.control.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	if err := e.write(fmt.Sprintf("retry: %d\n\n", retryEvents.Milliseconds())); err != nil {
		return err
	}
	return e.change(number)
}

// change sends an event with a cursor, unless the client has seen it.
func (e *eventStream) change(number int64) error {
	cursor := fmt.Sprintf("%s-%d", e.epoch, number)
	if cursor == e.seen {
		return nil
	}
	e.seen = cursor
	return e.write(fmt.Sprintf("id: %s\nevent: change\ndata: {\"cursor\":%q}\n\n", cursor, cursor))
}

// write sends text at once. A client that does not take it is dropped.
func (e *eventStream) write(text string) error {
	if err := e.control.SetWriteDeadline(time.Now().Add(eventTime)); err != nil {
		return err
	}
	if _, err := e.w.Write([]byte(text)); err != nil {
		return err
	}
	return e.control.Flush()
}
