package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/ask"
	"track/internal/spool"
	"track/remote"
	"track/store"
)

func (p *program) statusCommand() *cli.Command {
	return &cli.Command{
		Name: "status", Usage: "show what waits to be sent or recorded", UsageText: "track status [FLAGS]",
		Description: `Shows for each server what is kept on this machine and not sent yet, and why the last sending failed. Shows what waits in the spool of the
database, and sweeps without an end. Asks no server and sends nothing. A file stays as a whole until its process has closed it and the server
has all of its lines.

Exit codes: 0 nothing waits, 1 records wait or were refused.

Example:
   track status`,
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usage("track status takes no arguments")
			}
			a, err := p.status(c.Context)
			if err != nil {
				return err
			}
			return p.writeAnswer(a)
		},
	}
}

// statusReader collects what waits.
type statusReader struct {
	*program
	answer answer.Status
}

func (p *program) status(ctx context.Context) (answer.Status, error) {
	s := statusReader{p, answer.Status{Waiting: []answer.Waiting{}, Sweeps: []answer.RunningSweep{}}}
	if err := errors.Join(s.servers(), s.database(ctx)); err != nil {
		return s.answer, err
	}
	slices.SortFunc(s.answer.Sweeps, func(a, b answer.RunningSweep) int { return strings.Compare(b.ID, a.ID) })
	const shown = 20
	if more := len(s.answer.Sweeps) - shown; more > 0 {
		s.answer.Sweeps, s.answer.SweepsOmitted = s.answer.Sweeps[:shown], more
	}
	return s.answer, nil
}

// servers adds the spools of servers: those that have names, the one that the user names, and those with records.
func (s *statusReader) servers() error {
	named, err := remote.FindAll()
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, n := range named {
		if err := s.server(answer.Waiting{Name: n.Name, Server: n.URL}, seen); err != nil {
			return err
		}
	}
	client, err := s.client()
	if err != nil {
		return err
	}
	if client != nil {
		if err := s.server(answer.Waiting{Server: client.Address()}, seen); err != nil {
			return err
		}
	}
	spools, err := remote.Spools()
	if err != nil {
		return err
	}
	for _, found := range spools {
		w := answer.Waiting{Folder: found.Dir, Server: found.Address}
		if store.IsServer(found.Address) {
			w.Server, w.Database = "", found.Address
		}
		if files, err := spool.Files(found.Dir); err != nil || len(files)+found.Refused == 0 || seen[found.Dir] {
			continue
		}
		if err := s.add(w); err != nil {
			return err
		}
	}
	return nil
}

// server adds the spool of a server at an address.
func (s *statusReader) server(w answer.Waiting, seen map[string]bool) (err error) {
	if w.Folder, err = remote.SpoolDir(w.Server); err != nil || seen[w.Folder] {
		return err
	}
	seen[w.Folder] = true
	return s.add(w)
}

// add counts what lies in a spool.
func (s *statusReader) add(w answer.Waiting) error {
	files, err := spool.Files(w.Folder)
	if err != nil {
		return err
	}
	counted, err := spool.Count(files)
	if err != nil {
		return err
	}
	w.Files, w.Open, w.Lines, w.Bytes = counted.Files, counted.Open, counted.Lines, counted.Bytes
	for _, f := range files {
		if begun := begunAt(f.Path); w.Oldest.IsZero() || begun.Before(w.Oldest) {
			w.Oldest = begun
		}
		if !f.Open {
			continue
		}
		if err := s.keptSweeps(f.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	kept, err := remote.SpoolIn(w.Folder)
	w.Failure, w.FailedAt = kept.Failure, kept.FailedAt
	if w.Server != "" {
		w.Kept, w.Epoch = kept.Kept, kept.Epoch
	}
	if w.Refused = kept.Refused; w.Refused > 0 {
		w.RefusedFolder = spool.RefusedFolder(w.Folder)
	}
	s.answer.Waiting = append(s.answer.Waiting, w)
	return err
}

// begunAt returns when a file of a spool was begun: its name begins with a ULID. Of another name, it is when the file
// was written last.
func begunAt(path string) time.Time {
	name := filepath.Base(path)
	if id, err := ulid.ParseStrict(strings.ToUpper(name[:min(len(name), ulid.EncodedSize)])); err == nil {
		return ulid.Time(id.Time()).UTC()
	}
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime().UTC()
}

// keptSweeps adds the sweeps in a file of a spool that have not ended.
func (s *statusReader) keptSweeps(path string) error {
	running := map[string]track.Sweep{}
	for record, err := range spool.Records(path) {
		if err != nil {
			return err
		}
		switch sweep := record.Sweep; {
		case record.Err != nil || sweep == nil:
		case sweep.Ending == "":
			running[sweep.ID] = *sweep
		default:
			delete(running, sweep.ID)
		}
	}
	for _, sweep := range running {
		s.answer.Sweeps = append(s.answer.Sweeps, answer.RunningSweep{ID: sweep.ID, Scenario: sweep.Scenario, StartedAt: sweep.StartedAt.UTC(), Kept: path})
	}
	return nil
}

// database adds the spool of the database that the user names, or that is found, and its sweeps. A server that is named
// too does not keep it from being looked at.
func (s *statusReader) database(ctx context.Context) error {
	path, err := s.ownDatabase()
	if isNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if !store.IsServer(path) { // those of PostgreSQL are among the servers
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), "spool")); err != nil {
			if err := s.checkNamed(); err != nil {
				return err
			}
		}
		if path, err = filepath.Abs(path); err != nil {
			return err
		}
		if err := s.add(answer.Waiting{Database: path, Folder: filepath.Join(filepath.Dir(path), "spool")}); err != nil {
			return err
		}
	}
	return s.recordedSweeps(ctx, path)
}

// recordedSweeps adds the sweeps of a database that have not ended. A server that is away is no reason not to say what
// waits for it.
func (s *statusReader) recordedSweeps(ctx context.Context, path string) error {
	st, err := store.Open(ctx, path, s.now)
	switch {
	case isNotFound(err):
		return nil
	case store.IsAway(err):
		s.notice("%v", err)
		return nil
	case err != nil:
		return err
	}
	defer func() { _ = st.Close() }()
	const newest = 1000
	a, err := ask.Sweeps().Whole(ctx, ask.Source{Store: st}, answer.SweepsQuestion{Page: answer.Page{Limit: newest}})
	for _, sweep := range a.Items {
		if sweep.Ending == "" && sweep.Withdrawn == nil {
			s.answer.Sweeps = append(s.answer.Sweeps, answer.RunningSweep{ID: sweep.ID, Scenario: sweep.Scenario, StartedAt: sweep.StartedAt, Kept: store.WithoutPassword(path)})
		}
	}
	return err
}
