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
	"track/remote"
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
		if run.lines == "" {
			if client, clientErr := p.client(); client != nil || clientErr != nil {
				return errors.Join(err, clientErr, p.pushKept(ctx, client, w.Path()))
			}
		}
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
	if known, err = sweeps.SpooledSeeds(run.spoolDir); err != nil {
		return nil, nil, err
	}
	recorded, err := p.recordedSeeds(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	w, err = p.createSpool(run.spoolDir)
	return w, append(known, recorded...), err
}

// recordedSeeds returns the seeds of a plan that the database has, or the server.
func (p *program) recordedSeeds(ctx context.Context, run sweepRun) ([]track.Seed, error) {
	client, err := p.client()
	if err != nil {
		return nil, err
	}
	if client != nil {
		return p.answeredSeeds(ctx, client, run)
	}
	file, err := p.databasePath()
	if isNotFound(err) {
		file, err = store.DefaultFile, nil
	}
	if err != nil {
		return nil, err
	}
	if !store.IsServer(file) {
		file = filepath.Join(filepath.Dir(run.spoolDir), filepath.Base(file))
	}
	return sweeps.RecordedSeeds(ctx, file, run.Plan, p.now)
}

// answeredSeeds returns the seeds of a plan that a server has, if it says so: the sweep does not depend on it.
func (p *program) answeredSeeds(ctx context.Context, client *remote.Client, run sweepRun) ([]track.Seed, error) {
	asking, cancel := context.WithTimeout(ctx, pushBeforeReading)
	defer cancel()
	known, err := client.Seeds(asking, run.Plan.Scenario, run.Plan.Configurations())
	if err != nil && ctx.Err() == nil {
		p.notice("which seeds the server has cannot be asked, so that all of them run: %v", err)
		err = nil
	}
	return known, err
}
