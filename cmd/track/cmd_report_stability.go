package main

import (
	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/reports"
	"track/store"
	"track/tracker/seeds"
)

func (p *program) reportStabilityCommand() *cli.Command {
	var o reportOptions
	var spec int
	var given string
	return &cli.Command{
		Name:      "stability",
		Usage:     "report on one configuration: verdict, gate, metrics, seeds",
		UsageText: "track report stability SCENARIO[@CONFIGURATION] [FLAGS]",
		Description: `Shows the verdict with its reasons, the rules of the gate with what each needs, the metrics by group with the worst first, and the status of
each metric in each seed. Shows the scores, the failing seeds, and what changed since the previous configuration. Ends with warnings,
provenance, and the commands that reproduce it. The same database gives the same bytes.

Examples:
   track report stability growth_plus -o stability.md
   track report stability growth_plus@theta-14 -o stability.html
   track report stability growth_plus --check stability.md
   track report stability growth_plus --template pull-request.md.tmpl -o comment.md`,
		BashComplete: p.completeScenarios,
		Flags: append([]cli.Flag{
			&cli.IntFlag{Name: "spec", DefaultText: "the newest", Usage: "judge under this `VERSION` of the spec", Destination: &spec},
			&cli.StringFlag{Name: "seeds", Usage: "use only these `SEEDS`, such as 0..99,200", Destination: &given},
		}, o.flags()...),
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track report stability takes one SCENARIO[@CONFIGURATION]")
			}
			sel, err := answer.ParseSelector(c.Args().First())
			if err != nil {
				return usage("%v", err)
			}
			options := seeds.StabilityOptions{SpecVersion: spec}
			if given != "" {
				if options.Seeds, err = track.ParseSeedRanges(given); err != nil {
					return usage("--seeds: %v", err)
				}
			}
			return p.writeReportOf(c.Context, o, func(st *store.Reader) (composedReport, error) {
				report, err := seeds.LoadStabilityReport(c.Context, st, sel, options)
				if err != nil {
					return composedReport{}, err
				}
				return composedReport{
					Document: reports.Stability(report.Report), looks: report.Looks, kind: c.Command.Name, answer: report.StabilityReport.Answer(),
					gate: answer.Gate{Gate: report.Report.Gate}, version: report.Stored.Version, command: reports.StabilityCommand(report.Report),
				}, nil
			})
		},
	}
}
