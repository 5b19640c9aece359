package server_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"track/access"
	"track/internal/testdb"
	"track/server"
	"track/store"
)

// A page that a browser has is not sent again until the database changes. No page is that of another token.
func TestPagesAreKept(t *testing.T) {
	testdb.OnlySQLite(t, "a transaction of another database of the server counts as a change")
	s := serve(t, nil)
	all, some := s.visitor(), s.visitor()
	all.post("/login", url.Values{"token": {string(s.token(access.Grant{Name: "all", Scopes: []access.Scope{access.Read}}))}})
	some.post("/login", url.Values{"token": {string(s.token(access.Grant{Name: "some", Scopes: []access.Scope{access.Read}, Scenarios: []access.Pattern{"growth"}}))}})
	const path = "/seeds?scenario=growth"
	first, page := all.get(path)
	tag := ""
	for range 100 { // the use of the tokens is noted meanwhile, which changes the database
		if tag == first.Header.Get("ETag") {
			break
		}
		tag = first.Header.Get("ETag")
		first, page = all.get(path)
	}
	if tag == "" || !strings.Contains(first.Header.Get("Cache-Control"), "no-cache") {
		t.Fatalf("a page without a tag: %v", first.Header)
	}
	if again, body := all.get(path); again.Header.Get("ETag") != tag || body != page || again.Header.Get("Content-Security-Policy") != first.Header.Get("Content-Security-Policy") {
		t.Errorf("the tag of the same page is %s instead of %s", again.Header.Get("ETag"), tag)
	}
	if again, body := all.getWith(path, tag); again.StatusCode != http.StatusNotModified || body != "" || again.Header.Get("ETag") != tag {
		t.Errorf("a page that the browser has: %d, %d bytes", again.StatusCode, len(body))
	}
	if other, body := some.getWith(path, tag); other.StatusCode != http.StatusOK || !strings.Contains(body, "some") || strings.Contains(body, ">all<") {
		t.Errorf("another token gets the page of the first: %d", other.StatusCode)
	}
	record(t, s.store, "growth", 7)
	if changed, body := all.getWith(path, tag); changed.StatusCode != http.StatusOK || body == page {
		t.Errorf("after a change: %d", changed.StatusCode)
	}
	for _, path := range []string{"/", "/sweep/list"} { // sweeps depend on the time
		if response, _ := all.get(path); response.Header.Get("ETag") != "" {
			t.Errorf("%s has a tag", path)
		}
	}
}

// An answer is computed once for whoever asks again, until the database changes, and for each token by itself.
func TestAnswersAreKept(t *testing.T) {
	testdb.OnlySQLite(t, "a transaction of another database of the server counts as a change")
	s := serve(t, nil)
	record(t, s.store, "growth", 7)
	all := s.token(access.Grant{Name: "all", Scopes: []access.Scope{access.Read}})
	bound := s.token(access.Grant{Name: "bound", Scopes: []access.Scope{access.Read}, Scenarios: []access.Pattern{"other"}})
	used := func() string {
		_, text := s.do(http.MethodGet, "/metrics", all, "")
		_, n, _ := strings.Cut(text, "\ntrack_answers_kept_total ")
		return strings.TrimSpace(n)
	}
	const path = "/api/v1/seeds?scenario=growth"
	first, text := s.do(http.MethodGet, path, all, "")
	tag := ""
	for range 100 { // the use of the tokens is noted meanwhile, which changes the database
		if tag == first.Header.Get("ETag") {
			break
		}
		tag = first.Header.Get("ETag")
		first, text = s.do(http.MethodGet, path, all, "")
	}
	before := used()
	again, body := s.do(http.MethodGet, path, all, "")
	if after := used(); before == after || body != text {
		t.Errorf("%s and %s answers were kept, the answer is the same: %t", before, after, body == text)
	}
	for _, name := range []string{"Content-Type", "ETag", "Vary", "Cache-Control", "Track-Conclusion", "Content-Security-Policy"} {
		if again.Header.Get(name) != first.Header.Get(name) || again.Header.Get(name) == "" {
			t.Errorf("%s is %q, and was %q", name, again.Header.Get(name), first.Header.Get(name))
		}
	}
	if csv, body := s.do(http.MethodGet, path, all, "", "Accept", "text/csv"); !strings.HasPrefix(csv.Header.Get("Content-Type"), "text/csv") || body == text {
		t.Errorf("another format: %v", csv.Header)
	}
	if other, _ := s.do(http.MethodGet, path, bound, ""); other.StatusCode != http.StatusForbidden {
		t.Errorf("a token of another scenario: %d", other.StatusCode)
	}
	record(t, s.store, "growth", 8)
	if _, body := s.do(http.MethodGet, path, all, ""); body == text {
		t.Error("the answer is that from before a seed was recorded")
	}
}

// A server that is watched opens its database before anybody asks.
func TestDatabaseIsOpenedAtOnce(t *testing.T) {
	opened := make(chan struct{}, 1)
	serveWith(t, func(c *server.Config) {
		open := c.Open
		c.Open = func(ctx context.Context) (*store.Store, error) {
			opened <- struct{}{}
			return open(ctx)
		}
	}, func(s *server.Server) {
		watching, stop := context.WithCancel(t.Context())
		var watch sync.WaitGroup
		watch.Go(func() { s.Watch(watching, time.Hour) })
		<-opened
		stop()
		watch.Wait()
	})
}
