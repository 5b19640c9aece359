package exchange

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"

	"track"
	"track/answer"
	"track/importer/lines"
	"track/internal/admission"
	"track/internal/spool"
)

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
