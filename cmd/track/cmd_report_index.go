package main

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/ask"
	"track/internal/reportfiles"
	"track/reports"
	"track/scoring/format"
	"track/store"
	"track/tracker"
)

func (p *program) reportIndexCommand() *cli.Command {
	var q answer.IndexQuestion
	var o reportOptions
	def := ask.IndexReport()
	bound := bindParams(def.Name, def.Params(&q), nil)
	text := commandHelp{examples: `
track report index -o reports/index.md
track report index -o reports/index.html --limit 5
track report index --check reports/index.md`}
	return &cli.Command{
		Name: "index", Usage: "write reports of everything in the database, with an index", UsageText: bound.usageText(),
		Description: text.description(def.About + ` A report of each is written next to the index, in the same format, and leads back to it. All pages show one state of the
database. The folder of the index is created. Reports of earlier runs that the index no longer leads to are kept and named. On standard
output the index comes alone.`),
		Flags: append(bound.flags(), o.fileFlags()...),
		Action: func(c *cli.Context) error {
			if err := bound.set(c); err != nil {
				return err
			}
			if err := o.validate(p.shared.format); err != nil {
				return err
			}
			if o.target() == "" {
				return writeReportOf(c.Context, p, def, q, o)
			}
			st, err := p.open(c.Context) // the pages are files, which a server does not write
			if err != nil {
				return err
			}
			defer func() { _ = st.Close() }()
			return p.reportIndex(c.Context, st, q.Limit, o)
		},
	}
}

// reportIndex writes or checks the index with its pages. No file is put in place, and no interim analysis is
// recorded, before everything is made.
func (p *program) reportIndex(ctx context.Context, st *store.Store, limit int, o reportOptions) (err error) {
	b := reports.IndexBuilder{IndexData: reports.IndexData{Limit: limit, Schema: store.SchemaVersion}}
	files, err := reportfiles.NewIndex(o.target(), o.png, o.check != "")
	if err != nil {
		return err
	}
	defer files.Discard()
	if o.check != "" && !files.Exists() {
		return p.missing(o.check)
	}
	b.AddPage = files.AddPage
	var looks []store.Look
	err = st.Snapshot(ctx, func(r *store.Reader) error {
		looks, err = tracker.VisitReports(ctx, r, tracker.VisitReportsOptions{Limit: limit, Configurations: true}, &b)
		return err
	})
	if err != nil {
		return err
	}
	b.Pages, b.File = files.Pages(), filepath.Base(o.target())
	if err := files.AddIndex(reports.Index(b.IndexData)); err != nil {
		return err
	}
	if o.check != "" {
		return p.checkIndex(o.check, files)
	}
	p.recordLooks(ctx, st, looks)
	if err := files.Place(); err != nil {
		return err
	}
	p.notice("wrote %s and %s", o.output, format.Counted(len(files.Pages()), "report"))
	p.nameSuperfluous(files)
	return nil
}

// mostNamed is how many files are named one by one.
const mostNamed = 10

// checkIndex exits 1 if the index or one of its pages is outdated, and says which.
func (p *program) checkIndex(path string, x *reportfiles.Index) error {
	outdated := x.Outdated()
	if len(outdated) == 0 {
		p.notice("%s is what the database says, and so are its %s", path, format.Counted(len(x.Pages()), "report"))
		return nil
	}
	lines := outdated[:min(mostNamed, len(outdated))]
	if more := len(outdated) - len(lines); more > 0 {
		lines = append(lines, "and "+format.Counted(more, "file")+" more")
	}
	for _, path := range x.Superfluous() {
		lines = append(lines, path+" is no longer part of the index")
	}
	return p.outdated("%s", strings.Join(lines, "\n"))
}

// nameSuperfluous names the files that earlier runs wrote and this one did not.
func (p *program) nameSuperfluous(x *reportfiles.Index) {
	left := x.Superfluous()
	for i, path := range left {
		if i == mostNamed {
			p.notice("and %s more", format.Counted(len(left)-i, "file"))
			return
		}
		p.notice("%s is no longer part of the index; it and its pictures are left where they are", path)
	}
}
