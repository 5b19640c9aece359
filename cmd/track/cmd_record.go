package main

import "github.com/urfave/cli/v2"

func (p *program) recordCommand() *cli.Command {
	return &cli.Command{
		Name:        "record",
		Usage:       "record seeds and judge them at once",
		Subcommands: []*cli.Command{p.recordSeedCommand(), p.recordBatchCommand()},
	}
}
