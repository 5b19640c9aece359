package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/store"
	"track/tracker/exchange"
)

func (p *program) mergeCommand() *cli.Command {
	var dryRun bool
	return &cli.Command{
		Name:      "merge",
		Usage:     "bring in what other databases hold",
		UsageText: "track merge OTHER.db... [--dry-run]",
		Description: `Everything comes: specs, seeds with their values, judgements and series, those that others replaced, baselines, looks, sweeps, lineages
with their ledgers, executions. The other files are only read, also while somebody records into them; what they recorded since the
merge began is left for the next one. Merging the same again does nothing, the order does not matter, and after an interruption the
same command continues. A file that cannot be merged is named and left out, and the others come; the exit code is that of the worst.

What stands here stays. Where another database holds something else in its place, that is a conflict: it is named and left out, all the
rest comes, and the exit code is 14. Of a seed that both recorded alike, the record that was first counts.

Examples:
   track merge shard-*.db
   track merge ~/laptop/.track/track.db --dry-run --format json`,
		Flags: []cli.Flag{&cli.BoolFlag{Name: "dry-run", Usage: "say what would come, and record nothing", Destination: &dryRun}},
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return usage("track merge takes at least one OTHER.db")
			}
			return p.merge(c.Context, c.Args().Slice(), dryRun)
		},
	}
}

// merge merges all files that can be merged.
func (p *program) merge(ctx context.Context, files []string, dryRun bool) error {
	open := func() (*store.Store, func(), error) { return p.openForMerge(ctx, dryRun) }
	merged, failures, err := exchange.MergeFiles(ctx, p.mergeTarget(), open, files, p.filesOptions(dryRun))
	if err != nil {
		return err
	}
	if err := p.writeAnswer(merged); err != nil {
		return err
	}
	return worst(failures)
}

func (p *program) filesOptions(dryRun bool) exchange.FilesOptions {
	return exchange.FilesOptions{DryRun: dryRun, Progress: func() (func(int), func()) {
		bar := p.newProgress("merging", "records", 0)
		return bar.update, bar.clear
	}}
}

// mergeTarget is where the database is, or would be made.
func (p *program) mergeTarget() string {
	path, err := p.databasePath()
	if err != nil {
		return filepath.Join(store.DefaultDir, store.DefaultFile)
	}
	return path
}

// worst is the error of several: the exit code is that of the worst, the text and the hints are those of all.
func worst(failures []error) error {
	if len(failures) < 2 {
		return errors.Join(failures...)
	}
	badness := []int{exitNotFound, exitConflict, exitInvalid, exitInternal, exitInterrupted}
	w := &worstError{error: failures[0]}
	var lines []string
	var hints []track.Hint
	for _, err := range failures {
		lines = append(lines, err.Error())
		for _, hint := range track.Hints(err) {
			if !containsHint(hints, hint) {
				hints = append(hints, hint)
			}
		}
		if slices.Index(badness, exitCode(err)) > slices.Index(badness, exitCode(w.error)) {
			w.error = err
		}
	}
	own := track.Hints(w.error)
	w.text = strings.Join(lines, "\n")
	var err error = w
	for _, hint := range hints {
		if !containsHint(own, hint) {
			err = track.WithHint(err, hint)
		}
	}
	return err
}

// worstError is one of several errors, and tells all.
type worstError struct {
	error
	text string
}

func (e *worstError) Error() string { return e.text }

func (e *worstError) Unwrap() error { return e.error }

// openForMerge opens the target; a dry run without one compares with an empty one.
func (p *program) openForMerge(ctx context.Context, dryRun bool) (st *store.Store, done func(), err error) {
	if !dryRun {
		st, err = p.openOrCreate(ctx)
	} else if st, err = p.open(ctx); errors.Is(err, track.ErrNotFound) {
		dir, err := os.MkdirTemp("", "track-merge-")
		if err != nil {
			return nil, nil, err
		}
		path := filepath.Join(dir, store.DefaultFile)
		if _, err = store.Init(ctx, path); err == nil {
			st, err = store.Open(ctx, path, p.now)
		}
		if err != nil {
			return nil, nil, errors.Join(err, os.RemoveAll(dir))
		}
		return st, func() { _ = errors.Join(st.Close(), os.RemoveAll(dir)) }, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return st, func() { _ = st.Close() }, nil
}
