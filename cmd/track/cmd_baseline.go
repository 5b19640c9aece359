package main

import (
	"os"
	"os/user"

	"github.com/urfave/cli/v2"

	"track/ask"
)

func (p *program) baselineCommand() *cli.Command {
	return &cli.Command{
		Name:  "baseline",
		Usage: "pin the configuration that others are compared with",
		Subcommands: []*cli.Command{
			questionCommand(p, ask.SetBaseline(), commandHelp{complete: p.completeScenarios, examples: `track baseline set growth_plus@v0.10.2 --reason "release 0.10.2"`}),
			questionCommand(p, ask.Baseline(), commandHelp{complete: p.completeScenarios, examples: `track baseline show growth_plus`}),
			questionCommand(p, ask.Baselines(), commandHelp{examples: `track baseline list --format json`}),
			questionCommand(p, ask.UnsetBaseline(), commandHelp{complete: p.completeScenarios, examples: `track baseline unset growth_plus --reason "the model was recalibrated"`}),
		},
	}
}

// actor returns who changes something: the user at this host.
func actor() string {
	name := "unknown"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if host, err := os.Hostname(); err == nil {
		name += "@" + host
	}
	return name
}
