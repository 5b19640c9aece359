package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/jmoiron/sqlx"
)

// cold measures one seed of 66 values from a fresh process, against the sqlite3 program inserting the same rows into
// a database with the same schema, both with synchronous=FULL.
func (b bench) cold() error {
	const processes = 60
	path, err := b.newDatabase("cold.db")
	if err != nil {
		return err
	}
	rival, err := b.newDatabase("cold-sqlite3.db")
	if err != nil {
		return err
	}
	values, err := b.exampleValues()
	if err != nil {
		return err
	}
	text, err := json.Marshal(values[0])
	if err != nil {
		return err
	}
	file := filepath.Join(b.dir, "values.json")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return err
	}
	for _, db := range []string{path, rival} {
		if err := b.command("record", "seed", "--db", db, "--scenario", "growth_plus", "--seed", "0", "--commit", "c", file); err != nil {
			return err
		}
	}
	repository, err := b.repository()
	if err != nil {
		return err
	}
	template, err := sqlTemplate(rival)
	if err != nil {
		return err
	}
	var declared, looked, sqlite, version timings
	for i := 1; i <= processes; i++ {
		seed := fmt.Sprint(i)
		took, err := b.timed("record", "seed", "--db", path, "--scenario", "growth_plus", "--seed", seed, "--label", "declared", "--commit", "c", file)
		if err != nil {
			return err
		}
		declared = append(declared, took)
		command := exec.CommandContext(b.ctx, "sqlite3", rival)
		command.Stdin = strings.NewReader(strings.ReplaceAll(template, "@seed@", fmt.Sprint(1000+i)))
		if took, err = timedCommand(command); err != nil {
			return err
		}
		sqlite = append(sqlite, took)
		absolute, err := filepath.Abs(b.track)
		if err != nil {
			return err
		}
		command = exec.CommandContext(b.ctx, absolute, "record", "seed", "--db", path, "--scenario", "growth_plus", "--seed", seed, "--label", "looked", file)
		command.Dir = repository
		if took, err = timedCommand(command); err != nil {
			return err
		}
		looked = append(looked, took)
		if took, err = b.timed("--version"); err != nil {
			return err
		}
		version = append(version, took)
	}
	heading("One seed of 66 values from a cold process", "what", "median", "against sqlite3")
	row("sqlite3, the same rows", sqlite, "1.00")
	row("track record seed --commit", declared, ratio(declared, sqlite))
	row("track record seed, with the look at git", looked, ratio(looked, sqlite))
	row("track --version (start of the process alone)", version, ratio(version, sqlite))
	fmt.Printf("\n%d processes each, in turns; synchronous=FULL. The look at git adds %.2f ms, most of it `git status`.\n",
		processes, float64((looked.median()-declared.median()).Microseconds())/1000)
	return nil
}

// repository makes a git repository of a few files to record from.
func (b bench) repository() (string, error) {
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
INSERT INTO seed (id, ulid, scenario_id, configuration_id, number, outcome, message, digest, environment_id, recorded_at)
SELECT @seed@, '01ARZ3NDEKTSV4RRFFQ6' || (100000 + @seed@), scenario_id, configuration_id, @seed@, outcome, message, digest, environment_id, recorded_at
  FROM seed LIMIT 1;
INSERT INTO value VALUES ` + strings.Join(values, ",") + `;
INSERT INTO assessment SELECT @seed@, spec_id, total_score, n_pass, n_warn, n_fail, assessed_at FROM assessment LIMIT 1;
INSERT INTO result VALUES ` + strings.Join(results, ",") + `;
COMMIT;
`, nil
}
