package main

import "github.com/urfave/cli/v2"

func (p *program) recordCommand() *cli.Command {
	return &cli.Command{
		Name:        "record",
		Usage:       "record seeds and executions, and score them",
		Subcommands: []*cli.Command{p.recordSeedCommand(), p.recordExecutionCommand(), p.recordBatchCommand()},
	}
}

// inputName is how messages name the file of a command line.
func inputName(file string) string {
	if file == "-" {
		return "standard input"
	}
	return file
}
