package main

import (
	"github.com/urfave/cli/v2"

	"track/answer"
	"track/answer/param"
	"track/ask"
)

func (p *program) queryCommand() *cli.Command {
	def := ask.Query()
	declared := def.Params
	def.Params = func(q *answer.QueryQuestion) param.List {
		params := declared(q)
		params[0].Value = textOrInput{params[0].Value, p}
		return params
	}
	return questionCommand(p, def, commandHelp{examples: `
track query "SELECT scenario, label, count(*) AS n FROM v_seed GROUP BY scenario, label"
track query "SELECT seed, value FROM v_result WHERE scenario = 'growth_plus' AND newest AND metric = 'log_gdp_mean'" --format csv
track query - --limit 0 < question.sql`})
}

// textOrInput is a text that is read from standard input if it is given as a dash.
type textOrInput struct {
	param.Value
	program *program
}

func (v textOrInput) Set(text string) error {
	if text != "-" {
		return v.Value.Set(text)
	}
	input, err := v.program.readInput("file", text, 64<<20)
	if err != nil {
		return err
	}
	return v.Value.Set(string(input))
}
