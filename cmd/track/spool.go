package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/oklog/ulid/v2"
	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/importer/lines"
	"track/internal/spool"
	"track/remote"
	"track/scoring/format"
	"track/store"
	"track/tracker/exchange"
)

// spoolFlag says whether to record into a spool: by itself it is found out, on a network file system.
func spoolFlag(spooled *bool) cli.Flag {
	return &cli.BoolFlag{Name: "spool", DefaultText: "on a network file system", Usage: "keep the record as a line in the folder spool next to the database, for track ingest; --spool=false never does", Destination: spooled}
}

// spooling says whether to record into a spool, and into which folder.
func (p *program) spooling(c *cli.Context, spooled bool) (dir string, yes bool, err error) {
	if dir, err := p.pushDir(); dir != "" || err != nil {
		if c.IsSet("spool") && !spooled {
			return "", false, usage("--spool=false: what goes to a server is kept in a spool first, so that it is not lost if the server is away")
		}
		return dir, true, err
	}
	path, err := p.databasePath()
	if errors.Is(err, track.ErrNotFound) {
		path, err = filepath.Join(store.DefaultDir, store.DefaultFile), nil
	}
	if err != nil {
		return "", false, err
	}
	if !store.IsServer(path) {
		if path, err = filepath.Abs(path); err != nil {
			return "", false, err
		}
	}
	folder, err := store.Folder(path)
	if err != nil {
		return "", false, err
	}
	dir = filepath.Join(folder, "spool")
	if c.IsSet("spool") || store.IsServer(path) {
		return dir, spooled, nil
	}
	kind, err := spool.NetworkFileSystem(folder)
	if err != nil || kind == "" {
		return dir, false, nil // what it is then shows when it is opened
	}
	p.notice("%s lies on %s, whose locks cannot be trusted: recording into %s; track ingest brings it into the database", path, kind, dir)
	return dir, true, nil
}

// isAway reports whether a record goes into the spool in dir because its server cannot be reached, and says so. An
// empty dir is none.
func (p *program) isAway(dir string, err error) bool {
	if dir == "" || !store.IsAway(err) {
		return false
	}
	reason := "the server cannot be reached"
	if !store.IsUnreachable(err) {
		reason = "the server takes no records (" + err.Error() + ")"
	}
	p.notice("%s: recording into %s; track ingest brings it into the database", reason, dir)
	return true
}

// keepsRefused reports whether a record goes into the spool in dir although its command fails: its server refuses it
// whatever it records.
func (p *program) keepsRefused(dir string, err error) bool {
	if dir == "" || !store.IsRefused(err) {
		return false
	}
	p.notice("the record is kept in %s; track ingest brings it into the database once the error is mended", dir)
	return true
}

// orKeep returns the error of recording, unless it says that the server of the database takes nothing: then keep keeps
// the record in the spool in dir. An empty dir is none.
func (p *program) orKeep(dir string, err error, keep func(dir string) error) error {
	switch {
	case p.isAway(dir, err):
		return keep(dir)
	case p.keepsRefused(dir, err):
		if keepErr := keep(dir); keepErr != nil {
			return errors.Join(err, keepErr)
		}
	}
	return err
}

// createSpool makes a file of the spool that is this process's own.
func (p *program) createSpool(dir string) (*spool.Writer, error) {
	p.records()
	host, _ := os.Hostname()
	id, err := p.newID()
	if err != nil {
		return nil, err
	}
	word := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, host)
	w, err := spool.Create(dir, fmt.Sprintf("%s-%s-%d", strings.ToLower(id), word, os.Getpid()))
	if err == nil {
		p.keepAddress(dir)
	}
	return w, err
}

// keepAddress writes down which server the records in a spool are for. Those for a file lie beside it. Recording does
// not depend on it.
func (p *program) keepAddress(dir string) {
	client, err := p.client()
	if err != nil {
		return
	}
	if client != nil {
		remote.KeepAddress(dir, client.Address())
	} else if path, err := p.databasePath(); err == nil && store.IsServer(path) {
		remote.KeepAddress(dir, store.WithoutPassword(path))
	}
}

// newID returns a ULID.
func (p *program) newID() (string, error) {
	id, err := ulid.New(ulid.Timestamp(p.now()), rand.Reader)
	return id.String(), err
}

// spoolLines keeps lines in a file of the spool.
func (p *program) spoolLines(dir string, text []byte) (path string, err error) {
	w, err := p.createSpool(dir)
	if err != nil {
		return "", err
	}
	err = w.Add(text)
	return w.Path(), errors.Join(err, w.Close())
}

// noticeSpool tells of what waits beside the database, and so is missing from what it answers.
func (p *program) noticeSpool(database string) {
	folder, err := store.Folder(database)
	if err != nil {
		return
	}
	files, err := spool.Files(filepath.Join(folder, "spool"))
	if n := len(files); err == nil && n > 0 {
		wait := "wait"
		if n == 1 {
			wait = "waits"
		}
		p.notice("%s %s in the spool: track ingest", format.Counted(n, "file"), wait)
	}
}

func (p *program) spoolSeed(dir string, seed track.Seed) error {
	text, err := exchange.AppendRecord(nil, lines.Record{Seed: seed}, p.texts())
	if err != nil {
		return err
	}
	path, err := p.spoolLines(dir, text)
	if err != nil {
		return err
	}
	return p.writeKept(answer.NewSpooled(fmt.Sprintf("seed %s of %s", seed.Number, seed.Scenario), path, 1))
}

// spoolExecution keeps an execution, without the secrets in its texts. One without a key gets one, so that it is
// recorded once.
func (p *program) spoolExecution(dir string, e track.Execution) error {
	path, err := p.keepExecution(dir, e)
	if err != nil {
		return err
	}
	return p.writeKept(answer.NewSpooled("an execution of "+e.Lineage, path, 1))
}

func (p *program) keepExecution(dir string, e track.Execution) (path string, err error) {
	if e.Key == "" {
		if e.Key, err = p.newID(); err != nil {
			return "", err
		}
	}
	text, err := exchange.AppendRecord(nil, lines.Record{Execution: &e}, p.texts())
	if err != nil {
		return "", err
	}
	return p.spoolLines(dir, text)
}

// spoolBatch keeps the good lines of a batch as they are, and reports the others.
func (p *program) spoolBatch(ctx context.Context, dir, file string, open func(file string) (io.Reader, int64, func(), error)) (err error) {
	name := inputName(file)
	read, err := p.seriesOptions()
	if err != nil {
		return err
	}
	source, _, closeFile, err := open(file)
	if err != nil {
		return err
	}
	defer closeFile()
	w, err := p.createSpool(dir)
	if err != nil {
		return err
	}
	problems := lineProblems{program: p, source: name}
	d, err := exchange.SpoolLines(ctx, w, lines.ReadWith(name, source, read), p.texts(), problems.tell)
	problems.end()
	if err != nil {
		return err
	}
	if err := p.writeKept(answer.NewSpooledLines(w.Path(), d.Recorded)); err != nil {
		return err
	}
	return linesError(d, "record batch "+name)
}

func (p *program) ingestCommand() *cli.Command {
	all, retry := false, false
	return p.admitting(&cli.Command{
		Name:      "ingest",
		Usage:     "record the lines in a spool",
		UsageText: "track ingest [FILE|FOLDER…] [FLAGS]",
		Description: `Records the lines of all files in the spool next to the database, or of the files and folders that are named. Files that are whole and
closed move to spool/ingested. Their lines that are wrong are kept in the folder refused beside the spool, with a text of the reasons:
correct them there and run track ingest --retry, or delete them. Recorded lines count as duplicates, so ingest may be run at any time, again, and after a crash. On a
network file system, run one ingest at a time. A file that its process has not closed is recorded as far as it goes, and stays, since it
may still grow. --all moves such files too, once their processes are gone.

Examples:
   track ingest
   track ingest --all
   track ingest node3/shard3.jsonl --db results.db`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "move files that were never closed as well", Destination: &all},
			&cli.BoolFlag{Name: "retry", Usage: "first put what was refused back into the spool", Destination: &retry},
		},
		Action: func(c *cli.Context) error {
			files, err := exchange.NamedSpools(c.Args().Slice())
			if err != nil {
				return err
			}
			named := c.NArg() > 0
			if named && (all || retry) {
				return usage("--all and --retry are for the files of the spool; a file that is named stays where it is")
			}
			if !named {
				dir, _, err := p.spooling(c, false)
				if err != nil {
					return err
				}
				if retry {
					if err := p.retryRefused(dir); err != nil {
						return err
					}
				}
				if files, err = spool.Files(dir); err != nil {
					return err
				}
			}
			return p.ingest(c.Context, files, all, named)
		},
	})
}

func (p *program) ingest(ctx context.Context, files []spool.File, all, named bool) error {
	if len(files) == 0 {
		if err := p.checkNamed(); err != nil {
			return err
		}
		return p.writeAnswer(answer.Ingested{Files: []answer.IngestedFile{}, RecordedLines: answer.NewRecordedLines("")})
	}
	st, err := p.openOrCreate(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	options := exchange.IngestOptions{All: all, Named: named}
	a, notClosed, err := exchange.Ingest(ctx, st, files, options, bufio.NewReader(rand.Reader), &ingestObserver{program: p})
	if err != nil {
		return err
	}
	if notClosed > 0 {
		p.notice("%s not closed by the process that writes it, and stays; --all is for when that is gone", format.Counted(notClosed, "file"))
	}
	if err := p.writeAnswer(a); err != nil {
		return err
	}
	return ingestError(a)
}

// ingestError says what of the lines of a spool was left out; nil for nothing.
func ingestError(a answer.Ingested) error {
	if a.RefusedFolder == "" {
		return linesError(a.RecordedLines, "ingest")
	}
	reason := track.ErrInvalid
	if a.Rejected == 0 {
		reason = track.ErrConflict
	}
	err := fmt.Errorf("ingest: %w: %s left out, kept in %s", reason, format.Counted(a.Rejected+a.Conflicts, "line"), a.RefusedFolder)
	return track.WithHint(err, answer.RetryHint("ingest"))
}

// ingestObserver shows how far the ingestion of files is, and the problems of their lines.
type ingestObserver struct {
	*program
	bar      *progress
	problems lineProblems // of the current file
}

func (o *ingestObserver) File(path string, size int64, text io.Reader) (io.Reader, exchange.BatchObserver) {
	o.bar, o.problems = o.newProgress("ingesting", "lines", size), lineProblems{program: o.program, source: path}
	return o.bar.reader(text), exchange.BatchObserver{Progress: o.bar.update, Problem: func(problem exchange.BatchProblem) {
		o.bar.clear()
		o.problems.add(problem)
	}}
}

func (o *ingestObserver) FileDone(summary exchange.BatchSummary) {
	o.bar.clear()
	o.problems.end()
	o.noticeSummary(summary)
}
