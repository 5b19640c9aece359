package main

import (
	"github.com/urfave/cli/v2"

	"track/ask"
)

func (p *program) seedsNeededCommand() *cli.Command {
	return questionCommand(p, ask.SeedsNeeded(), commandHelp{complete: p.completeScenarios, examples: `
track seeds-needed growth_plus --effect 0.01
track seeds-needed growth_plus@theta-14 --baseline growth_plus@v1 --effect 0.02 --power 0.9`})
}
