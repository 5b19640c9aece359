package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/reports"
	"track/store"
	"track/tracker/seeds"
)

func (p *program) reportImprovementCommand() *cli.Command {
	var o improvementOptions
	var to reportOptions
	return &cli.Command{
		Name:      "improvement",
		Usage:     "compare a candidate with its baseline in a report, seed by seed",
		UsageText: "track report improvement CANDIDATE [--baseline BASELINE] [FLAGS]",
		Description: `Shows the verdict with its reasons, the degraded metrics, and the change of each metric with its interval and threshold. Shows the total
scores of each pair, unmatched and failed seeds, and what differs between the sides. Ends with warnings, provenance, and the commands that
reproduce it. The comparison is that of track improvement, and a report on new seeds is recorded as an interim analysis too.

Examples:
   track report improvement buffer_stock --baseline growth_plus -o improvement.md
   track report improvement growth_plus@theta-14 --baseline growth_plus@v1 --check improvement.md
   track report improvement growth_plus@theta-14 --baseline growth_plus@v1 --template pull-request.md.tmpl`,
		BashComplete: p.completeScenarios,
		Flags:        slices.Concat(o.judgingFlags(), o.flags(), to.flags()),
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track report improvement takes one CANDIDATE: SCENARIO or SCENARIO@CONFIGURATION")
			}
			sel, err := answer.ParseSelector(c.Args().First())
			if err != nil {
				return usage("%v", err)
			}
			o.base = optional(c, "base")
			options, err := o.resolve()
			if err != nil {
				return err
			}
			return p.writeReportOf(c.Context, to, func(st *store.Reader) (composedReport, error) {
				report, err := seeds.LoadImprovementReport(c.Context, st, sel, options)
				if err != nil {
					return composedReport{}, err
				}
				return composedReport{
					Document: reports.Improvement(report.Report), looks: []store.Look{report.Look}, kind: c.Command.Name,
					answer: newImprovementDocument(report.ImprovementReport, report.Metrics), version: report.Stored.Version, command: reports.ImprovementCommand(report.Report),
				}, nil
			})
		},
	}
}
