package server

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"track/internal/testdb"
	"track/store"
)

// An answer that the client has is not waited for behind those that are computed.
func TestUnchangedAnswersWaitForNobody(t *testing.T) {
	testdb.OnlySQLite(t, "a transaction of another database of the server counts as a change")
	path := testdb.New(t).Path()
	s := New(Config{
		Open: func(ctx context.Context) (*store.Store, error) { return store.OpenForUpdate(ctx, path, testdb.Clock) },
		Now:  testdb.Clock, Log: slog.New(slog.DiscardHandler), NoAuth: true,
	})
	t.Cleanup(func() { _ = s.Close() })
	ask := func(question, tag string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+apiPath+question, nil)
		if tag != "" {
			r.Header.Set("If-None-Match", tag)
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		return w
	}
	first := ask("spec/list", "")
	tag := first.Header().Get("ETag")
	if first.Code != http.StatusOK || tag == "" {
		t.Fatalf("%d with tag %q: %s", first.Code, tag, first.Body)
	}
	s.queue = newQueue(0, 0)
	if w := ask("spec/list", tag); w.Code != http.StatusNotModified {
		t.Errorf("with the tag: %d: %s", w.Code, w.Body)
	}
	if w := ask("lineage/list", ""); w.Code != http.StatusTooManyRequests || w.Header().Get("ETag") != "" {
		t.Errorf("another one: %d with tag %q: %s", w.Code, w.Header().Get("ETag"), w.Body)
	}
}

// The use of a token is noted now and then, and forgotten when it would be noted again.
func TestTokenUses(t *testing.T) {
	var uses tokenUses
	now := testdb.Clock()
	for i := range byte(100) {
		if !uses.isDue([sha256.Size]byte{i}, now) || uses.isDue([sha256.Size]byte{i}, now.Add(noteEvery-time.Second)) {
			t.Errorf("token %d: want it due once in %v", i, noteEvery)
		}
	}
	if !uses.isDue([sha256.Size]byte{5}, now.Add(noteEvery)) || len(uses.noted) != 1 {
		t.Errorf("%d uses are remembered, want one", len(uses.noted))
	}
}
