package claudehooks_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"track/importer/claudehooks"
	"track/importer/importertest"
	"track/internal/masking"
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

func mask(text string) string {
	masked, _ := masking.Mask(text)
	return masked
}

// result is a payload with a text as the output of a shell.
func result(t *testing.T, text string) []byte {
	t.Helper()
	payload, err := json.Marshal(map[string]any{
		"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "t1",
		"tool_input": map[string]string{"command": "cat x"}, "tool_response": map[string]string{"stdout": text, "stderr": ""},
	})
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

// shortened returns the output that is kept of a text.
func shortened(t *testing.T, text string) string {
	t.Helper()
	payload, cuts, err := claudehooks.ReadPayload(bytes.NewReader(result(t, text)), mask)
	if err != nil || len(cuts) == 0 {
		t.Fatal(cuts, err)
	}
	e, err := claudehooks.Decode(payload, time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	if e.Call.Output == nil || len(*e.Call.Output) > 1<<20 || !e.Call.Answered {
		t.Fatalf("%+v", e.Call)
	}
	if whole := cuts.Whole(*e.Call.Output); whole != len(text) {
		t.Fatalf("%d bytes were cut to %d, and the whole has %d", len(text), len(*e.Call.Output), whole)
	}
	return *e.Call.Output
}

// Payloads without long texts come out as they went in, however they arrive.
func TestReadPayloadShort(t *testing.T) {
	for _, payload := range []string{`{"a":"b\"\\","c":[1,{"d":"\\"}]} `, "", "null", `"`, `{"a":"\`, "[[[", "]]]", strings.Repeat(`{"a":["`, 3000), string(result(t, strings.Repeat("a\n\"\\", 1000)))} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(payload), "byte by byte": iotest.OneByteReader(strings.NewReader(payload))} {
			got, cuts, err := claudehooks.ReadPayload(r, mask)
			if err == nil && (len(cuts) > 0 || string(got) != payload) || err != nil && err != io.ErrUnexpectedEOF {
				t.Errorf("%.40q %s: %.40q, %v, %v", payload, name, got, cuts, err)
			}
		}
	}
}

// Of a long text the beginning and the end are kept, with the size of the whole and a digest that tells other texts.
func TestReadPayloadLong(t *testing.T) {
	middle := strings.Repeat("0123456789 abcdefghijklmno \"q\" \\ é\n", 100_000)
	text := "the beginning\n" + middle + "\n\nbefore the end\n" + strings.Repeat("x y\n", 100) + "the end"
	got := shortened(t, text)
	if !strings.HasPrefix(got, "the beginning\n0123") || !strings.HasSuffix(got, "the end") || !strings.Contains(got, "[left out of ") {
		t.Errorf("%.60q … %q", got, got[len(got)-60:])
	}
	if again := shortened(t, text); again != got {
		t.Error("the second time it is another")
	}
	if other := shortened(t, text[:len(text)/2]+"\n"+text[len(text)/2+1:]); other == got || len(other) != len(got) {
		t.Error("another line in the middle makes no difference")
	}
	shortened(t, "\x01\x1f\n"+strings.Repeat("\u2028<&>\t\U0001F600", 100_000)) // written as escape sequences
	byBytes, cuts, err := claudehooks.ReadPayload(iotest.HalfReader(bytes.NewReader(result(t, text))), mask)
	if whole, _, _ := claudehooks.ReadPayload(bytes.NewReader(result(t, text)), mask); err != nil || !bytes.Equal(whole, byBytes) {
		t.Error("it depends on how the payload arrives")
	}
	if got := cuts.Whole(got); got != len(text) || cuts.Whole("short") != 0 {
		t.Errorf("the whole has %d bytes, want %d", got, len(text))
	}
}

// What is long without a long string is left out with its size.
func TestReadPayloadOfManyTexts(t *testing.T) {
	lines, err := json.Marshal(strings.Split(strings.Repeat("a line of a file\n", 400_000), "\n"))
	if err != nil {
		t.Fatal(err)
	}
	payload := fmt.Sprintf(`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Grep","tool_response":{"lines":%s},"tool_input":{"pattern":"x"},"tool_use_id":"t1"}`, lines)
	got, cuts, err := claudehooks.ReadPayload(strings.NewReader(payload), mask)
	if err != nil || len(cuts) != 1 || len(got) > 1000 {
		t.Fatalf("%d bytes, %v, %v", len(got), cuts, err)
	}
	e, err := claudehooks.Decode(got, time.Unix(1, 0))
	if err != nil || e.Call.Key != "t1" || !strings.Contains(*e.Call.Output, "left out of 7600") {
		t.Errorf("%v, %+v", err, e.Call)
	}
}

// Wherever a cut goes through a secret, or between a secret and what tells that it is one, no part of it is kept.
func TestReadPayloadSplitsNoSecret(t *testing.T) {
	key := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("MIIEpAIBAAKCAQEAx5Zq7vWc0pXyT2n8QkLdR4sUe9BhJ1mGf3aVoN6w\n", 200) + "-----END RSA PRIVATE KEY-----\n"
	for name, secret := range map[string]string{
		"token":    "export GITHUB_TOKEN=ghp_x5Zq7vWc0pXyT2n8QkLdR4sUe9BhJ1mGf3aV\n",
		"password": "DB_PASSWORD=x5Zq7vWc0p1\n",
		"key":      key,
	} {
		line := "nothing to see in this line\n"
		before, long := strings.Repeat(line, 16_000), strings.Repeat(line, 80_000) // 448 kB and 2.2 MB
		for _, place := range []string{"head", "tail"} {
			step := 9_973
			if testing.Short() {
				step *= 4
			}
			for shift := 0; shift < 120_000; shift += step {
				text := before + strings.Repeat("y", shift) + "\n" + secret + long + "\n\n" + line
				if place == "tail" {
					text = line + long + secret + strings.Repeat("y", shift) + "\n\n" + strings.Repeat(line, 14_000)
				}
				got := shortened(t, text)
				for _, part := range []string{"x5Zq7", "pXyT2", "QkLdR", "JmGf3", "R4sUe9B"} {
					if at := strings.Index(got, part); at >= 0 {
						t.Fatalf("%s at the %s, moved by %d: %.200q", name, place, shift, got[max(0, at-100):])
					}
				}
			}
		}
	}
}

func FuzzReadPayload(f *testing.F) {
	for _, seed := range []string{"{", `{"a":"b"}`, `{"a":"\"}`, `{"a":["x",{"b":"\\"}]}`} {
		f.Add([]byte(seed), 100)
	}
	f.Fuzz(func(t *testing.T, payload []byte, times int) {
		long := bytes.Repeat(payload, min(max(times, 1), 4<<20/(len(payload)+1)+1))
		got, cuts, err := claudehooks.ReadPayload(bytes.NewReader(long), mask)
		if len(got) > 16<<20 || err == nil && len(cuts) == 0 && !bytes.Equal(got, long) {
			t.Fatalf("%d bytes of %d, cuts %v", len(got), len(long), cuts)
		}
	})
}
