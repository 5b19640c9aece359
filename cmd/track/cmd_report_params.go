package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/answer/param"
	"track/reports"
	"track/store"
	"track/tracker/seeds"
)

func (p *program) reportParamsCommand() *cli.Command {
	var q answer.ParamsQuestion
	var to reportOptions
	params := slices.DeleteFunc(q.Params(), func(p param.Param) bool { return slices.Contains([]string{"plot", "by", "heatmap"}, p.Name) }) // it has all
	bound := bindParams("report params", params, nil)
	text := commandHelp{examples: `
track report params growth -o params.md
track report params growth --metric unemployment_rate_mean --label grid -o params.html
track report params growth --check params.md`}
	return &cli.Command{
		Name: "params", Usage: "report on the effects of parameters after a grid or design", UsageText: bound.usageText(),
		Description: text.description(`Ranks the configurations, shows the effect of each parameter with a picture and intervals, and a heat map of the two with the largest
effects. What was not compared is named. The same database gives the same bytes.`),
		BashComplete: p.completeScenarios, Flags: append(bound.flags(), to.fileFlags()...),
		Action: func(c *cli.Context) error {
			if err := bound.set(c); err != nil {
				return err
			}
			if err := bound.usageError(q.Check()); err != nil {
				return err
			}
			return bound.usageError(p.writeReportOf(c.Context, to, func(r *store.Reader) (composedReport, error) {
				report, err := seeds.LoadParamsReport(c.Context, r, q)
				return composedReport{Document: reports.Params(report), kind: c.Command.Name, command: reports.ParamsCommand(report)}, err
			}))
		},
	}
}
