package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"track"
	"track/internal/masking"
	"track/internal/provenance"
	"track/scoring"
	"track/store"
	"track/sweep"
	"track/tracker/seeds"
	"track/tracker/sweeps"
)

// runFlags are those that say how a plan is run here.
type runFlags struct {
	jobs   int
	spec   int
	outDir string
	keep   bool
	rerun  bool
	spool  bool
}

func (f *runFlags) flags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, DefaultText: "one for each processor", Usage: "run `N` at a time", Destination: &f.jobs},
		&cli.IntFlag{Name: "spec", DefaultText: "the newest", Usage: "judge under this `VERSION` of the spec", Destination: &f.spec},
		&cli.StringFlag{Name: "out-dir", DefaultText: "the folder for temporary files", Usage: "make the folders {out} of the runs in `DIR`", Destination: &f.outDir},
		&cli.BoolFlag{Name: "keep", Usage: "keep them, as DIR/SCENARIO/CONFIGURATION/SEED", Destination: &f.keep},
		&cli.BoolFlag{Name: "rerun-failed", Usage: "run seeds again that are recorded as failed; what is recorded is kept as superseded", Destination: &f.rerun},
		spoolFlag(&f.spool),
	}
}

func (f *runFlags) check() error {
	switch {
	case f.jobs < 0 || f.jobs > 10_000:
		return usage("--jobs %d: it must be a number from 1", f.jobs)
	case f.keep && f.outDir == "":
		return usage("--keep needs --out-dir DIR, where the folders stay")
	}
	if f.jobs == 0 {
		f.jobs = runtime.NumCPU()
	}
	return nil
}

func (p *program) sweepCommand() *cli.Command {
	var f sweepFlags
	var r runFlags
	return &cli.Command{
		Name:      "sweep",
		Usage:     "run a command over seeds, record what comes of each, and resume",
		UsageText: "track sweep --scenario S --seeds 0..99 [FLAGS] -- COMMAND {seed} …",
		Description: `Runs COMMAND once for each seed, several at a time. In its words {seed} is the seed, {out} a fresh folder and {KEY} a parameter of --param; the
environment has the same as TRACK_SEED, TRACK_OUT, TRACK_PARAM_KEY and, as one JSON object, TRACK_PARAMS. {{x}} is the text {x}. The values are
values.json or values.csv in {out}, or else a JSON object on the last line of standard output; series.csv and the like in {out} are its series.

Every seed is recorded with its outcome, exit code or signal, the end of its standard error, time and memory. What is recorded is not run
again, so the same command resumes. Ctrl-C lets the running seeds finish, twice kills them. Several track sweep of one plan share the work.

Examples:
   track sweep --scenario growth --seeds 0..99 -j 4 -- python sim.py --seed {seed} --out {out}
   track sweep --scenario growth --seeds 0..99 --param theta=8,10,12 --timeout 5m --retries 1 -- ./sim --seed {seed} --theta {theta}
   track sweep --scenario growth --seeds 0..999 --until "se<0.01" --repeat-check 0.05 -- ./sim --seed {seed}`,
		Flags:       slices.Concat(f.flags(), f.ruleFlags(), r.flags()),
		Subcommands: []*cli.Command{p.sweepPlanCommand(), p.sweepRunCommand(), p.sweepListCommand(), p.sweepShowCommand(), p.sweepWithdrawCommand()},
		Action: func(c *cli.Context) error {
			plan, err := f.resolve(c.Args().Slice())
			if err != nil {
				return err
			}
			rule, err := f.stopRule(plan.Seeds)
			if err != nil {
				return err
			}
			if err := r.check(); err != nil {
				return err
			}
			run := sweepRun{plan: plan, rule: rule, runFlags: r, declared: f.commit != ""}
			if err := p.journalOf(c, &run); err != nil {
				return err
			}
			run.plan.Revision = p.sweepRevision(c.Context, f.commit)
			return p.sweep(c.Context, run)
		},
	}
}

// sweepRevision is that of the code in the working directory, unless the user declared one.
func (p *program) sweepRevision(ctx context.Context, declared string) track.Revision {
	origin := <-p.provenance(ctx, declared)
	if origin.Notice != "" {
		p.notice("%s", origin.Notice)
	}
	return origin.Revision
}

// sweepRun is a plan to be run here.
type sweepRun struct {
	runFlags
	plan     sweep.Plan
	shard    int
	whole    track.SeedRanges // the planned seeds of all shards, where this is one
	rule     *sweeps.StopRule
	declared bool // the revision is not that of the working directory
	journal  journaled
	database string // its file
}

// journalOf finds out whether the run is kept in a spool.
func (p *program) journalOf(c *cli.Context, run *sweepRun) error {
	dir, spooled, err := p.spooling(c, run.spool)
	if err != nil || !spooled {
		return err
	}
	run.journal.spoolDir = dir
	run.database, err = p.databasePath()
	if isNotFound(err) {
		run.database, err = store.DefaultFile, nil
	}
	return err
}

const keptAttachment = 4 << 20

func (p *program) sweep(ctx context.Context, run sweepRun) error {
	command, err := run.plan.ParsedCommand()
	if err != nil {
		return err
	}
	if err := command.LookUp(); err != nil {
		return err
	}
	if !command.UsesSeed() {
		p.notice("no {seed} among the words of the command: it has to read TRACK_SEED")
	}
	options, err := p.sweepOptions(ctx, run)
	if err != nil {
		return err
	}
	dir, remove, err := outFolder(run.runFlags)
	if err != nil {
		return err
	}
	defer remove()
	runner := sweep.Runner{
		Command: command, Dir: dir, Keep: run.keep, Env: run.plan.Env, Timeout: run.plan.Timeout, Retries: run.plan.Retries,
		CollapsedExit: run.plan.CollapsedExit, Series: run.plan.Series, Now: p.recordedNow,
		Secrets: secretsOf(run.plan.Env), Guard: sweep.NewGuard(run.temporary(dir)),
	}
	defer runner.Guard.Close()
	display := p.newSweepDisplay(run.plan)
	sweeper, closeRecords, err := p.sweeper(ctx, run, runner, options, display)
	if err != nil {
		return err
	}
	kill, stop, release := p.sweepSignals(ctx, display)
	defer release()
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // it waits most of the time, and memory is for the runs
	summary, err := sweeper.Sweep(kill, stop)
	err = display.finish(err, closeRecords())
	return p.sweepAnswer(summary, err, ctx.Err() != nil)
}

// sweeper makes what runs the plan, and records it in the database or keeps it as lines.
func (p *program) sweeper(ctx context.Context, run sweepRun, runner sweep.Runner, options sweeps.Options, display *sweepDisplay) (*sweeps.Sweeper, func() error, error) {
	if !run.journal.none() {
		return p.journalSweeper(ctx, run, runner, options, display)
	}
	st, err := p.openOrCreate(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := p.noticeRule(ctx, st.Reader, run); err != nil {
		return nil, nil, errors.Join(err, st.Close())
	}
	sweeper := sweeps.NewSweeper(st, bufio.NewReader(rand.Reader), runner.Run, options, display.observer())
	return sweeper, func() error { return errors.Join(st.Sync(), st.Close()) }, nil
}

// recordedNow is the time as it is recorded.
func (p *program) recordedNow() time.Time { return p.now().UTC().Truncate(time.Microsecond) }

// noticeRule says where a gate is never decided without a plan of looks.
func (p *program) noticeRule(ctx context.Context, st *store.Reader, run sweepRun) error {
	if run.rule == nil || run.rule.Precision != nil || run.rule.Baseline != nil || len(run.rule.Looks) > 0 {
		return nil
	}
	_, declared, err := seeds.LoadSpec(ctx, st, run.plan.Scenario, run.spec)
	if err != nil {
		return err
	}
	if rules := seeds.RulesInForce(declared, scoring.GateRules{}); rules.Stable || rules.MaxStd != nil {
		p.notice("the gate asks for a bound of the sd, which no method decides at any time: it can end as FAIL only; --plan 30,60,120 looks at planned numbers of seeds")
	}
	return nil
}

func (p *program) sweepOptions(ctx context.Context, run sweepRun) (o sweeps.Options, err error) {
	o = sweeps.Options{
		Plan: run.plan, Shard: run.shard, Whole: run.whole, Jobs: run.jobs, SpecVersion: run.spec, RerunFailed: run.rerun, Until: run.rule,
		Environment: provenance.Environment(provenance.Version(version)),
	}
	if !run.declared && run.plan.Revision.Commit != "" {
		o.CodeChanged = func() bool { return provenance.HasChanged(context.WithoutCancel(ctx), run.plan.Revision) }
	}
	for _, entry := range run.plan.Env {
		masked, _ := masking.Mask(entry)
		name, value, _ := strings.Cut(masked, "=")
		o.Environment["env."+name] = value
	}
	if run.plan.Revision.Dirty && !run.declared {
		if o.Changes, err = provenance.Changes(ctx, "", keptAttachment); err != nil {
			p.notice("the changes of the code are not kept: %v", err)
		}
	}
	if command := run.plan.LibrariesFrom; command != "" {
		if o.Libraries, err = provenance.Libraries(ctx, command, keptAttachment); err != nil {
			return o, track.WithHint(fmt.Errorf("--env-cmd: %w: %w", track.ErrInvalid, err), track.Hint{Text: "it is run by sh -c, before the first seed"})
		}
		o.Environment["libraries"] = textHash(o.Libraries)
	}
	return o, nil
}

// secretsOf are the values of variables that are masked where they are recorded.
func secretsOf(env []string) (secrets []string) {
	for _, entry := range env {
		_, value, _ := strings.Cut(entry, "=")
		if masked, n := masking.Mask(entry); n > 0 && value != "" && !strings.HasSuffix(masked, "="+value) {
			secrets = append(secrets, value)
		}
	}
	return secrets
}

// outFolder is where the folders of the runs are made.
func outFolder(f runFlags) (dir string, remove func(), err error) {
	if f.outDir != "" {
		if err := os.MkdirAll(f.outDir, 0o755); err != nil {
			return "", nil, err
		}
		dir, err = filepath.Abs(f.outDir)
		return dir, func() {}, err
	}
	dir, err = os.MkdirTemp("", "track-sweep-")
	return dir, func() { _ = os.RemoveAll(dir) }, err
}

// temporary is the folder of the runs where it is to be removed, whatever becomes of track; else empty.
func (f runFlags) temporary(dir string) string {
	if f.outDir != "" {
		return ""
	}
	return dir
}

// sweepSignals turn the first Ctrl-C, which ends ctx, into a stop that lets the running seeds finish, and the second one into the end of all.
func (p *program) sweepSignals(ctx context.Context, display *sweepDisplay) (kill context.Context, stop chan struct{}, release func()) {
	kill, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop = make(chan struct{})
	signals := make(chan os.Signal, 3)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	released := make(chan struct{})
	go func() {
		select {
		case <-ctx.Done():
		case <-released:
			return
		}
		display.stopping()
		close(stop)
		select { // the first one came through both channels
		case <-signals:
		case <-time.After(100 * time.Millisecond):
		case <-released:
			return
		}
		select {
		case <-signals:
			cancel()
		case <-released:
		}
	}()
	return kill, stop, func() {
		signal.Stop(signals)
		close(released)
		cancel()
	}
}

func textHash(text string) string {
	masked, _ := masking.Mask(text)
	sum := sha256.Sum256([]byte(masked))
	return hex.EncodeToString(sum[:])
}

func revisionText(r track.Revision) string {
	if r.Commit == "" {
		return "no commit"
	}
	return r.String()
}
