package main

import (
	"github.com/urfave/cli/v2"

	"track/ask"
)

func (p *program) forgetCommand() *cli.Command {
	return &cli.Command{
		Name:        "forget",
		Usage:       "remove texts from the database",
		Subcommands: []*cli.Command{questionCommand(p, ask.ForgetExecution(), commandHelp{examples: `track forget execution 01J9ZC5Q0D`})},
	}
}
