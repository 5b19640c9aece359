package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/jmoiron/sqlx"
)

// coldBench is what the processes of [bench.cold] record: the same values, into two databases with the same schema.
type coldBench struct {
	bench
	database, rival    string
	values, repository string // a file, and a git repository
	template           string // of the statements for sqlite3
	empty              string // a program that does nothing
}

// cold measures one seed of 66 values from a fresh process, against the sqlite3 program inserting the same rows into
// a database with the same schema, both with synchronous=FULL; and the start of the process alone, against an empty
// program.
func (b bench) cold() error {
	const rounds = 60
	c, err := b.newColdBench()
	if err != nil {
		return err
	}
	var empty, version, sqlite, declared, looked processes
	for i := 1; i <= rounds; i++ {
		if err := errors.Join(
			empty.run(exec.CommandContext(b.ctx, c.empty)),
			version.run(exec.CommandContext(b.ctx, b.track, "--version")),
			sqlite.run(c.insert(i)),
			declared.run(c.record(i, "--label", "declared", "--commit", "c")),
			looked.run(c.record(i, "--label", "looked")),
		); err != nil {
			return err
		}
	}
	heading("One seed of 66 values from a cold process", "what", "median", "processor time", "against sqlite3", "aim")
	row("an empty Go program", empty.wall, empty.cpu, ratio(empty.wall, sqlite.wall), "")
	row("track --version, the start of the process alone", version.wall, version.cpu, ratio(version.wall, sqlite.wall), "")
	row("sqlite3, the same rows", sqlite.wall, sqlite.cpu, "1.00", "")
	row("track record seed --commit", declared.wall, declared.cpu, ratio(declared.wall, sqlite.wall), "1.60")
	row("track record seed, which asks git", looked.wall, looked.cpu, ratio(looked.wall, sqlite.wall), "")
	fmt.Printf("\n%d processes each, in turns; synchronous=FULL. `track --version` takes %.2f ms more than the empty program (aim: 2.50). Asking git adds %.2f ms.\n",
		rounds, milliseconds(version.wall.median()-empty.wall.median()), milliseconds(looked.wall.median()-declared.wall.median()))
	return nil
}

func (b bench) newColdBench() (c coldBench, err error) {
	c.bench = b
	if c.database, err = b.newDatabase("cold.db"); err != nil {
		return c, err
	}
	if c.rival, err = b.newDatabase("cold-sqlite3.db"); err != nil {
		return c, err
	}
	if c.values, err = b.writeValues(); err != nil {
		return c, err
	}
	if c.repository, err = b.newRepository(); err != nil {
		return c, err
	}
	for _, db := range []string{c.database, c.rival} {
		if err := b.command("record", "seed", "--db", db, "--scenario", "growth_plus", "--seed", "0", "--commit", "c", c.values); err != nil {
			return c, err
		}
	}
	if c.template, err = sqlTemplate(c.rival); err != nil {
		return c, err
	}
	c.empty, err = b.buildEmpty()
	return c, err
}

// record returns the command that records a seed from the repository.
func (c coldBench) record(seed int, flags ...string) *exec.Cmd {
	args := append([]string{"record", "seed", "--db", c.database, "--scenario", "growth_plus", "--seed", fmt.Sprint(seed)}, flags...)
	command := exec.CommandContext(c.ctx, c.track, append(args, c.values)...)
	command.Dir = c.repository
	return command
}

// insert returns the command that inserts the rows of a seed with sqlite3.
func (c coldBench) insert(seed int) *exec.Cmd {
	command := exec.CommandContext(c.ctx, "sqlite3", c.rival)
	command.Stdin = strings.NewReader(strings.ReplaceAll(c.template, "@seed@", fmt.Sprint(1000+seed)))
	return command
}

// writeValues writes the values of one seed into a file.
func (b bench) writeValues() (string, error) {
	values, err := b.exampleValues()
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(values[0])
	if err != nil {
		return "", err
	}
	file := filepath.Join(b.dir, "values.json")
	return file, os.WriteFile(file, text, 0o644)
}

// buildEmpty builds a program that does nothing, as track is built for release.
func (b bench) buildEmpty() (string, error) {
	source, program := filepath.Join(b.dir, "empty.go"), filepath.Join(b.dir, "empty.linked")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		return "", err
	}
	if _, err := timedCommand(exec.CommandContext(b.ctx, "go", "build", "-ldflags", "-s -w", "-o", program, source)); err != nil {
		return "", err
	}
	return b.install(program)
}

// install copies a program into a folder of its own, as an installation does: what a linker has just written lies in
// single pages in the cache of files, and starts later.
func (b bench) install(program string) (string, error) {
	text, err := os.ReadFile(program)
	if err != nil {
		return "", err
	}
	installed := filepath.Join(b.dir, "bin", filepath.Base(program))
	if err := os.MkdirAll(filepath.Dir(installed), 0o755); err != nil {
		return "", err
	}
	return installed, os.WriteFile(installed, text, 0o755)
}

// newRepository makes a git repository of a few files to record from.
func (b bench) newRepository() (string, error) {
	dir := filepath.Join(b.dir, "repository")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "simulate.py"), []byte("print(1)\n"), 0o644); err != nil {
		return "", err
	}
	for _, args := range [][]string{
		{"init", "--quiet"}, {"add", "."},
		{"-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "--quiet", "--message", "bench"},
	} {
		command := exec.CommandContext(b.ctx, "git", args...)
		command.Dir = dir
		if _, err := timedCommand(command); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// sqlTemplate writes the rows of the only seed of a database as the statements that insert them again under another
// number.
func sqlTemplate(path string) (string, error) {
	db, err := sqlx.Open("sqlite", "file:"+path)
	if err != nil {
		return "", err
	}
	defer func() { _ = db.Close() }()
	var values, results []string
	err = db.Select(&values, `SELECT format('(@seed@,%d,%!.17g)', metric_id, value) FROM value`)
	if err == nil {
		err = db.Select(&results, `SELECT format('(@seed@,%d,%d,%d,%!.17g)', spec_id, metric_id, status, score) FROM result`)
	}
	if err != nil {
		return "", err
	}
	return `PRAGMA foreign_keys=ON; PRAGMA synchronous=FULL; PRAGMA busy_timeout=10000;
BEGIN IMMEDIATE;
INSERT INTO seed (id, ulid, scenario_id, configuration_id, number, outcome, message, digest, environment_id, recorded_at, checksum)
SELECT @seed@, '01ARZ3NDEKTSV4RRFFQ6' || (100000 + @seed@), scenario_id, configuration_id, @seed@, outcome, message, digest, environment_id, recorded_at, checksum
  FROM seed LIMIT 1;
UPDATE scenario_configuration SET n_seeds = n_seeds + 1 WHERE id = 1;
INSERT INTO value VALUES ` + strings.Join(values, ",") + `;
INSERT INTO assessment SELECT @seed@, spec_id, total_score, n_pass, n_warn, n_fail, assessed_at, checksum FROM assessment LIMIT 1;
INSERT INTO result VALUES ` + strings.Join(results, ",") + `;
COMMIT;
`, nil
}
