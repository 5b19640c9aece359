package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"track/access"
	"track/answer"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/server"
	"track/store"
	"track/tracker/seeds"
	"track/tracker/tokens"
)

const eventsPath = "/api/v1/events"

// eventDeadline is how long a test waits for what a stream sends. It is no limit that the server has to keep: a stream that
// is broken makes the test fail, instead of the end of the whole run.
const eventDeadline = time.Minute

// events is a stream of events.
type events struct {
	t        *testing.T
	lines    *bufio.Scanner
	deadline *time.Timer // ends the stream
	end      func()
}

// listen opens a stream.
func (s *service) listen(secret access.Secret, lastID string) *events {
	s.t.Helper()
	ctx, cancel := context.WithCancelCause(s.t.Context())
	deadline := time.AfterFunc(eventDeadline, func() { cancel(fmt.Errorf("a stream of events gave no answer within %s", eventDeadline)) })
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
		s.t.Fatal(err, context.Cause(ctx))
	}
	deadline.Stop()
	if got := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || got != "text/event-stream" {
		s.t.Fatalf("%d, %s", response.StatusCode, got)
	}
	e := &events{t: s.t, lines: bufio.NewScanner(response.Body), deadline: deadline, end: func() { deadline.Stop(); cancel(nil); _ = response.Body.Close() }}
	s.t.Cleanup(e.end)
	return e
}

// await reads lines until one is found; what says what the test waits for. It reports false at the end of the stream.
func (e *events) await(what string, found func(line string) bool) bool {
	e.t.Helper()
	e.deadline.Reset(eventDeadline)
	for e.lines.Scan() {
		if found(e.lines.Text()) {
			e.deadline.Stop()
			return true
		}
	}
	if !e.deadline.Stop() {
		e.t.Fatalf("waited %s for %s of a stream of events, and the last line was %q", eventDeadline, what, e.lines.Text())
	}
	return false
}

// next returns the rest of the next line with a prefix; empty at the end of the stream.
func (e *events) next(prefix string) (rest string) {
	e.t.Helper()
	e.await(fmt.Sprintf("a line that begins with %q", prefix), func(line string) (found bool) {
		rest, found = strings.CutPrefix(line, prefix)
		return found
	})
	return rest
}

// ends reads to the end of the stream.
func (e *events) ends() {
	e.t.Helper()
	e.await("the end", func(string) bool { return false })
	if err := e.lines.Err(); err != nil {
		e.t.Error(err)
	}
}

// data reads the next event.
func (e *events) data() (d eventData) {
	e.t.Helper()
	text := e.next("data: ")
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		e.t.Fatalf("%q: %v", text, err)
	}
	return d
}

// eventData is the data of an event, with its numbers as texts.
type eventData struct {
	Cursor  string
	All     bool
	Changed []map[string]string
}

// UnmarshalJSON implements [json.Unmarshaler].
func (d *eventData) UnmarshalJSON(text []byte) error {
	var raw struct {
		Cursor  string           `json:"cursor"`
		All     bool             `json:"all"`
		Changed []map[string]any `json:"changed"`
	}
	err := json.Unmarshal(text, &raw)
	d.Cursor, d.All, d.Changed = raw.Cursor, raw.All, nil
	for _, one := range raw.Changed {
		texts := map[string]string{}
		for name, value := range one {
			texts[name] = fmt.Sprint(value)
		}
		d.Changed = append(d.Changed, texts)
	}
	return err
}

// until reads events until one names what is wanted, and returns all names until then.
func (e *events) until(kind, of string) (kinds []string) {
	e.t.Helper()
	for range 100 {
		for _, one := range e.data().Changed {
			kinds = append(kinds, one["kind"]+" "+one["scenario"]+one["lineage"])
		}
		if slices.Contains(kinds, kind+" "+of) {
			return kinds
		}
	}
	e.t.Fatalf("no event of %s %s, but %v", kind, of, kinds)
	return nil
}

// Everybody who listens hears what was committed. Whoever comes again hears what was missed.
func TestEvents(t *testing.T) {
	s := serve(t, nil)
	secret := s.tokenFor(access.Read)
	first, second := s.listen(secret, ""), s.listen(secret, "")
	for _, e := range []*events{first, second} {
		if d := e.data(); d.All || len(d.Changed) > 0 || d.Cursor == "" {
			t.Errorf("the first event: %+v", d)
		}
	}
	record(t, s.store, "other", 1)
	first.until("seeds", "other")
	second.until("seeds", "other")
	trackertest.Record(t, s.store, seeds.Options{}, trackertest.Seed("growth", 99, map[string]float64{"a": 1}))
	d := first.data()
	for len(d.Changed) == 0 || d.Changed[0]["scenario"] != "growth" {
		d = first.data()
	}
	if diff := cmp.Diff([]map[string]string{{"kind": "seeds", "scenario": "growth", "n": "1"}}, d.Changed); diff != "" || d.All {
		t.Errorf("all %t (-want +got):\n%s", d.All, diff)
	}
	first.end()
	record(t, s.store, "missed", 2)
	second.until("seeds", "missed") // so that somebody has looked
	again := s.listen(secret, d.Cursor)
	if kinds := again.until("seeds", "missed"); slices.Contains(kinds, "seeds growth") {
		t.Errorf("what was seen comes again: %v", kinds)
	}
	second.end()
	again.end()
	if foreign := s.listen(secret, "of another server").data(); !foreign.All || foreign.Cursor == "" {
		t.Errorf("after a cursor of another server: %+v", foreign)
	}
}

// A token for some scenarios or lineages hears of them alone.
func TestEventsOfBoundToken(t *testing.T) {
	s := serve(t, nil)
	bound := s.listen(s.token(access.Grant{Scopes: []access.Scope{access.Read}, Scenarios: []access.Pattern{"bam/*"}, Lineages: []access.Pattern{"sepa"}}), "")
	if d := bound.data(); len(d.Changed) > 0 || d.All {
		t.Errorf("the first event: %+v", d)
	}
	all := s.listen(s.tokenFor(access.Read), "")
	record(t, s.store, "secret", 3)
	all.until("seeds", "secret")
	record(t, s.store, "bam/growth", 1)
	if kinds := bound.until("seeds", "bam/growth"); slices.ContainsFunc(kinds, func(k string) bool { return !strings.HasSuffix(k, " bam/growth") }) {
		t.Errorf("a token for bam/* hears of %v", kinds)
	}
	admin := s.tokenFor(access.Admin)
	if response, body := s.do(http.MethodPost, "/api/v1/gate", admin, "scenario=secret", form...); response.StatusCode != http.StatusOK {
		t.Errorf("gate: %d: %s", response.StatusCode, body)
	}
	all.until("looks", "")
	s.do(http.MethodPost, server.LinesPath, admin, `{"kind":"execution","lineage":"sepa","version":"v1","task":"t","key":"1","output":"long ago"}`+"\n")
	_, body := s.do(http.MethodGet, "/api/v1/executions?lineage=sepa", admin, "")
	id := regexp.MustCompile(`"id":"(\w+)"`).FindStringSubmatch(body)
	if len(id) != 2 {
		t.Fatal(body)
	}
	if response, body := s.do(http.MethodPost, "/api/v1/forget/execution", admin, "id="+id[1], form...); response.StatusCode != http.StatusOK {
		t.Errorf("forget: %d: %s", response.StatusCode, body)
	}
	if kinds := bound.until("texts", "sepa"); slices.Contains(kinds, "looks ") {
		t.Errorf("a token for bam/* hears of %v", kinds)
	}
}

// A comment says that a stream goes on, and a client that has seen the last cursor gets nothing else.
func TestEventsGoOn(t *testing.T) {
	s := serve(t, func(c *server.Config) { c.NoAuth, c.AliveEvery = true, time.Millisecond })
	first := s.listen("", "")
	id := first.next("id: ")
	if first.next(": alive"); first.lines.Text() != ": alive" || id == "" {
		t.Errorf("cursor %q, then %q, not a comment; %v", id, first.lines.Text(), first.lines.Err())
	}
}

// One reader keeps nobody else from a stream, and gets another one when one of its own ends.
func TestStreamsOfToken(t *testing.T) {
	const most = 32
	s := serve(t, nil)
	greedy := s.tokenFor(access.Read)
	streams := make([]*events, most)
	for i := range streams {
		streams[i] = s.listen(greedy, "")
	}
	if response, _ := s.do(http.MethodGet, eventsPath, greedy, ""); response.StatusCode != http.StatusTooManyRequests || response.Header.Get("Retry-After") == "" {
		t.Errorf("one more: %d", response.StatusCode)
	}
	s.listen(s.token(access.Grant{Name: "other", Scopes: []access.Scope{access.Read}}), "")
	streams[0].end()
	for status := 0; status != http.StatusOK; { // until the server has noticed
		response, _ := s.do(http.MethodHead, eventsPath, greedy, "")
		status = response.StatusCode
	}
}

func TestEventsNeedScope(t *testing.T) {
	s := serve(t, nil)
	for secret, want := range map[access.Secret]int{
		"": 401, s.tokenFor(access.Record, access.Spec, access.Decide): 403,
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
	stream.ends()
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
	stopping, cancel := context.WithTimeoutCause(t.Context(), eventDeadline, fmt.Errorf("waited %s for a server to stop, which a stream of events keeps", eventDeadline))
	defer cancel()
	if err := listening.Config.Shutdown(stopping); err != nil {
		t.Fatal(err, context.Cause(stopping))
	}
	stream.ends()
	listening.Close()
	if err := served.Close(); err != nil {
		t.Error(err)
	}
}
