package main

import (
	"github.com/urfave/cli/v2"

	"track/ask"
)

func (p *program) matrixCommand() *cli.Command {
	return plottedCommand(p, ask.Matrix(), commandHelp{complete: p.completeScenarios, examples: `
track matrix growth_plus@theta-14 --order failures
track matrix growth_plus@theta-14 --plot metrics.svg
track matrix growth_plus --by configurations --seed-order failures
track matrix --by scenarios --label v0.10.2`})
}
