//go:build postgres

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"track/internal/testpostgres"
)

// A transaction on a server writes at most 1,000 rows, however much a command records. Rows name the transaction that
// wrote them.
func TestRowsOfTransactionPostgres(t *testing.T) {
	t.Parallel()
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "file.db")
	var spec, batch strings.Builder
	spec.WriteString("scenario: s\nmetrics:\n")
	for _, name := range []string{"a", "b", "c"} {
		fmt.Fprintf(&spec, "  - {name: %s, type: RANGE, min: 0, max: 1}\n", name)
	}
	for seed := range 700 {
		fmt.Fprintf(&batch, `{"kind": "seed", "scenario": "s", "seed": %d, "values": {"a": 0.%d, "b": 0.5, "c": 2}}`+"\n", seed, seed)
	}
	for name, text := range map[string]string{"s.yaml": spec.String(), "s.jsonl": batch.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server := postgresServer(t)
	recorded, merged := testpostgres.Schema(t, server), testpostgres.Schema(t, server)
	for _, db := range []string{file, recorded} {
		mustTrackWith(t, dir, db, "init")
		mustTrackWith(t, dir, db, "spec", "add", "s.yaml")
		mustTrackWith(t, dir, db, "record", "batch", "s.jsonl")
	}
	mustTrackWith(t, dir, merged, "init")
	mustTrackWith(t, dir, merged, "merge", file)

	var written []string
	for _, table := range []string{"seed", "packed_value", "assessment", "packed_result"} {
		written = append(written, "SELECT CAST(xmin AS text) AS writer FROM "+table)
	}
	query := `SELECT sum(n) AS n, max(n) <= 1000 AS bounded FROM (SELECT count(*) AS n FROM (` + strings.Join(written, " UNION ALL ") + `) AS written GROUP BY writer) AS counts`
	for name, db := range map[string]string{"recorded": recorded, "merged": merged} {
		if got, want := tables(t, dir, db, query), "n,bounded\n2800,1\n"; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
