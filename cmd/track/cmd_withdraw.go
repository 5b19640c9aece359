package main

import (
	"github.com/urfave/cli/v2"

	"track/ask"
)

func (p *program) withdrawCommand() *cli.Command {
	return &cli.Command{
		Name:  "withdraw",
		Usage: "take back a seed, a configuration or a sweep that was a mistake",
		Subcommands: []*cli.Command{
			questionCommand(p, ask.WithdrawSeed(), commandHelp{complete: p.completeScenarios, examples: `track withdraw seed growth_plus@v0.10.2 7 --reason "the disk was full"`}),
			questionCommand(p, ask.WithdrawConfiguration(), commandHelp{complete: p.completeScenarios, examples: `track withdraw configuration growth_plus@theta=41 --reason "theta was meant to be 14"`}),
			questionCommand(p, ask.WithdrawSweep(), commandHelp{examples: `
track withdraw sweep 7k3m9q2x --reason "ran the wrong branch"
track withdraw sweep 7k3m9q2x --plan-only --reason "10000 seeds were meant to be 1000"`}),
		},
	}
}

func (p *program) restoreCommand() *cli.Command {
	return &cli.Command{
		Name:  "restore",
		Usage: "take back a withdrawal",
		Subcommands: []*cli.Command{
			questionCommand(p, ask.RestoreSeed(), commandHelp{complete: p.completeScenarios, examples: `track restore seed growth_plus@v0.10.2 7 --reason "the disk was not full"`}),
			questionCommand(p, ask.RestoreConfiguration(), commandHelp{complete: p.completeScenarios, examples: `track restore configuration growth_plus@v0.10.2 --reason "it was right"`}),
			questionCommand(p, ask.RestoreSweep(), commandHelp{examples: `track restore sweep 7k3m9q2x --reason "it was the right branch"`}),
		},
	}
}
