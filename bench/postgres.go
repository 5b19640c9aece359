package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"

	"track/internal/testpostgres"
)

// postgresBench measures track on a PostgreSQL server of its own, which waits for the disk, against psql, COPY, the
// bare driver and a file of SQLite.
type postgresBench struct {
	bench
	server string // its URL
	psql   string // the program itself: Debian's in the path is a script that looks for it
}

func (b bench) postgres() (err error) {
	binaries, err := testpostgres.Binaries()
	if err != nil {
		fmt.Printf("\nPostgreSQL was not measured: %v\n", err)
		return nil
	}
	server, err := testpostgres.Start(binaries, "fsync=on")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	p := postgresBench{b, server.URL, filepath.Join(binaries, "psql")}
	for _, measure := range []func() error{p.cold, p.copied, p.writers, p.growth} {
		if err := measure(); err != nil {
			return err
		}
	}
	return nil
}

// newSchema makes a schema with the example's spec, and returns its URL.
func (p postgresBench) newSchema(name string) (string, error) {
	if err := testpostgres.Exec(p.server, "CREATE SCHEMA "+name); err != nil {
		return "", err
	}
	schema := p.server + "&search_path=" + name
	if err := p.command("init", "--db", schema); err != nil {
		return "", err
	}
	return schema, p.command("spec", "add", p.example+"/growth_plus.yaml", "--db", schema)
}

// seedTables are the tables that a seed goes into.
func seedTables() []string { return []string{"seed", "packed_value", "assessment", "packed_result"} }

// cold measures one seed of 66 values from a cold process against psql, which inserts the same rows.
func (p postgresBench) cold() error {
	const rounds = 40
	values, err := p.writeValues()
	if err != nil {
		return err
	}
	ours, err := p.newSchema("cold")
	if err != nil {
		return err
	}
	theirs, err := p.newSchema("cold_psql")
	if err != nil {
		return err
	}
	record := func(db string, seed int) *exec.Cmd {
		return exec.CommandContext(p.ctx, p.track, "record", "seed", "--db", db, "--scenario", "growth_plus", "--seed", fmt.Sprint(seed), "--commit", "c", values)
	}
	for _, db := range []string{ours, theirs} {
		if _, err := timedCommand(record(db, 0)); err != nil {
			return err
		}
	}
	insert, err := p.insertOfFirst(theirs)
	if err != nil {
		return err
	}
	var track, psql processes
	for i := 1; i <= rounds; i++ {
		command := exec.CommandContext(p.ctx, p.psql, "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", forPsql(theirs))
		command.Stdin = strings.NewReader(insert(i))
		if err := errors.Join(psql.run(command), track.run(record(ours, i))); err != nil {
			return err
		}
	}
	heading("PostgreSQL: one seed of 66 values from a cold process", "what", "median", "processor time", "against psql", "aim")
	row("psql, the same rows", psql.wall, psql.cpu, "1.00", "")
	row("track record seed --commit", track.wall, track.cpu, ratio(track.wall, psql.wall), "2.50")
	return nil
}

// forPsql returns the URL of a schema as libpq takes it.
func forPsql(schema string) string {
	before, path, _ := strings.Cut(schema, "search_path=")
	return before + "options=" + url.QueryEscape("-csearch_path="+path)
}

// insertOfFirst returns the statements that insert the rows of seed 0 as those of another one.
func (p postgresBench) insertOfFirst(schema string) (func(i int) string, error) {
	conn, err := pgx.Connect(p.ctx, schema)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(p.ctx) }()
	var id int64
	var ulid string
	if err := conn.QueryRow(p.ctx, "SELECT id, ulid FROM seed").Scan(&id, &ulid); err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString("BEGIN;\n")
	for _, table := range seedTables() {
		var text string
		if err := conn.QueryRow(p.ctx, "SELECT CAST(row_to_json(t) AS text) FROM "+table+" AS t").Scan(&text); err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "INSERT INTO %s SELECT * FROM json_populate_record(NULL::%s, '%s');\n", table, table, strings.ReplaceAll(text, "'", "''"))
	}
	b.WriteString("COMMIT;\n")
	return func(i int) string {
		return strings.NewReplacer(fmt.Sprint(id), fmt.Sprint(id+int64(i)), ulid, fmt.Sprintf("%s%06d", ulid[:20], i), `"number":0,`, fmt.Sprintf(`"number":%d,`, i)).Replace(b.String())
	}, nil
}

// growth measures questions on PostgreSQL and on a file with the same seeds.
func (p postgresBench) growth() error {
	const rounds = 9
	heading("PostgreSQL against SQLite as a database grows", "seeds", "command", "SQLite", "PostgreSQL", "ratio", "aim")
	for n := smallest; n <= p.largest; n *= 10 {
		file, err := p.writeBatch("postgres.jsonl", n, 1000)
		if err != nil {
			return err
		}
		schema, err := p.newSchema(fmt.Sprintf("growth_%d", n))
		if err != nil {
			return err
		}
		path, err := p.newDatabase(fmt.Sprintf("postgres-%d.db", n))
		if err != nil {
			return err
		}
		dbs := []string{path, schema}
		for _, db := range dbs {
			if err := p.command("record", "batch", file, "--db", db); err != nil {
				return err
			}
		}
		if err := errors.Join(os.Remove(file), testpostgres.Exec(p.server, "VACUUM ANALYZE")); err != nil {
			return err
		}
		for _, command := range []string{
			"stability growth_plus@c3", "seeds --limit 50", "history growth_plus --limit 10", "history growth_plus --limit 10 --metric unemployment_rate_mean",
		} {
			var times [2]processes
			for range rounds {
				for i, db := range dbs {
					if err := times[i].run(exec.CommandContext(p.ctx, p.track, append(strings.Fields(command), "--db", db)...)); err != nil {
						return err
					}
				}
			}
			row(n, command, times[0].wall, times[1].wall, ratio(times[1].wall, times[0].wall), "2.00")
		}
		if err := p.sizes(n, path, schema); err != nil {
			return err
		}
	}
	return nil
}

func (p postgresBench) sizes(n int, path, schema string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(p.ctx, schema)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(p.ctx) }()
	var size int64
	const sizeOfSchema = `SELECT CAST(sum(pg_total_relation_size(oid)) AS bigint) FROM pg_class WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relkind = 'r'`
	if err := conn.QueryRow(p.ctx, sizeOfSchema).Scan(&size); err != nil {
		return err
	}
	row(n, "bytes of a seed", info.Size()/int64(n), size/int64(n), fmt.Sprintf("%.2f", float64(size)/float64(info.Size())), "2.50")
	return nil
}
