package main

import (
	"github.com/urfave/cli/v2"

	"track/answer"
	"track/ask"
)

func (p *program) replayCommand() *cli.Command {
	text := commandHelp{examples: `
track replay
track replay --lineage sepa --strict
track replay --lineage sepa --counterfactual confirm`}
	return customCommand(p, ask.Replay(), text, func(_ *cli.Context, a answer.Replays) error {
		err := p.writeAnswer(a)
		if problem := a.Err(); problem != nil {
			return problem
		}
		return err
	})
}
