package main

import (
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/internal/provenance"
	"track/scoring/verdict"
	"track/sweep"
	"track/tracker/sweeps"
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
	}
}

// ruleFlags are those that end a sweep early, or drop configurations of a grid.
func (f *sweepFlags) ruleFlags() []cli.Flag {
	return []cli.Flag{
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
func (f *sweepFlags) stopRule(seeds track.SeedRanges) (rule *sweeps.StopRule, err error) {
	switch {
	case f.until != "":
		precision, err := sweeps.ParsePrecision(f.until)
		if err != nil {
			return nil, usage("--until: %v", err)
		}
		return &sweeps.StopRule{Precision: precision}, nil
	case !f.untilDecided:
		return nil, nil
	}
	rule = &sweeps.StopRule{}
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
