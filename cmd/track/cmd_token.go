package main

import (
	"github.com/urfave/cli/v2"

	"track/ask"
)

func (p *program) tokenCommand() *cli.Command {
	return &cli.Command{
		Name: "token", Usage: "manage who may use a server of this database",
		Subcommands: []*cli.Command{
			questionCommand(p, ask.AddToken(), commandHelp{examples: `
track token add ci --scope record,read --scenario 'bam/*' --expires 90d
track token add ana --scope read`}),
			questionCommand(p, ask.SetToken(), commandHelp{examples: `
track token set ci --max-records-per-day 200000 --max-bytes-per-day none
track token set ana --expires 90d`}),
			questionCommand(p, ask.Tokens(), commandHelp{examples: `track token list`}),
			questionCommand(p, ask.RevokeToken(), commandHelp{examples: `track token revoke ci`}),
		},
	}
}
