package main

import (
	"github.com/urfave/cli/v2"

	"track/ask"
)

func (p *program) stabilityCommand() *cli.Command {
	return questionCommand(p, ask.Stability(), commandHelp{complete: p.completeScenarios, examples: `
track stability growth_plus
track stability growth_plus@theta-14 --seeds 0..99
track stability growth_plus --format json`})
}
