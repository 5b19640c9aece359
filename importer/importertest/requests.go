package importertest

import (
	"fmt"
	"strings"
	"testing"

	"track"
)

// WantRequests compares the requests of an execution, as "input/output/cache read" of each, and the requests of its
// calls.
func WantRequests(t *testing.T, e track.Execution, want string) {
	t.Helper()
	var parts []string
	for _, r := range e.Requests {
		text := "?"
		if r.Tokens != nil {
			text = value("", r.Tokens.Input) + "/" + value("", r.Tokens.Output) + "/" + value("", r.Tokens.CacheRead)
		}
		if r.Model != "" {
			text += " by " + r.Model
		}
		parts = append(parts, text)
	}
	calls := make([]int, len(e.Calls))
	for i, c := range e.Calls {
		calls[i] = c.Request
	}
	if got := fmt.Sprintf("%s; calls %d", strings.Join(parts, ", "), calls); got != want {
		t.Errorf("requests %s\nwant %s", got, want)
	}
}

// WantWhole checks that the requests of an execution add up to its tokens, and that each call has one.
func WantWhole(t *testing.T, e track.Execution) {
	t.Helper()
	if sum := tokens(track.SumOfRequests(e.Requests)); tokens(e.Tokens) != sum {
		t.Errorf("%s: tokens%s, and of its %d requests%s", e.Key, tokens(e.Tokens), len(e.Requests), sum)
	}
	for i, c := range e.Calls {
		if c.Request == 0 {
			t.Errorf("%s: call %d has no request", e.Key, i+1)
		}
	}
}
