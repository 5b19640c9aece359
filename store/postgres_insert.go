package store

import (
	"context"
	"database/sql/driver"
	"errors"
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
		stored, columns, rows = "packed_value", valueColumns(), packValues(args.values)
	case "result":
		stored, columns, rows = "packed_result", resultColumns(), packResults(args.values)
	default:
		rows = make([][]any, 0, len(args.values)/width)
		for row := range slices.Chunk(args.values, width) {
			rows = append(rows, plainRow(row))
		}
	}
	t.pend(table, stored, columns, rows)
	return nil
}

// pend keeps rows until they are sent.
func (t *Tx) pend(table, stored string, columns []string, rows [][]any) {
	i := slices.IndexFunc(t.pending, func(p *pendingRows) bool { return p.table == table })
	if i < 0 {
		i, t.pending = len(t.pending), append(t.pending, &pendingRows{table: table, stored: stored, columns: columns})
	}
	t.pending[i].rows = append(t.pending[i].rows, rows...)
	t.nRows += len(rows)
}

// addValues implements [engine].
func (postgresSchema) addValues(t *Tx, seedID int64, rows []valueRow) error {
	if len(rows) > 0 {
		metrics, numbers := packed(rows)
		t.pend("value", "packed_value", valueColumns(), [][]any{{seedID, metrics, numbers}})
	}
	return nil
}

// packed returns the columns of values.
func packed(rows []valueRow) (metrics []int32, numbers []float64) {
	metrics, numbers = make([]int32, len(rows)), make([]float64, len(rows))
	for i, r := range rows {
		metrics[i], numbers[i] = int32(r.metric), r.value
	}
	return metrics, numbers
}

// addResults implements [engine].
func (postgresSchema) addResults(t *Tx, seedID, specID int64, rows []resultRow) error {
	if len(rows) == 0 {
		return nil
	}
	metrics, statuses, scores := make([]int32, len(rows)), make([]int16, len(rows)), make([]float64, len(rows))
	for i, r := range rows {
		metrics[i], statuses[i], scores[i] = int32(r.metric), int16(r.status), r.score
	}
	t.pend("result", "packed_result", resultColumns(), [][]any{{seedID, specID, metrics, statuses, scores}})
	return nil
}

func valueColumns() []string { return []string{"seed_id", "metric_ids", "numbers"} }

func resultColumns() []string {
	return []string{"seed_id", "spec_id", "metric_ids", "statuses", "scores"}
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
			} else if err := p.copy(ctx, conn); err != nil {
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
	return hasWord(statement, p.table) || hasWord(statement, p.stored) || p.table == "metric" && hasWord(statement, "spec_metric")
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
	insert := "INSERT INTO " + p.stored + " (" + strings.Join(p.columns, ", ") + ") VALUES " + strings.TrimSuffix(strings.Repeat(row, len(p.rows)), ",")
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
	     INSERT INTO packed_value (seed_id, configuration_id, metric_ids, numbers) SELECT id, configuration_id, $13, $14 FROM added)
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
	metrics, numbers := packed(rows)
	args := make([]any, 0, len(columns)+2)
	for _, column := range columns {
		args = append(args, toPostgres(column))
	}
	err = t.onDriver(func(conn *pgx.Conn) error {
		return conn.QueryRow(t.ctx, insertWithValues, append(args, metrics, numbers)...).Scan(&id)
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
