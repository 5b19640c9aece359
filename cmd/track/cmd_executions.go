package main

import (
	"github.com/urfave/cli/v2"

	"track/ask"
)

func (p *program) executionsCommand() *cli.Command {
	return questionCommand(p, ask.Executions(), commandHelp{complete: p.completeLineages, examples: `
track executions sepa --limit 20
track executions sepa@v002 --status error
track executions --max-score 60 --since 24h --format csv`})
}
