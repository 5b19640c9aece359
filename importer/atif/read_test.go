package atif_test

import (
	"strings"
	"testing"

	"track/importer/atif"
	"track/importer/importertest"
)

func TestRead(t *testing.T) {
	importertest.Goldens(t, atif.Read, "document.json", "lines.jsonl", "steps.jsonl")
}

// The counts of calls and answers are those of the README beside the real files. Results that answer no call are those
// of system steps.
func TestReadReal(t *testing.T) {
	type counts struct {
		calls, answered      int
		input, output        int64
		truths, model, final string
	}
	for file, want := range map[string]counts{
		"login-trace.atif-v1.7.json":                         {6, 6, -1, -1, "verdict 1", "openagents/khala", "Goal verified. Marking the session complete."},
		"rfc-example.atif-v1.4.json":                         {2, 2, 1120 - 200, 124, "", "gemini-2.5-flash", "As of October 11, 2025, Alphabet (GOOGL) is trading at $185.35 with a volume of 1.5M shares traded."},
		"session-2025-12-05T08-00-23-404Z-ew8gut.atif.json":  {0, 0, -1, -1, "success 0", "orchestrator", "Decomposed task into 2 subtasks"},
		"session-2025-12-05T08-00-23-404Z-ew8gut.atif.jsonl": {0, 0, -1, -1, "success 0", "", "none"},
	} {
		items, err := importertest.Collect(t, atif.Read(file, importertest.Real(t, "atif/"+file)))
		executions := importertest.Executions(items)
		if err != nil || len(executions) != 1 || len(items) != 1 {
			t.Fatalf("%s: %s, %v", file, importertest.Render(items...), err)
		}
		e := executions[0]
		got := counts{calls: len(e.Calls), input: -1, output: -1, model: e.Model, final: "none"}
		for _, c := range e.Calls {
			if c.Answered {
				got.answered++
			}
		}
		if e.Tokens != nil {
			got.input, got.output = *e.Tokens.Input, *e.Tokens.Output
		}
		for name, x := range e.Truths {
			got.truths = strings.TrimSpace(got.truths + " " + name + " " + string(rune('0'+int(x))))
		}
		if e.Output != nil {
			got.final = *e.Output
		}
		if got != want {
			t.Errorf("%s: got %+v, want %+v", file, got, want)
		}
	}
}

func TestReadOddities(t *testing.T) {
	importertest.Oddities(t, atif.Read, map[string]string{
		"":                                     "",
		" ":                                    "",
		`{"schema_version":"ATIF-v1.4"}`:       "skip f:1: a trajectory without steps\n",
		"{\n\"schema_version\":\"ATIF-v1.4\"}": "skip f:1: a trajectory without steps\n",
		"{\n\"schema_version\":\"ATIF-v1.4\",\"steps\":[":       "skip f:2: the array is cut off\nskip f:2: the document is cut off\n",
		"{\"session_id\":\"s\",\"steps\":[]}\n{\"x\":1}\n[1]\n": "skip f:2: neither a trajectory nor a step of one\nskip f:3: a line of this format holds something else\n",
	})
}

func TestDamage(t *testing.T) {
	t.Run("lines", func(t *testing.T) { importertest.Damage(t, atif.Read, importertest.Fixture(t, "lines.jsonl"), true) })
	t.Run("document", func(t *testing.T) {
		importertest.DamageDocument(t, atif.Read, importertest.Fixture(t, "document.json"))
	})
}

func FuzzRead(f *testing.F) {
	importertest.Fuzz(f, atif.Read, importertest.Fixture(f, "document.json"), importertest.Fixture(f, "lines.jsonl"), importertest.Fixture(f, "steps.jsonl"))
}

func BenchmarkRead(b *testing.B) {
	importertest.Benchmark(b, atif.Read, importertest.Fixture(b, "lines.jsonl"))
}
