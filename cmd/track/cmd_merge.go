package main

import (
	"context"
	"errors"
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
	return p.admitting(&cli.Command{
		Name:      "merge",
		Usage:     "record what other databases hold",
		UsageText: "track merge OTHER.db... [--dry-run]",
		Description: `Brings in everything: specs, seeds with their values, judgements and series, superseded seeds, baselines, interim analyses, sweeps,
lineages with their ledgers, executions, and which executions were forgotten. The other files are only read, even while somebody records
into them. Merging the same file again does nothing, and the order does not matter. After an interruption, the same command continues.
A file that cannot be merged is named and left out; the others are merged.

If both databases hold something else under one identity, the record here stays. The conflict is named and left out, the rest is merged,
and the exit code is 14. Of a seed that both recorded alike, the record that was made first counts.

Examples:
   track merge shard-*.db
   track merge ~/laptop/.track/track.db --dry-run --format json`,
		Flags: []cli.Flag{&cli.BoolFlag{Name: "dry-run", Usage: "say what would be recorded, and record nothing", Destination: &dryRun}},
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return usage("track merge takes at least one OTHER.db")
			}
			return p.merge(c.Context, c.Args().Slice(), dryRun)
		},
	})
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
	return exchange.FilesOptions{DryRun: dryRun, Progress: func(verb string) (func(int), func()) {
		bar := p.newProgress(verb, "records", 0)
		return bar.update, bar.clear
	}}
}

// mergeTarget returns the path of the database, which may not exist yet.
func (p *program) mergeTarget() string {
	path, err := p.databasePath()
	if err != nil {
		return filepath.Join(store.DefaultDir, store.DefaultFile)
	}
	return path
}

// worst returns one error of several, with the exit code of the worst and the texts and hints of all.
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

// worstError is one of several errors with the texts of all.
type worstError struct {
	error
	text string
}

func (e *worstError) Error() string { return e.text }

func (e *worstError) Unwrap() error { return e.error }

// openForMerge opens the target; a dry run without one compares with an empty one.
func (p *program) openForMerge(ctx context.Context, dryRun bool) (st *store.Store, done func(), err error) {
	if dryRun {
		st, err = p.open(ctx)
	} else {
		st, err = p.openOrCreate(ctx)
	}
	if dryRun && errors.Is(err, track.ErrNotFound) {
		st, done, err := exchange.OpenEmpty(ctx, p.now)
		if err == nil {
			st.Admit(p.texts())
		}
		return st, done, err
	}
	return st, func() { _ = st.Close() }, err
}
