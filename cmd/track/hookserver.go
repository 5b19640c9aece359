package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"track"
	"track/remote"
	"track/store"
	"track/tracker/live"
)

// hookDatabase is the file next to the spool of a server in which hooks keep events until their execution is final.
const hookDatabase = "hook.db"

// hookForServer takes the payload of one event. Executions that it makes final go into the spool of a server, and are
// sent if that takes no more than a moment.
func (p *program) hookForServer(ctx context.Context, h *live.Hook, client *remote.Client) error {
	dir, err := remote.SpoolDir(client.Address())
	if err != nil {
		return err
	}
	folder := filepath.Dir(dir)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	h.Database = filepath.Join(folder, hookDatabase)
	h.Final = func(e track.Execution) error {
		_, err := p.keepExecution(dir, e)
		return err
	}
	h.Take(ctx, p.in)
	ctx, cancel := context.WithTimeout(ctx, pushWhileRecording)
	defer cancel()
	if _, err := (&remote.Pusher{Client: client, Dir: dir, Attempts: 1}).Push(ctx); errors.Is(err, remote.ErrRefused) { // track status tells of other errors
		h.Problem(folder, "push", err)
	}
	return nil
}

// openHooks opens the database in which hooks keep their events.
func (p *program) openHooks(ctx context.Context) (*store.Store, error) {
	dir, err := p.pushDir()
	if err != nil {
		return nil, err
	}
	if dir == "" {
		return p.open(ctx)
	}
	return store.Open(ctx, filepath.Join(filepath.Dir(dir), hookDatabase), p.now)
}
