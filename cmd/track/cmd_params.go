package main

import (
	"github.com/urfave/cli/v2"

	"track/answer"
	"track/ask"
	"track/reports"
	"track/reports/chart"
)

func (p *program) paramsCommand() *cli.Command {
	output := ""
	command := customCommand(p, ask.Params(), commandHelp{examples: `
track params growth
track params growth --metric unemployment_rate_mean --label grid
track params growth --plot theta --by firms
track params growth --plot theta --by firms -o theta.svg
track params growth --heatmap theta,firms -o means.svg`}, func(c *cli.Context, a answer.ParamsAnalysis) error {
		if output == "" {
			return p.writeAnswer(a)
		}
		drawn, err := paramsChart(a)
		if err != nil {
			return err
		}
		for _, text := range a.Warnings() {
			p.notice("%s", text)
		}
		return p.plot(output, drawn)
	})
	command.Flags = append(command.Flags, &cli.StringFlag{Name: "output", Aliases: []string{"o"}, Destination: &output,
		Usage: "draw the plot or the heat map into `FILE`.svg"})
	return command
}

// paramsChart returns the picture that was asked for.
func paramsChart(a answer.ParamsAnalysis) (chart.Chart, error) {
	switch {
	case a.PlotOf != "" && a.Heatmap != nil:
		return nil, usage("-o draws one picture: give --plot or --heatmap")
	case a.PlotOf != "":
		return reports.ParamsChart(a), nil
	case a.Heatmap != nil:
		return reports.MeansChart(a, *a.Heatmap), nil
	}
	return nil, usage("-o draws a picture: say which with --plot PARAM or --heatmap A,B")
}
