package formats_test

import (
	"path/filepath"
	"testing"

	"track/importer"
	"track/importer/formats"
	"track/importer/importertest"
)

// BenchmarkReal reads real logs. One iteration opens and reads the file.
func BenchmarkReal(b *testing.B) {
	for format, file := range map[string]string{
		importer.ClaudeCode: "claude-code-transcript/codemie-session-196820da.jsonl", importer.Codex: "codex-rollout/codemie-0.125.0-rollout-2026-05-11T11-26-55.jsonl",
		importer.TauBench: "tau-bench/gpt-4o-airline-tasks-0-15.json", importer.Inspect: "inspect-ai/browser.json",
		importer.SEPA: "sepa/observations-first-5750-lines.jsonl",
	} {
		b.Run(format, func(b *testing.B) {
			size, err := importertest.Real(b, file).Stat()
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(size.Size())
			path := filepath.Join(importertest.RealFolder(b), filepath.FromSlash(file))
			for b.Loop() {
				for _, err := range formats.ReadPath(format, path) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
