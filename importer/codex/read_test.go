package codex_test

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"track/importer/codex"
	"track/importer/importertest"
)

func TestRead(t *testing.T) {
	importertest.Goldens(t, codex.Read, "rollout.jsonl", "oldest.jsonl", "sandbox.jsonl")
}

// What a sandbox refused or a command in it failed with is a failed call, and its exit status is in the words. A text
// that only speaks of it is none.
func TestSandboxFailures(t *testing.T) {
	items, err := importertest.ReadBytes(t, codex.Read, importertest.Fixture(t, "sandbox.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range importertest.Executions(items) {
		for _, c := range e.Calls {
			exit := "no exit status"
			if c.Exit != nil {
				exit = strconv.Itoa(*c.Exit)
			}
			got = append(got, fmt.Sprint(exit, ", failed ", c.Error != ""))
		}
	}
	want := []string{"2, failed true", "1, failed true", "no exit status, failed true", "no exit status, failed true", "no exit status, failed false"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The README beside the real logs counts 102 calls in the first file: 43 commands, 3 patches, 2 plans and 54 calls of
// write_stdin, which only poll the commands. Here those are none, and the 3 web searches, which have no call_id and
// no output, are calls: 51. In the second file 2 of 118 calls are polls. Exit statuses are as many as there: 46, of
// which 4 are not 0; 16 with 3; else none.
func TestReadReal(t *testing.T) {
	for _, tt := range []struct {
		file                                               string
		executions, calls, answered, exits, nonZero, files int
	}{
		{"codemie-0.125.0-rollout-2026-05-11T11-26-55", 2, 51, 51, 46, 4, 0},
		{"localpush-0.104.0-rollout-2026-02-23T12-41-04", 1, 116, 116, 0, 0, 0},
		{"localpush-0.104.0-rollout-2026-02-23T20-34-25", 1, 5, 5, 0, 0, 0},
		{"codemie-turn-1", 1, 0, 0, 0, 0, 0},
		{"agentcmd-0.40.0-rollout-2025-09-24T20-12-23.masked", 2, 16, 16, 16, 3, 0},
	} {
		items, err := importertest.Collect(t, codex.Read(tt.file, importertest.Real(t, "codex-rollout/"+tt.file+".jsonl")))
		if err != nil || len(importertest.Skips(items)) > 0 {
			t.Fatal(err, importertest.Skips(items))
		}
		got := tt
		got.executions, got.calls, got.answered, got.exits, got.nonZero, got.files = len(items), 0, 0, 0, 0, 0
		for _, e := range importertest.Executions(items) {
			got.files += len(e.Files)
			for _, c := range e.Calls {
				got.calls++
				if c.Answered {
					got.answered++
				}
				if c.Exit != nil {
					got.exits++
				}
				if c.Exit != nil && *c.Exit != 0 {
					got.nonZero++
				}
				if c.Tool == "exec_command" && tt.exits > 0 && (c.Duration == nil || c.Command == "") {
					t.Errorf("%s: call %s has no duration or no command", tt.file, c.Key)
				}
			}
		}
		if got != tt {
			t.Errorf("got %+v, want %+v", got, tt)
		}
	}
}

// The tokens of a session are the last totals, however the executions share them.
func TestTokensReal(t *testing.T) {
	items, err := importertest.Collect(t, codex.Read("f", importertest.Real(t, "codex-rollout/codemie-0.125.0-rollout-2026-05-11T11-26-55.jsonl")))
	if err != nil {
		t.Fatal(err)
	}
	var all, output int64
	for _, e := range importertest.Executions(items) {
		all += *e.Tokens.Input + *e.Tokens.CacheRead
		output += *e.Tokens.Output
		importertest.WantWhole(t, e)
	}
	if all != 6_055_836 || output != 9_118 { // total_token_usage of the last token_count
		t.Errorf("%d tokens read and %d written", all, output)
	}
}

// Older versions count a request before its calls, newer ones behind them. Counts that are repeated are no request.
func TestRequests(t *testing.T) {
	const (
		prompt = `{"timestamp":"2026-03-01T10:00:00Z","type":"event_msg","payload":{"type":"user_message","message":"p"}}` + "\n"
		count  = `{"timestamp":"2026-03-01T10:00:0%dZ","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":%d,"cached_input_tokens":%d,"output_tokens":%d},"last_token_usage":%s}}}` + "\n"
		call   = `{"timestamp":"2026-03-01T10:00:0%dZ","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{}","call_id":"c%[1]d"}}` + "\n"
	)
	calls := func(from, n int) (text string) {
		for i := range n {
			text += fmt.Sprintf(call, from+i)
		}
		return text
	}
	first, second := fmt.Sprintf(count, 1, 100, 20, 5, "null"), fmt.Sprintf(count, 4, 300, 120, 9, `{"input_tokens":150,"cached_input_tokens":90,"output_tokens":4}`)
	for name, tt := range map[string]struct{ text, want string }{
		"before": {prompt + first + calls(1, 2) + second + calls(5, 1), "80/5/20, 60/4/90; calls [1 1 2]"},
		"behind": {prompt + calls(1, 2) + first + first + calls(5, 1) + second + calls(6, 1), "80/5/20, 60/4/90; calls [1 1 2 0]"},
	} {
		t.Run(name, func(t *testing.T) {
			items, err := importertest.ReadBytes(t, codex.Read, []byte(tt.text))
			if executions := importertest.Executions(items); err != nil || len(executions) != 1 {
				t.Fatal(executions, err)
			}
			importertest.WantRequests(t, importertest.Executions(items)[0], tt.want)
		})
	}
}

func TestDamage(t *testing.T) {
	importertest.Damage(t, codex.Read, importertest.Fixture(t, "rollout.jsonl"), true)
}

func FuzzRead(f *testing.F) {
	importertest.Fuzz(f, codex.Read, importertest.Fixture(f, "rollout.jsonl"), importertest.Fixture(f, "oldest.jsonl"))
}

func BenchmarkRead(b *testing.B) {
	importertest.Benchmark(b, codex.Read, bytes.Repeat(importertest.Fixture(b, "rollout.jsonl"), 200))
}

// Sessions of 10:00:00 and 10:10:00, and turns that began two seconds later, by the time in their ids.
const (
	parentID   = "019dd388-0500-7000-8000-00000000aaaa"
	childID    = "019dd391-2cc0-7000-8000-00000000bbbb"
	parentTurn = "019dd388-0cd0-7000-8000-00000000cccc"
	childTurn  = "019dd391-3490-7000-8000-00000000dddd"
)

func line(at, kind, payload string) string {
	return fmt.Sprintf(`{"timestamp":"2026-04-28T%sZ","type":%q,"payload":%s}`+"\n", at, kind, payload)
}

func meta(at, id, more string) string { return line(at, "session_meta", `{"id":"`+id+`"`+more+`}`) }

func event(at, payload string) string { return line(at, "event_msg", payload) }

func prompt(at, text string) string {
	return event(at, `{"type":"user_message","message":"`+text+`"}`)
}

func call(at, id string) string {
	return line(at, "response_item", `{"type":"function_call","name":"shell","arguments":"{}","call_id":"`+id+`"}`)
}

func count(at string, input, output, lastInput, lastOutput int) string {
	return event(at, fmt.Sprintf(`{"type":"token_count","info":{"total_token_usage":{"input_tokens":%d,"output_tokens":%d},"last_token_usage":{"input_tokens":%d,"output_tokens":%d}}}`,
		input, output, lastInput, lastOutput))
}

func answer(at, text string) string {
	return line(at, "response_item", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"`+text+`"}]}`)
}

// What a fork or a subagent repeats of the session that it came from is no part of it, in each way that Codex writes
// it.
func TestPrefix(t *testing.T) {
	const (
		forked  = `,"forked_from_id":"` + parentID + `"`
		spawned = `,"source":{"subagent":{"thread_spawn":{"parent_thread_id":"` + parentID + `","depth":1}}}`
	)
	history := func(times ...string) string {
		at := func(i int) string { return times[i%len(times)] }
		return prompt(at(0), "do") + call(at(1), "c1") + count(at(2), 1000, 100, 1000, 100) + answer(at(3), "done") + count(at(4), 3000, 300, 2000, 200)
	}
	own := prompt("10:10:02.000", "sub task") + answer("10:10:05.000", "sub done") + count("10:10:06.000", 3500, 350, 500, 50)
	const want = `"sub task": 500 in, 50 out, 0 calls`
	for name, tt := range map[string]struct{ text, want string }{
		"written at once": {meta("10:10:00.000", childID, forked) + meta("10:10:00.001", parentID, "") + history("10:10:00.001") + own, want},
		"written in some seconds": {
			meta("10:10:00.000", childID, forked) + history("10:10:00.400", "10:10:00.800", "10:10:01.100", "10:10:01.300", "10:10:01.400") + own, want,
		},
		"with the times of then": {meta("10:10:00.000", childID, spawned) + history("10:00:01.000", "10:00:03.000", "10:00:05.000", "10:00:07.000", "10:00:09.000") + own, want},
		"in the midst of a turn, with the task behind": {
			meta("10:10:00.000", childID, spawned) + meta("10:10:00.001", parentID, "") + history("10:10:00.001") + call("10:10:00.001", "spawn") +
				prompt("10:10:00.003", "sub task") + answer("10:10:05.000", "sub done") + count("10:10:06.000", 3500, 350, 500, 50), want,
		},
		"with turns": {
			meta("10:10:00.000", childID, forked) + line("10:10:00.001", "turn_context", `{"turn_id":"`+parentTurn+`"}`) + history("10:10:00.001", "10:10:08.000") +
				event("10:10:08.001", `{"type":"task_started","turn_id":"`+childTurn+`"}`) + prompt("10:10:08.002", "sub task") + answer("10:10:08.003", "sub done") +
				count("10:10:08.004", 3500, 350, 500, 50), want,
		},
		"without a word of the fork": {meta("10:10:00.000", childID, "") + meta("10:10:00.001", parentID, "") + history("10:10:00.001") + own, want},
		"nothing, and totals of then": {
			meta("10:10:00.000", childID, forked) + count("10:10:00.001", 3000, 300, 0, 0) + own, want,
		},
		"nothing, and the first totals are of then": {meta("10:10:00.000", childID, forked) + own, want},
		"nothing, and totals anew": {
			meta("10:10:00.000", childID, forked) + meta("10:10:00.001", parentID, "") + prompt("10:10:00.002", "sub task") + answer("10:10:05.000", "sub done") +
				count("10:10:06.000", 500, 50, 500, 50), want,
		},
		"all of it": {meta("10:10:00.000", childID, forked) + history("10:10:00.001"), ""},
		"no fork":   {meta("10:10:00.000", childID, "") + history("10:10:00.001"), `"do": 3000 in, 300 out, 1 calls`},
		"no times": {
			strings.NewReplacer(`"timestamp":"2026-04-28T10:10:00.000Z",`, "", `"timestamp":"2026-04-28T10:10:00.001Z",`, "").
				Replace(meta("10:10:00.000", "x", forked) + history("10:10:00.001")), `"do": 3000 in, 300 out, 1 calls`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			items, err := importertest.ReadBytes(t, codex.Read, []byte(tt.text))
			if err != nil || len(importertest.Skips(items)) > 0 {
				t.Fatal(err, importertest.Skips(items))
			}
			var got []string
			for _, e := range importertest.Executions(items) {
				got = append(got, fmt.Sprintf("%q: %d in, %d out, %d calls", *e.Prompt, *e.Tokens.Input, *e.Tokens.Output, len(e.Calls)))
			}
			if text := strings.Join(got, "; "); text != tt.want {
				t.Errorf("got %s, want %s", text, tt.want)
			}
		})
	}
}
