package main

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"track/store/sqlchecksum"
)

const (
	smallest         = 10_000 // what a database holds that has not grown yet
	perConfiguration = 1000
)

// growth measures what people wait for in databases of 10⁴ seeds and more: all of one scenario, in configurations of
// 1,000 seeds.
func (b bench) growth() error {
	questions := [][]string{
		{"stability", "growth_plus@c3"},
		{"seeds", "--limit", "50"},
		{"seeds", "growth_plus", "--limit", "50"},
		{"show", "seed", "growth_plus@c3", "7"},
		{"history", "growth_plus", "--limit", "10"},
	}
	file, err := b.writeBatch("growth.jsonl", smallest, perConfiguration)
	if err != nil {
		return err
	}
	path, err := b.newDatabase("growth.db")
	if err != nil {
		return err
	}
	if err := b.command("record", "batch", file, "--db", path); err != nil {
		return err
	}
	return b.askGrowing(path, "seeds", questions, func(_, size int) error { return grow(path, size) })
}

// askGrowing prints how long the program takes to answer questions, as what a database holds grows tenfold again and
// again. add brings the database from one number of things to the next.
func (b bench) askGrowing(path, things string, questions [][]string, add func(have, size int) error) error {
	var sizes []int
	all := map[int][]timings{}
	for have, size := 0, smallest; size <= b.largest; have, size = size, size*10 {
		if err := add(have, size); err != nil {
			return err
		}
		sizes = append(sizes, size)
		measured := make([]timings, len(questions))
		for range 3 * b.rounds {
			for i, question := range questions {
				took, err := b.timed(append([]string{"--db", path, "--format", "json"}, question...)...)
				if err != nil {
					return err
				}
				measured[i] = append(measured[i], took)
			}
		}
		all[size] = measured
	}
	columns := []string{"command"}
	for _, size := range sizes {
		columns = append(columns, fmt.Sprintf("%d %s", size, things))
	}
	heading(fmt.Sprintf("What people wait for, as the %s grow (whole process, median)", things), append(columns, "last against first")...)
	last := sizes[len(sizes)-1]
	for i, question := range questions {
		cells := []any{fmt.Sprint("track ", question)}
		for _, size := range sizes {
			cells = append(cells, all[size][i])
		}
		row(append(cells, ratio(all[last][i], all[sizes[0]][i]))...)
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	fmt.Printf("\nThe largest database has %.2f GB, %.0f bytes for each of the %d %s.\n", float64(info.Size())/1e9, float64(info.Size())/float64(last), last, things)
	return nil
}

// grow copies the first configuration under new labels until the database has size seeds.
func grow(path string, size int) error {
	db, err := openFast(path)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	var configurations, highest int
	if err := db.QueryRow("SELECT count(*) FROM configuration").Scan(&configurations); err != nil {
		return err
	}
	if err := db.QueryRow("SELECT max(id) FROM seed").Scan(&highest); err != nil {
		return err
	}
	for ; configurations < size/perConfiguration; configurations++ {
		id := configurations + 1
		offset := highest
		highest += perConfiguration
		statements := []string{
			fmt.Sprintf(`INSERT INTO configuration SELECT %d, configuration_hash('c%d', params, commit_id, dirty, diff_hash, files_hash), 'c%d', params, commit_id, dirty, diff_hash, files_hash, created_at,
				checksum(configuration_hash('c%d', params, commit_id, dirty, diff_hash, files_hash), created_at) FROM configuration WHERE id = 1`, id, configurations, configurations, configurations),
			fmt.Sprintf(`INSERT INTO scenario_configuration SELECT %d, scenario_id, %d, n_seeds FROM scenario_configuration WHERE id = 1`, id, id),
			fmt.Sprintf(`INSERT INTO seed SELECT id + %d, printf('%%026d', id + %d), scenario_id, %d, number, outcome, message, digest, environment_id, NULL, started_at, duration_us, recorded_at,
				checksum(printf('%%026d', id + %d), scenario_id, %d, number, outcome, message, digest, environment_id, started_at, duration_us, recorded_at), NULL
				FROM seed WHERE configuration_id = 1`, offset, offset, id, offset, id),
			fmt.Sprintf(`INSERT INTO value SELECT seed_id + %d, metric_id, value FROM value WHERE seed_id <= %d`, offset, perConfiguration),
			fmt.Sprintf(`INSERT INTO assessment SELECT seed_id + %d, spec_id, total_score, n_pass, n_warn, n_fail, assessed_at,
				checksum(seed_id + %d, spec_id, total_score, n_pass, n_warn, n_fail, assessed_at) FROM assessment WHERE seed_id <= %d`, offset, offset, perConfiguration),
			fmt.Sprintf(`INSERT INTO result SELECT seed_id + %d, spec_id, metric_id, status, score FROM result WHERE seed_id <= %d`, offset, perConfiguration),
		}
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		for _, statement := range statements {
			if _, err := tx.Exec(statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		if err := tx.Commit(); err != nil {
			return err
		}
	}
	_, err = db.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

// openFast opens a database for large copies, on one connection, without waiting for the disk.
func openFast(path string) (*sql.DB, error) {
	sqlchecksum.Register()
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?_pragma=synchronous(OFF)&_pragma=busy_timeout(10000)&_pragma=cache_size(-262144)")
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

// memory measures the peak memory of a batch as its input grows.
func (b bench) memory() error {
	heading("Peak memory of record batch", "seeds", "input", "peak resident memory")
	for _, seeds := range []int{2_000, 20_000, 200_000} {
		file, err := b.writeBatch("memory.jsonl", seeds, 1000)
		if err != nil {
			return err
		}
		path, err := b.newDatabase(fmt.Sprintf("memory-%d.db", seeds))
		if err != nil {
			return err
		}
		command := exec.CommandContext(b.ctx, b.track, "record", "batch", file, "--db", path)
		if _, err := timedCommand(command); err != nil {
			return err
		}
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		row(seeds, fmt.Sprintf("%.0f MB", float64(info.Size())/1e6), fmt.Sprintf("%.0f MB", peakMemory(command.ProcessState)))
	}
	return nil
}

// size measures the bytes on disk for a seed, and where they go.
func (b bench) size() error {
	const seeds = 10_000
	file, err := b.writeBatch("size.jsonl", seeds, perConfiguration)
	if err != nil {
		return err
	}
	path, err := b.newDatabase("size.db")
	if err != nil {
		return err
	}
	if err := b.command("record", "batch", file, "--db", path); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(b.ctx, "SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name ORDER BY bytes DESC LIMIT 8")
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	heading("Bytes on disk for a seed of 66 values", "table or index", "bytes per seed")
	for rows.Next() {
		var name string
		var bytes float64
		if err := rows.Scan(&name, &bytes); err != nil {
			return err
		}
		row(name, fmt.Sprintf("%.0f", bytes/seeds))
	}
	if err := rows.Err(); err != nil {
		return err
	}
	var total float64
	if err := db.QueryRowContext(b.ctx, "SELECT sum(pgsize) FROM dbstat").Scan(&total); err != nil {
		return err
	}
	row("all", fmt.Sprintf("%.0f", total/seeds))
	return nil
}
