package main

import (
	"github.com/urfave/cli/v2"

	"track/answer"
	"track/ask"
	"track/tracker/agents"
)

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
