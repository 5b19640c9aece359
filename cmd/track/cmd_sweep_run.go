package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/urfave/cli/v2"

	"track/answer"
	"track/answer/param"
	"track/ask"
	"track/internal/provenance"
	"track/sweep"
	"track/tracker/sweeps"
)

func (p *program) sweepPlanCommand() *cli.Command {
	var q answer.SweepPlanQuestion
	def := ask.PlanSweep()
	bound := p.bindParams(def.Name, def.Params(&q), nil)
	rules := (&answer.SweepRules{}).Params()
	help := commandHelp{examples: `
track sweep plan --scenario growth --seeds 0..9999 --shards 8 -- ./sim --seed {seed} > plan.json
track sweep run plan.json --shard 3 --db shard3.db
track merge shard1.db shard2.db shard3.db`}
	return &cli.Command{
		Name: "plan", Usage: def.Help, Description: help.description(def.About),
		UsageText: "track sweep plan --scenario S --seeds 0..99 --shards N [FLAGS] -- COMMAND {seed} … > plan.json",
		Flags:     append(bound.flags(), refused(rules)...),
		Action: func(c *cli.Context) error {
			for _, rule := range rules {
				if c.IsSet(rule.Name) {
					return usage("--%s: a plan runs all of its seeds; only a sweep that is run at once ends early", rule.Name)
				}
			}
			if err := bound.set(c); err != nil {
				return err
			}
			if err := passVariables(q.Env); err != nil {
				return err
			}
			plan, err := sweeps.NewPlan(q.SweepSettings, answer.SweepRules{})
			if err != nil {
				return bound.usageError(err)
			}
			origin, _, err := p.sweepOrigin(c.Context, plan, q.Commit)
			if err != nil {
				return err
			}
			q.Revision = origin.Revision
			q.Creator = provenance.Version(version)
			a, err := p.planSweep(c, q)
			if err != nil {
				return bound.usageError(err)
			}
			for _, s := range a.Lead() {
				p.noticeSentence(s)
			}
			if err := a.Plan.Indent(jsontext.WithIndent("  ")); err != nil {
				return err
			}
			_, err = fmt.Fprintln(p.text(), string(a.Plan))
			return err
		},
	}
}

// planSweep asks for a plan. It needs no database; if there is one, the plan holds its spec. A server is asked for the
// spec alone: it gets neither the command nor its environment.
func (p *program) planSweep(c *cli.Context, q answer.SweepPlanQuestion) (answer.SweepPlan, error) {
	from, release, err := p.sourceForFiles(c.Context)
	switch {
	case isNotFound(err):
		return sweeps.WritePlan(q, nil)
	case err != nil:
		return answer.SweepPlan{}, err
	}
	defer release()
	if from.Store != nil {
		return ask.PlanSweep().Ask(c.Context, from, q)
	}
	declared, err := ask.Spec().Ask(c.Context, from, answer.SpecQuestion{Of: answer.SpecSelector{Scenario: q.Scenario}})
	if err != nil && !isNotFound(err) {
		return answer.SweepPlan{}, err
	}
	return sweeps.WritePlan(q, declared.Document)
}

// refused returns flags that the command recognizes in order to say why it does not take them.
func refused(params param.List) (flags []cli.Flag) {
	for _, p := range params {
		if p.Value.Type() == "boolean" {
			flags = append(flags, &cli.BoolFlag{Name: p.Name, Hidden: true})
			continue
		}
		flags = append(flags, &cli.StringFlag{Name: p.Name, Hidden: true})
	}
	return flags
}

// passVariables gives variables of the command that are only named the values that they have here.
func passVariables(env []string) error {
	for i, entry := range env {
		name, _, assigned := strings.Cut(entry, "=")
		if name == "" || strings.ContainsRune(entry, 0) {
			return usage("--env %q is not KEY or KEY=VALUE", entry)
		}
		if !assigned {
			value, set := os.LookupEnv(name)
			if !set {
				return usage("--env %s: it is not set; --env %s=VALUE sets it", name, name)
			}
			env[i] = name + "=" + value
		}
	}
	return nil
}

func (p *program) sweepRunCommand() *cli.Command {
	var f runFlags
	shard := 0
	anyRevision := false
	lines := ""
	return p.admitting(&cli.Command{
		Name:      "run",
		Usage:     "run a plan, or one shard of it",
		UsageText: "track sweep run PLAN|- --shard K [FLAGS]",
		Description: `Runs what track sweep plan wrote, from the working directory, and records it under the revision that the plan names. If the working
directory has another revision, the command refuses. A recorded seed is not run again, so the same command resumes. The spec of the plan is added
if the database has none.

Examples:
   track sweep run plan.json --shard 3 --db shard3.db
   track sweep run plan.json --shard "$SLURM_ARRAY_TASK_ID" --db "shard$SLURM_ARRAY_TASK_ID.db" -j 16`,
		Flags: append(append(f.flags(), p.textFormatFlags()...),
			&cli.IntFlag{Name: "shard", Usage: "run the part with this `NUMBER`, from 1; not needed if there is only one", Destination: &shard},
			&cli.StringFlag{Name: "jsonl", Usage: "keep the seeds as lines in `FILE`, which track ingest records; the same file resumes", Destination: &lines},
			p.maxSizeFlag(),
			&cli.BoolFlag{Name: "any-revision", Usage: "run even if the code here has another revision than the plan", Destination: &anyRevision},
		),
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track sweep run takes one PLAN, - for standard input")
			}
			plan, err := p.readPlan(c.Args().First())
			if err != nil {
				return err
			}
			if err := f.check(); err != nil {
				return err
			}
			run := sweepRun{runFlags: f, declared: true, lines: lines}
			run.Shard, run.Whole = shard, plan.Seeds
			switch {
			case !c.IsSet("shard") && plan.Shards > 1:
				return usage("track sweep run needs --shard NUMBER: the plan has shards 1 to %d", plan.Shards)
			case !c.IsSet("shard"):
				run.Shard = 1
			}
			if run.Plan, err = plan.Shard(run.Shard); err != nil {
				return usage("--shard: %v", err)
			}
			here, files, err := p.sweepOrigin(c.Context, run.Plan, "")
			if err != nil {
				return err
			}
			run.Environment, run.Files = here.Environment, files
			if err := sweeps.CheckRevision(run.Plan, here.Revision); err != nil && !anyRevision {
				return err
			}
			return p.runShard(c, run)
		},
	})
}

// runShard runs a shard into the database, or into a file of lines.
func (p *program) runShard(c *cli.Context, run sweepRun) error {
	if run.lines == "" {
		if err := p.chooseJournal(c, &run); err != nil {
			return err
		}
	}
	if !run.isJournaled() && len(run.Plan.Spec) > 0 {
		if err := p.addPlannedSpec(c, run.Plan); err != nil {
			return err
		}
	}
	return p.sweep(c.Context, run)
}

func (p *program) readPlan(file string) (plan sweep.Plan, err error) {
	text, err := p.readInput("plan", file, 64<<20)
	if err != nil {
		return plan, err
	}
	return sweep.ReadPlan(inputName(file), text)
}

func (p *program) addPlannedSpec(c *cli.Context, plan sweep.Plan) error {
	st, err := p.openOrCreate(c.Context)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	other, err := sweeps.AddPlannedSpec(c.Context, st, plan)
	if other > 0 {
		p.notice("the database has another spec of %s than the plan: version %d of the database judges the seeds", plan.Scenario, other)
	}
	return err
}
