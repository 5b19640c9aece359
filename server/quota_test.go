package server_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"track/access"
	"track/answer"
	"track/importer/lines"
	"track/internal/testdb"
	"track/server"
	"track/store"
	"track/tracker/tokens"
)

// serveFrom is [serve] with a clock that a test moves.
func serveFrom(t *testing.T, began time.Time) (s *service, later func(time.Duration)) {
	t.Helper()
	var passed atomic.Int64
	now := func() time.Time { return began.Add(time.Duration(passed.Load())) }
	s = serve(t, func(c *server.Config) {
		open := c.Open
		c.Open = func(ctx context.Context) (*store.Store, error) {
			st, err := open(ctx)
			if err != nil {
				return nil, err
			}
			defer func() { _ = st.Close() }()
			return store.OpenForUpdate(ctx, st.Path(), now)
		}
		c.Now = now
	})
	s.now = now
	return s, func(d time.Duration) { passed.Add(int64(d)) }
}

// lasting returns a token that does not expire.
func (s *service) lasting(g access.Grant) access.Secret {
	s.t.Helper()
	added, err := tokens.Add(s.t.Context(), s.store, answer.AddTokenQuestion{Grant: g})
	if err != nil {
		s.t.Fatal(err)
	}
	return added.Secret
}

// A token records as many records a day as its quota says, however they are sent; what was recorded before stays, and a
// spool goes on where it stopped.
func TestQuotaOfRecords(t *testing.T) {
	s, later := serveFrom(t, testdb.Clock().Truncate(24*time.Hour).Add(22*time.Hour))
	secret := s.lasting(access.Grant{Name: "ci", Scopes: []access.Scope{access.Record, access.Admin}, Quota: access.Quota{Records: 100}})
	unlimited := s.lasting(access.Grant{Name: "other", Scopes: []access.Scope{access.Record}})
	for _, tt := range []struct {
		name, path, body string
		wait             time.Duration
		secret           access.Secret
		status           int
		parts            []string
	}{
		{"some", "/api/v1/lines", spoolLines(0, 3), 0, secret, 200, []string{`"recorded":3`}},
		{"duplicates and wrong lines are free", "/api/v1/lines", "{\n" + spoolLines(0, 4), 0, secret, 200, []string{`"recorded":1,"duplicates":3`}},
		{"of a spool", spoolPath + "/lines?from=0", spoolLines(4, 10), 0, secret, 200, []string{`"through":6`}},
		{"more than are left", spoolPath + "/lines?from=6", spoolLines(10, 1000), 0, secret, 429, []string{
			`"quota":{"max_records_per_day":100,"records_today":100,`, "100 of 100 records", "after 2026-01-03 00:00 UTC",
		}},
		{"again", spoolPath + "/lines?from=6", spoolLines(10, 1000), 0, secret, 429, []string{"100 of 100 records"}},
		{"a blob", "/api/v1/blobs/" + lines.BlobDigest([]byte("x")), "x", 0, secret, 429, []string{"100 of 100 records"}},
		{"of another token", "/api/v1/lines", spoolLines(1000, 1001), 0, unlimited, 200, []string{`"recorded":1`}},
		{"on the next day", spoolPath + "/lines?from=6", spoolLines(10, 120), 2 * time.Hour, secret, 200, []string{`"through":116,"refused":0,"skipped":90,"recorded":20`}},
	} {
		later(tt.wait)
		method := http.MethodPost
		if strings.Contains(tt.path, "blobs") {
			method = http.MethodPut
		}
		response, body := s.do(method, tt.path, tt.secret, tt.body)
		for _, part := range tt.parts {
			if response.StatusCode != tt.status || !strings.Contains(body, part) {
				t.Errorf("%s: %d: %s, not %s", tt.name, response.StatusCode, body, part)
			}
		}
		if after := response.Header.Get("Retry-After"); tt.status == 429 && after != "7201" {
			t.Errorf("%s: Retry-After %q", tt.name, after)
		}
	}
	if _, body := s.do(http.MethodGet, spoolPath, secret, ""); !strings.Contains(body, `"through":116`) {
		t.Errorf("position: %s", body)
	}
	if n := countSeeds(t, s); n != 5+120+1 {
		t.Errorf("%d seeds", n)
	}
	_, body := s.do(http.MethodGet, "/api/v1/token/list", secret, "")
	if want := `"quota":{"max_records_per_day":100,"records_today":20,"bytes_today":`; !strings.Contains(body, want) {
		t.Errorf("the list: %s", body)
	}
	for _, tt := range []struct {
		records, body string
		status        int
	}{ // what was recorded today counts
		{"21", spoolLines(200, 203), 429}, {"23", spoolLines(200, 203), 200}, {"none", spoolLines(203, 400), 200},
	} {
		if response, body := s.do(http.MethodPost, "/api/v1/token/set", secret, "name=ci&max-records-per-day="+tt.records, form...); response.StatusCode != 200 {
			t.Errorf("set to %s: %d: %s", tt.records, response.StatusCode, body)
		}
		if response, body := s.do(http.MethodPost, "/api/v1/lines", secret, tt.body); response.StatusCode != tt.status {
			t.Errorf("with %s: %d: %s", tt.records, response.StatusCode, body)
		}
	}
	if want := `msg=change what="token set" holder=ci token=ci`; !strings.Contains(s.log.String(), want) {
		t.Errorf("the log does not have %s", want)
	}
}

// The bytes of a line count with the blobs that it names. The last record of a day may have more than are left. Another
// server on the database counts on.
func TestQuotaOfBytes(t *testing.T) {
	s, _ := serveFrom(t, testdb.Clock())
	secret := s.token(access.Grant{Name: "ci", Scopes: []access.Scope{access.Record}, Quota: access.Quota{Bytes: 5000}})
	content := strings.Repeat("x", 4000)
	digest := lines.BlobDigest([]byte(content))
	line := func(n int) string {
		return fmt.Sprintf(`{"kind":"seed","scenario":"growth","seed":"%d","values":{"a":1},"configuration":{"label":"c"},"artifacts":[{"name":"a.txt","blob":"%s"}]}`+"\n", 100+n, digest)
	}
	if response, body := s.do(http.MethodPut, "/api/v1/blobs/"+digest, secret, content); response.StatusCode != http.StatusCreated {
		t.Fatalf("%d: %s", response.StatusCode, body)
	}
	response, body := s.do(http.MethodPost, "/api/v1/lines", secret, line(0)+line(1)+line(2))
	if want := fmt.Sprintf(`"max_bytes_per_day":5000,"records_today":2,"bytes_today":%d}`, 2*(len(content)+len(line(0)))); response.StatusCode != 429 || !strings.Contains(body, want) {
		t.Errorf("%d: %s, not %s", response.StatusCode, body, want)
	}
	another := serve(t, func(c *server.Config) {
		c.Open = func(ctx context.Context) (*store.Store, error) {
			return store.OpenForUpdate(ctx, s.store.Path(), testdb.Clock)
		}
	})
	if response, body := another.do(http.MethodPost, "/api/v1/lines", secret, spoolLines(5, 6)); response.StatusCode != 429 {
		t.Errorf("another server: %d: %s", response.StatusCode, body)
	}
	if n := countSeeds(t, s); n != 5+2 {
		t.Errorf("%d seeds", n)
	}
}
