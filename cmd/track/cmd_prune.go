package main

import (
	"github.com/urfave/cli/v2"

	"track/ask"
)

func (p *program) pruneCommand() *cli.Command {
	c := questionCommand(p, ask.Prune(), commandHelp{examples: `
track prune --older-than 90d --dry-run
track prune --older-than 90d --keep baseline,head`})
	c.Subcommands = []*cli.Command{
		questionCommand(p, ask.PruneSeries(), commandHelp{examples: `
track prune series --older-than 90d --dry-run
track prune series --keep 1000`}),
		questionCommand(p, ask.PruneArtifacts(), commandHelp{examples: `track prune artifacts --older-than 90d --keep 1000`}),
	}
	return c
}
