package main

import (
	"strings"
	"testing"
)

// A query that has more rows than it gives says so in every format, also if a server was asked.
func TestLimitedQueryOfServer(t *testing.T) {
	t.Parallel()
	p := newPushing(t)
	for _, format := range []string{"table", "csv", "json", "jsonl", "md"} {
		out, code := p.track(p.address, "query", "SELECT 1 AS n UNION SELECT 2 UNION SELECT 3", "--limit", "2", "--format", format)
		if code != exitOK || !strings.Contains(out, "more rows than the first 2") {
			t.Errorf("%s: exit code %d: %s", format, code, out)
		}
		if out, code = p.track(p.address, "query", "SELECT 1 AS n UNION SELECT 2", "--limit", "2", "--format", format); code != exitOK || strings.Contains(out, "more rows") {
			t.Errorf("%s, all rows: exit code %d: %s", format, code, out)
		}
	}
}
