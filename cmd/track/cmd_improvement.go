package main

import (
	"github.com/urfave/cli/v2"

	"track/ask"
)

func (p *program) improvementCommand() *cli.Command {
	return questionCommand(p, ask.Improvement(), commandHelp{complete: p.completeScenarios, examples: `
track improvement buffer_stock --baseline growth_plus
track improvement growth_plus@theta-14 --baseline growth_plus@v1 --only-changed
track improvement growth_plus --margin 0.01 --plan 8,10,20,30`})
}
