package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/ask"
	"track/internal/reportfiles"
)

func (p *program) reportCommand() *cli.Command {
	return &cli.Command{
		Name:  "report",
		Usage: "write a report as Markdown or HTML, or check one",
		Subcommands: []*cli.Command{
			documentCommand(p, ask.StabilityReport(), commandHelp{examples: `
track report stability growth_plus -o stability.md
track report stability growth_plus@theta-14 -o stability.html
track report stability growth_plus --check stability.md`}),
			documentCommand(p, ask.ImprovementReport(), commandHelp{examples: `
track report improvement buffer_stock --baseline growth_plus -o improvement.md
track report improvement growth_plus@theta-14 --baseline growth_plus@v1 --check improvement.md`}),
			documentCommand(p, ask.ScenarioReport(), commandHelp{examples: `
track report scenario growth_plus -o growth_plus.md
track report scenario growth_plus -o growth_plus.html --limit 50`}),
			documentCommand(p, ask.ParamsReport(), commandHelp{examples: `
track report params growth -o params.md
track report params growth --metric unemployment_rate_mean --label grid -o params.html
track report params growth --check params.md`}),
			documentCommand(p, ask.LineageReport(), commandHelp{examples: `
track report lineage sepa -o lineage.md
track report lineage sepa -o lineage.html
track report lineage sepa --check lineage.md`}),
			p.reportIndexCommand(),
		},
	}
}

// documentCommand returns the command that writes or checks a report.
func documentCommand[Q any](p *program, def ask.Report[Q], text commandHelp) *cli.Command {
	var q Q
	var to reportOptions
	bound := p.bindParams(def.Name, def.Params(&q), nil)
	return &cli.Command{
		Name: strings.TrimPrefix(def.Name, "report "), Usage: def.Help, UsageText: bound.usageText(), Description: text.description(def.About),
		BashComplete: bound.complete(p), Flags: append(bound.flags(), to.flags()...),
		Action: func(c *cli.Context) error {
			if err := bound.set(c); err != nil {
				return err
			}
			if err := bound.usageError(def.Check(&q)); err != nil {
				return err
			}
			if err := to.validate(p.shared.format); err != nil {
				return err
			}
			return bound.usageError(writeReportOf(c.Context, p, def.Files(), q, to))
		},
	}
}

// noticeLook says that an interim analysis (look) is not recorded. Its verdict stands.
func (p *program) noticeLook(a answer.ReportFiles) {
	if a.NotRecorded != "" {
		p.notice("this look is not recorded, so later ones will not count it: %s", a.NotRecorded)
	}
}

// writeReportOf writes or checks a report, of the database or of a server. A report that is written is an interim
// analysis, like the command whose answer it shows; a check is not.
func writeReportOf[Q any](ctx context.Context, p *program, def ask.ReportAsFiles[Q], q Q, to reportOptions) error {
	from, release, err := p.sourceForFiles(ctx)
	if err != nil {
		return err
	}
	defer release()
	var received receivedFiles
	var list []reportfiles.File
	made := func() (err error) {
		list, err = to.reportFiles(received)
		return err
	}
	var a answer.ReportFiles
	err = untilInterrupted(ctx, func() (err error) {
		a, err = def.Ask(ctx, from, ask.FilesOf[Q]{Of: q, Form: to.form(), Made: made}, received.create)
		if err == nil && list == nil { // a server has recorded the look already
			err = made()
		}
		return err
	})
	if err != nil {
		return err
	}
	p.noticeLook(a)
	return p.writeReport(list, to)
}
