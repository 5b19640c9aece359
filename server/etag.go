package server

import (
	"compress/gzip"
	"net/http"
	"slices"
	"strings"

	"track/pages"
)

// notModified tells a client that it has the newest answer, and reports whether it did. The header has the tag in any
// case.
func notModified(w http.ResponseWriter, r *http.Request, tag string) bool {
	if tag == "" {
		return false
	}
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "private, no-cache")
	if slices.Contains(strings.FieldsFunc(r.Header.Get("If-None-Match"), isBetweenTags), tag) {
		w.WriteHeader(http.StatusNotModified)
		return true
	}
	return false
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
