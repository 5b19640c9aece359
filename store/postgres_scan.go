package store

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"
)

// The values of a seed lie in one row, as do its results under a spec: rows of one number each would take 83 bytes.
const (
	scanValues     = `SELECT seed_id, CAST(0 AS bigint), metric_ids, CAST(NULL AS smallint[]), numbers FROM packed_value`
	scanResults    = `SELECT seed_id, spec_id, metric_ids, statuses, scores FROM packed_result`
	ofScannedSeeds = ` WHERE seed_id = ANY($1)`
	inOrderOfKey   = ` ORDER BY 1, 2`
	seedsScanned   = 5000 // by one statement
)

// packedNumbers are the values of a seed, or its results under a spec.
type packedNumbers struct {
	hasSpec    bool
	seed, spec int64
	metrics    []int32
	statuses   []int16
	numbers    []float64
	at, column int // of the row that is visited, and of the column that comes next
	err        error
}

func (p *packedNumbers) integer() int64 {
	column := p.column
	p.column++
	if !p.hasSpec && column > 0 {
		column++
	}
	switch {
	case column == 0:
		return p.seed
	case column == 1:
		return p.spec
	case column == 2:
		return int64(p.metrics[p.at])
	case column == 3 && p.hasSpec && p.at < len(p.statuses):
		return int64(p.statuses[p.at])
	}
	p.err = errNotNumber
	return 0
}

func (p *packedNumbers) number() (x float64, isNull bool) {
	p.column++
	if p.at >= len(p.numbers) {
		p.err = errNotNumber
		return 0, false
	}
	return p.numbers[p.at], math.IsNaN(p.numbers[p.at])
}

func (p *packedNumbers) failure() error { return p.err }

// scanTable implements [engine]. It reads page by page, so that visit may read something else.
func (postgresSchema) scanTable(ctx context.Context, r *Reader, table string, _ func(Damage), visit func(row packedRow) error) error {
	condition := ` WHERE seed_id > $1 AND CAST($2 AS bigint) = 0`
	if table == "result" {
		condition = ` WHERE (seed_id, spec_id) > ($1, $2)`
	}
	condition += inOrderOfKey + ` LIMIT 1000`
	last := packedNumbers{seed: math.MinInt64}
	for {
		var page []packedNumbers
		err := scanPacked(ctx, r, table, condition, []any{last.seed, last.spec}, func(row packedRow) error {
			if p, ok := row.(*packedNumbers); ok && p.at == 0 {
				page = append(page, *p)
			}
			return nil
		})
		if err != nil || len(page) == 0 {
			return err
		}
		for _, p := range page {
			if err := p.each(visit); err != nil {
				return err
			}
		}
		last = page[len(page)-1]
	}
}

// each calls visit with each number.
func (p *packedNumbers) each(visit func(row packedRow) error) error {
	for p.at = range p.metrics {
		p.column = 0
		if err := cmp.Or(visit(p), p.err); err != nil {
			return err
		}
	}
	return nil
}

// scanSeeds implements [engine].
func (postgresSchema) scanSeeds(ctx context.Context, r *Reader, table string, ids []int64, visit func(seed int64, row packedRow) error) error {
	for len(ids) > 0 {
		n := 1
		for n < len(ids) && n < seedsScanned && ids[n] > ids[n-1] {
			n++
		}
		err := scanPacked(ctx, r, table, ofScannedSeeds+inOrderOfKey, []any{ids[:n]}, func(row packedRow) error { return visit(row.integer(), row) })
		if err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}

func scanPacked(ctx context.Context, r *Reader, table, condition string, args []any, visit func(row packedRow) error) error {
	row := &packedNumbers{hasSpec: table == "result"}
	query := scanValues
	if row.hasSpec {
		query = scanResults
	}
	if err := r.settle(ctx, table); err != nil {
		return err
	}
	r.pool.statements.Add(1)
	err := r.pinned.Raw(func(driverConn any) error {
		conn, ok := driverConn.(*postgresConn)
		if !ok {
			return fmt.Errorf("the driver connects with %T", driverConn)
		}
		if err := conn.before(nil); err != nil {
			return err
		}
		rows, err := conn.Conn.Conn().Query(ctx, query+condition, args...)
		if err != nil {
			return err
		}
		_, err = pgx.ForEachRow(rows, []any{&row.seed, &row.spec, &row.metrics, &row.statuses, &row.numbers}, func() error { return row.each(visit) })
		return err
	})
	return explain(err)
}

// scanSelected implements [engine].
func (postgresSchema) scanSelected(ctx context.Context, r *Reader, sel Selection) (seeds []selectedSeed, damage string, err error) {
	return r.querySelected(ctx, sel)
}

// scanCalls implements [engine].
func (postgresSchema) scanCalls(ctx context.Context, r *Reader, execution int64, _ int, visit func(*cells)) error {
	return r.streamCells(ctx, listCalls, []any{execution}, visit)
}

// keepsStatements implements [engine].
func (postgresSchema) keepsStatements() bool { return false }
