package server

import (
	"compress/gzip"
	"container/list"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"track/pages"
)

const (
	// mostPageBytes is how many bytes the pages may have that are kept, together.
	mostPageBytes = 16 << 20
	// largestKeptPage is how many bytes one of them may have.
	largestKeptPage = mostPageBytes / 8
)

// pageStore keeps pages as they are sent, by their tags. Those that were used longest ago go first: also those of a
// state of the database that has passed, whose tags nobody asks for.
type pageStore struct {
	mu     sync.Mutex
	bytes  int
	newest *list.List // of keptPage, the one that was used last in front
	byTag  map[string]*list.Element
}

type keptPage struct {
	tag  string
	body []byte // compressed if the tag is of a client that reads that
	isGz bool
}

func newPageStore() *pageStore {
	return &pageStore{newest: list.New(), byTag: map[string]*list.Element{}}
}

func (s *pageStore) get(tag string) (keptPage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, found := s.byTag[tag]
	if !found {
		return keptPage{}, false
	}
	s.newest.MoveToFront(e)
	return e.Value.(keptPage), true
}

// put keeps a page, unless it is large.
func (s *pageStore) put(p keptPage) {
	if len(p.body) > largestKeptPage {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, isKept := s.byTag[p.tag]; isKept {
		return
	}
	s.byTag[p.tag] = s.newest.PushFront(p)
	for s.bytes += len(p.body); s.bytes > mostPageBytes; {
		last := s.newest.Remove(s.newest.Back()).(keptPage)
		delete(s.byTag, last.tag)
		s.bytes -= len(last.body)
	}
}

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

// sendKept answers a request for a page that the client has, or that is kept.
func (s *Server) sendKept(w http.ResponseWriter, r *http.Request, tag string) bool {
	if tag == "" {
		return false
	}
	if slices.Contains(strings.FieldsFunc(r.Header.Get("If-None-Match"), isBetweenTags), tag) {
		pageHeader(w)
		w.Header().Set("ETag", tag)
		w.Header().Add("Vary", "Accept-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return true
	}
	kept, found := s.pages.get(tag)
	if found {
		kept.write(w)
	}
	return found
}

// sendPage sends a page that was made, and keeps it if it depends on the database alone.
func (s *Server) sendPage(w http.ResponseWriter, r *http.Request, page []byte, tag string) {
	kept := keptPage{tag: tag, body: page}
	if acceptsGzip(r) {
		if packed, ok := compressed(page, gzip.DefaultCompression); ok { // it is sent again and again
			kept.body, kept.isGz = packed, true
		}
	}
	if tag != "" {
		s.pages.put(kept)
	}
	kept.write(w)
}

func (p keptPage) write(w http.ResponseWriter) {
	pageHeader(w)
	w.Header().Add("Vary", "Accept-Encoding")
	if p.tag != "" {
		w.Header().Set("ETag", p.tag)
	}
	if p.isGz {
		w.Header().Set("Content-Encoding", "gzip")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(p.body)))
	_, _ = w.Write(p.body) // the reader has gone
}

func pageHeader(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "private, no-cache")
}
