package claudehooks_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"track/importer/claudehooks"
	"track/importer/importertest"
)

func TestRead(t *testing.T) {
	importertest.Goldens(t, claudehooks.Read, "hooks.jsonl")
}

// The README beside the real log: 4 prompts, 4 PreToolUse, 3 PostToolUse. The fourth call failed, which this version
// does not tell.
func TestReadReal(t *testing.T) {
	items, err := importertest.Collect(t, claudehooks.Read("f", importertest.Real(t, "claude-code-hooks/fasthooks-hook_logs-first-20.jsonl")))
	if err != nil || len(items) != 4 {
		t.Fatalf("%d items, %v", len(items), err)
	}
	answered := 0
	for i, e := range importertest.Executions(items) {
		if len(e.Calls) != 1 || e.Calls[0].Answered != (i != 3) || e.Calls[0].Failed() != (i == 3) {
			t.Errorf("execution %d: %+v", i, e.Calls)
		}
		if e.Calls[0].Answered {
			answered++
		}
	}
	if answered != 3 {
		t.Errorf("%d answered calls", answered)
	}
}

func TestDecode(t *testing.T) {
	received := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	event, err := claudehooks.Decode([]byte(`{"session_id":"s","transcript_path":"/t.jsonl","hook_event_name":"PostToolUse","tool_name":"Bash",
		"tool_input":{"command":"ls"},"tool_use_id":"toolu_1","tool_response":{"stdout":"a","stderr":""},"duration_ms":12.5}`), received)
	call := event.Call
	if err != nil || event.Name != claudehooks.PostToolUse || event.Session != "s" || !event.At.Equal(received) || event.Transcript != "/t.jsonl" ||
		call.Key != "toolu_1" || call.Command != "ls" || !call.Answered || *call.Output != "a" || *call.Duration != 12500*time.Microsecond {
		t.Errorf("%+v, %v", event, err)
	}
	for _, bad := range []string{"", "[]", "{}", `{"hook_event_name":"Stop"}`, `{"session_id":7,"hook_event_name":"Stop"}`} {
		if _, err := claudehooks.Decode([]byte(bad), received); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for line := range bytes.Lines(importertest.Fixture(f, "hooks.jsonl")) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		event, err := claudehooks.Decode(text, time.Time{})
		if err == nil && (event.Name == "" || event.Session == "") {
			t.Fatalf("%q: %+v", text, event)
		}
	})
}

func TestDamage(t *testing.T) {
	var lines []string // of the main thread of one session: those of others stand between them
	for line := range strings.Lines(string(importertest.Fixture(t, "hooks.jsonl"))) {
		if !strings.Contains(line, `"s-2"`) && !strings.Contains(line, `"agent_id"`) {
			lines = append(lines, line)
		}
	}
	importertest.Damage(t, claudehooks.Read, []byte(strings.Join(lines, "")), true)
}

func FuzzRead(f *testing.F) {
	importertest.Fuzz(f, claudehooks.Read, importertest.Fixture(f, "hooks.jsonl"))
}

func BenchmarkRead(b *testing.B) {
	importertest.Benchmark(b, claudehooks.Read, bytes.Repeat(importertest.Fixture(b, "hooks.jsonl"), 200))
}
