package main

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/urfave/cli/v2"

	"track"
	"track/internal/masking"
	"track/spec"
	"track/sweep"
	"track/tracker/seeds"
)

func (p *program) sweepPlanCommand() *cli.Command {
	var f sweepFlags
	shards := 0
	return &cli.Command{
		Name:      "plan",
		Usage:     "write a sweep down as a plan, in shards that other machines can run",
		UsageText: "track sweep plan --scenario S --seeds 0..99 --shards N [FLAGS] -- COMMAND {seed} … > plan.json",
		Description: `The plan holds the command, the configurations, the seeds, the revision of the code and the newest spec of the scenario, as JSON on standard output.
Each shard is a run of neighbouring seeds of all configurations. Nothing is recorded.

Examples:
   track sweep plan --scenario growth --seeds 0..9999 --shards 8 -- ./sim --seed {seed} > plan.json
   track sweep run plan.json --shard 3 --db shard3.db
   track merge shard1.db shard2.db shard3.db`,
		Flags: append(append(f.flags(), hidden(f.ruleFlags())...), &cli.IntFlag{Name: "shards", Usage: "cut the seeds into `N` parts", Destination: &shards}),
		Action: func(c *cli.Context) error {
			plan, err := f.resolve(c.Args().Slice())
			if err != nil {
				return err
			}
			if f.untilDecided || f.until != "" || f.halving != "" {
				return usage("a plan runs all of its seeds: --until, --until-decided and --halving are for track sweep")
			}
			if plan.Shards = 1; c.IsSet("shards") {
				if plan.Shards = shards; shards < 1 {
					return usage("--shards %d: it must be a number from 1", shards)
				}
			}
			if problem := plan.Check(); problem != nil {
				return usage("--%s: %s", problem.Field, problem.Message)
			}
			plan.Revision = p.sweepRevision(c.Context, f.commit)
			st, err := p.open(c.Context)
			switch {
			case err == nil:
				defer func() { _ = st.Close() }()
				stored, err := st.Spec(c.Context, plan.Scenario, 0)
				if err != nil && !isNotFound(err) {
					return err
				}
				if err == nil {
					plan.Spec = jsontext.Value(stored.Document)
				}
			case !isNotFound(err):
				return err
			}
			if len(plan.Spec) == 0 {
				p.notice("no spec yet: the shards will be recorded, and scored when they are merged where there is one")
			}
			text, err := plan.JSON()
			if err != nil {
				return err
			}
			for _, setting := range plan.Env {
				if _, n := masking.Mask(setting); n > 0 {
					name, _, _ := strings.Cut(setting, "=")
					p.notice("--env %s looks like a secret, and the plan holds it as it is: the shards need it", name)
				}
			}
			value := jsontext.Value(text)
			if err := value.Indent(jsontext.WithIndent("  ")); err != nil {
				return err
			}
			_, err = fmt.Fprintln(p.out, string(value))
			return err
		},
	}
}

func (p *program) sweepRunCommand() *cli.Command {
	var r runFlags
	shard := 0
	anyRevision := false
	lines := ""
	return &cli.Command{
		Name:      "run",
		Usage:     "run a plan, or one shard of it",
		UsageText: "track sweep run PLAN|- --shard K [FLAGS]",
		Description: `Runs what track sweep plan wrote, from the working directory, and records it under the revision that the plan names. Where this folder has another
revision, it refuses. What is recorded is not run again, so the same command resumes. The spec of the plan is added where the database has none.

Examples:
   track sweep run plan.json --shard 3 --db shard3.db
   track sweep run plan.json --shard "$SLURM_ARRAY_TASK_ID" --db "shard$SLURM_ARRAY_TASK_ID.db" -j 16`,
		Flags: append(r.flags(),
			&cli.IntFlag{Name: "shard", Usage: "the part with this `NUMBER`, from 1; not needed where there is one", Destination: &shard},
			&cli.StringFlag{Name: "jsonl", Usage: "keep the seeds as lines in `FILE`, which track ingest records; the same file resumes", Destination: &lines},
			&cli.BoolFlag{Name: "any-revision", Usage: "run although the code here is another than the plan names", Destination: &anyRevision},
		),
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track sweep run takes one PLAN, - for standard input")
			}
			plan, err := p.readPlan(c.Args().First())
			if err != nil {
				return err
			}
			if err := r.check(); err != nil {
				return err
			}
			switch {
			case !c.IsSet("shard") && plan.Shards > 1:
				return usage("track sweep run needs --shard NUMBER: the plan has those from 1 to %d", plan.Shards)
			case !c.IsSet("shard"):
				shard = 1
			}
			whole := plan.Seeds
			if plan, err = plan.Shard(shard); err != nil {
				return usage("--shard: %v", err)
			}
			if here := p.sweepRevision(c.Context, ""); here != plan.Revision && !anyRevision {
				return track.WithHint(fmt.Errorf("%w: the plan is for %s, and the code here is %s", track.ErrConflict, revisionText(plan.Revision), revisionText(here)), track.Hint{Text: "check out what the plan names, or say --any-revision: the seeds are recorded under the revision of the plan"})

			}
			run := sweepRun{plan: plan, shard: shard, whole: whole, runFlags: r, declared: true}
			if lines != "" {
				run.journal.file = lines
			} else if err := p.journalOf(c, &run); err != nil {
				return err
			}
			if run.journal.none() {
				if err := p.addPlannedSpec(c, plan); err != nil {
					return err
				}
			}
			return p.sweep(c.Context, run)
		},
	}
}

// hidden are flags that are taken, to be refused in words of their own, and not offered.
func hidden(flags []cli.Flag) []cli.Flag {
	for _, flag := range flags {
		switch flag := flag.(type) {
		case *cli.StringFlag:
			flag.Hidden = true
		case *cli.BoolFlag:
			flag.Hidden = true
		}
	}
	return flags
}

func (p *program) readPlan(file string) (plan sweep.Plan, err error) {
	text, err := p.readInput("plan", file, 64<<20)
	if err != nil {
		return plan, err
	}
	return sweep.ReadPlan(inputName(file), text)
}

// addPlannedSpec adds the spec of the plan, unless the scenario has one here. That the one here is another is said: the seeds are judged by it.
func (p *program) addPlannedSpec(c *cli.Context, plan sweep.Plan) error {
	if len(plan.Spec) == 0 {
		return nil
	}
	decoded, err := spec.Parse("spec of the plan", plan.Spec)
	if err != nil {
		return err
	}
	st, err := p.openOrCreate(c.Context)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	here, err := st.Spec(c.Context, decoded.Scenario, 0)
	if isNotFound(err) {
		_, err = seeds.AddSpec(c.Context, st, decoded)
		return err
	}
	if err == nil && here.Hash != spec.Hash(decoded) {
		p.notice("the database has another spec of %s than the plan: its seeds are judged by version %d of this one", decoded.Scenario, here.Version)
	}
	return err
}
