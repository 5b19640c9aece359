package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"track/importer/lines"
	"track/store"
	"track/tracker/exchange"
	"track/tracker/seeds"
)

const seedsPerTransaction = 150 // about what a batch puts into its 20 ms

// batch measures the recording of JSON lines, parsing and scoring included, against the bare driver that writes the
// same rows with the same statements in transactions of the same size.
func (b bench) batch() error {
	const seeds = 20_000
	file, err := b.writeBatch("batch.jsonl", seeds, 1000)
	if err != nil {
		return err
	}
	var ours, bare timings
	for round := range b.rounds {
		path, err := b.newDatabase(fmt.Sprintf("batch-%d.db", round))
		if err != nil {
			return err
		}
		took, err := b.recordAll(path, file)
		if err != nil {
			return err
		}
		ours = append(ours, took)
		copied, err := b.newDatabase(fmt.Sprintf("bare-%d.db", round))
		if err != nil {
			return err
		}
		if took, err = b.bareInserts(path, copied); err != nil {
			return err
		}
		bare = append(bare, took)
	}
	heading("A batch of 20,000 seeds of 66 values", "what", "median", "seeds/s", "rate against the driver")
	perSecond := func(t timings) string { return fmt.Sprintf("%.0f", seeds/t.median().Seconds()) }
	row("bare driver, prepared multi-row inserts", bare, perSecond(bare), "1.00")
	row("track record batch: parse, check, score, insert", ours, perSecond(ours), ratio(bare, ours))
	fmt.Printf("\n%d rounds, in turns, in one process each; synchronous=NORMAL, %d seeds in a transaction of the driver's.\n", b.rounds, seedsPerTransaction)
	return nil
}

func (b bench) recordAll(path, file string) (time.Duration, error) {
	source, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer func() { _ = source.Close() }()
	st, err := store.OpenForUpdate(b.ctx, path, time.Now)
	if err != nil {
		return 0, err
	}
	defer func() { _ = st.Close() }()
	started := time.Now()
	summary, err := exchange.RecordAll(b.ctx, seeds.NewRecorder(st, seeds.Options{}, rand.Reader), lines.Read(file, source), exchange.BatchObserver{})
	if err == nil && summary.Rejected+summary.Conflicts > 0 {
		err = fmt.Errorf("%d rejected, %d conflicts", summary.Rejected, summary.Conflicts)
	}
	return time.Since(started), err
}

// tables are the tables that a seed goes into, with their columns.
func tables() []struct {
	name    string
	columns int
} {
	return []struct {
		name    string
		columns int
	}{{"seed", 16}, {"value", 3}, {"assessment", 8}, {"result", 5}}
}

// bareInserts copies what was recorded in the database at from into the one at to, and returns how long the inserts
// took.
func (b bench) bareInserts(from, to string) (time.Duration, error) {
	rows, err := readSeeds(b.ctx, from)
	if err != nil {
		return 0, err
	}
	const pragmas = "?_pragma=busy_timeout(10000)&_pragma=foreign_keys(1)&_pragma=synchronous(NORMAL)&_pragma=cache_size(-16384)"
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(to)+pragmas)
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close() }()
	conn, err := db.Conn(b.ctx)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close() }()
	if err := copySmallTables(b.ctx, conn, from); err != nil {
		return 0, err
	}
	statements := map[string]*sql.Stmt{}
	started := time.Now()
	for i, seed := range rows {
		if i%seedsPerTransaction == 0 {
			if _, err := conn.ExecContext(b.ctx, "BEGIN IMMEDIATE"); err != nil {
				return 0, err
			}
		}
		for t, table := range tables() {
			if err := insert(b.ctx, conn, statements, table.name, table.columns, seed[t]); err != nil {
				return 0, err
			}
		}
		if i%seedsPerTransaction == seedsPerTransaction-1 || i == len(rows)-1 {
			if _, err := conn.ExecContext(b.ctx, "COMMIT"); err != nil {
				return 0, err
			}
		}
	}
	return time.Since(started), nil
}

func insert(ctx context.Context, conn *sql.Conn, statements map[string]*sql.Stmt, table string, columns int, args []any) error {
	row := "(" + strings.TrimSuffix(strings.Repeat("?,", columns), ",") + "),"
	query := "INSERT INTO " + table + " VALUES " + strings.TrimSuffix(strings.Repeat(row, len(args)/columns), ",")
	stmt, ok := statements[query]
	if !ok {
		var err error
		if stmt, err = conn.PrepareContext(ctx, query); err != nil {
			return err
		}
		statements[query] = stmt
	}
	_, err := stmt.ExecContext(ctx, args...)
	return err
}

// readSeeds returns for each seed the arguments of the inserts into each of the tables.
func readSeeds(ctx context.Context, path string) (seeds [][][]any, err error) {
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?mode=ro")
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	index := map[int64]int{}
	for t, table := range tables() {
		rows, err := db.QueryContext(ctx, "SELECT * FROM "+table.name)
		if err != nil {
			return nil, err
		}
		for rows.Next() {
			cells := make([]any, table.columns)
			targets := make([]any, table.columns)
			for i := range cells {
				targets[i] = &cells[i]
			}
			if err := rows.Scan(targets...); err != nil {
				return nil, err
			}
			id := cells[0].(int64)
			if t == 0 {
				index[id] = len(seeds)
				seeds = append(seeds, make([][]any, len(tables())))
			}
			at := index[id]
			seeds[at][t] = append(seeds[at][t], cells...)
		}
		if err := rows.Err(); err != nil {
			return nil, err
		}
	}
	return seeds, nil
}

// copySmallTables copies what the rows of seeds refer to.
func copySmallTables(ctx context.Context, conn *sql.Conn, from string) error {
	if _, err := conn.ExecContext(ctx, "ATTACH ? AS source", from); err != nil {
		return err
	}
	for _, table := range []string{"scenario", "metric", "configuration", "environment", "scenario_configuration"} {
		if _, err := conn.ExecContext(ctx, "INSERT OR IGNORE INTO main."+table+" SELECT * FROM source."+table); err != nil {
			return err
		}
	}
	_, err := conn.ExecContext(ctx, "DETACH source")
	return err
}
