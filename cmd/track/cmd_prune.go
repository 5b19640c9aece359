package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"track/store"
)

func (p *program) pruneCommand() *cli.Command {
	return &cli.Command{
		Name:        "prune",
		Usage:       "free space without touching values and results",
		Subcommands: []*cli.Command{p.pruneSeriesCommand()},
	}
}

func (p *program) pruneSeriesCommand() *cli.Command {
	var o struct {
		olderThan string
		keep      int
		dryRun    bool
	}
	return &cli.Command{
		Name:      "series",
		Usage:     "delete the numbers of old series; their length and hash stay, and so do all values and results",
		UsageText: "track prune series --older-than AGE | --keep N [--dry-run]",
		Description: `A series that a kept seed shares is kept. With both flags, what either keeps is kept.

Examples:
   track prune series --older-than 90d --dry-run
   track prune series --keep 1000`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "older-than", Usage: "prune seeds recorded longer ago than this `AGE`, such as 90d or 12h", Destination: &o.olderThan},
			&cli.IntFlag{Name: "keep", Usage: "keep the newest `N` seeds of each scenario that have series", Destination: &o.keep},
			&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be freed", Destination: &o.dryRun},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usage("track prune series takes no argument")
			}
			rule := store.PruneRule{Keep: o.keep}
			if o.olderThan != "" {
				age, err := parseAge(o.olderThan)
				if err != nil {
					return err
				}
				rule.Before = p.now().Add(-age)
			}
			if o.olderThan == "" && o.keep < 1 {
				return usage("track prune series needs --older-than AGE or --keep N")
			}
			return p.pruneSeries(c.Context, rule, o.dryRun)
		},
	}
}

// parseAge reads 12h and, beyond Go's durations, 90d.
func parseAge(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 20); err == nil {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	age, err := time.ParseDuration(text)
	if err != nil || age < 0 {
		return 0, usage("--older-than: %q is not an age such as 90d or 12h", text)
	}
	return age, nil
}

func (p *program) pruneSeries(ctx context.Context, rule store.PruneRule, dryRun bool) error {
	st, err := p.openForUpdate(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	pruned, err := st.PruneSeries(ctx, rule, dryRun)
	if err != nil {
		return err
	}
	document := struct {
		DryRun   bool  `json:"dry_run"`
		Seeds    int   `json:"seeds"`
		Contents int   `json:"contents"`
		Bytes    int64 `json:"bytes"`
	}{dryRun, pruned.Seeds, pruned.Contents, pruned.Bytes}
	verb := "freed"
	if dryRun {
		verb = "would free"
	}
	return p.write(view{
		document: document,
		rows:     grid{columns: []string{"dry_run", "seeds", "contents", "bytes"}, cells: [][]any{{dryRun, pruned.Seeds, pruned.Contents, pruned.Bytes}}},
		page:     []any{fmt.Sprintf("%s %d bytes: %d different series of %d seeds", verb, pruned.Bytes, pruned.Contents, pruned.Seeds)},
	})
}
