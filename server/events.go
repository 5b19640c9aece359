package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"track/access"
	"track/store"
)

// The times of a stream of events.
const (
	aliveEvery  = 15 * time.Second // for a comment that says that the stream goes on
	eventTime   = 10 * time.Second // for one write: a reader that takes longer is dropped
	retryEvents = 2 * time.Second  // that a client waits before it connects again
)

// changeEvent is the data of an event.
type changeEvent struct {
	Cursor  string        `json:"cursor"`
	All     bool          `json:"all,omitzero"` // anything may have changed
	Changed []changedName `json:"changed"`      // empty if something else was recorded
}

// changedName says what was recorded about a scenario or a lineage, or of a kind that has neither.
type changedName struct {
	Kind     store.ChangeKind `json:"kind"`
	Scenario string           `json:"scenario,omitzero"`
	Lineage  string           `json:"lineage,omitzero"`
	Sweep    string           `json:"sweep,omitzero"`
	Number   int64            `json:"n"`
}

// writeEvents sends an event after each commit, or after several, until the client goes, its token ends, or the server
// stops. An event names what was recorded. A token for some scenarios or lineages gets the events of them alone.
func (s *Server) writeEvents(w http.ResponseWriter, r *http.Request) error {
	end, err := s.streamsOf.enter(grantOf(r.Context()).Name)
	if err != nil {
		return err
	}
	defer end()
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	if end, err = s.streamsFrom.enter(cmp.Or(host, r.RemoteAddr)); err != nil {
		return err
	}
	defer end()
	changed, begun, leave, err := s.streams.listen()
	if err != nil {
		return err
	}
	defer leave()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // nginx sends each event at once
	if r.Method == http.MethodHead {
		return nil
	}
	select {
	case <-begun:
	case <-r.Context().Done():
		return nil
	case <-s.streams.ended:
		return errEnded
	}
	s.stream(r, &eventStream{w: w, control: http.NewResponseController(w), streams: s.streams, grant: grantOf(r.Context())}, changed)
	return nil
}

// stream sends events until there is a reason to end.
func (s *Server) stream(r *http.Request, to *eventStream, changed <-chan struct{}) {
	err := to.begin(r.Header.Get("Last-Event-ID"))
	alive := time.NewTicker(s.config.AliveEvery)
	defer alive.Stop()
	for err == nil {
		select {
		case <-r.Context().Done():
			return
		case <-s.streams.ended:
			return
		case <-changed:
			if !s.stillAllows(r) {
				return
			}
			err = to.change()
		case <-alive.C:
			if !s.stillAllows(r) {
				return
			}
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
	streams *streams
	grant   access.Grant
	seen    int64 // number of the commits that the client knows of
}

// begin sends the present cursor, or what the client has missed. The limits for the time of a request do not hold for a
// stream.
func (e *eventStream) begin(lastID string) error {
	if err := e.control.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	if err := e.write(fmt.Sprintf("retry: %d\n\n", retryEvents.Milliseconds())); err != nil {
		return err
	}
	if number, found := e.streams.numberOf(lastID); found {
		e.seen = number
		return e.change()
	}
	newest := e.streams.newest()
	e.seen = newest.number
	return e.send(changeEvent{Cursor: newest.id, All: lastID != ""})
}

// change sends what was committed since the last event, if the client may see anything of it.
func (e *eventStream) change() error {
	list := e.streams.after(e.seen)
	if len(list) == 0 {
		return nil
	}
	e.seen = list[len(list)-1].number
	event := changeEvent{Cursor: list[len(list)-1].id}
	counts := map[store.Change]int64{}
	for _, c := range list {
		event.All = event.All || c.isAll
		for _, change := range c.changes {
			n := change.Number
			change.Number = 0
			if e.maySee(change) {
				counts[change] += n
			}
		}
	}
	if e.grant.IsBound() && len(counts) == 0 && !event.All {
		return nil
	}
	for change, n := range counts {
		event.Changed = append(event.Changed, changedName{change.Kind, change.Scenario, change.Lineage, change.Sweep, n})
	}
	slices.SortFunc(event.Changed, compareNames)
	return e.send(event)
}

func (e *eventStream) maySee(c store.Change) bool {
	return !e.grant.IsBound() || c.Scenario != "" && e.grant.MayNameScenario(c.Scenario) || c.Lineage != "" && e.grant.MayNameLineage(c.Lineage)
}

func compareNames(a, b changedName) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Scenario, b.Scenario), cmp.Compare(a.Lineage, b.Lineage), cmp.Compare(a.Sweep, b.Sweep))
}

func (e *eventStream) send(event changeEvent) error {
	data, err := json.Marshal(event)
	if err != nil {
		return err
	}
	return e.write(fmt.Sprintf("id: %s\nevent: change\ndata: %s\n\n", event.Cursor, data))
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

// The times and limits of streams of events.
const (
	lookEvery   = 500 * time.Millisecond // for a commit, while somebody listens
	mostStreams = 512
	ownStreams  = 32  // of a token
	hereStreams = 128 // from an address
	keptChanges = 256 // that a client which comes again can ask for
)

// commits is what was recorded between two looks.
type commits struct {
	number int64  // of the look, from 1
	id     string // that a client names it by: it tells nothing of how many there were
	// Changes is empty for a commit of something else, such as judgements or tokens.
	changes []store.Change
	isAll   bool // anything may have changed
}

// watched is what streams look at.
type watched interface {
	// cursor returns what differs after each commit.
	cursor(ctx context.Context) (int64, error)
	// changes returns what was recorded since it was called last.
	recorded(ctx context.Context) (changes []store.Change, isAll bool, err error)
}

// streams tells those who listen what was committed. One goroutine looks for all of them, and none while nobody
// listens.
type streams struct {
	of watched

	mu        sync.Mutex
	listening map[chan struct{}]bool
	stop      context.CancelFunc // of the goroutine that looks; nil if there is none
	begun     chan struct{}      // closed when that goroutine has looked
	kept      []commits          // the newest ones, in order; there is always one
	last      int64              // cursor that was seen last, if isKnown
	isKnown   bool
	ended     chan struct{} // closed when the server stops
	isEnded   bool
}

func newStreams(of watched) *streams {
	return &streams{of: of, listening: map[chan struct{}]bool{}, ended: make(chan struct{}), kept: []commits{{id: rand.Text(), isAll: true}}}
}

// listen returns what receives after a commit, however many there were. Begun is closed once later commits are told
// apart. Leave must be called once unless there is an error.
func (s *streams) listen() (changed, begun <-chan struct{}, leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isEnded {
		return nil, nil, nil, errEnded
	}
	own := make(chan struct{}, 1)
	s.listening[own] = true
	if s.stop == nil {
		var ctx context.Context
		ctx, s.stop = context.WithCancel(context.Background())
		s.begun = make(chan struct{})
		go s.watch(ctx, s.begun)
	}
	return own, s.begun, func() { s.leave(own) }, nil
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

// count returns how many streams are open.
func (s *streams) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.listening)
}

// watch looks for commits until ctx ends. What was committed while nobody looked is not told apart.
func (s *streams) watch(ctx context.Context, begun chan<- struct{}) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	s.lookOnce(ctx, true)
	close(begun)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.lookOnce(ctx, false)
		}
	}
}

// lookOnce looks for commits. A database that could not be asked may have changed.
func (s *streams) lookOnce(ctx context.Context, isFirst bool) {
	cursor, err := s.of.cursor(ctx)
	isKnown := err == nil
	if isSame := s.wasSeen(cursor); isKnown && isSame && !isFirst {
		return
	}
	var changes []store.Change
	isAll := false
	if isKnown {
		changes, isAll, err = s.of.recorded(ctx)
		isKnown = err == nil
	}
	if ctx.Err() == nil {
		s.see(cursor, isKnown, commits{changes: changes, isAll: isAll || isFirst})
	}
}

func (s *streams) wasSeen(cursor int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.isKnown && cursor == s.last
}

// see keeps what was committed, and tells those who listen.
func (s *streams) see(cursor int64, isKnown bool, c commits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wasKnown, isSame := s.isKnown, cursor == s.last
	if s.last, s.isKnown = cursor, isKnown; !isKnown || wasKnown && isSame {
		return
	}
	c.number, c.id = s.kept[len(s.kept)-1].number+1, rand.Text()
	c.isAll = c.isAll || !wasKnown
	s.kept = append(s.kept, c)
	s.kept = s.kept[max(0, len(s.kept)-keptChanges):]
	for own := range s.listening {
		select {
		case own <- struct{}{}:
		default: // it has yet to hear of the last one
		}
	}
}

// newest returns the last commits that were seen.
func (s *streams) newest() commits {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept[len(s.kept)-1]
}

// numberOf returns the number of commits by their id; not found if they are of another start of the server, or too old.
func (s *streams) numberOf(id string) (number int64, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.kept, func(c commits) bool { return c.id == id })
	if i < 0 {
		return 0, false
	}
	return s.kept[i].number, true
}

// after returns what was committed behind a number, in order.
func (s *streams) after(number int64) []commits {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := s.kept[0].number
	list := slices.Clone(s.kept[min(max(0, number+1-first), int64(len(s.kept))):])
	if number+1 < first { // the oldest ones are not kept
		list[0].isAll = true
	}
	return list
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

// follower follows the database that is served, whichever is open.
type follower struct {
	*database
	of *store.Store
	by *store.Follower
}

func (f *follower) recorded(ctx context.Context) (changes []store.Change, isAll bool, err error) {
	st, release, err := f.use(ctx)
	if err != nil {
		return nil, false, err
	}
	defer release()
	isNew := st != f.of
	if isNew {
		f.of, f.by = st, st.Follower()
	}
	changes, isAll, err = f.by.Look(ctx)
	if err != nil { // what it has noted may be of no use
		f.of = nil
	}
	return changes, isAll || isNew, err
}
