package store

import (
	"context"
	"database/sql/driver"
	"math"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// pendingRows are rows of a transaction that are sent together: when it commits, or before a statement that may read
// them.
type pendingRows struct {
	table   string // as statements name it
	stored  string // the table behind it
	columns []string
	rows    [][]any
}

// rowsToCopy is how many rows are worth a COPY, which takes three round trips.
const rowsToCopy = 24

// insertRows implements [engine].
func (postgresSchema) insertRows(t *Tx, insert string, width int, args *arguments) error {
	if len(args.values) == 0 {
		return nil
	}
	table, columns := insertedInto(insert)
	var rows [][]any
	stored := table
	switch table {
	case "value":
		stored, columns, rows = "packed_value", []string{"seed_id", "metric_ids", "numbers"}, packValues(args.values)
	case "result":
		stored, columns, rows = "packed_result", []string{"seed_id", "spec_id", "metric_ids", "statuses", "scores"}, packResults(args.values)
	default:
		rows = make([][]any, 0, len(args.values)/width)
		for row := range slices.Chunk(args.values, width) {
			rows = append(rows, plainRow(row))
		}
	}
	i := slices.IndexFunc(t.pending, func(p *pendingRows) bool { return p.table == table })
	if i < 0 {
		i, t.pending = len(t.pending), append(t.pending, &pendingRows{table: table, stored: stored, columns: columns})
	}
	t.pending[i].rows = append(t.pending[i].rows, rows...)
	t.nRows += len(rows)
	return nil
}

// insertedInto returns the table and the columns of a statement INSERT INTO table (columns) VALUES.
func insertedInto(insert string) (table string, columns []string) {
	head, rest, _ := strings.Cut(strings.TrimPrefix(insert, "INSERT INTO "), " (")
	list, _, _ := strings.Cut(rest, ")")
	return head, strings.Split(list, ", ")
}

func plainRow(row []driver.NamedValue) []any {
	plain := make([]any, len(row))
	for i, arg := range row {
		plain[i] = toPostgres(arg.Value)
	}
	return plain
}

// packValues returns a row for each seed of rows of seed, metric and value, which are in the order of seeds.
func packValues(values []driver.NamedValue) (rows [][]any) {
	for len(values) > 0 {
		seed := values[0].Value
		n := 3
		for n < len(values) && values[n].Value == seed {
			n += 3
		}
		metrics, numbers := make([]int32, 0, n/3), make([]float64, 0, n/3)
		for row := range slices.Chunk(values[:n], 3) {
			metrics, numbers = append(metrics, metricOf(row[1])), append(numbers, numberOrNaN(row[2]))
		}
		rows, values = append(rows, []any{seed, metrics, numbers}), values[n:]
	}
	return rows
}

// packResults returns a row for each seed and spec of rows of seed, spec, metric, status and score.
func packResults(values []driver.NamedValue) (rows [][]any) {
	for len(values) > 0 {
		seed, spec := values[0].Value, values[1].Value
		n := 5
		for n < len(values) && values[n].Value == seed && values[n+1].Value == spec {
			n += 5
		}
		metrics, statuses, scores := make([]int32, 0, n/5), make([]int16, 0, n/5), make([]float64, 0, n/5)
		for row := range slices.Chunk(values[:n], 5) {
			metrics, scores = append(metrics, metricOf(row[2])), append(scores, numberOrNaN(row[4]))
			statuses = append(statuses, int16(row[3].Value.(int64)))
		}
		rows, values = append(rows, []any{seed, spec, metrics, statuses, scores}), values[n:]
	}
	return rows
}

func metricOf(arg driver.NamedValue) int32 { return int32(arg.Value.(int64)) } // a column of type integer: 2^31 names are enough

// numberOrNaN returns a number, and NaN for NULL.
func numberOrNaN(arg driver.NamedValue) float64 {
	if arg.Value == nil {
		return math.NaN()
	}
	return arg.Value.(float64) // as all values and scores are
}

// settle implements [engine]: it sends the pending rows of tables that a statement names; all of them for an empty one.
func (postgresSchema) settle(ctx context.Context, w *writer, statement string) error {
	if len(w.pending) == 0 {
		return nil
	}
	if statement != "" && !slices.ContainsFunc(w.pending, func(p *pendingRows) bool { return hasWord(statement, p.table) || hasWord(statement, p.stored) }) {
		return nil
	}
	pending := w.pending
	w.pending = nil
	return w.onDriver(func(conn *pgx.Conn) error {
		for _, p := range pending {
			if err := p.addShardKeys(ctx, conn, w.shardKeys); err != nil {
				return err
			}
			if err := p.send(ctx, conn); err != nil {
				return err
			}
		}
		return nil
	})
}

// hasWord reports whether a statement names a table: seed is no part of the name seed_id.
func hasWord(statement, name string) bool {
	for rest := statement; ; {
		i := strings.Index(rest, name)
		if i < 0 {
			return false
		}
		end := i + len(name)
		if (i == 0 || !isNamePart(rest[i-1])) && (end == len(rest) || !isNamePart(rest[end])) {
			return true
		}
		rest = rest[end:]
	}
}

func isNamePart(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (p *pendingRows) send(ctx context.Context, conn *pgx.Conn) error {
	if len(p.rows) >= rowsToCopy {
		_, err := conn.CopyFrom(ctx, pgx.Identifier{p.stored}, p.columns, pgx.CopyFromRows(p.rows))
		return err
	}
	var args []any
	for _, row := range p.rows {
		args = append(args, row...)
	}
	row := "(" + strings.TrimSuffix(strings.Repeat("?,", len(p.columns)), ",") + "),"
	insert := "INSERT INTO " + p.stored + " (" + strings.Join(p.columns, ", ") + ") VALUES " + strings.TrimSuffix(strings.Repeat(row, len(p.rows)), ",")
	_, err := conn.Exec(ctx, numberPlaceholders(insert), args...)
	return err
}
