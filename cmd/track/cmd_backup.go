package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"track/answer"
)

func (p *program) backupCommand() *cli.Command {
	return &cli.Command{
		Name:      "backup",
		Usage:     "write a copy of the database while others use it",
		UsageText: "track backup FILE",
		Description: `The copy is one state of the database, checked, and on the disk when the command ends. Others may record meanwhile. FILE must not exist; it
appears only once it is whole. Every command reads it with --db FILE. Lines that wait in a spool are not part of it.

To restore it, move the damaged database away and write the copy to its place.

Examples:
   track backup /mnt/backup/growth-2026-11-22.db
   track backup .track/track.db --db /mnt/backup/growth-2026-11-22.db`,
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 || c.Args().First() == "" || c.Args().First() == "-" {
				return usage("track backup takes one FILE to write to")
			}
			return p.backup(c.Context, c.Args().First())
		},
	}
}

func (p *program) backup(ctx context.Context, file string) error {
	began := p.now()
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	p.records()
	p.noticeSpool(st.Path())
	b, err := st.BackUp(ctx, file)
	if err != nil && ctx.Err() != nil {
		return interruption("backup " + file + ": interrupted; nothing was written")
	}
	if err != nil {
		return err
	}
	return p.writeAnswer(answer.DatabaseBackedUp{
		Database: st.Path(), File: file, Bytes: b.Bytes, Seeds: b.Seeds, Executions: b.Executions, Duration: p.now().Sub(began).Seconds(),
	})
}
