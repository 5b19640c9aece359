package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// cold measures one seed of 66 values from a fresh process in a git repository.
func (b bench) cold() error {
	const processes = 60
	examples, err := b.writeSeeds("one.jsonl", 0, 1, 1)
	if err != nil {
		return err
	}
	list, err := b.examples()
	if err != nil {
		return err
	}
	values, err := b.write("values.json", func(out io.Writer) { _ = json.NewEncoder(out).Encode(list[0]) })
	if err != nil {
		return err
	}
	repository, err := b.newRepository()
	if err != nil {
		return err
	}
	for _, p := range b.programs {
		path, err := b.newDatabase(p, "cold.db")
		if err != nil {
			return err
		}
		if err := b.do(p, []string{"record", "batch", examples, "--db", path}); err != nil { // names of metrics are known then
			return err
		}
	}
	version, err := b.inTurns(processes, func(p program, _ int, r *runs) error { return r.command(b.command(p, "--version")) })
	if err != nil {
		return err
	}
	record, err := b.inTurns(processes, func(p program, round int, r *runs) error {
		command := b.command(p, "record", "seed", "--db", p.file("cold.db"), "--scenario", "growth_plus", "--seed", fmt.Sprint(1+round), "--label", "cold", values)
		command.Dir = repository
		return r.command(command)
	})
	if err != nil {
		return err
	}
	heading("One seed of 66 values from a cold process")
	b.rows("track --version", version, 0)
	b.rows("track record seed", record, 0)
	return nil
}

// newRepository makes a git repository of one file to record from.
func (b bench) newRepository() (string, error) {
	dir := filepath.Join(b.dir, "repository")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "simulate.py"), []byte("print(1)\n"), 0o600); err != nil {
		return "", err
	}
	for _, args := range [][]string{
		{"init", "--quiet"}, {"add", "."},
		{"-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "--quiet", "--message", "bench"},
	} {
		command := exec.CommandContext(b.ctx, "git", args...)
		command.Dir = dir
		if err := new(runs).command(command); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// batch measures a batch of seeds, and the bare driver inserting the rows that it left; and the size of the database.
func (b bench) batch() error {
	const seeds = 10_000
	file, err := b.writeSeeds("batch.jsonl", 0, seeds, 1000)
	if err != nil {
		return err
	}
	bare, sizes := make([]runs, len(b.programs)), make([]int64, len(b.programs))
	ours, err := b.inTurns(b.rounds, func(p program, _ int, r *runs) error {
		path, err := b.newDatabase(p, "batch.db")
		if err != nil {
			return err
		}
		defer func() { _ = os.Remove(path) }()
		if err := r.command(b.command(p, "record", "batch", file, "--db", path)); err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		took, err := b.bare(path, p.file("bare.db"))
		if err != nil {
			return err
		}
		i := b.index(p)
		bare[i].wall, sizes[i] = append(bare[i].wall, took), info.Size()
		return os.Remove(p.file("bare.db"))
	})
	if err != nil {
		return err
	}
	heading("A batch of 10,000 seeds of 66 values")
	b.rows("track record batch: parse, check, score, insert", ours, seeds)
	b.rows("the bare driver, the same rows", bare, seeds)
	for i, p := range b.programs {
		fmt.Printf("\n%s stores %d bytes for each seed.\n", p.name, sizes[i]/seeds)
	}
	return nil
}

// merge measures the merging of databases as the shards of a sweep leave them, into a new one and again.
func (b bench) merge() error {
	const shards, seeds, metrics = 4, 25_000, 12
	spec, err := b.write("shard.yaml", func(out io.Writer) {
		fmt.Fprint(out, "scenario: shard\nmetrics:\n")
		for k := range metrics {
			fmt.Fprintf(out, "  - {name: m%d, type: RANGE, min: 0.05, max: 0.9}\n", k)
		}
	})
	if err != nil {
		return err
	}
	for shard := range shards {
		lines, err := b.writeShard(shard, shards, seeds, metrics)
		if err != nil {
			return err
		}
		for _, p := range b.programs {
			path := p.file(fmt.Sprintf("shard-%d.db", shard))
			if err := b.do(p, []string{"init", "--db", path}, []string{"spec", "add", spec, "--db", path}, []string{"record", "batch", lines, "--db", path}); err != nil {
				return err
			}
		}
	}
	merge := func(p program, into string) *exec.Cmd {
		args := []string{"merge", "--db", into}
		for shard := range shards {
			args = append(args, p.file(fmt.Sprintf("shard-%d.db", shard)))
		}
		return b.command(p, args...)
	}
	again := make([]runs, len(b.programs))
	first, err := b.inTurns(min(b.rounds, 3), func(p program, round int, r *runs) error {
		into := p.file(fmt.Sprintf("merged-%d.db", round))
		defer func() { _ = os.Remove(into) }()
		if err := b.do(p, []string{"init", "--db", into}); err != nil {
			return err
		}
		if err := r.command(merge(p, into)); err != nil {
			return err
		}
		return again[b.index(p)].command(merge(p, into))
	})
	if err != nil {
		return err
	}
	heading(fmt.Sprintf("Merging %d databases of %d seeds of %d metrics", shards, seeds, metrics))
	b.rows("track merge", first, shards*seeds)
	b.rows("track merge, again: all known", again, shards*seeds)
	return nil
}
