//go:build !race

package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"track/access"
	"track/server"
)

// A question that reads the whole database has more time than others. Only an administrator may ask it.
func TestLongQuestion(t *testing.T) {
	s := serve(t, func(c *server.Config) { c.QueryTime = time.Nanosecond })
	admin := s.tokenFor(access.Admin)
	if response, body := s.do(http.MethodGet, "/api/v1/check", admin, ""); response.StatusCode != http.StatusOK || !strings.Contains(body, `"sound":true`) {
		t.Errorf("check: %d: %s", response.StatusCode, body)
	}
	if response, body := s.do(http.MethodGet, "/api/v1/seeds?scenario=growth", admin, ""); response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("seeds: %d: %s", response.StatusCode, body)
	}
	if response, _ := s.do(http.MethodGet, "/api/v1/check", s.tokenFor(access.Read, access.Record), ""); response.StatusCode != http.StatusForbidden {
		t.Errorf("check of a reader: %d", response.StatusCode)
	}
}
