package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/scoring/format"
	"track/tracker/loop"
)

func (p *program) evolveCommand() *cli.Command {
	var q answer.EvolveSettings
	var tasks []loop.Task
	bound := p.bindParams("evolve", q.Params(), readers{"tasks": func(file string) (string, error) {
		text, err := p.readInput("tasks", file, 256<<20)
		if err == nil {
			tasks, err = loop.ParseTasks(inputName(file), string(text))
		}
		return string(text), err
	}})
	return p.admitting(&cli.Command{
		Name:      "evolve",
		Usage:     "evolve a lineage by commands that propose and evaluate",
		UsageText: "track evolve --lineage L --propose COMMAND --evaluate COMMAND [FLAGS]",
		Description: `Runs the whole loop: proposes children by one command, runs trials of child and parent by the other one, decides by the lineage's policy,
rolls back if a trigger applies, and goes on. Both commands are lines of shell. They find the content of a version in the file $TRACK_CONTENT.

The propose command writes the child to $TRACK_CHILD, or prints it; $TRACK_OPERATOR says how to change the parent. The evaluate command
tries the version on $TRACK_TASK. Its last line of output is a score, or a JSON object with a score. A trial whose command fails has no score.

Every trial is recorded when it ends. The same command resumes after Ctrl-C or a crash. Several track evolve of one lineage share the work.

Examples:
   track evolve --lineage sepa --propose ./propose.sh --evaluate ./evaluate.sh --max-trials 60
   track evolve --lineage sepa --propose 'python propose.py' --evaluate 'python evaluate.py' --tasks tasks.jsonl --parallel 4 --until 'score>=95' --max-cost 5`,
		Flags: bound.flags(),
		Action: func(c *cli.Context) error {
			if err := bound.set(c); err != nil {
				return err
			}
			if most := q.Budget.CostUSD; most != nil && !(*most > 0) {
				return usage("--max-cost %v: must be above 0", *most)
			}
			return bound.usageError(p.evolve(c.Context, q, tasks))
		},
	})
}

// evolve runs a loop and writes what became of it.
func (p *program) evolve(ctx context.Context, q answer.EvolveSettings, tasks []loop.Task) error {
	st, err := p.openForUpdate(ctx)
	if err != nil {
		return err
	}
	display := p.newEvolveDisplay(q.Budget)
	a, err := loop.Run(ctx, st, bufio.NewReader(rand.Reader), loop.Options{
		Lineage: q.Lineage, Propose: q.Propose, Evaluate: q.Evaluate, Tasks: tasks, Parallel: q.Parallel, Timeout: q.Timeout, Retries: q.Retries,
		MaxFailures: q.MaxFailures, Measured: q.Measured, Budget: q.Budget, Until: q.Until,
	}, display.observer())
	display.end()
	if err = errors.Join(err, st.Close()); err != nil {
		if a.NTrials > 0 {
			err = fmt.Errorf("evolve %s: %w; recorded before that: %s", a.Lineage, err, format.Counted(a.NTrials, "trial"))
		}
		return err
	}
	for _, s := range a.Notices() {
		p.noticeSentence(s)
	}
	err = p.writeAnswer(a)
	var verdict verdictExit
	if a.Ending == answer.EvolveInterrupted && (err == nil || errors.As(err, &verdict)) {
		return track.WithHint(interruption("evolve "+a.Lineage+": interrupted"), track.Hint{Text: "the same command goes on where it stopped"})
	}
	return err
}
