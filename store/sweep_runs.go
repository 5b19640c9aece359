package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"track"
)

const getRun = `
	SELECT sweep.ulid AS sweep, run.attempt, run.exit_code, coalesce(run.signal, '') AS signal, stderr.data AS stderr, run.cpu_us, run.rss_bytes
	  FROM run
	  JOIN seed ON seed.id = run.seed_id
	  JOIN sweep ON sweep.id = run.sweep_id
	  LEFT JOIN attachment AS stderr ON stderr.id = run.stderr_id
	 WHERE seed.ulid = $1`

// Run returns how the command of the seed with this ULID ended; nil if no sweep ran it.
func (r *Reader) Run(ctx context.Context, seed string) (*track.Run, error) {
	var row struct {
		Sweep    string        `db:"sweep"`
		Attempts int           `db:"attempt"`
		ExitCode *int          `db:"exit_code"`
		Signal   string        `db:"signal"`
		Stderr   []byte        `db:"stderr"`
		CPU      sql.NullInt64 `db:"cpu_us"`
		MaxRSS   *int64        `db:"rss_bytes"`
	}
	err := r.read().GetContext(ctx, &row, getRun, seed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, explain(err)
	}
	run := track.Run{Sweep: row.Sweep, Attempts: row.Attempts, ExitCode: row.ExitCode, Signal: row.Signal, MaxRSS: row.MaxRSS}
	if row.CPU.Valid {
		cpu := time.Duration(row.CPU.Int64) * time.Microsecond
		run.CPU = &cpu
	}
	run.Stderr, err = decompress(row.Stderr)
	return &run, err
}

// The join is ordered: it begins with the repetitions, because there are few.
const listRepetitions = `
	SELECT seed.number, coalesce(repetition.differences, '') AS differences FROM repetition ORDERED JOIN seed ON seed.id = repetition.seed_id WHERE {selection}
	 ORDER BY seed.number, repetition.id`

// RepeatedSeed is a seed that was run again.
type RepeatedSeed struct {
	Number      track.SeedNumber
	Differences []string // empty if it gave the same
}

// Repetitions lists the seeds of a selection that were run again, by number.
func (r *Reader) Repetitions(ctx context.Context, sel Selection) (list []RepeatedSeed, err error) {
	query, args := sel.of(listRepetitions)
	var rows []struct {
		Number      track.SeedNumber `db:"number"`
		Differences string           `db:"differences"`
	}
	if err := r.read().SelectContext(ctx, &rows, query, args...); err != nil {
		return nil, explain(err)
	}
	for _, row := range rows {
		seed := RepeatedSeed{Number: row.Number}
		if row.Differences != "" {
			if err := decodeStored("differences", []byte(row.Differences), &seed.Differences); err != nil {
				return nil, fmt.Errorf("differences %s: %w", row.Differences, err)
			}
		}
		list = append(list, seed)
	}
	return list, nil
}
