package lines_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"track"
	"track/importer/lines"
)

// checkWritten reads a line, writes what it says, and reads that again.
func checkWritten(t *testing.T, line []byte) {
	t.Helper()
	execution, failure := lines.ParseExecution(line)
	if failure != nil {
		return
	}
	written, err := lines.AppendExecution(nil, execution)
	if err != nil {
		t.Fatal(err)
	}
	again, failure := lines.ParseExecution(written)
	if failure != nil {
		t.Fatalf("%s: %v", written, failure)
	}
	if diff := cmp.Diff(execution, again, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); diff != "" {
		t.Fatalf("written and read again (-want +got):\n%s", diff)
	}
}

func TestAppendExecution(t *testing.T) {
	n := 0
	for line := range bytes.Lines(fixture(t)) {
		if _, failure := lines.ParseExecution(line); failure == nil {
			n++
		}
		checkWritten(t, line)
	}
	if n < 4 {
		t.Errorf("only %d lines were written", n)
	}
	judged := `{"kind":"execution","score":70,"judge":{"model":"m","prompt_sha256":"` + strings.Repeat("ab", 32) + `"},"holdout":true}`
	if e, failure := lines.ParseExecution([]byte(judged)); failure != nil || !e.Holdout || e.ScoredBy() != "judge:m@abababababababab" {
		t.Errorf("%s: %+v, %v", judged, e, failure)
	}
	checkWritten(t, []byte(judged))
	asked := `{"kind":"execution","requests":[{"tokens":{"input":7,"cache_read":0}},{"model":"m","tokens":{"input":5}}],"calls":[{"tool":"t","request":2},{"tool":"t"}]}`
	e, failure := lines.ParseExecution([]byte(asked))
	if failure != nil || len(e.Requests) != 2 || *e.Tokens.Input != 12 || e.Tokens.CacheRead != nil || *e.Requests[0].Tokens.Input != 7 || e.Requests[1].Model != "m" || e.Calls[0].Request != 2 || e.Calls[1].Request != 0 {
		t.Errorf("%s: %+v, %v", asked, e, failure)
	}
	checkWritten(t, []byte(asked))
}

func FuzzAppendExecution(f *testing.F) {
	for line := range bytes.Lines(fixture(f)) {
		f.Add(line)
	}
	f.Fuzz(checkWritten)
}

// TestExecutionSource holds that a line keeps the source of an execution if it is a format of logs, and no other.
func TestExecutionSource(t *testing.T) {
	for _, test := range []struct{ source, want, text string }{
		{"", "jsonl", ""}, {"jsonl", "jsonl", ""}, {"claude-code", "claude-code", `"source":"claude-code"`}, {"evolve", "jsonl", ""},
	} {
		line, err := lines.AppendExecution(nil, track.Execution{Lineage: "l", Source: test.source})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(line), test.text) || test.text == "" && strings.Contains(string(line), `"source"`) {
			t.Errorf("%q: %s", test.source, line)
		}
		for record, err := range lines.Read("x", bytes.NewReader(line)) {
			if err != nil || record.Err != nil || record.Execution.Source != test.want {
				t.Errorf("%q: %+v, %v", test.source, record, err)
			}
		}
	}
	for record := range lines.Read("x", strings.NewReader(`{"kind":"execution","lineage":"l","source":"evolve"}`)) {
		if record.Err == nil || record.Err.Field != "source" {
			t.Errorf("an unknown source is taken: %+v", record)
		}
	}
}

// TestInputOfLog holds that a line with a source gives back the input of a call as it was, whether it is JSON or not.
func TestInputOfLog(t *testing.T) {
	for _, input := range []string{"", `{"command":"ls"}`, "*** Begin Patch\n", `"quoted"`, "12", "null", "{half"} {
		line, err := lines.AppendExecution(nil, track.Execution{Lineage: "l", Source: "codex", Calls: []track.ToolCall{{Tool: "t", Input: input}}})
		if err != nil {
			t.Fatal(err)
		}
		for record, err := range lines.Read("x", bytes.NewReader(line)) {
			if err != nil || record.Err != nil || record.Execution.Calls[0].Input != input {
				t.Errorf("%q: %+v, %v", input, record, err)
			}
		}
	}
}
