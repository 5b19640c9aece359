package claudecode_test

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"track"
	"track/importer"
	"track/importer/claudecode"
	"track/importer/importertest"
)

func TestRead(t *testing.T) {
	for _, name := range []string{"session", "damaged"} {
		items, err := importertest.ReadBytes(t, claudecode.Read, importertest.Fixture(t, name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		importertest.Golden(t, items, name+".golden")
	}
}

// The counts are those of the README beside the real logs, which come from another reader.
func TestReadReal(t *testing.T) {
	for _, tt := range []struct {
		file                                                 string
		calls, answered, failed, exits, rejected, interrupts int
	}{
		{"fasthooks-sample_main_transcript", 10, 10, 2, 2, 0, 0},
		{"fasthooks-sample_agent_sidechain", 0, 0, 0, 0, 0, 0},
		{"spotter-short", 2, 2, 2, 0, 2, 0}, // the README's one interrupt is the mark behind the refusals: the same act
		{"spotter-tool_heavy", 6, 6, 0, 0, 0, 2},
		{"spotter-subagent", 16, 16, 0, 0, 0, 1},
		{"codemie-session-196820da", 65, 65, 2, 2, 0, 0},
		{"codemie-incremental-subagents-turn-2", 14, 14, 0, 0, 0, 0},
		{"agentcmd-full-session", 23, 20, 0, 0, 0, 0},
		{"claude-code-log-edge_cases", 3, 1, 1, 0, 0, 0},
		{"claude-code-log-representative_messages", 2, 2, 0, 0, 0, 0},
		{"spotter-8463c716-first", 28, 28, 1, 0, 0, 0},
	} {
		file := importertest.Real(t, "claude-code-transcript/"+tt.file+".jsonl")
		items, err := importertest.Collect(t, claudecode.Read(tt.file, file))
		if err != nil {
			t.Fatal(err)
		}
		got := tt
		got.calls, got.answered, got.failed, got.exits, got.rejected, got.interrupts = 0, 0, 0, 0, 0, 0
		for _, e := range importertest.Executions(items) {
			got.interrupts += e.Corrections
			for _, c := range e.Calls {
				got.calls++
				got.answered += one(c.Answered)
				got.failed += one(c.Error != "")
				got.exits += one(c.Exit != nil)
				got.rejected += one(c.Rejected)
			}
		}
		got.interrupts -= got.rejected
		if got != tt {
			t.Errorf("got %+v, want %+v", got, tt)
		}
	}
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// The usage of a message stands on each of its lines. Summed up naively, this file has 2.7 times as many tokens.
func TestUsageOnce(t *testing.T) {
	file := importertest.Real(t, "claude-code-transcript/codemie-session-196820da.jsonl")
	items, err := importertest.Collect(t, claudecode.Read("f", file))
	if err != nil {
		t.Fatal(err)
	}
	var read int64
	for _, e := range importertest.Executions(items) {
		read += *e.Tokens.CacheRead
		importertest.WantWhole(t, e)
	}
	if read != 2_560_506 { // a script's sum over the 47 values of message.id, each with the usage of its last line
		t.Errorf("%d tokens read from the cache", read)
	}
}

func TestRefusesOtherFormats(t *testing.T) {
	rollout := `{"timestamp":"2026-03-01T10:00:00Z","type":"session_meta","payload":{"id":"x"}}` + "\n"
	_, err := importertest.ReadBytes(t, claudecode.Read, []byte(rollout))
	if err == nil || err.Error() != "f: this is a Codex rollout, not a Claude Code transcript" || !errors.Is(err, track.ErrInvalid) {
		t.Errorf("got %v", err)
	}
	if hints := track.Hints(err); len(hints) != 1 || hints[0].String() != "import it in its own format: import codex" {
		t.Errorf("hints %q", hints)
	}
}

func TestDamage(t *testing.T) {
	var lines []string // of the main thread: those of a subagent stand between them
	for line := range strings.Lines(string(importertest.Fixture(t, "session.jsonl"))) {
		if !strings.Contains(line, `"isSidechain":true`) {
			lines = append(lines, line)
		}
	}
	importertest.Damage(t, claudecode.Read, []byte(strings.Join(lines, "")), true)
}

func FuzzRead(f *testing.F) {
	importertest.Fuzz(f, claudecode.Read, importertest.Fixture(f, "session.jsonl"), importertest.Fixture(f, "damaged.jsonl"))
}

func BenchmarkRead(b *testing.B) {
	importertest.Benchmark(b, claudecode.Read, bytes.Repeat(importertest.Fixture(b, "session.jsonl"), 100))
}

// What is held in memory does not grow with the transcript: neither with its lines, nor with the calls of one prompt.
func TestMemory(t *testing.T) {
	line := func(s string) string { return strings.ReplaceAll(s, "\n", "") + "\n" }
	prompt := line(`{"type":"user","uuid":"u","sessionId":"s","timestamp":"2026-03-01T10:00:00Z","message":{"role":"user","content":"go on"}}`)
	call := line(`{"type":"assistant","uuid":"u","sessionId":"s","timestamp":"2026-03-01T10:00:00Z","message":{"id":"m-%d","role":"assistant",
		"content":[{"type":"tool_use","id":"t-%d","name":"Bash","input":{"command":"make"}}],"usage":{"input_tokens":1}}}`)
	result := line(`{"type":"user","uuid":"u","sessionId":"s","timestamp":"2026-03-01T10:00:01Z","message":{"role":"user",
		"content":[{"type":"tool_result","tool_use_id":"t-%d","content":"` + strings.Repeat("output ", 4000) + `"}]}}`)
	for _, tt := range []struct {
		name          string
		prompts, size int
		limit         uint64
	}{
		{"a prompt for each 50 calls", 50, 60 << 20, 40 << 20},
		{"one prompt", 1 << 30, 90 << 20, 300 << 20}, // 64 MiB of text of one execution, and the buffers
	} {
		t.Run(tt.name, func(t *testing.T) {
			calls := 0
			peak, err := importertest.PeakHeap(func(w io.Writer) error {
				for written, n := 0, 0; written < tt.size; n++ {
					text := strings.ReplaceAll(call+result, "%d", strconv.Itoa(n))
					if n%tt.prompts == 0 {
						text = prompt + text
					}
					written += len(text)
					if _, err := io.WriteString(w, text); err != nil {
						return err
					}
				}
				return nil
			}, claudecode.Read, func(item importer.Item) {
				if item.Execution != nil {
					calls += len(item.Execution.Calls)
				}
			})
			if err != nil || calls < tt.size>>15 {
				t.Fatalf("%d calls, %v", calls, err)
			}
			if peak > tt.limit {
				t.Errorf("%d MiB in use", peak>>20)
			}
			t.Logf("%d calls, at most %d MiB in use", calls, peak>>20)
		})
	}
}
