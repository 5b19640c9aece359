package store

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// pendingRows are rows of a transaction that are sent together: when it commits, or before a statement that may read
// them.
type pendingRows struct {
	table   string
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
	rows := make([][]any, 0, len(args.values)/width)
	for row := range slices.Chunk(args.values, width) {
		rows = append(rows, plainRow(row))
	}
	t.pend(table, columns, rows)
	return nil
}

// pend keeps rows until they are sent.
func (t *Tx) pend(table string, columns []string, rows [][]any) {
	i := slices.IndexFunc(t.pending, func(p *pendingRows) bool { return p.table == table && slices.Equal(p.columns, columns) })
	if i < 0 {
		i, t.pending = len(t.pending), append(t.pending, &pendingRows{table: table, columns: columns})
	}
	t.pending[i].rows = append(t.pending[i].rows, rows...)
	t.nRows += len(rows)
}

// insertedInto returns the table and the columns of a statement INSERT INTO table (columns) VALUES.
func insertedInto(insert string) (table string, columns []string) {
	head, rest, _ := strings.Cut(strings.TrimPrefix(insert, "INSERT INTO "), " (")
	list, _, _ := strings.Cut(rest, ")")
	return head, strings.Split(list, ", ")
}

func plainRow(row []any) []any {
	plain := make([]any, len(row))
	for i, value := range row {
		plain[i] = toPostgres(value)
	}
	return plain
}

// settle implements [engine]: it sends the pending rows of tables that a statement names; all of them for an empty one.
func (postgresSchema) settle(ctx context.Context, w *writer, statement string) error {
	if len(w.pending) == 0 {
		return nil
	}
	if statement != "" && !slices.ContainsFunc(w.pending, func(p *pendingRows) bool { return p.isNamedIn(statement) }) {
		return nil
	}
	pending := w.pending
	w.pending = nil
	return w.onDriver(func(conn *pgx.Conn) error {
		var few pgx.Batch
		for _, p := range pending {
			if err := p.addShardKeys(ctx, conn, w.shardKeys); err != nil {
				return err
			}
			if len(p.rows) < rowsToCopy {
				p.queue(&few)
			} else if _, err := conn.CopyFrom(ctx, pgx.Identifier{p.table}, p.columns, pgx.CopyFromRows(p.rows)); err != nil {
				return err
			}
		}
		if few.Len() == 0 {
			return nil
		}
		return conn.SendBatch(ctx, &few).Close()
	})
}

// isNamedIn reports whether a statement reads the rows, or refers to them.
func (p *pendingRows) isNamedIn(statement string) bool {
	view := strings.TrimPrefix(p.table, "packed_") // which unpacks the rows
	return hasWord(statement, p.table) || hasWord(statement, view) || p.table == "metric" && hasWord(statement, "spec_metric")
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

// queue adds the statement that inserts the rows.
func (p *pendingRows) queue(batch *pgx.Batch) {
	var args []any
	for _, row := range p.rows {
		args = append(args, row...)
	}
	row := "(" + strings.TrimSuffix(strings.Repeat("?,", len(p.columns)), ",") + "),"
	insert := "INSERT INTO " + p.table + " (" + strings.Join(p.columns, ", ") + ") VALUES " + strings.TrimSuffix(strings.Repeat(row, len(p.rows)), ",")
	batch.Queue(numberPlaceholders(insert), args...)
}

// insertWithValues inserts a seed and its values, unless its place is taken or something was ever withdrawn.
const insertWithValues = `
	WITH added AS (
	     INSERT INTO seed (ulid, scenario_id, configuration_id, number, outcome, message, digest, environment_id, started_at, duration_us, recorded_at, checksum)
	     SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 WHERE NOT EXISTS (SELECT 1 FROM withdrawal)
	     ON CONFLICT (scenario_id, configuration_id, number) WHERE superseded_at IS NULL DO NOTHING
	     RETURNING id, configuration_id),
	 measured AS (
	     INSERT INTO packed_value (seed_id, configuration_id, numbers) SELECT id, configuration_id, CAST($13 AS text) FROM added)
	SELECT id FROM added`

// addNewSeed implements [engine].
func (postgresSchema) addNewSeed(t *Tx, columns []any, values map[string]float64) (id int64, err error) {
	if t.anyWithdrawn != nil && *t.anyWithdrawn {
		return 0, nil
	}
	rows, unknown := t.valueRows(values)
	if len(unknown) > 0 && len(unknown) <= namesAtOnce { // as for the first seed of a process
		if err := t.findMetrics(unknown); err != nil {
			return 0, err
		}
		rows, unknown = t.valueRows(values)
	}
	if len(rows) == 0 || len(unknown) > 0 {
		return 0, nil
	}
	if err := t.caller.Err(); err != nil {
		return 0, err
	}
	numbers := t.packValues(rows)
	args := make([]any, 0, len(columns)+1)
	for _, column := range columns {
		args = append(args, toPostgres(column))
	}
	err = t.onDriver(func(conn *pgx.Conn) error {
		return conn.QueryRow(t.ctx, insertWithValues, append(args, numbers)...).Scan(&id)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	if err == nil {
		any := false
		t.anyWithdrawn = &any
		t.nRows += 2
	}
	return id, err
}
