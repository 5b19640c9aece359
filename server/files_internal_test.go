package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"track"
	"track/ask"
	"track/internal/testdb"
	"track/store"
)

// A file that cannot be finished does not look like one: a part says why, or the connection ends. Before anything was
// sent, it is an error like others.
func TestFilesThatFail(t *testing.T) {
	s := New(Config{Log: slog.New(slog.DiscardHandler), Now: testdb.Clock})
	t.Cleanup(func() { _ = s.Close() })
	failed := errors.Join(track.ErrNotFound, errors.New("gone meanwhile"))
	ask := func(inParts bool, bytesSent int) (*http.Response, []byte, error) {
		listening := httptest.NewServer(s.logged(s.recovering(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			sender := newFileSender(w, inParts)
			out, err := sender.create("a.csv")
			if err == nil {
				_, err = out.Write(bytes.Repeat([]byte("x"), bytesSent))
			}
			if err := sender.end(s, r, errors.Join(err, failed)); err != nil {
				s.refuseFor(r.Context(), w, err)
			}
		}))))
		defer listening.Close()
		response, err := http.Get(listening.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		return response, body, err
	}
	for _, inParts := range []bool{true, false} {
		if response, body, err := ask(inParts, 100); err != nil || response.StatusCode != http.StatusNotFound || response.Header.Get("Content-Disposition") != "" || bytes.Contains(body, []byte("xx")) {
			t.Errorf("in parts %t: %d, %v: %s", inParts, response.StatusCode, err, body)
		}
	}
	if _, body, err := ask(false, 2*fileBuffer); err == nil || len(body) == 0 {
		t.Errorf("a file alone came whole, with %d bytes", len(body))
	}
	response, body, err := ask(true, 2*fileBuffer)
	if err != nil {
		t.Fatal(err)
	}
	_, fields, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	parts := multipart.NewReader(bytes.NewReader(body), fields["boundary"])
	var last string
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		text, readErr := io.ReadAll(part)
		if err := errors.Join(err, readErr); err != nil {
			t.Fatal(err)
		}
		last = part.Header.Get("Content-Type") + " " + string(text)
	}
	if !strings.HasPrefix(last, problemType) || !strings.Contains(last, "gone meanwhile") || !strings.Contains(last, `"status":404`) {
		t.Errorf("the last part is %.300s", last)
	}
}

// So many answers of files are made at once, and one check: others are told to come again.
func TestLongAnswersAtOnce(t *testing.T) {
	path := testdb.New(t).Path()
	s := New(Config{
		Open: func(ctx context.Context) (*store.Store, error) { return store.OpenForUpdate(ctx, path, testdb.Clock) },
		Now:  testdb.Clock, Log: slog.New(slog.DiscardHandler), NoAuth: true,
	})
	t.Cleanup(func() { _ = s.Close() })
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(deadlines{w}, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+apiPath+path, nil))
		return w
	}
	for path, turns := range map[string]chan struct{}{"check": s.long, "export/lines": s.exports} {
		for range cap(turns) {
			turns <- struct{}{} // as one that is under way
		}
		if w := get(path); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
			t.Errorf("%s while others are under way: %d, %v", path, w.Code, w.Header())
		}
		<-turns
		if w := get(path); w.Code != http.StatusOK || w.Body.Len() == 0 {
			t.Errorf("%s after one has ended: %d: %s", path, w.Code, w.Body)
		}
	}
	if kind := get("export/lines").Header().Get("Content-Type"); kind != ask.Binary {
		t.Errorf("lines are %s", kind)
	}
}

// deadlines lets a recorder have deadlines, as connections do.
type deadlines struct{ http.ResponseWriter }

func (deadlines) SetReadDeadline(time.Time) error  { return nil }
func (deadlines) SetWriteDeadline(time.Time) error { return nil }
