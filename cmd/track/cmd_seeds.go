package main

import (
	"github.com/urfave/cli/v2"

	"track/ask"
)

func (p *program) seedsCommand() *cli.Command {
	return questionCommand(p, ask.Seeds(), commandHelp{complete: p.completeScenarios, examples: `
track seeds growth_plus --status FAIL
track seeds growth_plus@theta-14
track seeds --outcome error --since 24h
track seeds growth_plus --label v2 --max-score 0.8 --format csv --limit 0`})
}
