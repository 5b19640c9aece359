package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/scoring/format"
	"track/store"
	"track/sweep"
	"track/tracker/seeds"
	"track/tracker/sweeps"
)

func (p *program) repeatCommand() *cli.Command {
	var f sweepFlags
	var r runFlags
	kept := map[string]bool{"timeout": true, "collapsed-exit": true, "series": true, "env": true}
	var flags []cli.Flag
	for _, flag := range f.flags() {
		if kept[flag.Names()[0]] {
			flags = append(flags, flag)
		}
	}
	for _, flag := range r.flags() {
		if name := flag.Names()[0]; name == "out-dir" || name == "keep" {
			flags = append(flags, flag)
		}
	}
	return &cli.Command{
		Name:      "repeat",
		Usage:     "run a recorded seed again, and compare the results",
		UsageText: "track repeat SCENARIO[@CONFIGURATION] SEED [FLAGS] -- COMMAND {seed} …",
		Description: `Runs COMMAND once, as track sweep does, with the recorded parameters. Compares outcome, values and series with the record, bit by bit.
The exit code is 13 if something differs. The result is recorded with the seed, and track stability warns about differences.

Examples:
   track repeat growth 7 -- python sim.py --seed {seed} --out {out}
   track repeat growth@theta-14 7 -- ./sim --seed {seed} --theta {theta}`,
		BashComplete: p.completeScenarios,
		Flags:        flags,
		Action: func(c *cli.Context) error {
			words := c.Args().Slice()
			if len(words) < 3 {
				return usage("track repeat takes SCENARIO[@CONFIGURATION], SEED, and after -- the command")
			}
			sel, err := answer.ParseSelector(words[0])
			if err != nil {
				return usage("%v", err)
			}
			number, err := track.ParseSeedNumber(words[1])
			if err != nil {
				return usage("SEED: %v", err)
			}
			if err := r.check(); err != nil {
				return err
			}
			f.scenario = sel.Scenario
			return p.repeat(c.Context, sel, number, f, r, words[2:])
		},
	}
}

func (p *program) repeat(ctx context.Context, sel answer.Selector, number track.SeedNumber, f sweepFlags, r runFlags, words []string) error {
	st, err := p.openForUpdate(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	choice, err := seeds.Choose(ctx, st.Reader, sel, false)
	if err != nil {
		return err
	}
	configuration := choice.Configurations[0].Configuration
	if _, _, err := st.SeedByNumber(ctx, sel.Scenario, number, choice.Configurations[0].ID); err != nil {
		return err
	}
	runner, remove, err := f.repeatRunner(st.Reader, r, configuration, words)
	if err != nil {
		return err
	}
	defer remove()
	runner.Guard = sweep.NewGuard(r.temporary(runner.Dir))
	defer runner.Guard.Close()
	if here := p.sweepRevision(ctx, ""); here != configuration.Revision && here.Commit != "" {
		p.notice("the seed is recorded under %s, and the code here is %s", revisionText(configuration.Revision), revisionText(here))
	}
	again, err := runner.Run(ctx, sweep.Job{Scenario: sel.Scenario, Configuration: configuration, Seed: number, Repeated: true})
	if err != nil {
		return err
	}
	recorder := seeds.NewRecorder(st, seeds.Options{}, bufio.NewReader(rand.Reader))
	differences, err := sweeps.Repeated(ctx, st, again, "", recorder)
	if err != nil {
		return err
	}
	return p.repeatAnswer(again, differences)
}

func (f *sweepFlags) repeatRunner(st *store.Reader, r runFlags, c track.Configuration, words []string) (runner sweep.Runner, remove func(), err error) {
	plan := sweep.Plan{Scenario: f.scenario, Command: words, Grid: []track.Params{c.Params}, Seeds: track.SeedRanges{{}}, CollapsedExit: f.collapsed}
	if f.timeout != "" {
		if plan.Timeout, err = parseDuration(f.timeout); err != nil {
			return runner, nil, usage("--timeout: %v", err)
		}
	}
	if plan.Env, err = resolveEnv(f.env.Value()); err != nil {
		return runner, nil, err
	}
	if problem := plan.Check(); problem != nil {
		return runner, nil, problem
	}
	command, err := plan.ParsedCommand()
	if err == nil {
		err = command.LookUp()
	}
	if err != nil {
		return runner, nil, err
	}
	dir, remove, err := outFolder(r)
	return sweep.Runner{
		Command: command, Dir: dir, Keep: r.keep, Env: plan.Env, Timeout: plan.Timeout, CollapsedExit: f.collapsed, Series: f.series.Value(), Now: st.Now,
	}, remove, err
}

func (p *program) repeatAnswer(again track.Seed, differences []string) error {
	text := fmt.Sprintf("seed %s of %s gave the same again: outcome %s, %s, %d series", again.Number, again.Scenario, again.Outcome, format.Counted(len(again.Values), "value"), len(again.Series))
	if len(differences) > 0 {
		text = fmt.Sprintf("seed %s of %s gave something else: %s", again.Number, again.Scenario, strings.Join(differences, "; "))
		if again.Outcome != track.OutcomeOK {
			text += "\n" + again.Message
		}
	}
	d := newSweptDocument(sweeps.SweptSeed{Seed: again, Repeated: true, Differences: differences})
	rows := grid{columns: []string{"scenario", "seed", "same", "differences"}, cells: [][]any{{again.Scenario, again.Number, fmt.Sprint(len(differences) == 0), strings.Join(differences, "; ")}}}
	if err := p.write(view{document: d, rows: rows, page: []any{text}}); err != nil {
		return err
	}
	if len(differences) > 0 {
		return verdictExit(exitMismatch)
	}
	return nil
}
