package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/ask"
	"track/tracker/integrity"
)

func (p *program) checkCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "find out whether a database is damaged",
		UsageText: "track check [DB]",
		Description: `Compares every seed with the digest of its values, every assessment with its results, every text, configuration and series with its
hash, and every ledger with its replay. Looks for rows that refer to nothing, and lets SQLite check its pages and compare its indexes with
their tables. Says which records are damaged and what can be saved. Lists tables and views that track did not make. Only reads. A server checks its own database, for a
token with the scope admin, one check at a time.` + exitCodes([]answer.Conclusion{answer.Done, answer.FoundDamage}) + `

Examples:
   track check
   track check copy.db --format json`,
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return usage("track check takes at most one DB")
			}
			return p.check(c.Context, c.Args().First())
		},
	}
}

func (p *program) check(ctx context.Context, path string) (err error) {
	if path == "" {
		client, err := p.client()
		if err != nil {
			return err
		}
		if client != nil {
			return untilInterrupted(ctx, func() error { return askAndWrite(ctx, p, ask.Check(), answer.CheckQuestion{}) })
		}
		if path, err = p.databasePath(); err != nil {
			return err
		}
	}
	bar := p.newProgress("checking", "records", 0)
	checked, err := integrity.CheckFile(ctx, path, p.now, bar.update)
	bar.clear()
	if err != nil {
		return err
	}
	return p.writeAnswer(checked)
}
