package main

import (
	"fmt"
	"os"
	"strings"
)

const perConfiguration = 1000

// stability measures the stability of one configuration of many seeds.
func (b bench) stability() error {
	const seeds = 20_000
	file, err := b.writeSeeds("stability.jsonl", 0, seeds, seeds)
	if err != nil {
		return err
	}
	for _, p := range b.programs {
		path, err := b.newDatabase(p, "stability.db")
		if err != nil {
			return err
		}
		defer func() { _ = os.Remove(path) }()
		if err := b.do(p, []string{"record", "batch", file, "--db", path}); err != nil {
			return err
		}
	}
	all, err := b.inTurns(b.rounds, func(p program, _ int, r *runs) error {
		return r.command(b.command(p, "stability", "growth_plus@c0", "--db", p.file("stability.db")))
	})
	if err != nil {
		return err
	}
	heading("Stability of one configuration of 20,000 seeds of 66 values")
	b.rows("track stability", all, 0)
	return nil
}

// growth measures questions in a database of 10⁴ seeds and in the largest one: all of one scenario, in configurations of
// 1,000 seeds.
func (b bench) growth() error {
	questions := [][]string{
		{"history", "growth_plus", "--limit", "10"},
		{"stability", "growth_plus@c3"},
		{"seeds", "growth_plus", "--limit", "50"},
		{"show", "seed", "growth_plus@c3", "7"},
	}
	have := 0
	for _, size := range []int{10_000, b.largest} {
		if err := b.grow(have, size); err != nil {
			return err
		}
		have = size
		heading(fmt.Sprintf("What people wait for, with %d seeds of 66 values", size))
		for _, question := range questions {
			all, err := b.inTurns(3*b.rounds, func(p program, _ int, r *runs) error {
				return r.command(b.command(p, append(question, "--db", p.file("grown.db"))...))
			})
			if err != nil {
				return err
			}
			b.rows("track "+strings.Join(question, " "), all, 0)
		}
	}
	return nil
}

// grow brings the database of each program from one number of seeds to another.
func (b bench) grow(have, size int) error {
	file, err := b.writeSeeds("grown.jsonl", have, size-have, perConfiguration)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file) }()
	for _, p := range b.programs {
		path := p.file("grown.db")
		if _, err := os.Stat(path); err != nil {
			if path, err = b.newDatabase(p, "grown.db"); err != nil {
				return err
			}
		}
		if err := b.do(p, []string{"record", "batch", file, "--db", path}); err != nil {
			return err
		}
	}
	return nil
}
