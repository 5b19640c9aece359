package store

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Calls of all sizes: rows that just fit on a page, that go on in one or in many others, and texts that are not kept.
const fillCalls = `
	WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999)
	INSERT INTO call (execution_id, position, key, tool_id, input, input_bytes, input_digest, exit, error, answered, rejected,
	                  output, output_bytes, output_digest, output_whole, started_at, duration_us, request)
	SELECT 1 + i / 1000, i % 1000, 'key ' || i, 1 + i % 3, CASE WHEN i % 7 > 0 THEN substr('é' || hex(zeroblob(3 * i)), 1, i) END, i, zeroblob(32), CASE WHEN i % 5 = 0 THEN i - 300 END,
	       CASE WHEN i % 11 = 0 THEN 'no' END, i % 2, 0, CASE WHEN i % 500 = 3 THEN hex(zeroblob(20 * i)) WHEN i % 3 > 0 THEN 'x' END, i, zeroblob(32), NULL, 1700000000000000 + i, i, CASE WHEN i % 4 = 0 THEN i END
	  FROM n`

// Decoded pages say of calls what a query says, for pages of every size.
func TestScanOfCalls(t *testing.T) {
	for _, pageSize := range []int{512, 4096, 65536} {
		path := filepath.Join(t.TempDir(), "track.db")
		if _, err := Init(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		fill(t, path, fmt.Sprintf("PRAGMA journal_mode = DELETE; PRAGMA page_size = %d; VACUUM; PRAGMA journal_mode = WAL", pageSize),
			`INSERT INTO tool (id, name) VALUES (1, 'Bash'), (3, 'Read')`, fillCalls, "DELETE FROM call WHERE position % 3 > 0", "DELETE FROM call", fillCalls) // a tool is lost, and pages come from the list of free ones
		st, err := Open(t.Context(), path, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = st.Close() })
		var size int
		if err := st.read().GetContext(t.Context(), &size, `PRAGMA page_size`); err != nil || size != pageSize {
			t.Fatalf("pages of %d bytes, error %v, want %d", size, err, pageSize)
		}
		rows := func(scan func(r *Reader, execution int64, visit func(*cells)) error, execution int64) (list []string) {
			err := st.Snapshot(t.Context(), func(r *Reader) error {
				return scan(r, execution, func(c *cells) { list = append(list, fmt.Sprintf("%q", c.row)) })
			})
			if err != nil {
				t.Fatal(err)
			}
			return list
		}
		for execution := range int64(5) { // the first and the last have no calls
			want := rows(func(r *Reader, execution int64, visit func(*cells)) error {
				return r.streamCells(t.Context(), listCalls, []any{execution}, visit)
			}, execution)
			got := rows(func(r *Reader, execution int64, visit func(*cells)) error {
				return r.pool.engine.scanCalls(t.Context(), r, execution, manyCalls, visit)
			}, execution)
			if len(want) != 1000 && execution%4 != 0 || !slices.Equal(want, got) {
				t.Errorf("pages of %d bytes, execution %d: (-want +got):\n%.3000s", pageSize, execution, cmp.Diff(want, got))
			}
		}
	}
}

// fill runs statements on a database, without a look at foreign keys.
func fill(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}
