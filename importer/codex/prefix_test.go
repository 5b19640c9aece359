package codex_test

import (
	"fmt"
	"strings"
	"testing"

	"track/importer/codex"
	"track/importer/importertest"
)

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
