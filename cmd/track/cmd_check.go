package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/ask"
	"track/tracker/integrity"
)

func (p *program) checkCommand() *cli.Command {
	var full bool
	return &cli.Command{
		Name:      "check",
		Usage:     "find out whether a database is damaged",
		UsageText: "track check [DB] [--full]",
		Description: `Compares every seed with the digest of its values, every assessment with its results, every text, configuration and series with its
hash, and every ledger with its replay. Looks for rows that refer to nothing, and lets SQLite check its pages. Says which records are
damaged and what can be saved. Lists tables and views that track did not make. Only reads. A server checks its own database, for a
token with the scope admin, one check at a time.` + exitCodes([]answer.Conclusion{answer.Done, answer.FoundDamage}) + `

Examples:
   track check
   track check copy.db --full --format json`,
		Flags: []cli.Flag{&cli.BoolFlag{Name: "full", Usage: "compare every index with its table as well", Destination: &full}},
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return usage("track check takes at most one DB")
			}
			return p.check(c.Context, c.Args().First(), full)
		},
	}
}

func (p *program) check(ctx context.Context, path string, full bool) (err error) {
	if path == "" {
		client, err := p.client()
		if err != nil {
			return err
		}
		if client != nil {
			return untilInterrupted(ctx, func() error { return askAndWrite(ctx, p, ask.Check(), answer.CheckQuestion{Full: full}) })
		}
		if path, err = p.databasePath(); err != nil {
			return err
		}
	}
	bar := p.newProgress("checking", "records", 0)
	checked, err := integrity.CheckFile(ctx, path, p.now, integrity.Options{Full: full, Progress: bar.update})
	bar.clear()
	if err != nil {
		return err
	}
	return p.writeAnswer(checked)
}
