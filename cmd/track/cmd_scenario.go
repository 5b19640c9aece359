package main

import (
	"github.com/urfave/cli/v2"

	"track/ask"
)

func (p *program) scenarioCommand() *cli.Command {
	return &cli.Command{
		Name: "scenario", Usage: "show which scenarios there are, and how they stand",
		Subcommands: []*cli.Command{questionCommand(p, ask.Scenarios(), commandHelp{examples: "track scenario list\ntrack scenario list --format json"})},
	}
}
