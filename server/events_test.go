package server_test

import (
	"bufio"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"track/access"
	"track/answer"
	"track/internal/testdb"
	"track/server"
	"track/store"
	"track/tracker/tokens"
)

const eventsPath = "/api/v1/events"

// events is a stream of events.
type events struct {
	t     *testing.T
	lines *bufio.Scanner
	end   func()
}

// listen opens a stream.
func (s *service) listen(secret access.Secret, lastID string) *events {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+eventsPath, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+string(secret))
	if lastID != "" {
		request.Header.Set("Last-Event-ID", lastID)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		s.t.Fatal(err)
	}
	if got := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || got != "text/event-stream" {
		s.t.Fatalf("%d, %s", response.StatusCode, got)
	}
	e := &events{s.t, bufio.NewScanner(response.Body), func() { cancel(); _ = response.Body.Close() }}
	s.t.Cleanup(e.end)
	return e
}

// next returns the rest of the next line with a prefix; empty at the end of the stream.
func (e *events) next(prefix string) string {
	for e.lines.Scan() {
		if rest, found := strings.CutPrefix(e.lines.Text(), prefix); found {
			return rest
		}
	}
	return ""
}

// Everybody who listens hears of a commit. Whoever comes again hears only of what is new.
func TestEvents(t *testing.T) {
	s := serve(t, nil)
	secret := s.tokenFor(access.Read)
	first, second := s.listen(secret, ""), s.listen(secret, "")
	before := map[*events]string{first: first.next("id: "), second: second.next("id: ")}
	record(t, s.store, "other", 1)
	for e, id := range before {
		if now := e.next("id: "); now == "" || now == id {
			t.Errorf("after a commit the cursor is %q, before it was %q", now, id)
		}
	}
	if data := first.next("data: "); !strings.HasPrefix(data, `{"cursor":"`) || strings.Contains(data, "other") {
		t.Errorf("data %s", data)
	}
	first.end()
	second.end()
	record(t, s.store, "unheard", 1)
	again := s.listen(secret, "of another server")
	id := again.next("id: ")
	if id == "" {
		t.Error("no event after a cursor of another server")
	}
	record(t, s.store, "third", 1)
	if now := again.next("id: "); now == "" || now == id {
		t.Errorf("cursor %q after %q", now, id)
	}
}

// A comment says that a stream goes on, and a client that has seen the last cursor gets nothing else.
func TestEventsGoOn(t *testing.T) {
	s := serve(t, func(c *server.Config) { c.NoAuth, c.AliveEvery = true, time.Millisecond })
	first := s.listen("", "")
	id := first.next("id: ")
	if first.next(": alive") != "" || first.lines.Err() != nil || id == "" {
		t.Errorf("cursor %q, %v", id, first.lines.Err())
	}
	if line := first.lines.Text(); line != ": alive" {
		t.Errorf("%q, not a comment", line)
	}
}

func TestEventsNeedScope(t *testing.T) {
	s := serve(t, nil)
	for secret, want := range map[access.Secret]int{
		"": 401, s.tokenFor(access.Record, access.Spec, access.Decide): 403,
		s.token(access.Grant{Scopes: []access.Scope{access.Read}, Scenarios: []access.Pattern{"growth"}}): 403,
	} {
		if response, body := s.do(http.MethodGet, eventsPath, secret, ""); response.StatusCode != want {
			t.Errorf("%d, not %d: %s", response.StatusCode, want, body)
		}
	}
	if response, _ := s.do(http.MethodHead, eventsPath, s.tokenFor(access.Read), ""); response.StatusCode != http.StatusOK {
		t.Errorf("HEAD: %d", response.StatusCode)
	}
}

// A stream ends when its token is revoked, without another event (Jupyter CVE-2024-28179).
func TestEventsEndWithToken(t *testing.T) {
	s := serve(t, nil)
	stream := s.listen(s.token(access.Grant{Name: "revoked", Scopes: []access.Scope{access.Read}}), "")
	if stream.next("id: ") == "" {
		t.Fatal("no event")
	}
	if _, err := tokens.Revoke(t.Context(), s.store, answer.RevokeTokenQuestion{Name: "revoked"}); err != nil {
		t.Fatal(err)
	}
	for stream.next("id: ") != "" { // of commits before
	}
	if err := stream.lines.Err(); err != nil {
		t.Error(err)
	}
}

// A stream does not keep a server from stopping.
func TestEventsEndWithServer(t *testing.T) {
	st := testdb.New(t)
	served := server.New(server.Config{
		Open: func(ctx context.Context) (*store.Store, error) {
			return store.OpenForUpdate(ctx, st.Path(), testdb.Clock)
		},
		Now: testdb.Clock, NoAuth: true, Log: slog.New(slog.DiscardHandler), Version: "test",
	})
	listening := httptest.NewUnstartedServer(nil)
	listening.Config = served.HTTP()
	listening.Start()
	stream := (&service{t: t, url: listening.URL}).listen("", "")
	if err := listening.Config.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	for stream.lines.Scan() {
	}
	if err := stream.lines.Err(); err != nil {
		t.Error(err)
	}
	listening.Close()
	if err := served.Close(); err != nil {
		t.Error(err)
	}
}
