package otlp_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"track/importer"
	"track/importer/importertest"
	"track/importer/otlp"
)

var fixtures = []string{"claude.jsonl", "traces.jsonl", "document.json"}

func TestRead(t *testing.T) {
	importertest.Goldens(t, otlp.Read, fixtures...)
}

// The sums are those of another reader over the 18 lines: three prompts, of which the first made two requests and three
// calls.
func TestReadReal(t *testing.T) {
	items, err := importertest.Collect(t, otlp.Read("f", importertest.Real(t, "claude-code-otel/codemie-otel-events.sample.jsonl")))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range importertest.Executions(items) {
		failed := 0
		for _, c := range e.Calls {
			if c.Failed() {
				failed++
			}
		}
		got = append(got, fmt.Sprintf("%s: %d calls, %d failed, %d in, %d out, %d read, %d written, $%.4f, %s", e.Key, len(e.Calls), failed,
			*e.Tokens.Input, *e.Tokens.Output, *e.Tokens.CacheRead, *e.Tokens.CacheWrite, *e.CostUSD, e.Model))
	}
	want := []string{
		"otlp:11111111-1111-1111-1111-111111111111:P1: 3 calls, 0 failed, 2100 in, 1400 out, 33000 read, 2000 written, $0.0465, claude-opus-4-8",
		"otlp:11111111-1111-1111-1111-111111111111:P2: 1 calls, 1 failed, 700 in, 400 out, 21000 read, 0 written, $0.0080, claude-opus-4-8",
		"otlp:22222222-2222-2222-2222-222222222222:P3: 1 calls, 0 failed, 4000 in, 2600 out, 20000 read, 3000 written, $0.0350, converse/eu.anthropic.claude-sonnet-4-6-v1:0",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestReadOddities(t *testing.T) {
	importertest.Oddities(t, otlp.Read, map[string]string{
		"":                          "",
		`{"resourceSpans":[]}`:      "",
		"{\n\"resourceSpans\":[":    "skip f:2: the array is cut off\nskip f:2: the document is cut off\n",
		"{\"resourceLogs\":[]}\n7":  "skip f:2: a line of this format holds something else\n",
		"{\"resourceLogs\":[]}\n{}": "skip f:2: neither spans nor logs\n",
	})
}

func TestDamage(t *testing.T) {
	t.Run("events", func(t *testing.T) { importertest.Damage(t, otlp.Read, importertest.Fixture(t, "claude.jsonl"), true) })
	t.Run("traces", func(t *testing.T) { importertest.Damage(t, otlp.Read, importertest.Fixture(t, "traces.jsonl"), true) })
	t.Run("document", func(t *testing.T) {
		importertest.DamageDocument(t, otlp.Read, importertest.Fixture(t, "document.json"))
	})
}

// What is held open is bounded: 20 MiB of prompts take less than 16.
func TestMemory(t *testing.T) {
	const prompts, limit = 20_000, 16 << 20
	executions := 0
	peak, err := importertest.PeakHeap(func(w io.Writer) error {
		for n := range prompts {
			_, err := fmt.Fprintf(w, `{"_type":"log","ts":"2026-03-01T10:00:00Z","name":"tool_result","attrs":{"event.name":"tool_result","session.id":"s","prompt.id":"p-%d","tool_name":"Bash","tool_parameters":%q}}`+"\n",
				n, strings.Repeat("x", 1000))
			if err != nil {
				return err
			}
		}
		return nil
	}, otlp.Read, func(item importer.Item) {
		if item.Execution != nil {
			executions++
		}
	})
	t.Logf("at most %d KiB in use", peak>>10)
	if err != nil || executions != prompts || peak > limit {
		t.Errorf("%d executions, %v, %d KiB in use", executions, err, peak>>10)
	}
}

func FuzzRead(f *testing.F) {
	var seeds [][]byte
	for _, name := range fixtures {
		seeds = append(seeds, importertest.Fixture(f, name))
	}
	importertest.Fuzz(f, otlp.Read, seeds...)
}

func BenchmarkRead(b *testing.B) {
	importertest.Benchmark(b, otlp.Read, importertest.Fixture(b, "claude.jsonl"))
}
