package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"io"

	"track"
	"track/internal/spool"
	"track/store"
	"track/tracker/exchange"
)

// awaySpool keeps what a command records while the server of its database is away: a file of the spool, made when it is
// needed.
type awaySpool struct {
	*program
	dir    string
	store  *store.Store
	writer *spool.Writer // nil if nothing is kept that the database lacks
	kept   []spool.File  // whole files that the database lacks
}

func (a *awaySpool) Path() string { return a.dir }

func (a *awaySpool) AddSweep(s track.Sweep) error {
	if err := a.open(); err != nil {
		return err
	}
	return a.writer.AddSweep(s)
}

func (a *awaySpool) AddSeeds(seeds []track.Seed) error {
	if err := a.open(); err != nil {
		return err
	}
	return a.writer.AddSeeds(seeds)
}

func (a *awaySpool) open() (err error) {
	if a.writer == nil {
		a.writer, err = a.createSpool(a.dir)
	}
	return err
}

// closeFile makes the file that is written a whole one.
func (a *awaySpool) closeFile() error {
	if a.writer == nil {
		return nil
	}
	err := a.writer.Close()
	a.kept = append(a.kept, spool.File{Path: a.writer.Path()})
	a.writer = nil
	return err
}

func (a *awaySpool) Bring(ctx context.Context) error {
	if err := a.closeFile(); err != nil {
		return err
	}
	ingested, _, err := exchange.Ingest(ctx, a.store, a.kept, exchange.IngestOptions{}, bufio.NewReader(rand.Reader), silentIngest{})
	if refused := ingestError(ingested); refused != nil {
		a.notice("%v", refused)
	}
	if err == nil {
		a.kept = nil
	}
	return err
}

// close ends the use of the database, and tells of what it lacks.
func (a *awaySpool) close() error {
	err := a.closeFile()
	synced := a.store.Sync()
	if len(a.kept) > 0 {
		a.notice("kept in %s; %s", a.kept[0].Path, shellHint(track.NewHint("record it", "ingest")))
		if store.IsAway(synced) {
			synced = nil // the spool has what the server may lack
		}
	}
	return errors.Join(err, synced, a.store.Close())
}

// silentIngest tells nothing of the files that it ingests.
type silentIngest struct{}

func (silentIngest) File(_ string, _ int64, text io.Reader) (io.Reader, exchange.BatchObserver) {
	return text, exchange.BatchObserver{Problem: func(exchange.BatchProblem) {}}
}

func (silentIngest) FileDone(exchange.BatchSummary) {}
