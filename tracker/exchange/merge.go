package exchange

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"slices"
	"time"

	"track"
	"track/answer"
	"track/importer"
	"track/importer/lines"
	"track/internal/sizes"
	"track/store"
	"track/tracker/integrity"
	"track/tracker/lineages"
	"track/tracker/seeds"
)

// MergeOptions say how files are merged.
type MergeOptions struct {
	DryRun   bool                                                  // the target is a copy that is thrown away
	Parts    Parts                                                 // of databases
	Stream   io.Reader                                             // of the file -
	Largest  sizes.Size                                            // what a compressed file may hold
	Progress func(verb string) (update func(done int), end func()) // is called for each file; may be nil
}

// MergeFiles merges files into a database: other databases, and files of lines that were written of one. here is the
// path of the target, which open opens, or creates. All files are checked before: if one of them cannot be merged,
// nothing is.
func MergeFiles(ctx context.Context, here string, open func() (st *store.Store, done func(), err error), files []string, o MergeOptions) (a answer.Merged, err error) {
	a = answer.Merged{DryRun: o.DryRun, Files: []answer.MergedFile{}}
	isLines := make([]bool, len(files))
	for i, file := range files {
		if isLines[i], err = isLinesFile(file); err == nil && !isLines[i] {
			err = checkDatabase(ctx, here, file, o)
		}
		if err != nil {
			return a, fmt.Errorf("merge %s: %w", file, err)
		}
	}
	st, done, err := open()
	if err != nil {
		return a, err
	}
	defer done()
	for i, file := range files {
		f := answer.NewMergedFile(file)
		if isLines[i] {
			err = mergeLines(ctx, st, &f, o)
		} else {
			err = mergeDatabase(ctx, st, &f, o)
		}
		a.Files = append(a.Files, f)
		if errors.Is(err, context.Canceled) {
			err = track.WithHint(err, track.Hint{Text: "run the same command again: it continues"})
		}
		if err != nil {
			return a, fmt.Errorf("merge %s: %w", file, err)
		}
	}
	return a, a.Err()
}

// isLinesFile reports whether a file has lines, and is not a database.
func isLinesFile(path string) (bool, error) {
	if path == "-" {
		return true, nil
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false, nil // a server, or nothing that can be merged
	}
	in, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = in.Close() }()
	unzipped, err := importer.Decompress(in)
	if err != nil {
		return false, fmt.Errorf("%w: %w", track.ErrInvalid, err)
	}
	first, _ := unzipped.Peek(1) // an empty file is none
	return string(first) == "{", nil
}

// mergeDatabase merges the database in a file.
func mergeDatabase(ctx context.Context, st *store.Store, f *answer.MergedFile, o MergeOptions) (err error) {
	other, err := store.OpenOther(ctx, f.File, st.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, other.Close()) }()
	return Merge(ctx, st, other, f, o)
}

// Merge records what another database holds.
func Merge(ctx context.Context, to, from *store.Store, f *answer.MergedFile, o MergeOptions) error {
	return mergeRecords(ctx, to, f, DatabaseLines(ctx, from, o.Parts), o)
}

// mergeLines merges a file of lines.
func mergeLines(ctx context.Context, st *store.Store, f *answer.MergedFile, o MergeOptions) error {
	in, name := o.Stream, "standard input"
	if f.File != "-" {
		opened, err := os.Open(f.File)
		if err != nil {
			return err
		}
		defer func() { _ = opened.Close() }()
		in, name = opened, f.File
	}
	unzipped, err := importer.Decompress(in)
	if err != nil {
		return fmt.Errorf("%w: %w", track.ErrInvalid, err)
	}
	records := lines.Read(name, bufio.NewReader(o.Largest.Reader(unzipped)))
	return mergeRecords(ctx, st, f, wholeExport(records), o)
}

// wholeExport yields lines, and an error if an export was cut off.
func wholeExport(records iter.Seq2[lines.Record, error]) iter.Seq2[lines.Record, error] {
	return func(yield func(lines.Record, error) bool) {
		n, isOpen := 0, false
		for record, err := range records {
			if errors.Is(err, io.ErrUnexpectedEOF) {
				break // of what is compressed
			}
			if err == nil && record.Export != nil {
				if isOpen && record.Export.Lines != n {
					yield(record, fmt.Errorf("%w: %d records stand between its first and its last line, not %d", track.ErrInvalid, n-1, record.Export.Lines-1))
					return
				}
				isOpen = !isOpen
			}
			if err != nil {
				err = fmt.Errorf("%w: %w", track.ErrInvalid, err)
			}
			n++
			if !yield(record, err) {
				return
			}
		}
		if isOpen {
			err := fmt.Errorf("%w: its last line is missing: it was cut off", track.ErrInvalid)
			yield(lines.Record{}, track.WithHint(err, track.Hint{Text: "what was merged before is whole; ask for the file again"}))
		}
	}
}

// mergeRecords records what another database recorded, as its owner. Recorded again, it changes nothing: after an
// interruption, the same merge continues.
func mergeRecords(ctx context.Context, st *store.Store, f *answer.MergedFile, records iter.Seq2[lines.Record, error], o MergeOptions) error {
	observer := BatchObserver{Problem: func(p BatchProblem) {
		if !p.Conflict {
			f.Rejected++
			f.Hint = cmp.Or(f.Hint, p.Hint)
		}
		f.N++
		f.Conflicts = append(f.Conflicts, mergeConflict(p))
	}}
	if o.Progress != nil {
		update, end := o.Progress("merging")
		defer end()
		observer.Progress = update
	}
	run := newBatchRun(seeds.NewRecorder(st, seeds.Options{}, rand.Reader), nil, observer, Owner)
	scenarios := map[string]bool{}
	err := run.recordChunks(ctx, ofScenarios(scenarios, records))
	f.MergeCounts = run.door.counts
	if err == nil {
		err = run.complete(ctx, scenarios)
	}
	return run.door.sync(store.WriteError(f.File, err))
}

// ofScenarios notes the scenarios of the seeds among some records.
func ofScenarios(scenarios map[string]bool, records iter.Seq2[lines.Record, error]) iter.Seq2[lines.Record, error] {
	return func(yield func(lines.Record, error) bool) {
		for record, err := range records {
			if err == nil && record.RecordedSeed != nil {
				scenarios[record.Seed.Scenario] = true
			}
			if !yield(record, err) {
				return
			}
		}
	}
}

// complete does what needs all records: it orders configurations by their first seeds, and counts the trials that a
// ledger has and that did not come along. It does so even if no record is new, since the merge before may have been cut
// short.
func (b *batchRun) complete(ctx context.Context, scenarios map[string]bool) error {
	st := b.seeds.Store
	for _, scenario := range slices.Sorted(maps.Keys(scenarios)) {
		if err := st.UpdateRelaxed(ctx, func(tx *store.Tx) error { return tx.OrderConfigurations(scenario) }); err != nil {
			return err
		}
	}
	for _, name := range b.ledgers {
		if err := st.Update(ctx, func(tx *store.Tx) error { return lineages.CountTrialsElsewhere(ctx, tx, name, false) }); err != nil {
			return err
		}
	}
	return nil
}

// checkDatabase refuses a database that is damaged: merging would spread the damage.
func checkDatabase(ctx context.Context, here, file string, o MergeOptions) (err error) {
	if err := store.CheckOther(ctx, here, file); err != nil {
		return err
	}
	st, err := store.OpenOther(ctx, file, time.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	var progress func(int)
	if o.Progress != nil {
		update, end := o.Progress("checking")
		defer end()
		progress = update
	}
	checked, err := integrity.Check(ctx, st, progress)
	if err != nil {
		return store.ReadError(file, err)
	}
	if damage := checked.Err(); damage != nil {
		err = track.WithHint(fmt.Errorf("%w: %s: %w", track.ErrInvalid, st.Path(), damage), track.NewHint("see all that is damaged", "check", st.Path()))
		return track.WithHint(err, track.Hint{Text: "nothing was merged; ask for the file again, record its lines or run its shard again"})
	}
	return nil
}

// mergeConflict says what was left out.
func mergeConflict(p BatchProblem) answer.MergeConflict {
	c := answer.MergeConflict{Kind: p.Record.Kind(), Name: p.Record.Name(), Reason: p.Message, Refused: !p.Conflict}
	if p.Field != "" {
		c.Reason = p.Field + ": " + p.Message
	}
	if p.Name != "" { // of a version of a lineage
		c.Kind, c.Name = string(kindVersion), p.Name+" of "+c.Name
	}
	return c
}
