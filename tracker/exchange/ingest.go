package exchange

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"track"
	"track/answer"
	"track/importer/lines"
	"track/internal/spool"
	"track/store"
	"track/tracker/names"
	"track/tracker/seeds"
)

// IngestOptions say how the files of a spool are recorded.
type IngestOptions struct {
	All   bool // files that were never closed are done with as well
	Named bool // the files were named: they stay where they are
}

// IngestObserver is called while files are ingested.
type IngestObserver interface {
	// File is called for each file of size bytes. It returns what the lines are read through and what is called as
	// they are recorded.
	File(path string, size int64, text io.Reader) (io.Reader, BatchObserver)
	// FileDone is called when the lines of a file are recorded.
	FileDone(BatchSummary)
}

// Ingest records the files of a spool, and moves those that are whole and closed out of the way. Their lines that are
// wrong are kept in a folder of their own. notClosed counts the files that stay because their processes have not closed
// them.
func Ingest(ctx context.Context, st *store.Store, files []spool.File, o IngestOptions, entropy io.Reader, observer IngestObserver) (a answer.Ingested, notClosed int, err error) {
	a = answer.Ingested{Files: []answer.IngestedFile{}, RecordedLines: answer.NewRecordedLines("")}
	i := ingest{store: st, options: o, entropy: entropy, observer: observer, answer: &a}
	for _, f := range files {
		done, err := i.file(ctx, f)
		if !o.Named && errors.Is(err, track.ErrNotFound) {
			continue // another process has closed or recorded it meanwhile
		}
		if err == nil && i.isDone(f) {
			if err = i.setAside(f, done.refused); err == nil {
				done.Moved = true
				err = i.move(ctx, f, &done)
			}
		}
		if err != nil {
			return a, notClosed, fmt.Errorf("ingest %s: %w", f.Path, err)
		}
		if f.Open && !o.Named && !o.All {
			notClosed++
		}
		a.Files = append(a.Files, done.IngestedFile)
	}
	return a, notClosed, nil
}

type ingest struct {
	store    *store.Store
	options  IngestOptions
	entropy  io.Reader
	observer IngestObserver
	answer   *answer.Ingested
}

// ingestedFile is a file with the size that was read.
type ingestedFile struct {
	answer.IngestedFile
	size    int64
	refused map[int]string // numbers of the lines that are wrong, and why
}

// isDone reports whether a file can be moved out of the way.
func (i ingest) isDone(f spool.File) bool { return !i.options.Named && (!f.Open || i.options.All) }

// setAside keeps the lines of a file that are wrong.
func (i ingest) setAside(f spool.File, refused map[int]string) error {
	if len(refused) == 0 {
		return nil
	}
	file, err := os.Open(f.Path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	var list []spool.RefusedLine
	reader := bufio.NewReader(file)
	for line := 1; len(list) < len(refused); line++ {
		text, err := reader.ReadBytes('\n')
		if why, isRefused := refused[line]; isRefused && err == nil {
			list = append(list, spool.RefusedLine{Text: text, Why: why})
		}
		if err != nil {
			return fmt.Errorf("%d of %d lines that are wrong: %w", len(list), len(refused), err)
		}
	}
	dir := filepath.Dir(f.Path)
	i.answer.RefusedFolder = spool.RefusedFolder(dir)
	return spool.KeepRefused(dir, f, list)
}

// move moves a file that is recorded. What its process wrote until then is recorded too.
func (i ingest) move(ctx context.Context, f spool.File, done *ingestedFile) error {
	moved, err := f.Done()
	if err != nil || moved == "" || !f.Open {
		return err
	}
	info, err := os.Stat(moved)
	if err != nil || info.Size() == done.size {
		return err
	}
	rest, err := i.file(ctx, spool.File{Path: moved, Open: true})
	done.Recorded += rest.Recorded
	done.Lines += rest.Recorded
	done.BytesLeft = rest.BytesLeft
	return err
}

// file records the whole lines of a file.
func (i ingest) file(ctx context.Context, f spool.File) (done ingestedFile, err error) {
	done.Path, done.Open, done.Named = f.Path, f.Open, i.options.Named
	file, err := os.Open(f.Path)
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%s: %w", f.Path, track.ErrNotFound)
	}
	if err != nil {
		return done, err
	}
	defer func() { _ = file.Close() }()
	text, size, left, err := spool.Lines(file)
	if err != nil {
		return done, err
	}
	done.BytesLeft, done.size = left, size+left
	through, observer := i.observer.File(f.Path, size, text)
	report := observer.Problem
	done.refused = map[int]string{}
	observer.Problem = func(p BatchProblem) {
		i.answer.AddProblem(p.LineProblem)
		done.refused[p.Line] = strings.TrimPrefix(p.Field+": "+p.Message, ": ")
		report(p)
	}
	recorder := seeds.NewRecorder(i.store, seeds.Options{Names: names.New(names.Warn)}, i.entropy)
	summary, err := RecordAll(ctx, recorder, lines.Read(f.Path, through), observer)
	i.observer.FileDone(summary)
	summary.AddTo(&i.answer.RecordedLines)
	done.Recorded, done.Known, done.Rejected, done.Conflicts = summary.Recorded+summary.Replaced, summary.Duplicates, summary.Rejected, summary.Conflicts
	done.Lines = done.Recorded + done.Known + done.Rejected + done.Conflicts
	return done, err
}
