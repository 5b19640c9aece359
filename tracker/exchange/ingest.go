package exchange

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"track"
	"track/answer"
	"track/importer/lines"
	"track/internal/admission"
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

// spooledAtOnce is how many bytes of lines are written to a spool together.
const spooledAtOnce = 1 << 20

// SpoolLines keeps the good lines of a batch in a file of a spool, which it closes. problem is called for each of the
// others.
func SpoolLines(ctx context.Context, w *spool.Writer, records iter.Seq2[lines.Record, error], rules *admission.Rules, problem func(*track.FieldError)) (a answer.RecordedLines, err error) {
	defer func() { err = errors.Join(err, w.Close()) }()
	a = answer.NewRecordedLines("")
	var text []byte
	for record, err := range records {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return a, err
		}
		if record.Lineage != nil || record.Err == nil && record.IsRecorded() {
			record.Err = refuse(record.Kind())
			record.Err.Line = record.Line
		}
		if record.Err == nil {
			text, err = AppendRecord(text, record, rules)
			if errors.As(err, &record.Err) {
				record.Err.Line, err = record.Line, nil
			}
		}
		switch {
		case err != nil:
			return a, err
		case record.Err != nil:
			problem(record.Err)
			a.Rejected++
			continue
		}
		if a.Recorded++; len(text) >= spooledAtOnce {
			if err := w.Add(text); err != nil {
				return a, err
			}
			text = text[:0]
		}
	}
	if len(text) > 0 {
		err = w.Add(text)
	}
	return a, err
}

// AppendRecord appends a record without its secrets as a line. The line is written anew, because a file that it
// named may not exist when it is ingested.
func AppendRecord(text []byte, record lines.Record, rules *admission.Rules) ([]byte, error) {
	var fact track.Fact = &record.Seed
	if record.Execution != nil {
		fact = record.Execution
	} else if record.Sweep != nil {
		fact = record.Sweep
	} else if record.Annotation != nil {
		fact = record.Annotation
	} else if record.Withdrawal != nil {
		fact = record.Withdrawal
	}
	if _, problem := rules.Admit(fact); problem != nil {
		return text, problem
	}
	return lines.Append(text, record)
}

// NamedSpools returns the files at paths, and the files of spools in folders at paths. They stay where they are.
func NamedSpools(paths []string) (files []spool.File, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fileError(err)
		}
		within := []spool.File{{Path: path}}
		if info.IsDir() {
			if within, err = spool.Files(path); err != nil {
				return nil, err
			}
		}
		for _, f := range within {
			files = append(files, spool.File{Path: f.Path, Open: true})
		}
	}
	return files, nil
}

// fileError wraps an error of the file system, and [track.ErrNotFound] if a file does not exist.
func fileError(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %w", track.ErrNotFound, err)
	}
	return err
}
