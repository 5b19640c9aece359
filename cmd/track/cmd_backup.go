package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/store"
	"track/tracker/integrity"
)

func (p *program) backupCommand() *cli.Command {
	return &cli.Command{
		Name:      "backup",
		Usage:     "write a copy of the database while others use it",
		UsageText: "track backup FILE",
		Description: `The copy is one state of the database, and on the disk when the command ends. A damaged database is refused. Others may record meanwhile. FILE must not exist; it
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
	if err := p.checkSource(ctx, st); err != nil {
		return err
	}
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

// checkSource refuses a damaged database: its copy would take the place of an older one that is sound.
func (p *program) checkSource(ctx context.Context, st *store.Store) error {
	if store.IsServer(st.Path()) { // refused with a hint to its own tool
		return nil
	}
	bar := p.newProgress("checking", "records", 0)
	checked, err := integrity.Check(ctx, st, bar.update)
	bar.clear()
	if err != nil || checked.Err() == nil {
		return err
	}
	err = fmt.Errorf("backup of %s: %w", st.Path(), checked.Err())
	return track.WithHint(err, track.NewHint("see all that is damaged", "check", st.Path()))
}
