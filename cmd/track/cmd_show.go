package main

import (
	"github.com/urfave/cli/v2"

	"track/ask"
)

func (p *program) showCommand() *cli.Command {
	return &cli.Command{
		Name:  "show",
		Usage: "show one record in full",
		Subcommands: []*cli.Command{
			questionCommand(p, ask.Seed(), commandHelp{complete: p.completeScenarios, examples: `
track show seed growth_plus 7
track show seed growth_plus@theta-14 7 --format json`}),
			p.showExecutionCommand(),
		},
	}
}
