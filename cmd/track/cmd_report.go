package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"track/reports/document"
	"track/store"
)

func (p *program) reportCommand() *cli.Command {
	return &cli.Command{
		Name:        "report",
		Usage:       "write a report as Markdown or HTML, with pictures, or check one that is there",
		Subcommands: []*cli.Command{p.reportStabilityCommand(), p.reportImprovementCommand(), p.reportScenarioCommand(), p.reportLineageCommand()},
	}
}

// report opens the database, and writes or checks the document that compose makes of it. What a report decides on new seeds counts as a
// look, like the answer of the command that it shows; to check a report shows nothing new.
func (p *program) writeReportOf(ctx context.Context, o reportOptions, compose func(*store.Store) (document.Document, []store.Look, error)) error {
	if err := o.validate(p.shared.format); err != nil {
		return err
	}
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	d, looks, err := compose(st)
	if err != nil {
		return err
	}
	if o.check == "" {
		p.recordLooks(ctx, st, looks)
	}
	return p.writeReport(d, o)
}
