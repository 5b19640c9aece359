package server

import (
	"compress/gzip"
	"container/list"
	"net/http"
	"slices"
	"strings"
	"sync"

	"track/pages"
)

const (
	// mostWrittenBytes is how many bytes the answers and pages may have that are kept, together.
	mostWrittenBytes = 16 << 20
	// largestWritten is how many bytes one of them may have.
	largestWritten = mostWrittenBytes / 8
)

// writtenStore keeps answers and pages as they are sent, by their tags. Those that were used longest ago go first: also
// those of a state of the database that has passed, whose tags nobody asks for.
type writtenStore struct {
	mu     sync.Mutex
	bytes  int
	nUsed  int
	newest *list.List // of tagged, the one that was used last in front
	byTag  map[string]*list.Element
}

type tagged struct {
	tag string
	written
}

func newWrittenStore() *writtenStore {
	return &writtenStore{newest: list.New(), byTag: map[string]*list.Element{}}
}

func (s *writtenStore) get(tag string) (written, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, found := s.byTag[tag]
	if !found {
		return written{}, false
	}
	s.nUsed++
	s.newest.MoveToFront(e)
	return e.Value.(tagged).written, true
}

// used returns how many requests were answered by what is kept.
func (s *writtenStore) used() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.nUsed
}

// put keeps an answer or a page, unless it has no tag or is large.
func (s *writtenStore) put(tag string, w written) {
	if tag == "" || len(w.body) > largestWritten {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, isKept := s.byTag[tag]; isKept {
		return
	}
	s.byTag[tag] = s.newest.PushFront(tagged{tag, w})
	for s.bytes += len(w.body); s.bytes > mostWrittenBytes; {
		last := s.newest.Remove(s.newest.Back()).(tagged)
		delete(s.byTag, last.tag)
		s.bytes -= len(last.body)
	}
}

// writeKept answers a request for what the client has, or for what is kept, and reports whether it did. The header has
// the tag in any case.
func (s *Server) writeKept(w http.ResponseWriter, r *http.Request, tag string) bool {
	if tag == "" {
		return false
	}
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "private, no-cache")
	if slices.Contains(strings.FieldsFunc(r.Header.Get("If-None-Match"), isBetweenTags), tag) {
		w.WriteHeader(http.StatusNotModified)
		return true
	}
	text, found := s.written.get(tag)
	if found {
		text.write(w)
	}
	return found
}

func isBetweenTags(c rune) bool { return c == ',' || c == ' ' }

// pageTag returns the tag of a page for whoever asks; none if the page depends on more than the database. The state of
// the database is read before the page is made, so a page can be newer than its tag, never older.
func (s *Server) pageTag(r *http.Request, p pages.Page) string {
	if p.IsLive() {
		return ""
	}
	cursor, err := s.database.changes.Cursor(r.Context())
	if err != nil {
		return ""
	}
	grant := grantOf(r.Context())
	return tagOf(cursor, s.epoch, s.config.Version, []any{
		"page", acceptsGzip(r), r.URL.Path, r.URL.RawQuery, grant.Name, grant.Scopes, grant.Scenarios, grant.Lineages, sessionHolder(r, grant),
	})
}

// writtenPage returns a page as it is sent: well compressed, as it is sent again and again.
func writtenPage(r *http.Request, page []byte) written {
	return written{[][2]string{{"Content-Type", pageType}}, page}.compressedFor(r, gzip.DefaultCompression)
}
