package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"slices"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/sweep"
	"track/tracker/seeds"
	"track/tracker/sweeps"
)

func (p *program) repeatCommand() *cli.Command {
	var q answer.RepeatSettings
	var f runFlags
	bound := p.bindParams("repeat", q.Params(), nil)
	return p.admitting(&cli.Command{
		Name:      "repeat",
		Usage:     "run a recorded seed again, and compare the results",
		UsageText: "track repeat SCENARIO[@CONFIGURATION] SEED [FLAGS] -- COMMAND {seed} …",
		Description: `Runs COMMAND once, as track sweep does, with the recorded parameters. Compares outcome, values and series with the record, bit by bit.
The exit code is 13 if something differs. The result is recorded with the seed, and track stability warns about differences. Of other code
than the recorded one nothing is recorded. Without --timeout and --limit-cpu a seed of a sweep has the limits of time of that sweep.

Examples:
   track repeat growth 7 -- python sim.py --seed {seed} --out {out}
   track repeat growth@theta-14 7 -- ./sim --seed {seed} --theta {theta}`,
		BashComplete: p.completeScenarios,
		Flags:        slices.Concat(bound.flags(), f.folderFlags(), []cli.Flag{p.maxSizeFlag()}, p.textFormatFlags()),
		Action: func(c *cli.Context) error {
			if err := bound.set(c); err != nil {
				return err
			}
			if err := passVariables(q.Env); err != nil {
				return err
			}
			if err := f.check(); err != nil {
				return err
			}
			return bound.usageError(p.repeat(c.Context, q, f))
		},
	})
}

func (p *program) repeat(ctx context.Context, q answer.RepeatSettings, f runFlags) error {
	st, err := p.openForUpdate(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	choice, err := seeds.Choose(ctx, st.Reader, q.Of, false)
	if err != nil {
		return err
	}
	c := choice.Configurations[0]
	recorded, _, err := st.SeedByNumber(ctx, q.Of.Scenario, q.Seed, c.ID)
	if err != nil {
		return err
	}
	ran, err := sweeps.PlanOfRun(ctx, st.Reader, recorded.ID)
	if err != nil {
		return err
	}
	if q.Timeout == 0 && q.LimitCPU == 0 {
		q.Timeout, q.LimitCPU = ran.Timeout, ran.Limits.CPU
	}
	if recorded.Outcome == track.OutcomeTimeout && q.Timeout == 0 && q.LimitCPU == 0 {
		return track.WithHint(usage("the seed is recorded as a timeout, and would run without one"), track.Hint{Text: "say after how long it ends"}.With("timeout", "DURATION"))
	}
	plan, err := sweeps.RepeatPlan(q, c.Configuration)
	if err != nil {
		return err
	}
	runner, err := sweep.NewRunner(plan, f.outDir, f.keep, st.Now)
	if err != nil {
		return err
	}
	defer runner.Close()
	runner.Largest = p.maxSize
	if err := p.readTextOf(&runner); err != nil {
		return err
	}
	whole := plan // the files of all its configurations count
	if whole.Depends = ran.Depends; len(ran.Grid) > 0 {
		whole.Grid = ran.Grid
	}
	here, _, err := p.sweepOrigin(ctx, whole, "")
	if err != nil {
		return err
	}
	otherCode := sweeps.IsOtherCode(c.Revision, here.Revision)
	if otherCode {
		p.notice("the seed is recorded under %s, and the code here is %s", sweeps.RevisionText(c.Revision), sweeps.RevisionText(here.Revision))
	}
	again, err := runner.Run(ctx, sweep.Job{Scenario: q.Of.Scenario, Configuration: c.Configuration, Seed: q.Seed, Repeated: true})
	if err != nil {
		return err
	}
	entropy := seeds.NewRecorder(st, seeds.Options{}, bufio.NewReader(rand.Reader)).Entropy
	a, err := sweeps.CompareRepeated(ctx, st, again, otherCode, entropy)
	if err != nil {
		return err
	}
	return p.writeAnswer(a)
}
