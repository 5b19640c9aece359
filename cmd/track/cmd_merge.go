package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

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
		UsageText: "track merge FILE... [--dry-run]",
		Description: `FILE is another database, or what track export lines wrote of one, which may be compressed with gzip; - reads lines from standard
input. Everything is recorded: specs, seeds with their values, series and files, superseded seeds, baselines, interim analyses, sweeps,
lineages with their ledgers, executions, and which executions were forgotten. Seeds are judged under the specs that they were judged under
there. The files are only read, even while somebody records into them. Merging the same file again does nothing, and the order does not
matter. After an interruption, the same command continues. All files are checked before: if one of them cannot be merged, nothing is.

If both databases hold something else under one identity, the record here stays. The conflict is named and left out, the rest is merged,
and the exit code is 14. Of a seed that both recorded alike, the record that was made first counts.

Examples:
   track merge shard-*.db
   track merge paper.jsonl.gz --dry-run --format json`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Usage: "say what would be recorded, and record nothing", Destination: &dryRun}, p.maxSizeFlag(),
		},
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return usage("track merge takes at least one FILE")
			}
			return p.merge(c.Context, c.Args().Slice(), dryRun)
		},
	})
}

// merge merges all files that can be merged.
func (p *program) merge(ctx context.Context, files []string, dryRun bool) error {
	open := func() (*store.Store, func(), error) { return p.openForMerge(ctx, dryRun) }
	merged, err := exchange.MergeFiles(ctx, p.mergeTarget(), open, files, exchange.MergeOptions{
		DryRun: dryRun, Stream: p.in, Largest: p.maxSize, Progress: func(verb string) (func(int), func()) {
			bar := p.newProgress(verb, "records", 0)
			return bar.update, bar.clear
		},
	})
	if len(merged.Files) > 0 {
		err = cmp.Or(p.writeAnswer(merged), err)
	}
	return err
}

// mergeTarget returns the path of the database, which may not exist yet.
func (p *program) mergeTarget() string {
	path, err := p.databasePath()
	if err != nil {
		return filepath.Join(store.DefaultDir, store.DefaultFile)
	}
	return path
}

// openForMerge opens the target; in a dry run a copy of it, or an empty database if there is none.
func (p *program) openForMerge(ctx context.Context, dryRun bool) (st *store.Store, done func(), err error) {
	if !dryRun {
		st, err = p.openOrCreate(ctx)
		return st, func() { _ = st.Close() }, err
	}
	dir, err := os.MkdirTemp("", "track-merge-")
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	path := filepath.Join(dir, store.DefaultFile)
	switch st, err := p.open(ctx); {
	case errors.Is(err, track.ErrNotFound):
		if _, err := store.Init(ctx, path); err != nil {
			return nil, nil, err
		}
	case err != nil:
		return nil, nil, err
	default:
		_, err := st.BackUp(ctx, path)
		if err = errors.Join(err, st.Close()); err != nil {
			return nil, nil, fmt.Errorf("a dry run merges into a copy: %w", err)
		}
	}
	if st, err = store.OpenForUpdate(ctx, path, p.now); err != nil {
		return nil, nil, err
	}
	st.Admit(p.texts())
	return st, func() { _ = errors.Join(st.Close(), os.RemoveAll(dir)) }, nil
}
