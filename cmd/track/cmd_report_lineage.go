package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"track/reports"
	"track/store"
	"track/tracker/lineages"
)

func (p *program) reportLineageCommand() *cli.Command {
	var o reportOptions
	return &cli.Command{
		Name:      "lineage",
		Usage:     "report on a lineage: its active version, every decision, and alerts",
		UsageText: "track report lineage LINEAGE [FLAGS]",
		Description: `Shows the active version with its score, n and interval, its gain over the root, the path to it, and the result of the replay. Shows the scores
of all candidates, the decisions with their draws, operators, the change of each step, rollbacks, noise and cost. Ends with the commands
that reproduce it. The same database gives the same bytes.

Examples:
   track report lineage sepa -o lineage.md
   track report lineage sepa -o lineage.html
   track report lineage sepa --check lineage.md
   track report lineage sepa --template lineage-note.md.tmpl`,
		BashComplete: p.completeLineages,
		Flags:        o.flags(),
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return usage("track report lineage takes one LINEAGE")
			}
			return p.writeReportOf(c.Context, o, func(st *store.Reader) (d composedReport, err error) {
				name, err := lineages.Resolve(c.Context, st, c.Args().First())
				if err != nil {
					return d, err
				}
				return lineageReport(c.Context, st, name, o.template != "")
			})
		},
	}
}

// lineageReport makes the report of a lineage, with the answers of its commands if a template needs them.
func lineageReport(ctx context.Context, st *store.Reader, name string, answers bool) (d composedReport, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		data, facts, err := lineages.LoadReport(ctx, st, name)
		if err != nil {
			return err
		}
		d.kind, d.command = "lineage", reports.LineageCommand(data)
		if d.Document, err = reports.Lineage(data); err == nil && answers {
			d.answer, err = facts.Answers(ctx, st)
		}
		return err
	})
	return d, err
}
