package main

import (
	"net/url"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/ask"
)

// rescoreCommand returns the command for both: seeds under another spec, and executions under another rubric, which are
// scored already.
func (p *program) rescoreCommand() *cli.Command {
	command := questionCommand(p, ask.Rescore(), commandHelp{examples: `
track rescore growth_plus --spec 2 --dry-run
track rescore growth_plus
track rescore sepa --rubric rubric/1`})
	command.UsageText = "track rescore SCENARIO [--spec VERSION] [--dry-run] | LINEAGE --rubric RUBRIC [FLAGS]"
	command.Flags = append(command.Flags, &cli.StringFlag{Name: "rubric", Usage: "list the executions of a lineage whose grade differs under `RUBRIC`"})
	rescore := command.Action
	command.Action = func(c *cli.Context) error {
		if c.IsSet("rubric") {
			return p.compareRubrics(c)
		}
		return rescore(c)
	}
	return command
}

func (p *program) compareRubrics(c *cli.Context) error {
	var q answer.GradeChangesQuestion
	def := ask.CompareRubrics()
	params := def.Params(&q)
	if err := params.Set(url.Values{"lineage": c.Args().Slice(), "rubric": {c.String("rubric")}}); err != nil {
		return usageOf(params, err)
	}
	return usageOf(params, askAndWrite(c.Context, p, def, q))
}
