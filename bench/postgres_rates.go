package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"track"
	"track/store"
)

// copied measures a batch, parsing and scoring included, against a bare COPY of the rows that it wrote.
func (p postgresBench) copied() error {
	const seeds = 10_000
	file, err := p.writeBatch("copied.jsonl", seeds, 1000)
	if err != nil {
		return err
	}
	var ours, bare timings
	for round := range p.rounds {
		schema, err := p.newSchema(fmt.Sprintf("copied_%d", round))
		if err != nil {
			return err
		}
		took, err := p.recordAll(schema, file)
		if err != nil {
			return err
		}
		ours = append(ours, took)
		if took, err = p.bareCopy(schema); err != nil {
			return err
		}
		bare = append(bare, took)
	}
	heading("PostgreSQL: a batch of 10,000 seeds of 66 values", "what", "median", "rate against COPY", "aim")
	row("COPY of the same rows as text, into tables with the same indexes and no foreign keys", bare, "1.00", "")
	row("track record batch: parse, check, score, COPY", ours, ratio(bare, ours), "0.60")
	return nil
}

// bareCopy copies the rows of a schema into tables like its own, and returns how long that took.
func (p postgresBench) bareCopy(schema string) (time.Duration, error) {
	conn, err := pgx.Connect(p.ctx, schema)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close(p.ctx) }()
	rows := map[string][]byte{}
	for _, table := range seedTables() {
		var b bytes.Buffer
		if _, err := conn.PgConn().CopyTo(p.ctx, &b, "COPY "+table+" TO STDOUT"); err != nil {
			return 0, err
		}
		if _, err := conn.Exec(p.ctx, fmt.Sprintf("CREATE TABLE bare_%s (LIKE %s INCLUDING ALL)", table, table)); err != nil {
			return 0, err
		}
		rows[table] = b.Bytes()
	}
	started := time.Now()
	for _, table := range seedTables() {
		if _, err := conn.PgConn().CopyFrom(p.ctx, bytes.NewReader(rows[table]), "COPY bare_"+table+" FROM STDIN"); err != nil {
			return 0, err
		}
	}
	return time.Since(started), nil
}

const (
	benchWriters   = 32
	seedsOfAWriter = 20
)

// writers measures 32 connections that record single seeds of 66 values, each in a transaction, against the driver alone
// with the same rows of the tables seed and packed_value.
func (p postgresBench) writers() error {
	var ours, bare timings
	for round := range p.rounds {
		schema, err := p.newSchema(fmt.Sprintf("writers_%d", round))
		if err != nil {
			return err
		}
		took, err := p.recordAtOnce(schema)
		if err != nil {
			return err
		}
		ours = append(ours, took)
		if took, err = p.insertAtOnce(schema); err != nil {
			return err
		}
		bare = append(bare, took)
	}
	heading("PostgreSQL: 32 writers of single seeds of 66 values", "what", "median", "rate against the driver", "aim")
	row("pgx, the same rows", bare, "1.00", "")
	row("store.Update, without judging", ours, ratio(bare, ours), "0.70")
	return nil
}

// atOnce calls write for each writer and each of its seeds, all writers at once, and returns how long that took.
func atOnce(write func(writer, number int) error) (time.Duration, error) {
	errs := make([]error, benchWriters)
	var all sync.WaitGroup
	started := time.Now()
	for i := range benchWriters {
		all.Go(func() {
			for k := 0; k < seedsOfAWriter && errs[i] == nil; k++ {
				errs[i] = write(i, 1+i*seedsOfAWriter+k)
			}
		})
	}
	all.Wait()
	took := time.Since(started)
	i := slices.IndexFunc(errs, func(err error) bool { return err != nil })
	if i >= 0 {
		return took, errs[i]
	}
	return took, nil
}

func (p postgresBench) recordAtOnce(schema string) (time.Duration, error) {
	values, err := p.exampleValues()
	if err != nil {
		return 0, err
	}
	record := func(st *store.Store, number int) error {
		return st.Update(p.ctx, func(tx *store.Tx) error {
			seed := track.Seed{
				ID: ulid.MustNew(ulid.Now(), rand.Reader).String(), Scenario: "growth_plus", Number: track.SeedNumber(number), Outcome: track.OutcomeOK,
				Values: values[0], RecordedAt: time.Now(),
			}
			_, _, err := tx.AddSeed(seed, seed.Digest())
			return err
		})
	}
	stores := make([]*store.Store, benchWriters)
	for i := range stores {
		if stores[i], err = store.OpenForUpdate(p.ctx, schema, time.Now); err != nil {
			return 0, err
		}
		defer func() { _ = stores[i].Close() }()
	}
	if err := record(stores[0], 0); err != nil { // makes what they share
		return 0, err
	}
	return atOnce(func(writer, number int) error { return record(stores[writer], number) })
}

// insertAtOnce inserts the rows of seed 0 into tables like those of the schema.
func (p postgresBench) insertAtOnce(schema string) (time.Duration, error) {
	conns := make([]*pgx.Conn, benchWriters)
	for i := range conns {
		var err error
		if conns[i], err = pgx.Connect(p.ctx, schema); err != nil {
			return 0, err
		}
		defer func() { _ = conns[i].Close(p.ctx) }()
	}
	seed, err := readFirst(p, conns[0], "seed", "WHERE number = 0")
	if err != nil {
		return 0, err
	}
	values, err := readFirst(p, conns[0], "packed_value", "WHERE seed_id = (SELECT id FROM seed WHERE number = 0)")
	if err != nil {
		return 0, err
	}
	id, name := seed.at("id"), seed.at("ulid")
	first := seed.values[id].(int64)
	return atOnce(func(writer, number int) error {
		return pgx.BeginFunc(p.ctx, conns[writer], func(tx pgx.Tx) error {
			row := slices.Clone(seed.values)
			row[id], row[name], row[seed.at("number")] = first+int64(number), fmt.Sprintf("%s%06d", seed.values[name].(string)[:20], number), int64(number)
			if _, err := tx.Exec(p.ctx, seed.insert, row...); err != nil {
				return err
			}
			row = slices.Clone(values.values)
			row[values.at("seed_id")] = first + int64(number)
			_, err := tx.Exec(p.ctx, values.insert, row...)
			return err
		})
	})
}

// firstRow is a row of a table, and the statement that inserts one into a table like it.
type firstRow struct {
	columns []string
	values  []any
	insert  string
}

func (r firstRow) at(column string) int { return slices.Index(r.columns, column) }

func readFirst(p postgresBench, conn *pgx.Conn, table, condition string) (r firstRow, err error) {
	if _, err := conn.Exec(p.ctx, fmt.Sprintf("CREATE TABLE bare_%s (LIKE %s INCLUDING ALL)", table, table)); err != nil {
		return r, err
	}
	rows, err := conn.Query(p.ctx, "SELECT * FROM "+table+" "+condition)
	if err != nil {
		return r, err
	}
	defer rows.Close()
	for rows.Next() {
		if r.values, err = rows.Values(); err != nil {
			return r, err
		}
	}
	var places []string
	for i, column := range rows.FieldDescriptions() {
		r.columns, places = append(r.columns, column.Name), append(places, fmt.Sprintf("$%d", i+1))
	}
	r.insert = "INSERT INTO bare_" + table + " (" + strings.Join(r.columns, ", ") + ") VALUES (" + strings.Join(places, ", ") + ")"
	return r, rows.Err()
}
