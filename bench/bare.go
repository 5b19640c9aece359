package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver
)

const (
	transactions = 70 // about as many as a batch of 10,000 seeds
	rowsAtOnce   = 64 // in one INSERT
)

// bare measures the bare driver inserting the rows of a database of track into a new one with the same schema. It runs
// in a process of its own, because the rows take memory.
func (b bench) bare(from, to string) (time.Duration, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	command := exec.CommandContext(b.ctx, self, "-bare", from, to)
	command.Stderr = os.Stderr
	text, err := command.Output()
	if err != nil {
		return 0, fmt.Errorf("the bare driver: %w", err)
	}
	return time.ParseDuration(strings.TrimSpace(string(text)))
}

func printBare(ctx context.Context, from, to string) error {
	took, err := copyRows(ctx, from, to)
	if err == nil {
		fmt.Println(took)
	}
	return err
}

// copyRows creates the tables and indexes of one database in another, and returns how long the inserts of all rows took.
func copyRows(ctx context.Context, from, to string) (took time.Duration, err error) {
	source, err := sql.Open("sqlite", "file:"+filepath.ToSlash(from)+"?mode=ro")
	if err != nil {
		return 0, err
	}
	defer func() { _ = source.Close() }()
	target, err := sql.Open("sqlite", "file:"+filepath.ToSlash(to)+"?_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=cache_size(-16384)")
	if err != nil {
		return 0, err
	}
	defer func() { _ = target.Close() }()
	w := writer{statements: map[string]*sql.Stmt{}}
	if w.conn, err = target.Conn(ctx); err != nil {
		return 0, err
	}
	defer func() { _ = w.conn.Close() }()
	tables, err := readTables(ctx, source)
	if err != nil {
		return 0, err
	}
	for _, t := range tables {
		if _, err := w.conn.ExecContext(ctx, t.schema); err != nil {
			return 0, err
		}
	}
	started := time.Now()
	for i := range transactions {
		if _, err := w.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
			return 0, err
		}
		for _, t := range tables {
			if err := w.insert(ctx, t, t.rows[len(t.rows)*i/transactions:len(t.rows)*(i+1)/transactions]); err != nil {
				return 0, err
			}
		}
		if _, err := w.conn.ExecContext(ctx, "COMMIT"); err != nil {
			return 0, err
		}
	}
	return time.Since(started), nil
}

// table is a table of a database, with its rows.
type table struct {
	name, schema string // schema has the statements that create the table and its indexes
	columns      int
	rows         [][]any
}

// readTables reads all tables, except those of full-text indexes.
func readTables(ctx context.Context, db *sql.DB) (tables []table, err error) {
	list, err := db.QueryContext(ctx, `SELECT t.name, group_concat(s.sql, ';' ORDER BY s.type DESC) FROM pragma_table_list AS t JOIN sqlite_schema AS s ON s.tbl_name = t.name
		WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND s.type IN ('table', 'index') AND s.sql IS NOT NULL GROUP BY t.name ORDER BY t.name`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = list.Close() }()
	for list.Next() {
		var t table
		if err := list.Scan(&t.name, &t.schema); err != nil {
			return nil, err
		}
		if err := t.read(ctx, db); err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return tables, list.Err()
}

func (t *table) read(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, `SELECT * FROM "`+t.name+`"`)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	t.columns = len(columns)
	for rows.Next() {
		cells, targets := make([]any, t.columns), make([]any, t.columns)
		for i := range cells {
			targets[i] = &cells[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		t.rows = append(t.rows, cells)
	}
	return rows.Err()
}

// writer inserts rows by prepared statements, many rows each.
type writer struct {
	conn       *sql.Conn
	statements map[string]*sql.Stmt
}

func (w writer) insert(ctx context.Context, t table, rows [][]any) error {
	for n := rowsAtOnce; len(rows) > 0; rows = rows[n:] {
		if len(rows) < n {
			n = 1
		}
		key := t.name + " " + strconv.Itoa(n)
		statement, ok := w.statements[key]
		if !ok {
			values := "(" + strings.TrimSuffix(strings.Repeat("?,", t.columns), ",") + "),"
			var err error
			statement, err = w.conn.PrepareContext(ctx, `INSERT INTO "`+t.name+`" VALUES `+strings.TrimSuffix(strings.Repeat(values, n), ","))
			if err != nil {
				return err
			}
			w.statements[key] = statement
		}
		if _, err := statement.ExecContext(ctx, slices.Concat(rows[:n]...)...); err != nil {
			return err
		}
	}
	return nil
}
