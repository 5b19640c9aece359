package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"track"
	"track/masking"
	"track/provenance"
	"track/scoring"
	"track/scoring/verdict"
	"track/store"
	"track/sweep"
	"track/tracker"
)

// sweepFlags are those that make a plan.
type sweepFlags struct {
	scenario, seeds, label, commit, timeout, libraries, until, looks, baseline, halving string
	params, series, env                                                                 cli.StringSlice
	maxSeeds, retries, collapsed                                                        int
	repeat                                                                              float64
	untilDecided                                                                        bool
}

func (f *sweepFlags) flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "scenario", Usage: "`NAME` of the scenario", Destination: &f.scenario},
		&cli.StringFlag{Name: "seeds", Usage: "the planned seeds, as in `0..99`,200", Destination: &f.seeds},
		&cli.IntFlag{Name: "max-seeds", Usage: "the first `N` of them; without --seeds 0..N-1", Destination: &f.maxSeeds},
		&cli.StringSliceFlag{Name: "param", Usage: "`KEY=VALUE` of a parameter, again for more; VALUE,VALUE,… make one configuration each", Destination: &f.params},
		&cli.StringFlag{Name: "label", Usage: "`NAME` of the configuration, for people", Destination: &f.label},
		&cli.StringFlag{Name: "commit", Usage: "revision `ID` of the code, in place of that of the working directory", Destination: &f.commit},
		&cli.StringFlag{Name: "timeout", Usage: "a run that takes longer than this `TIME`, such as 90s or 5m, is ended and recorded as timeout", Destination: &f.timeout},
		&cli.IntFlag{Name: "retries", Usage: "run a failed seed up to `N` times more before it is recorded as failed", Destination: &f.retries},
		&cli.IntFlag{Name: "collapsed-exit", Usage: "the exit `CODE` by which the command says that the simulation collapsed", Destination: &f.collapsed},
		&cli.Float64Flag{Name: "repeat-check", Usage: "run this `SHARE` of the seeds again at the end, and compare", Destination: &f.repeat},
		&cli.StringSliceFlag{Name: "series", Usage: "`PATTERN` of files of series in {out}, again for more; series.*, series_*, *.series.* and series/* where none is given", Destination: &f.series},
		&cli.StringSliceFlag{Name: "env", Usage: "`KEY=VALUE` for the command, or KEY of a variable that is set, again for more; recorded as part of the environment", Destination: &f.env},
		&cli.StringFlag{Name: "env-cmd", Usage: "`COMMAND` of the shell that lists what the results depend on, such as \"pip freeze\"; kept with the sweep", Destination: &f.libraries},
		&cli.StringFlag{Name: "until", Usage: "end early by this `RULE`: se<0.01, width<0.05 (of the mean score) or pass_width<0.1", Destination: &f.until},
		&cli.BoolFlag{Name: "until-decided", Usage: "end early when the gate of the spec, or with --baseline the comparison, is decided, at any time or at the looks of --plan", Destination: &f.untilDecided},
		&cli.StringFlag{Name: "plan", Usage: "look at these `N,N,…` seeds only, alpha split between them", Destination: &f.looks},
		&cli.StringFlag{Name: "baseline", Usage: "with --until-decided: decide the comparison with `SCENARIO[@CONFIGURATION]`", Destination: &f.baseline},
		&cli.StringFlag{Name: "halving", Usage: "successive halving: `CONFIGURATIONS:SEEDS,…`, as in 100:10,50:20,10:100, of seeds in total", Destination: &f.halving},
	}
}

// resolve makes a plan of the flags and the command.
func (f *sweepFlags) resolve(command []string) (plan sweep.Plan, err error) {
	plan = sweep.Plan{
		Scenario: f.scenario, Command: command, Label: f.label, Retries: f.retries, CollapsedExit: f.collapsed, Series: f.series.Value(), Env: f.env.Value(),
		LibrariesFrom: f.libraries, RepeatShare: f.repeat, Until: f.until, CreatedVersion: provenance.Version(version),
	}
	if f.scenario == "" || len(command) == 0 || f.seeds == "" && f.maxSeeds == 0 {
		return plan, usage("track sweep needs --scenario NAME, --seeds 0..99, and after -- the command: track sweep --scenario growth --seeds 0..99 -- python sim.py --seed {seed}")
	}
	if err := track.CheckScenarioName(f.scenario); err != nil {
		return plan, usage("--scenario %v", err)
	}
	for _, name := range [...]struct{ flag, text string }{{"--label", f.label}, {"--commit", f.commit}} {
		if err := track.CheckName(name.text); name.text != "" && err != nil {
			return plan, usage("%s %v", name.flag, err)
		}
	}
	if plan.Seeds, err = f.planned(); err != nil {
		return plan, err
	}
	if plan.Grid, err = sweep.Grid(f.params.Value()); err != nil {
		return plan, usage("--param: %v", err)
	}
	if f.timeout != "" {
		if plan.Timeout, err = parseDuration(f.timeout); err != nil {
			return plan, usage("--timeout: %v", err)
		}
	}
	if f.halving != "" {
		if plan.Halving, err = sweep.ParseHalving(f.halving); err != nil {
			return plan, usage("--halving: %v", err)
		}
	}
	if f.untilDecided {
		plan.Until = strings.TrimSpace("decided " + f.looks)
	}
	if err := f.checkRules(); err != nil {
		return plan, err
	}
	if _, err := plan.ParsedCommand(); err != nil {
		return plan, err
	}
	if plan.Env, err = resolveEnv(plan.Env); err != nil {
		return plan, err
	}
	if problem := plan.Check(); problem != nil {
		return plan, usage("--%s: %s", strings.ReplaceAll(problem.Field, "_", "-"), problem.Message)
	}
	return plan, nil
}

func (f *sweepFlags) planned() (track.SeedRanges, error) {
	text := f.seeds
	if text == "" {
		text = "0.." + strconv.Itoa(max(0, f.maxSeeds-1))
	}
	if rest, open := strings.CutSuffix(text, ".."); open {
		text = rest + ".." + strconv.FormatUint(math.MaxUint64, 10)
	}
	ranges, err := track.ParseSeedRanges(text)
	if err != nil {
		return nil, usage("--seeds: %v", err)
	}
	seeds := track.NewSeedRanges(ranges...)
	if f.maxSeeds < 0 {
		return nil, usage("--max-seeds %d: it must be a number from 1", f.maxSeeds)
	}
	if f.maxSeeds > 0 {
		seeds = seeds.Slice(0, f.maxSeeds)
	}
	const most = 1_000_000_000
	if seeds.Len() > most {
		return nil, usage("--seeds %s: more than %d seeds; --max-seeds N says where to end", f.seeds, most)
	}
	return seeds, nil
}

// checkRules refuses rules of the end that do not go together.
func (f *sweepFlags) checkRules() error {
	switch {
	case f.until != "" && f.untilDecided:
		return usage("--until and --until-decided: a sweep ends by one rule")
	case !f.untilDecided && f.looks != "":
		return usage("--plan is for --until-decided")
	case !f.untilDecided && f.baseline != "":
		return usage("--baseline is for --until-decided; track improvement compares what is recorded")
	case f.halving != "" && (f.until != "" || f.untilDecided):
		return usage("--halving says itself how many seeds there are: it cannot be had with --until or --until-decided")
	}
	return nil
}

// stopRule is the rule by which a sweep ends early; nil for none.
func (f *sweepFlags) stopRule(seeds track.SeedRanges) (rule *tracker.StopRule, err error) {
	switch {
	case f.until != "":
		precision, err := tracker.ParsePrecision(f.until)
		if err != nil {
			return nil, usage("--until: %v", err)
		}
		return &tracker.StopRule{Precision: precision}, nil
	case !f.untilDecided:
		return nil, nil
	}
	rule = &tracker.StopRule{}
	looks := comparisonFlags{plan: f.looks}
	options, err := looks.look()
	if err != nil {
		return nil, err
	}
	if rule.Looks = options.Plan; len(rule.Looks) > 0 {
		if err := verdict.CheckPlan(rule.Looks); err != nil {
			return nil, usage("--plan: %v", err)
		}
		if last := rule.Looks[len(rule.Looks)-1]; last > seeds.Len() {
			return nil, usage("--plan %s: the last look is at %d seeds, and there are %d", f.looks, last, seeds.Len())
		}
	}
	rule.Baseline, err = selectorFlag("baseline", f.baseline)
	return rule, err
}

// resolveEnv gives the variables that are only named their values.
func resolveEnv(given []string) (list []string, err error) {
	for _, entry := range given {
		name, _, assigned := strings.Cut(entry, "=")
		if name == "" || strings.ContainsRune(entry, 0) {
			return nil, usage("--env %q is not KEY or KEY=VALUE", entry)
		}
		if !assigned {
			value, set := os.LookupEnv(name)
			if !set {
				return nil, usage("--env %s: it is not set; --env %s=VALUE sets it", name, name)
			}
			entry = name + "=" + value
		}
		list = append(list, entry)
	}
	return list, nil
}

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
		Flags:       slices.Concat(f.flags(), r.flags()),
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
	if origin.notice != "" {
		p.notice("%s", origin.notice)
	}
	return origin.revision
}

// sweepRun is a plan to be run here.
type sweepRun struct {
	runFlags
	plan     sweep.Plan
	shard    int
	whole    track.SeedRanges // the planned seeds of all shards, where this is one
	rule     *tracker.StopRule
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
		Secrets: secretsOf(run.plan.Env),
	}
	display := p.newSweepDisplay(run.plan)
	sweeper, closeRecords, err := p.sweeper(ctx, run, runner, options, display)
	if err != nil {
		return err
	}
	runner.Guard = sweep.NewGuard()
	defer runner.Guard.Close()
	kill, stop, release := p.sweepSignals(ctx, display)
	defer release()
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // it waits most of the time, and memory is for the runs
	summary, err := sweeper.Sweep(kill, stop)
	err = display.finish(err, closeRecords())
	return p.sweepAnswer(summary, err, ctx.Err() != nil)
}

// sweeper makes what runs the plan, and records it in the database or keeps it as lines.
func (p *program) sweeper(ctx context.Context, run sweepRun, runner sweep.Runner, options tracker.SweepOptions, display *sweepDisplay) (*tracker.Sweeper, func() error, error) {
	if !run.journal.none() {
		return p.journalSweeper(ctx, run, runner, options, display)
	}
	st, err := p.openOrCreate(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := p.noticeRule(ctx, st, run); err != nil {
		return nil, nil, errors.Join(err, st.Close())
	}
	sweeper := tracker.NewSweeper(st, bufio.NewReader(rand.Reader), runner.Run, options, display.observer())
	return sweeper, func() error { return errors.Join(st.Sync(), st.Close()) }, nil
}

// recordedNow is the time as it is recorded.
func (p *program) recordedNow() time.Time { return p.now().UTC().Truncate(time.Microsecond) }

// noticeRule says where a gate is never decided without a plan of looks.
func (p *program) noticeRule(ctx context.Context, st *store.Store, run sweepRun) error {
	if run.rule == nil || run.rule.Precision != nil || run.rule.Baseline != nil || len(run.rule.Looks) > 0 {
		return nil
	}
	_, declared, err := tracker.LoadSpec(ctx, st, run.plan.Scenario, run.spec)
	if err != nil {
		return err
	}
	if rules := tracker.RulesInForce(declared, scoring.GateRules{}); rules.Stable || rules.MaxStd != nil {
		p.notice("the gate asks for a bound of the sd, which no method decides at any time: it can end as FAIL only; --plan 30,60,120 looks at planned numbers of seeds")
	}
	return nil
}

func (p *program) sweepOptions(ctx context.Context, run sweepRun) (o tracker.SweepOptions, err error) {
	o = tracker.SweepOptions{
		Plan: run.plan, Shard: run.shard, Whole: run.whole, Jobs: run.jobs, SpecVersion: run.spec, RerunFailed: run.rerun, Until: run.rule,
		Environment: provenance.Environment(provenance.Version(version)),
	}
	if !run.declared && run.plan.Revision.Commit != "" {
		o.CodeChanged = func() bool {
			now, err := provenance.GitRevision(context.WithoutCancel(ctx), "")
			return err == nil && now.Dirty != provenance.DirtyUnknown &&
				(track.Revision{Commit: now.Commit, Dirty: now.Dirty == provenance.DirtyYes, DiffHash: now.DiffHash}) != run.plan.Revision
		}
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
			return o, track.WithHint(fmt.Errorf("--env-cmd: %w: %w", track.ErrInvalid, err), "it is run by sh -c, before the first seed")
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
