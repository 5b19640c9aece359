package main

import (
	"github.com/urfave/cli/v2"

	"track/ask"
)

func (p *program) compareCommand() *cli.Command {
	c := questionCommand(p, ask.Compare(), commandHelp{complete: p.completeScenarios, examples: `
track compare growth_plus@v1 growth_plus@theta-14
track compare growth_plus@v1 growth_plus@v2 growth_plus@v3 --values`})
	c.Subcommands = []*cli.Command{
		questionCommand(p, ask.CompareVersions(), commandHelp{complete: p.completeLineages, examples: "track compare versions sepa@v001 sepa@v004 --format csv"}),
		questionCommand(p, ask.CompareExecutions(), commandHelp{examples: "track compare executions 01J9Z 01JA0"}),
	}
	return c
}
