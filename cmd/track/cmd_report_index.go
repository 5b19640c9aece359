package main

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"track"
	"track/reports"
	"track/reports/document"
	"track/scoring/format"
	"track/store"
)

func (p *program) reportIndexCommand() *cli.Command {
	var o reportOptions
	var limit int
	return &cli.Command{
		Name:      "index",
		Usage:     "report on everything in the database: a page that leads to a report of each scenario, configuration and lineage",
		UsageText: "track report index [FLAGS]",
		Description: `Where each scenario stands, with its configurations and its baseline; each lineage with what is in force, its replay and its alerts; and the
agents that do not evolve. The reports stand beside the index, in its format, and lead back to it. All of them show one state of the
database. It creates the folder of the index, and leaves reports of earlier runs that it no longer leads to where they are, and names
them. Standard output has the index alone.

Examples:
   track report index -o reports/index.md
   track report index -o reports/index.html --limit 5
   track report index --check reports/index.md`,
		Flags: append([]cli.Flag{
			&cli.IntFlag{Name: "limit", Usage: "the newest `N` configurations of each scenario", Value: 20, Destination: &limit},
		}, o.fileFlags()...),
		Action: func(c *cli.Context) error {
			if c.NArg() != 0 {
				return usage("track report index takes no argument")
			}
			if limit < 1 {
				return usage("--limit: %d is not a number from 1", limit)
			}
			if err := o.validate(p.shared.format); err != nil {
				return err
			}
			st, err := p.open(c.Context)
			if err != nil {
				return err
			}
			defer func() { _ = st.Close() }()
			return p.reportIndex(c.Context, st, limit, o)
		},
	}
}

// reportIndex writes or checks the index with its pages. Nothing is put in place, and no look is recorded, before all of it is made.
func (p *program) reportIndex(ctx context.Context, st *store.Store, limit int, o reportOptions) error {
	pages, err := newIndexPages(o)
	if err != nil {
		return err
	}
	defer pages.discard()
	if o.check != "" && pages.before == nil {
		return p.missing(o.check)
	}
	x := indexer{pages: pages, data: reports.IndexData{Limit: limit, Schema: store.SchemaVersion}}
	if err := st.Snapshot(ctx, func(st *store.Reader) error { return x.all(ctx, st) }); err != nil {
		return err
	}
	if pages != nil {
		x.data.Pages, x.data.File = pages.names, filepath.Base(pages.path)
	}
	index := reports.Index(x.data)
	if o.check != "" {
		return p.checkIndex(pages, index)
	}
	if pages == nil {
		p.recordLooks(ctx, st, x.looks)
		return reports.WithoutPictures(index).Markdown(p.out, document.MarkdownOptions{})
	}
	if err := pages.addIndex(index); err != nil {
		return err
	}
	p.recordLooks(ctx, st, x.looks)
	if err := pages.place(); err != nil {
		return err
	}
	p.notice("wrote %s and %s", o.output, format.Counted(len(pages.names), "report"))
	p.nameSuperfluous(pages)
	return nil
}

// unreportable is the reason why there is no report of something; err where the cause is another.
func unreportable(cause error) (reason string, err error) {
	if isNotFound(cause) || errors.Is(cause, track.ErrInvalid) {
		reason = cause.Error()
		for _, hint := range track.Hints(cause) {
			reason += "; " + shellHint(hint)
		}
		return reason, nil
	}
	return "", cause
}
