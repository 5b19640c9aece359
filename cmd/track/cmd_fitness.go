package main

import (
	"github.com/urfave/cli/v2"

	"track/ask"
)

func (p *program) fitnessCommand() *cli.Command {
	return questionCommand(p, ask.Fitness(), commandHelp{complete: p.completeLineages, examples: `
track fitness sepa@v002
track fitness sepa --rubric rubric/1 --format json`})
}
