package formats_test

import (
	"bytes"
	"io"
	"iter"
	"os"
	"testing"

	"track/importer"
	"track/importer/formats"
	"track/importer/importertest"
)

// What a reader holds in memory does not grow with the source: here each reads 8 MiB and may hold 5. (Package
// claudecode has a test of its own.)
func TestMemory(t *testing.T) {
	const size, limit = 6 << 20, 5 << 20
	for format, tt := range map[string]struct{ file, head, first, last, tail string }{
		importer.ClaudeHooks: {file: "../claudehooks/testdata/hooks.jsonl"},
		importer.Codex:       {file: "../codex/testdata/rollout.jsonl"},
		importer.SEPA:        {file: "../sepa/testdata/memory/observations.jsonl"},
		importer.JSONL:       {file: "../lines/testdata/batch.jsonl"},
		importer.TauBench:    {file: "../taubench/testdata/episodes.json", head: "[", first: "[", last: "\n]", tail: "]"},
		importer.ATIF:        {file: "../atif/testdata/lines.jsonl"},
		importer.Messages:    {file: "../messages/testdata/records.jsonl"},
		importer.OpenHands:   {file: "../openhands/testdata/output.jsonl"},
		importer.SWEAgent:    {file: "../sweagent/testdata/org__repo-7.traj"},
		importer.Inspect:     {file: "../inspect/testdata/log.json", head: `{"version":2,"eval":{},"samples":[`, first: `"samples": [`, last: "\n ],\n \"reductions\"", tail: "]}"},
	} {
		t.Run(format, func(t *testing.T) {
			text, err := os.ReadFile(tt.file)
			if err != nil {
				t.Fatal(err)
			}
			if tt.first != "" {
				_, text, _ = bytes.Cut(text, []byte(tt.first))
				text = append(text[:bytes.LastIndex(text, []byte(tt.last))], ',')
			}
			executions := 0
			peak, err := importertest.PeakHeap(func(w io.Writer) error {
				parts := []io.Reader{bytes.NewReader([]byte(tt.head))}
				for range size / len(text) {
					parts = append(parts, bytes.NewReader(text))
				}
				_, err := io.Copy(w, io.MultiReader(append(parts, bytes.NewReader([]byte(tt.tail)))...))
				return err
			}, func(file string, r io.Reader) iter.Seq2[importer.Item, error] { return formats.Read(format, file, r) }, func(item importer.Item) {
				if item.Execution != nil {
					executions++
				}
			})
			if err != nil || executions < 1000 {
				t.Fatalf("%d executions, %v", executions, err)
			}
			if peak > limit {
				t.Errorf("%d KiB in use", peak>>10)
			}
			t.Logf("%d executions, at most %d KiB in use", executions, peak>>10)
		})
	}
}
