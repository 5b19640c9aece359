package main

import (
	"github.com/urfave/cli/v2"

	"track/ask"
)

func (p *program) rollbackCommand() *cli.Command {
	return questionCommand(p, ask.Rollback(), commandHelp{complete: p.completeLineages, examples: `
track rollback sepa --if-triggered
track rollback sepa --to v003 --reason "v004 forgets the tests"`})
}

func (p *program) drawsCommand() *cli.Command {
	return questionCommand(p, ask.Draws(), commandHelp{complete: p.completeLineages, examples: "track draws sepa --format csv"})
}

func (p *program) operatorsCommand() *cli.Command {
	return questionCommand(p, ask.Operators(), commandHelp{complete: p.completeLineages, examples: "track operators sepa --suggest"})
}
