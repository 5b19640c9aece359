package openhands_test

import (
	"fmt"
	"testing"

	"track/importer/importertest"
	"track/importer/openhands"
)

func TestRead(t *testing.T) {
	importertest.Goldens(t, openhands.Read, "output.jsonl", "old.jsonl", "events.json")
}

// The counts of exit statuses are those of the README beside the real files. Of the 26 actions of the first, 22 are
// calls: the others are system, message, recall and finish; of its 23 observations, one is of the recall. The clock of
// the first is 8 hours ahead of UTC.
func TestReadReal(t *testing.T) {
	for file, want := range map[string]string{
		"multi_swe_bench-output-1.jsonl": "22 calls, 22 answered, 13 exits, 5 non-zero, tokens 565158 2558, cost ?, task ponylang__ponyc-4595, model openai/openrouter-llama-4-maverick, started 2025-04-30T08:32:54Z, truths map[]",
		"resolver-mock-output-1.jsonl":   "3 calls, 3 answered, 2 exits, 0 non-zero, tokens ?, cost 0.070713, task neubig/pr-viewer#5, model , started 0001-01-01T00:00:00Z, truths map[success_guessed:1]",
	} {
		items, err := importertest.Collect(t, openhands.Read(file, importertest.Real(t, "openhands/"+file)))
		executions := importertest.Executions(items)
		if err != nil || len(executions) != 1 || len(items) != 1 {
			t.Fatalf("%s: %s, %v", file, importertest.Render(items...), err)
		}
		e := executions[0]
		answered, exits, nonZero, tokens, cost := 0, 0, 0, "?", "?"
		for _, c := range e.Calls {
			if c.Answered {
				answered++
			}
			if c.Exit != nil {
				exits++
				if *c.Exit != 0 {
					nonZero++
				}
			}
		}
		if e.Tokens != nil {
			tokens = fmt.Sprint(*e.Tokens.Input, " ", *e.Tokens.Output)
		}
		if e.CostUSD != nil {
			cost = fmt.Sprint(*e.CostUSD)
		}
		got := fmt.Sprintf("%d calls, %d answered, %d exits, %d non-zero, tokens %s, cost %s, task %s, model %s, started %s, truths %v",
			len(e.Calls), answered, exits, nonZero, tokens, cost, e.Task, e.Model, e.StartedAt.Format("2006-01-02T15:04:05Z"), e.Truths)
		if e.Tokens != nil {
			importertest.WantWhole(t, e)
		}
		if got != want || e.Output == nil || *e.Output == "" {
			t.Errorf("%s:\ngot  %s\nwant %s", file, got, want)
		}
	}
}

// The list of requests in the metrics counts, if it has the answers that actions name; else what each action says.
func TestRequests(t *testing.T) {
	const (
		action = `{"id":%d,"source":"agent","action":"run","args":{"command":"x"},"tool_call_metadata":{"function_name":"bash","tool_call_id":"t%[1]d",` +
			`"model_response":{"id":"%s","model":"m","usage":{"prompt_tokens":%d,"completion_tokens":1}}}}`
		used = `{"response_id":"%s","model":"%s","prompt_tokens":%d,"completion_tokens":2,"cache_read_tokens":%d,"cache_write_tokens":0}`
	)
	history := fmt.Sprintf(action, 1, "a", 10) + "," + fmt.Sprintf(action, 2, "a", 10) + "," + fmt.Sprintf(action, 3, "b", 20)
	whole := fmt.Sprintf(used, "a", "m", 10, 4) + "," + fmt.Sprintf(used, "x", "other", 7, 0) + "," + fmt.Sprintf(used, "b", "m", 20, 8)
	for name, tt := range map[string]struct{ list, want string }{
		"no list":        {"", "10/1/, 20/1/; calls [1 1 2]"},
		"whole":          {whole, "6/2/4, 7/2/0 by other, 12/2/8; calls [1 1 3]"},
		"an answer less": {fmt.Sprintf(used, "a", "m", 10, 4), "10/1/, 20/1/; calls [1 1 2]"},
		"damaged":        {`{"response_id":1}`, "10/1/, 20/1/; calls [1 1 2]"},
	} {
		t.Run(name, func(t *testing.T) {
			text := `{"instance_id":"i","history":[` + history + `],"metrics":{"token_usages":[` + tt.list + `]}}`
			items, err := importertest.ReadBytes(t, openhands.Read, []byte(text))
			if executions := importertest.Executions(items); err != nil || len(executions) != 1 {
				t.Fatal(executions, err)
			}
			importertest.WantRequests(t, importertest.Executions(items)[0], tt.want)
		})
	}
}

func TestReadOddities(t *testing.T) {
	importertest.Oddities(t, openhands.Read, map[string]string{
		"":                                     "",
		`{"instance_id":"a","test_result":{}}`: "skip f:1: a record without history\n",
		`{"instance_id":"a","history":[7]}`:    "skip f:1: event 1 of the history is not as expected\n",
		`[{"id":0,"source":"user","action":"message"}`: "skip f:1: the array is cut off\n",
	})
}

func TestDamage(t *testing.T) {
	t.Run("lines", func(t *testing.T) {
		importertest.Damage(t, openhands.Read, importertest.Fixture(t, "output.jsonl"), true)
	})
	t.Run("events", func(t *testing.T) {
		importertest.DamageDocument(t, openhands.Read, importertest.Fixture(t, "events.json"))
	})
}

func FuzzRead(f *testing.F) {
	importertest.Fuzz(f, openhands.Read, importertest.Fixture(f, "output.jsonl"), importertest.Fixture(f, "old.jsonl"), importertest.Fixture(f, "events.json"))
}

func BenchmarkRead(b *testing.B) {
	importertest.Benchmark(b, openhands.Read, importertest.Fixture(b, "output.jsonl"))
}
