package agents_test

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	"track"
	"track/answer"
	"track/ask"
	"track/internal/testdb"
	"track/store"
	"track/tracker/agents"
)

// recordCalls records an execution whose calls are named by letters, and returns its id. A capital letter is a call that
// failed.
func recordCalls(t *testing.T, st *store.Store, key, calls string) string {
	t.Helper()
	e := track.Execution{Lineage: "l", Version: "v1", Key: key, Task: key, Status: track.ExecutionOK, StartedAt: testdb.Clock()}
	for _, tool := range strings.Split(calls, "") {
		c := track.ToolCall{Tool: strings.ToLower(tool), Input: "{}", Answered: true}
		if tool != c.Tool {
			c.Error = "failed"
		}
		e.Calls = append(e.Calls, c)
	}
	if _, err := agents.NewRecorder(st, agents.Options{}, rand.Reader).Record(t.Context(), []track.Execution{e}, false); err != nil {
		t.Fatal(err)
	}
	listed, err := ask.Executions().Ask(t.Context(), ask.Source{Store: st}, answer.ExecutionsQuestion{Task: key})
	if err != nil || len(listed.Items) != 1 {
		t.Fatal(len(listed.Items), err)
	}
	return listed.Items[0].ID
}

// TestCompareExecutions aligns calls: each expected line is a tool with the numbers of the calls on both sides.
func TestCompareExecutions(t *testing.T) {
	t.Parallel()
	st := testdb.New(t)
	for i, tt := range []struct {
		a, b, lines string
		first       int
	}{
		{"abc", "abc", "a1:1 b2:2 c3:3", -1},
		{"abc", "aBc", "a1:1 b2:2 c3:3", 1},             // the same call, another result
		{"abcd", "acd", "a1:1 b2:- c3:2 d4:3", 1},       // b only in the first
		{"acd", "abbcd", "a1:1 b-:2 b-:3 c2:4 d3:5", 1}, // two only in the second
		{"abab", "baba", "a1:- b2:1 a3:2 b4:3 a-:4", 0}, // three in common, in order
	} {
		ids := []string{recordCalls(t, st, fmt.Sprint("a", i), tt.a), recordCalls(t, st, fmt.Sprint("b", i), tt.b)}
		compared, err := agents.CompareExecutions(t.Context(), st.Reader, answer.CompareExecutionsQuestion{IDs: ids})
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, c := range compared.Calls {
			line, sep := c.Tool, ""
			for _, side := range []*answer.CallSide{c.First, c.Second} {
				if line += sep; side == nil {
					line += "-"
				} else {
					line += fmt.Sprint(side.Call)
				}
				sep = ":"
			}
			lines = append(lines, line)
		}
		if got := strings.Join(lines, " "); got != tt.lines || compared.FirstDifference != tt.first {
			t.Errorf("%s, %s: %s, first difference %d; want %s, %d", tt.a, tt.b, got, compared.FirstDifference, tt.lines, tt.first)
		}
	}
}
