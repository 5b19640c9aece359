package main

import (
	"github.com/urfave/cli/v2"

	"track/answer"
	"track/reports"
	"track/store"
	"track/tracker/seeds"
)

func (p *program) reportImprovementCommand() *cli.Command {
	var q answer.PairedQuestion
	var to reportOptions
	bound := bindParams("report improvement", q.Params(), nil)
	text := commandHelp{examples: `
track report improvement buffer_stock --baseline growth_plus -o improvement.md
track report improvement growth_plus@theta-14 --baseline growth_plus@v1 --check improvement.md
track report improvement growth_plus@theta-14 --baseline growth_plus@v1 --template pull-request.md.tmpl`}
	return &cli.Command{
		Name: "improvement", Usage: "compare a candidate with its baseline in a report, seed by seed", UsageText: bound.usageText(),
		Description: text.description(`Shows the verdict with its reasons, the degraded metrics, and the change of each metric with its interval and threshold. Shows the total
scores of each pair, unmatched and failed seeds, and what differs between the sides. Ends with warnings, provenance, and the commands that
reproduce it. The comparison is that of track improvement, and a report on new seeds is recorded as an interim analysis too.`),
		BashComplete: p.completeScenarios, Flags: append(bound.flags(), to.flags()...),
		Action: func(c *cli.Context) error {
			if err := bound.set(c); err != nil {
				return err
			}
			if err := bound.usageError(q.Check()); err != nil {
				return err
			}
			return p.writeReportOf(c.Context, to, func(r *store.Reader) (composedReport, error) {
				report, err := seeds.LoadImprovementReport(c.Context, r, q)
				if err != nil {
					return composedReport{}, err
				}
				a := report.Report
				return composedReport{
					Document: reports.Improvement(a), looks: []store.Look{report.Look}, kind: c.Command.Name,
					answer: a.Improvement, version: a.Spec.Version, command: reports.ImprovementCommand(a),
				}, nil
			})
		},
	}
}
