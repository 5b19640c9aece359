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
