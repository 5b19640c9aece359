package main

import (
	"github.com/urfave/cli/v2"

	"track/ask"
)

func (p *program) noiseCommand() *cli.Command {
	return questionCommand(p, ask.Noise(), commandHelp{complete: p.completeScenarios, progress: [2]string{"drawing", "pairs of samples"}, examples: `
track noise growth_plus
track noise growth_plus@v1 --min-pass-rate 0.9 --sizes 10,20,40,80`})
}
