package main

import (
	"github.com/urfave/cli/v2"

	"track/answer"
	"track/reports"
	"track/store"
	"track/tracker/seeds"
)

func (p *program) reportScenarioCommand() *cli.Command {
	var o reportOptions
	var options seeds.ScenarioOptions
	return &cli.Command{
		Name:      "scenario",
		Usage:     "report on one scenario: spec, history, stability, improvement",
		UsageText: "track report scenario SCENARIO[@CONFIGURATION] [FLAGS]",
		Description: `Shows the spec, the history of the configurations, the stability and failing seeds of the named one, and its improvement over the
baseline that the spec names or that is pinned. Ends with warnings, provenance, and the commands that reproduce it.

Examples:
   track report scenario growth_plus -o growth_plus.md
   track report scenario growth_plus -o growth_plus.html --limit 50
   track report scenario growth_plus --template pull-request.md.tmpl -o comment.md`,
		BashComplete: p.completeScenarios,
		Flags: append([]cli.Flag{
			&cli.IntFlag{Name: "spec", DefaultText: "the newest", Usage: "judge under this `VERSION` of the spec", Destination: &options.SpecVersion},
			&cli.IntFlag{Name: "limit", Usage: "show the newest `N` configurations in the history", Value: 20, Destination: &options.Limit},
		}, o.flags()...),
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track report scenario takes one SCENARIO")
			}
			sel, err := answer.ParseSelector(c.Args().First())
			if err != nil {
				return usage("%s", err)
			}
			if options.Limit < 1 {
				return usage("--limit: %d is not a number from 1", options.Limit)
			}
			return p.writeReportOf(c.Context, o, func(st *store.Reader) (composedReport, error) {
				report, err := seeds.LoadScenarioReport(c.Context, st, sel, options)
				if err != nil {
					return composedReport{}, err
				}
				return composedReport{
					Document: reports.Scenario(report.Report), looks: report.Looks, kind: c.Command.Name, answer: newScenarioAnswer(report), gate: answer.Gate{Gate: report.Report.Stability.Gate},
					version: report.Stored.Version, command: reports.ScenarioCommand(report.Report),
				}, nil
			})
		},
	}
}
