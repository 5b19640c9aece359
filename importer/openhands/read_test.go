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
		if got != want || e.Output == nil || *e.Output == "" {
			t.Errorf("%s:\ngot  %s\nwant %s", file, got, want)
		}
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
