package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"track"
	"track/internal/spool"
	"track/store"
	"track/sweep"
	"track/tracker/sweeps"
)

func (run sweepRun) isJournaled() bool { return run.spoolDir != "" || run.lines != "" }

// chooseJournal decides whether the run is kept in a spool.
func (p *program) chooseJournal(c *cli.Context, run *sweepRun) error {
	dir, spooled, err := p.spooling(c, run.spool)
	switch {
	case spooled:
		run.spoolDir = dir
	case !c.IsSet("spool"):
		run.awayDir = dir
	}
	return err
}

// journalSweeper returns a sweeper that keeps lines. Seeds in its file, in the spool or in the database are not run
// again.
func (p *program) journalSweeper(ctx context.Context, run sweepRun, runner sweep.Runner, display *sweepDisplay) (*sweeps.Sweeper, func() error, error) {
	w, known, err := p.openJournal(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	s, err := sweeps.NewJournalSweeper(w, known, p.now, bufio.NewReader(rand.Reader), runner.Run, run.Options, display.observer())
	if err != nil {
		return nil, nil, errors.Join(err, w.Close())
	}
	return s, func() error {
		err := w.Close()
		ingest := track.NewHint("record it", "ingest")
		if run.lines != "" {
			ingest = track.NewHint("record it", "ingest", w.Path())
		}
		p.notice("kept in %s; %s", w.Path(), shellHint(ingest))
		return err
	}, nil
}

// openJournal opens the file for the lines of the run, and returns the seeds that need not run again.
func (p *program) openJournal(ctx context.Context, run sweepRun) (w *spool.Writer, known []track.Seed, err error) {
	if run.lines != "" {
		if known, err = sweeps.KeptSeeds(run.lines); err == nil {
			w, err = spool.Append(run.lines)
		}
		return w, known, err
	}
	file, err := p.databasePath()
	if isNotFound(err) {
		file, err = store.DefaultFile, nil
	}
	if err != nil {
		return nil, nil, err
	}
	database := file
	if !store.IsServer(file) {
		database = filepath.Join(filepath.Dir(run.spoolDir), filepath.Base(file))
	}
	if known, err = sweeps.SpooledSeeds(ctx, run.spoolDir, database, run.Plan, p.now); err == nil {
		w, err = p.createSpool(run.spoolDir)
	}
	return w, known, err
}
