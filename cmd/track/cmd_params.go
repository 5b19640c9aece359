package main

import (
	"github.com/urfave/cli/v2"

	"track/ask"
)

func (p *program) paramsCommand() *cli.Command {
	return questionCommand(p, ask.Params(), commandHelp{complete: p.completeScenarios, examples: `
track params growth
track params growth --metric unemployment_rate_mean --label grid`})
}
