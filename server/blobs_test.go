//go:build !race

package server_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"track/access"
	"track/internal/testdb"
	"track/server"
)

func blobAt(content string) (path, digest string) {
	hash := sha256.Sum256([]byte(content))
	digest = "sha256:" + hex.EncodeToString(hash[:])
	return "/api/v1/blobs/" + digest, digest
}

// A blob is sent once, and named by lines of whoever sent it.
func TestBlobs(t *testing.T) {
	s := serve(t, nil)
	recorder, other, reader := s.tokenFor(access.Record), s.tokenFor(access.Record), s.tokenFor(access.Read)
	content := strings.Repeat("one line of a log\n", 10_000)
	path, digest := blobAt(content)
	wrong, _ := blobAt("x")
	line := func(n int) string {
		return fmt.Sprintf(`{"kind":"seed","scenario":"growth","seed":"%d","values":{"a":1},"artifacts":[{"name":"run.log","blob":"%s"}]}`+"\n", 500+n, digest)
	}
	for _, tt := range []struct {
		name, method, path, body string
		secret                   access.Secret
		status                   int
		part                     string
	}{
		{"a line before its blob", http.MethodPost, spoolPath + "/lines?from=0", spoolLines(0, 1) + line(0), recorder, 424, digest},
		{"nothing of it is recorded", http.MethodGet, spoolPath, "", recorder, 200, `"through":0`},
		{"without a spool", http.MethodPost, "/api/v1/lines", line(0), recorder, 424, digest},
		{"not here", http.MethodHead, path, "", recorder, 404, ""},
		{"sent", http.MethodPut, path, content, recorder, 201, `"bytes":180000`},
		{"here", http.MethodHead, path, "", recorder, 200, ""},
		{"sent again", http.MethodPut, path, content, recorder, 200, digest},
		{"of another token", http.MethodHead, path, "", other, 404, ""},
		{"named by another token", http.MethodPost, "/api/v1/lines", line(0), other, 424, digest},
		{"for a reader", http.MethodHead, path, "", reader, 403, ""},
		{"not its digest", http.MethodPut, wrong, content, recorder, 400, "has the digest " + digest},
		{"that is not kept", http.MethodHead, wrong, "", recorder, 404, ""},
		{"no digest", http.MethodPut, "/api/v1/blobs/..%2Fx", content, recorder, 400, "is not a digest"},
		{"a line with its blob", http.MethodPost, spoolPath + "/lines?from=0", spoolLines(0, 1) + line(0), recorder, 200, `"through":2,"refused":0,"skipped":0,"recorded":2`},
		{"another one", http.MethodPost, "/api/v1/lines", line(1), recorder, 200, `"recorded":1`},
	} {
		response, body := s.do(tt.method, tt.path, tt.secret, tt.body)
		if response.StatusCode != tt.status || !strings.Contains(body, tt.part) {
			t.Errorf("%s: %d, not %d: %s", tt.name, response.StatusCode, tt.status, body)
		}
	}
	stored := testdb.Rows(t, s.store, `SELECT count(*), max(n_bytes) FROM artifact JOIN artifact_content ON artifact_content.id = artifact_content_id`)
	if fmt.Sprint(stored) != "[[2 180000]]" {
		t.Errorf("%v", stored)
	}
}

// A blob that nobody names is removed after an hour.
func TestBlobsEnd(t *testing.T) {
	s := serve(t, func(c *server.Config) { c.NoAuth = true })
	path, _ := blobAt("content")
	if response, body := s.do(http.MethodPut, path, "", "content"); response.StatusCode != 201 {
		t.Fatalf("%d: %s", response.StatusCode, body)
	}
	for _, step := range []struct {
		after  time.Duration
		status int
	}{{59 * time.Minute, 200}, {118 * time.Minute, 200}, {3 * time.Hour, 404}} {
		at := testdb.Clock().Add(step.after)
		s.now = func() time.Time { return at }
		if response, _ := s.do(http.MethodHead, path, "", ""); response.StatusCode != step.status {
			t.Errorf("after %s: %d", step.after, response.StatusCode)
		}
	}
}
