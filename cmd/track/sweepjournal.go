package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"track"
	"track/importer/lines"
	"track/internal/spool"
	"track/store"
	"track/sweep"
	"track/tracker/sweeps"
)

// journaled says where a sweep keeps its seeds as lines; neither is set where it records them in the database.
type journaled struct {
	spoolDir string
	file     string
}

func (j journaled) none() bool { return j.spoolDir == "" && j.file == "" }

// journalSweeper makes a sweeper that keeps lines. What is kept in its file, in the spool or recorded in the database is not run again.
func (p *program) journalSweeper(ctx context.Context, run sweepRun, runner sweep.Runner, options sweeps.Options, display *sweepDisplay) (s *sweeps.Sweeper, closeFile func() error, err error) {
	var w *spool.Writer
	var known []track.Seed
	if run.journal.file != "" {
		if known, err = keptSeeds(run.journal.file); err == nil {
			w, err = spool.Append(run.journal.file)
		}
	} else {
		if known, err = p.spooledSeeds(ctx, run); err == nil {
			w, err = p.createSpool(run.journal.spoolDir)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	s, err = sweeps.NewJournalSweeper(w, known, p.now, bufio.NewReader(rand.Reader), runner.Run, options, display.observer())
	if err != nil {
		return nil, nil, errors.Join(err, w.Close())
	}
	return s, func() error {
		err := w.Close()
		p.notice("kept in %s; track ingest%s records it", w.Path(), map[bool]string{true: " " + w.Path()}[run.journal.file != ""])
		return err
	}, nil
}

// keptSeeds are those in a file of lines, without what they measured; none where there is no file.
func keptSeeds(path string) (seeds []track.Seed, err error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	text, _, _, err := spool.Lines(file)
	if err != nil {
		return nil, err
	}
	for record, err := range lines.Read(path, text) {
		if err != nil {
			return nil, err
		}
		if record.Err != nil {
			return nil, track.WithHint(record.Err, track.Hint{Text: "another file, or --spool=false, leaves this one alone"})
		}
		if record.Execution == nil && record.Sweep == nil {
			seeds = append(seeds, track.Seed{Scenario: record.Seed.Scenario, Configuration: record.Seed.Configuration, Number: record.Seed.Number, Outcome: record.Seed.Outcome})
		}
	}
	return seeds, nil
}

// spooledSeeds are those in the spool, and those in the database beside it.
func (p *program) spooledSeeds(ctx context.Context, run sweepRun) (all []track.Seed, err error) {
	files, err := spool.Files(run.journal.spoolDir)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		seeds, err := keptSeeds(f.Path)
		if err != nil {
			return nil, fmt.Errorf("spool %s: %w", f.Path, err)
		}
		all = append(all, seeds...)
	}
	st, err := store.Open(ctx, filepath.Join(filepath.Dir(run.journal.spoolDir), filepath.Base(run.database)), p.now)
	if isNotFound(err) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = st.Close() }()
	for _, c := range run.plan.Configurations() {
		recorded, err := st.RecordedSeeds(ctx, run.plan.Scenario, c.Hash())
		if err != nil {
			return nil, err
		}
		for _, seed := range recorded {
			all = append(all, track.Seed{Scenario: run.plan.Scenario, Configuration: c, Number: seed.Number, Outcome: seed.Outcome})
		}
	}
	return all, nil
}
