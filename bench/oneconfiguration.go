package main

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// largestConfiguration is the number of seeds in the largest single configuration.
const largestConfiguration = 100_000

// oneConfiguration measures commands that read one configuration, or compare it with its baseline, as both grow.
func (b bench) oneConfiguration() error {
	path, err := b.twoConfigurations("one.db")
	if err != nil {
		return err
	}
	questions := b.configurationQuestions()
	var sizes []int
	var took, used []map[string]timings
	for have, size := smallest/10, smallest/10; size <= largestConfiguration; have, size = size, size*10 {
		if err := growConfigurations(path, have, size); err != nil {
			return err
		}
		wall, cpu, err := b.askConfiguration(path, questions, size)
		if err != nil {
			return err
		}
		sizes, took, used = append(sizes, size), append(took, wall), append(used, cpu)
	}
	printConfiguration(questions, sizes, took, used)
	return nil
}

// configurationQuestion is a command, and the number of configurations that it reads.
type configurationQuestion struct {
	name  string
	sides int // 0 if it reads one seed
	args  []string
}

func (b bench) configurationQuestions() []configurationQuestion {
	file := func(name string) string { return filepath.Join(b.dir, name) }
	return []configurationQuestion{
		{"show seed", 0, []string{"show", "seed", "growth_plus@c0", "7"}},
		{"stability", 1, []string{"stability", "growth_plus@c0"}},
		{"gate", 1, []string{"gate", "growth_plus@c0"}},
		{"improvement", 2, []string{"improvement", "growth_plus@c0", "--baseline", "growth_plus@c1"}},
		{"report stability", 1, []string{"report", "stability", "growth_plus@c0", "-o", file("stability.md")}},
		{"report scenario", 2, []string{"report", "scenario", "growth_plus", "-o", file("scenario.md")}},
		{"report improvement", 2, []string{"report", "improvement", "growth_plus@c0", "--baseline", "growth_plus@c1", "-o", file("improvement.md")}},
		{"report index", 2, []string{"report", "index", "-o", file("reports/index.md")}},
		{"noise", 1, []string{"noise", "growth_plus@c0"}},
	}
}

// twoConfigurations makes a database with two configurations of 1,000 seeds each.
func (b bench) twoConfigurations(name string) (path string, err error) {
	file, err := b.writeBatch("one.jsonl", 2*perConfiguration, perConfiguration)
	if err != nil {
		return "", err
	}
	if path, err = b.newDatabase(name); err != nil {
		return "", err
	}
	return path, b.command("record", "batch", file, "--db", path)
}

// growConfigurations copies the first 1,000 seeds of both configurations under new numbers until each has size seeds.
// The copies have their digests, for they have their values.
func growConfigurations(path string, have, size int) error {
	db, err := openFast(path)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	for ; have < size; have += perConfiguration {
		if err := copySeeds(db, have); err != nil {
			return err
		}
	}
	_, err = db.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

func copySeeds(db *sql.DB, have int) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	for _, statement := range []string{
		`INSERT INTO seed (id, ulid, scenario_id, configuration_id, number, outcome, message, digest, environment_id, recorded_at, checksum)
		 SELECT id + 2 * $1, printf('%026d', id + 2 * $1), scenario_id, configuration_id, number + $1, outcome, message, digest, environment_id, recorded_at,
		        checksum(printf('%026d', id + 2 * $1), scenario_id, configuration_id, number + $1, outcome, message, digest, environment_id, NULL, NULL, recorded_at)
		   FROM seed WHERE id <= $2`,
		`INSERT INTO value SELECT seed_id + 2 * $1, metric_id, value FROM value WHERE seed_id <= $2`,
		`INSERT INTO assessment SELECT seed_id + 2 * $1, spec_id, total_score, n_pass, n_warn, n_fail, assessed_at,
		        checksum(seed_id + 2 * $1, spec_id, total_score, n_pass, n_warn, n_fail, assessed_at) FROM assessment WHERE seed_id <= $2`,
		`INSERT INTO result SELECT seed_id + 2 * $1, spec_id, metric_id, status, score FROM result WHERE seed_id <= $2`,
	} {
		if _, err := tx.Exec(statement, have, 2*perConfiguration); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	if _, err := tx.Exec(`UPDATE scenario_configuration SET n_seeds = $1`, have+perConfiguration); err != nil {
		return err
	}
	return tx.Commit()
}

// askConfiguration returns how long each command took, and how much processor time it used. The largest configuration is
// asked about once: all reports of it take a minute.
func (b bench) askConfiguration(path string, questions []configurationQuestion, size int) (took, used map[string]timings, err error) {
	took, used = map[string]timings{}, map[string]timings{}
	rounds := b.rounds
	if size == largestConfiguration {
		rounds = 1
	}
	for range rounds {
		for _, q := range questions {
			command := exec.CommandContext(b.ctx, b.track, append([]string{"--db", path}, q.args...)...)
			started := time.Now()
			text, err := command.CombinedOutput()
			if command.ProcessState == nil || command.ProcessState.ExitCode() > 4 || command.ProcessState.ExitCode() == 2 {
				return nil, nil, fmt.Errorf("%v: %w\n%s", command.Args, err, text)
			}
			took[q.name] = append(took[q.name], time.Since(started))
			used[q.name] = append(used[q.name], processorTime(command.ProcessState))
		}
	}
	return took, used, nil
}

func printConfiguration(questions []configurationQuestion, sizes []int, took, used []map[string]timings) {
	columns := []string{"command"}
	for _, size := range sizes {
		columns = append(columns, fmt.Sprintf("%d seeds", size))
	}
	heading("Commands on one configuration of 66 values, as it grows (whole process, median; once of the largest)", append(columns, "a seed that it reads", "processor time a seed")...)
	last := len(sizes) - 1
	for _, q := range questions {
		cells := []any{"track " + q.name}
		for i := range sizes {
			cells = append(cells, took[i][q.name])
		}
		perSeed := func(t timings) string {
			if q.sides == 0 {
				return ""
			}
			return fmt.Sprintf("%.1f µs", float64(t.median().Nanoseconds())/1000/float64(q.sides*sizes[last]))
		}
		row(append(cells, perSeed(took[last][q.name]), perSeed(used[last][q.name]))...)
	}
}

// peakMemory returns the most memory that a process held, in MB.
func peakMemory(state *os.ProcessState) float64 {
	return float64(state.SysUsage().(*syscall.Rusage).Maxrss) / 1e3
}

// processorTime returns the processor time that a process used; 0 for one that was not started.
func processorTime(state *os.ProcessState) time.Duration {
	if state == nil {
		return 0
	}
	return state.UserTime() + state.SystemTime()
}
