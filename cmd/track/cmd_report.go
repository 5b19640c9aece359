package main

import (
	"context"
	"crypto/rand"

	"github.com/urfave/cli/v2"

	"track/internal/reportfiles"
	"track/store"
	"track/tracker/seeds"
)

func (p *program) reportCommand() *cli.Command {
	return &cli.Command{
		Name:        "report",
		Usage:       "write a report as Markdown or HTML, or check one",
		Subcommands: []*cli.Command{p.reportStabilityCommand(), p.reportImprovementCommand(), p.reportScenarioCommand(), p.reportParamsCommand(), p.reportLineageCommand(), p.reportIndexCommand()},
	}
}

// recordLooks records interim analyses (looks). If one cannot be recorded, its decision stands, and a notice says so.
func (p *program) recordLooks(ctx context.Context, st *store.Store, looks []store.Look) {
	if err := seeds.RecordLooks(ctx, st, looks, rand.Reader); err != nil {
		p.notice("this look is not recorded, so later ones will not count it: %v", err)
	}
}

// writeReportOf opens the database, and writes or checks the report that compose makes of it. A report that is
// written is an interim analysis, like the command whose answer it shows; a check is not.
func (p *program) writeReportOf(ctx context.Context, o reportOptions, compose func(*store.Reader) (composedReport, error)) error {
	if err := o.validate(p.shared.format); err != nil {
		return err
	}
	template, err := o.readTemplate()
	if err != nil {
		return err
	}
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	var d composedReport
	err = untilInterrupted(ctx, func() (err error) {
		d, err = compose(st.Reader)
		return err
	})
	if err != nil {
		return err
	}
	var files []reportfiles.File
	if template != nil {
		files, err = o.fill(ctx, template, d)
	} else {
		files, err = makeReport(d.Document, o)
	}
	if err != nil {
		return err
	}
	if o.check == "" {
		p.recordLooks(ctx, st, d.looks)
	}
	return p.writeReport(files, o)
}
