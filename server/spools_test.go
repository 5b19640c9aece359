package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"track/access"
)

const spoolPath = "/api/v1/spools/01ARZ3NDEKTSV4RRFFQ69G5FAV"

// spoolLines returns lines of new seeds.
func spoolLines(from, to int) string {
	var text strings.Builder
	for n := from; n < to; n++ {
		text.WriteString(strings.Replace(seedLine, `"100"`, fmt.Sprintf(`"%d"`, 100+n), 1))
	}
	return text.String()
}

// Each request goes on where the one before it ended: what is sent twice is recorded once, and nothing is left out.
func TestSpool(t *testing.T) {
	s := serve(t, nil)
	recorder := s.tokenFor(access.Record)
	conflict := strings.Replace(spoolLines(0, 1), `"a":1`, `"a":2`, 1)
	for _, tt := range []struct {
		name, query, body string
		status            int
		parts             []string
	}{
		{"the first lines", "?from=0", spoolLines(0, 3), 200, []string{`"through":3,"refused":0,"skipped":0,"recorded":3`}},
		{"again, because the answer was lost", "?from=0", spoolLines(0, 3), 200, []string{`"through":3,"refused":0,"skipped":3,"recorded":0,"duplicates":0`}},
		{"lines with some that are there", "?from=1", spoolLines(1, 5), 200, []string{`"through":5,"refused":0,"skipped":2,"recorded":2`}},
		{"a gap", "?from=6", spoolLines(6, 7), 409, []string{`"through":5`, "up to 5"}},
		{"blank lines", "?from=5", "\n" + spoolLines(5, 6) + "\n\n", 200, []string{`"through":9,"refused":0,"skipped":0,"recorded":1`}},
		{"refused lines", "?from=9", conflict + "{\n" + spoolLines(6, 7), 200, []string{`"through":12,"refused":2,"skipped":0,"recorded":1`, `"line":1`, `"line":2`}},
		{"many lines", "?from=12", spoolLines(10, 700) + "{", 200, []string{`"through":703,"refused":3,"skipped":0,"recorded":690`}},
		{"many lines again", "?from=12", spoolLines(10, 800), 200, []string{`"through":802,"refused":3,"skipped":691,"recorded":99`}},
		{"nothing", "", "", 200, []string{`"through":802`}},
		{"before the start", "?from=-1", "", 400, []string{"must be a number of lines"}},
	} {
		response, body := s.do(http.MethodPost, spoolPath+"/lines"+tt.query, recorder, tt.body)
		for _, part := range tt.parts {
			if response.StatusCode != tt.status || !strings.Contains(body, part) {
				t.Errorf("%s: %d: %s, not %s", tt.name, response.StatusCode, body, part)
			}
		}
	}
	if response, body := s.do(http.MethodGet, strings.ToLower(spoolPath), recorder, ""); response.StatusCode != 200 || !strings.Contains(body, `"through":802,"refused":3`) {
		t.Errorf("position: %d: %s", response.StatusCode, body)
	}
	if response, _ := s.do(http.MethodGet, "/api/v1/spools/x", recorder, ""); response.StatusCode != 400 {
		t.Errorf("the position of no spool: %d", response.StatusCode)
	}
	if n := countSeeds(t, s); n != 5+7+690+99 {
		t.Errorf("%d seeds", n)
	}
}

// countSeeds counts the recorded seeds.
func countSeeds(t *testing.T, s *service) (n int64) {
	t.Helper()
	_, err := s.store.Query(t.Context(), "SELECT count(*) FROM seed", func(_ []string, row []any) error {
		n = row[0].(int64)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
