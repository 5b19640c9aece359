package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/ask"
	"track/internal/process"
	"track/internal/provenance"
	"track/scoring/format"
	"track/store"
	"track/sweep"
	"track/tracker/sweeps"
)

func (p *program) sweepCommand() *cli.Command {
	var settings answer.SweepSettings
	var rules answer.SweepRules
	var f runFlags
	bound := p.bindParams("sweep", answer.SweepParams(&settings, &rules), nil)
	return p.admitting(&cli.Command{
		Name:      "sweep",
		Usage:     "run a command over seeds, record each seed, and resume",
		UsageText: "track sweep --scenario S --seeds 0..99 [FLAGS] -- COMMAND {seed} …",
		Description: `Runs COMMAND once for each seed, several at a time. In its words, {seed} stands for the seed, {out} for a fresh folder, and {KEY} for a parameter
of --param or --design. Write {{x}} for the text {x}. The environment has TRACK_SEED, TRACK_OUT, TRACK_PARAM_KEY, and all parameters as JSON in TRACK_PARAMS.

The command writes its values to values.json or values.csv in {out}, or as a JSON object on the last line of standard output. Its series are
series.csv and similar files in {out}.

Every seed is recorded with its outcome, exit code or signal, the end of its standard error, time and memory. A recorded seed is not run
again, so the same command resumes. An edit of the code makes another configuration; the files that are watched are printed.
Ctrl-C lets the running seeds finish; a second Ctrl-C kills them. Several track sweep of one plan share the work.

Examples:
   track sweep --scenario growth --seeds 0..99 -j 4 -- python sim.py --seed {seed} --out {out}
   track sweep --scenario growth --seeds 0..99 --param theta=8,10,12 --timeout 5m --retries 1 -- ./sim --seed {seed} --theta {theta}
   track sweep --scenario growth --seeds 0..9 --design points.csv -- ./sim --seed {seed} --theta {theta} --rate {rate}
   track sweep --scenario growth --seeds 0..999 --until "se<0.01" --repeat-check 0.05 -- ./sim --seed {seed}`,
		Flags: slices.Concat(bound.flags(), f.flags(), []cli.Flag{p.maxSizeFlag()}, p.textFormatFlags()),
		Subcommands: []*cli.Command{
			p.sweepPlanCommand(), p.sweepRunCommand(),
			questionCommand(p, ask.Sweeps(), commandHelp{examples: `
track sweep list growth
track sweep list --format json`}),
			questionCommand(p, ask.Sweep(), commandHelp{examples: `
track sweep show 7k3m9q2x
track sweep show 7k3m9q2x --format json`}),
		},
		Action: func(c *cli.Context) error {
			run, err := p.newSweepRun(c, bound, &settings, &rules, f)
			if err != nil {
				return bound.usageError(err)
			}
			return p.sweep(c.Context, run)
		},
	})
}

// runFlags say how a plan is run here.
type runFlags struct {
	jobs   int
	spec   int
	outDir string
	keep   bool
	failed bool // run failed seeds again
	rerun  bool // run all seeds again
	same   bool // take seeds of another command for the same
	spool  bool
	isNew  bool
}

func (f *runFlags) flags() []cli.Flag {
	return append([]cli.Flag{
		&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, DefaultText: "one for each processor", Usage: "run `N` seeds at a time", Destination: &f.jobs},
		&cli.IntFlag{Name: "spec", DefaultText: "the newest", Usage: "judge under this `VERSION` of the spec", Destination: &f.spec},
		&cli.BoolFlag{Name: "rerun-failed", Usage: "run seeds again that are recorded as failed; keep the old records as superseded", Destination: &f.failed},
		&cli.BoolFlag{Name: "rerun", Usage: "run all recorded seeds again, as after a change that the configuration does not show; keep old records that differ as superseded", Destination: &f.rerun},
		&cli.BoolFlag{Name: "same-command", Usage: "take recorded seeds that another command ran for seeds of this one", Destination: &f.same},
		newFlag(&f.isNew), spoolFlag(&f.spool),
	}, f.folderFlags()...)
}

// folderFlags say where the folders of the runs are made.
func (f *runFlags) folderFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "out-dir", DefaultText: "the folder for temporary files", Usage: "make the folders {out} of the runs in `DIR`", Destination: &f.outDir},
		&cli.BoolFlag{Name: "keep", Usage: "keep these folders, as DIR/SCENARIO/CONFIGURATION/SEED", Destination: &f.keep},
	}
}

func (f *runFlags) check() error {
	switch {
	case f.jobs < 0 || f.jobs > 10_000:
		return usage("--jobs %d: must be a number from 1 to 10000", f.jobs)
	case f.keep && f.outDir == "":
		return usage("--keep needs --out-dir DIR, where the folders stay")
	}
	if f.jobs == 0 {
		f.jobs = runtime.NumCPU()
	}
	return nil
}

// sweepRun is a plan to be run here.
type sweepRun struct {
	runFlags
	sweeps.Options
	declared bool   // the revision of the plan is not the working directory's
	spoolDir string // where the seeds are kept as lines; empty for none
	awayDir  string // the same, if the server of the database cannot be reached
	lines    string // the file in which the seeds are kept as lines; empty for none
}

func (p *program) newSweepRun(c *cli.Context, bound *boundParams, q *answer.SweepSettings, rules *answer.SweepRules, f runFlags) (run sweepRun, err error) {
	if err := bound.set(c); err != nil {
		return run, err
	}
	if err := passVariables(q.Env); err != nil {
		return run, err
	}
	if run.Plan, err = sweeps.NewPlan(*q, *rules); err != nil {
		return run, err
	}
	for _, text := range sweep.OddTexts(run.Plan.Grid) {
		p.notice("%s", text)
	}
	if run.Until, err = sweeps.NewStopRule(*rules, run.Plan.Seeds); err != nil {
		return run, err
	}
	run.runFlags, run.declared = f, q.Commit != ""
	if err := run.check(); err != nil {
		return run, err
	}
	if err := p.chooseJournal(c, &run); err != nil {
		return run, err
	}
	run.Plan.CreatedVersion = provenance.Version(version)
	origin, files, err := p.sweepOrigin(c.Context, run.Plan, q.Commit)
	run.Plan.Revision, run.Environment, run.Files = origin.Revision, origin.Environment, files
	return run, err
}

// sweepOrigin returns the revision of the code in the working directory, unless the user declared one, with the
// environment, and the files that a plan depends on.
func (p *program) sweepOrigin(ctx context.Context, plan sweep.Plan, declared string) (provenance.Origin, provenance.Files, error) {
	origin, files, err := sweeps.FindOrigin(ctx, plan, declared, provenance.Version(version), p.patience())
	if origin.Notice != "" {
		p.notice("%s", origin.Notice)
	}
	if names := files.Names(); len(names) > 0 {
		p.notice("watching %s: an edit makes another configuration", someOf(names))
	}
	if unresolved := files.Unresolved(); len(unresolved) > 0 {
		p.notice("not found, so not watched; --depends PATTERN adds files: %s", someOf(unresolved))
	}
	return origin, files, err
}

// someOf names the first of many.
func someOf(names []string) string {
	const named = 20
	text := strings.Join(names[:min(named, len(names))], ", ")
	if more := len(names) - named; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// sweep runs a plan and writes what became of it.
func (p *program) sweep(ctx context.Context, run sweepRun) error {
	runner, err := sweep.NewRunner(run.Plan, run.outDir, run.keep, p.now)
	if err != nil {
		return err
	}
	defer runner.Close()
	runner.Largest = p.maxSize
	if err := p.readTextOf(&runner); err != nil {
		return err
	}
	kept := p.tallyKept(&runner)
	if !runner.Command.UsesSeed() {
		p.notice("no {seed} among the words of the command: it has to read TRACK_SEED")
	}
	run.Jobs, run.SpecVersion, run.Texts = run.jobs, run.spec, p.texts()
	run.RerunFailed, run.Rerun, run.SameCommand, run.New = run.failed, run.rerun, run.same, run.isNew
	if err := run.AddProvenance(ctx, run.declared, p.patience(), func(text string) { p.notice("%s", text) }); err != nil {
		return err
	}
	display := p.newSweepDisplay(run.Plan)
	sweeper, closeRecords, err := p.sweeper(ctx, run, runner, display)
	if err != nil {
		return err
	}
	kill, stop, release := process.Interruptions(ctx, display.stopping)
	defer release()
	result, err := sweeper.Sweep(kill, stop)
	err = display.finish(err, closeRecords())
	kept.addTo(&result)
	return p.writeSweep(result, err, ctx.Err() != nil)
}

// sweeper returns what runs the plan, and records the seeds in the database or keeps them as lines.
func (p *program) sweeper(ctx context.Context, run sweepRun, runner sweep.Runner, display *sweepDisplay) (*sweeps.Sweeper, func() error, error) {
	if run.isJournaled() {
		return p.journalSweeper(ctx, run, runner, display)
	}
	st, err := p.openOrCreate(ctx)
	if p.isAway(run.awayDir, err) {
		run.spoolDir = run.awayDir
		return p.journalSweeper(ctx, run, runner, display)
	}
	if err != nil {
		return nil, nil, err
	}
	closeRecords := func() error { return errors.Join(st.Sync(), st.Close()) }
	if run.awayDir != "" && store.IsServer(st.Path()) {
		away := &awaySpool{program: p, dir: run.awayDir, store: st}
		run.Away, closeRecords = away, away.close
	}
	sweeper := sweeps.NewSweeper(st, bufio.NewReader(rand.Reader), runner.Run, run.Options, display.observer())
	return sweeper, closeRecords, nil
}

// writeSweep writes what became of a sweep; interrupted says that its user ended it.
func (p *program) writeSweep(a answer.SweepResult, problem error, interrupted bool) error {
	if problem != nil {
		if a.NRan == 0 {
			return fmt.Errorf("sweep %s: %w", a.Scenario, problem)
		}
		return fmt.Errorf("sweep %s: %w; recorded before that: %s", a.Scenario, problem, format.Counted(a.NRan, "seed"))
	}
	for _, s := range a.Notices() {
		p.noticeSentence(s)
	}
	err := p.writeAnswer(a)
	var verdict verdictExit
	if interrupted && (err == nil || errors.As(err, &verdict)) {
		return track.WithHint(interruption("sweep "+a.Scenario+": interrupted"), track.Hint{Text: "the same command goes on where it stopped"})
	}
	return err
}

// interruption is the error of a command that its user interrupted.
type interruption string

func (i interruption) Error() string { return string(i) }

func (interruption) Unwrap() error { return context.Canceled }
