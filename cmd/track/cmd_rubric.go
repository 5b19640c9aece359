package main

import (
	"github.com/urfave/cli/v2"

	"track/answer"
	"track/ask"
	"track/tracker/agents"
)

func (p *program) rubricCommand() *cli.Command {
	return &cli.Command{
		Name:  "rubric",
		Usage: "list, check and compare the rubrics that executions are scored under",
		Subcommands: []*cli.Command{
			p.rubricListCommand(),
			questionCommand(p, ask.CheckRubric(), commandHelp{complete: p.completeLineages, examples: `track rubric check airline --truth reward`}),
			questionCommand(p, ask.CompareRubrics(), commandHelp{complete: p.completeLineages, examples: `track rubric compare sepa --rubric rubric/1`}),
		},
	}
}

// rubricListCommand returns a command that needs no database.
func (p *program) rubricListCommand() *cli.Command {
	command := questionCommand(p, ask.Rubrics(), commandHelp{examples: `track rubric list --format json`})
	command.Action = func(c *cli.Context) error {
		if c.NArg() != 0 {
			return usage("track rubric list takes no argument")
		}
		a, err := agents.ListRubrics(c.Context, nil, answer.RubricsQuestion{})
		if err != nil {
			return err
		}
		return p.writeAnswer(a)
	}
	return command
}
