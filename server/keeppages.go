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

// pageStore keeps pages as they are sent, by their tags, until the database changes.
type pageStore struct {
	mu     sync.Mutex
	cursor int64 // of the database that the pages show
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

// put keeps a page. Those of another state of the database are of no use any more.
func (s *pageStore) put(cursor int64, p keptPage) {
	if len(p.body) > largestKeptPage {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cursor != s.cursor {
		s.cursor, s.bytes = cursor, 0
		s.newest.Init()
		clear(s.byTag)
	}
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

// pageTag returns the tag of a page for whoever asks, and the state of the database that it is of; no tag if the page
// depends on more than the database. The state is read before the page is made, so a page can be newer than its tag,
// never older.
func (s *Server) pageTag(r *http.Request, p pages.Page) (tag string, cursor int64) {
	if p.IsLive() {
		return "", 0
	}
	cursor, err := s.database.changes.Cursor(r.Context())
	if err != nil {
		return "", 0
	}
	grant := grantOf(r.Context())
	return tagOf(cursor, s.epoch, s.config.Version, []any{
		"page", acceptsGzip(r), r.URL.Path, r.URL.RawQuery, grant.Name, grant.Scopes, grant.Scenarios, grant.Lineages, sessionHolder(r, grant),
	}), cursor
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
func (s *Server) sendPage(w http.ResponseWriter, r *http.Request, page []byte, tag string, cursor int64) {
	kept := keptPage{tag: tag, body: page}
	if acceptsGzip(r) {
		if packed, ok := compressed(page, gzip.DefaultCompression); ok { // it is sent again and again
			kept.body, kept.isGz = packed, true
		}
	}
	if tag != "" {
		s.pages.put(cursor, kept)
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
