package main

import (
	"context"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"track/reports/render"
	"track/store"
)

// readTables returns the rows of a statement as CSV. It reads any table, as track query does not.
func readTables(database, statement string) (text string, err error) {
	ctx := context.Background()
	st, err := store.Open(ctx, database, time.Now)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	var b strings.Builder
	writer := csv.NewWriter(&b)
	columns, err := st.Query(ctx, statement, func(columns []string, row []any) error {
		if b.Len() == 0 {
			if err := writer.Write(columns); err != nil {
				return err
			}
		}
		record := make([]string, len(row))
		for i, cell := range row {
			if raw, isBytes := cell.([]byte); isBytes {
				cell = hex.EncodeToString(raw)
			}
			record[i] = render.ExactText(cell)
		}
		err := writer.Write(record)
		writer.Flush()
		return err
	})
	if err == nil && b.Len() == 0 {
		err = writer.Write(columns)
		writer.Flush()
	}
	return b.String(), err
}

// tables returns the rows of a statement of a database in a folder as CSV.
func tables(t testing.TB, dir, database, statement string) string {
	t.Helper()
	if !store.IsServer(database) && !filepath.IsAbs(database) {
		database = filepath.Join(dir, database)
	}
	text, err := readTables(database, statement)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// rows is the command rows, which writes what a statement reads from any table as CSV: rows [file] 'SELECT ...'
func rows(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 || len(args) > 2 {
		ts.Fatalf("usage: rows [file] statement")
	}
	file := filepath.Join(store.DefaultDir, store.DefaultFile)
	if named := ts.Getenv("TRACK_DB"); named != "" {
		file = named
	}
	if len(args) == 2 {
		file = args[0]
	}
	if file = ts.MkAbs(file); urlIn(file) != "" {
		file = urlIn(file)
	}
	text, err := readTables(file, args[len(args)-1])
	ts.Check(err)
	_, err = ts.Stdout().Write([]byte(text))
	ts.Check(err)
}
