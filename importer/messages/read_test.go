package messages_test

import (
	"bytes"
	"strings"
	"testing"

	"track/importer/importertest"
	"track/importer/messages"
)

var fixtures = []string{"records.jsonl", "mixed.jsonl", "document.json", "lines.jsonl", "records.json"}

func TestRead(t *testing.T) {
	importertest.Goldens(t, messages.Read, fixtures...)
}

// A conversation of a message on each line keeps its key while it grows, from its first answer on.
func TestReadGrowing(t *testing.T) {
	lines := bytes.SplitAfter(importertest.Fixture(t, "lines.jsonl"), []byte("\n"))
	for n := 2; n <= 4; n++ {
		whole, err := importertest.ReadBytes(t, messages.Read, bytes.Join(lines, nil))
		part, err2 := importertest.ReadBytes(t, messages.Read, bytes.Join(lines[:n], nil))
		if err != nil || err2 != nil || len(part) != 1 || !part[0].Open || part[0].Execution.Key != whole[0].Execution.Key {
			t.Errorf("%d lines: %s, %v, %v", n, importertest.Render(part...), err, err2)
		}
	}
}

func TestReadOddities(t *testing.T) {
	importertest.Oddities(t, messages.Read, map[string]string{
		"": "",
		`{"messages":[{"role":"user","content":"q"}]}`:                              "skip f:1: a conversation without an answer\n",
		`{"role":"user","content":"q"}`:                                             "skip f:1: a conversation without an answer\n",
		"[\n{\"role\":\"user\",\"content\":\"q\"}\n]":                               "skip f:2: a conversation without an answer\n",
		"{\"messages\":[{\"role\":\"assistant\",\"content\":\"a\"}]}\n{\"x\":1}\n7": "skip f:2: neither a message nor a record with messages\nskip f:3: a line of this format holds something else\n",
		"{\n\"messages\":[{\"role\":\"user\"":                                       "skip f:2: the document is cut off\n",
	})
}

// What a message of the assistant used stands with it, in the words of OpenAI or of Anthropic, or with the response.
func TestRequests(t *testing.T) {
	for text, want := range map[string]string{
		`{"model":"m","messages":[{"role":"user","content":"q"},
		 {"role":"assistant","usage":{"input_tokens":3,"cache_read_input_tokens":7,"cache_creation_input_tokens":2,"output_tokens":5},
		  "content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}}]},
		 {"role":"assistant","model":"other","usage":{"prompt_tokens":9,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":4}},"content":"done"}]}`: "3/5/7, 5/1/4 by other; calls [1 1]",
		`{"messages":[{"role":"user","content":"q"}],"response":{"usage":{"prompt_tokens":9,"completion_tokens":1},
		 "choices":[{"message":{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f"}}]}}]}}`: "9/1/; calls [1]",
		`{"messages":[{"role":"user","content":"q"},{"role":"assistant","usage":"some","tool_calls":[{"id":"a","function":{"name":"f"}}]}]}`: "; calls [0]",
	} {
		items, err := importertest.ReadBytes(t, messages.Read, []byte(strings.ReplaceAll(text, "\n", "")))
		if executions := importertest.Executions(items); err != nil || len(executions) != 1 {
			t.Fatal(importertest.Render(items...), err)
		}
		importertest.WantRequests(t, importertest.Executions(items)[0], want)
	}
}

func TestDamage(t *testing.T) {
	t.Run("lines", func(t *testing.T) {
		importertest.Damage(t, messages.Read, importertest.Fixture(t, "records.jsonl"), true)
	})
	t.Run("document", func(t *testing.T) {
		importertest.DamageDocument(t, messages.Read, importertest.Fixture(t, "document.json"))
	})
}

func FuzzRead(f *testing.F) {
	var seeds [][]byte
	for _, name := range fixtures {
		seeds = append(seeds, importertest.Fixture(f, name))
	}
	importertest.Fuzz(f, messages.Read, seeds...)
}

func BenchmarkRead(b *testing.B) {
	importertest.Benchmark(b, messages.Read, importertest.Fixture(b, "records.jsonl"))
}
