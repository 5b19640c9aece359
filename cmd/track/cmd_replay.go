package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/ask"
	"track/scoring/format"
)

func (p *program) replayCommand() *cli.Command {
	text := commandHelp{read: readers{"manifest": readManifestFile, "counterfactual": readPolicyFile}, examples: `
track replay
track replay --lineage sepa --strict
track replay --lineage sepa --counterfactual confirm`}
	return customCommand(p, ask.Replay(), text, func(_ *cli.Context, a answer.Replays) error {
		err := p.writeAnswer(a)
		if n := a.NDifferences(); n > 0 {
			err = fmt.Errorf("%w: %s", track.ErrDiffers, format.Counted(n, "difference"))
			return track.WithHint(err, track.Hint{Text: "restore the database from a copy, or import an earlier export of the lineage into another database, and replay that"})
		}
		return err
	})
}
