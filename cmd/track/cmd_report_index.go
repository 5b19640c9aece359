package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/ask"
	"track/internal/reportfiles"
	"track/scoring/format"
)

func (p *program) reportIndexCommand() *cli.Command {
	var q answer.IndexQuestion
	var o reportOptions
	def := ask.IndexReport()
	bound := p.bindParams(def.Name, def.Params(&q), nil)
	text := commandHelp{examples: `
track report index -o reports/index.md
track report index -o reports/index.html --limit 5
track report index --check reports/index.md`}
	return &cli.Command{
		Name: "index", Usage: "write reports of everything in the database, with an index", UsageText: bound.usageText(),
		Description: text.description(def.About + ` A report of each is written next to the index, in the same format, and leads back to it. All pages show one state of the
database. The folder of the index is created. Reports of earlier runs that the index no longer leads to are kept and named. On standard
output the index comes alone.`),
		Flags: append(bound.flags(), o.flags()...),
		Action: func(c *cli.Context) error {
			if err := bound.set(c); err != nil {
				return err
			}
			if err := o.validate(p.shared.format); err != nil {
				return err
			}
			if o.target() == "" {
				return writeReportOf(c.Context, p, ask.IndexFiles(), q, o)
			}
			from, release, err := p.sourceForFiles(c.Context)
			if err != nil {
				return err
			}
			defer release()
			return p.reportIndex(c.Context, from, q, o)
		},
	}
}

// reportIndex writes or checks the index with its pages. No file is put in place, and no interim analysis is
// recorded, before everything is made.
func (p *program) reportIndex(ctx context.Context, from ask.Source, q answer.IndexQuestion, o reportOptions) error {
	index, err := reportfiles.NewIndex(o.target(), o.check != "")
	if err != nil {
		return err
	}
	defer index.Discard()
	if o.check != "" && !index.Exists() {
		return p.missing(o.check)
	}
	a, err := ask.IndexFiles().Ask(ctx, from, ask.FilesOf[answer.IndexQuestion]{Of: q, Form: o.form()}, index.Create)
	if err != nil {
		return err
	}
	if err := index.Finish(); err != nil {
		return err
	}
	if o.check != "" {
		return p.checkIndex(o.check, index)
	}
	p.noticeLook(a)
	if err := index.Place(); err != nil {
		return err
	}
	p.notice("wrote %s and %s", o.output, format.Counted(len(index.Pages()), "report"))
	p.nameSuperfluous(index)
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
