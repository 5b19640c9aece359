package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"slices"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/ask"
	"track/reports"
	"track/reports/chart"
	"track/sweep"
	"track/tracker/seeds"
	"track/tracker/sweeps"
)

// historyOptions are what the command takes in addition to the parameters of the question.
type historyOptions struct {
	answer.HistoryQuestion
	lineage bool
	plot    string
}

func (p *program) historyCommand() *cli.Command {
	var o historyOptions
	def := ask.History()
	bound := p.bindParams(def.Name, def.Params(&o.HistoryQuestion), nil)
	text := commandHelp{examples: `
track history growth_plus
track history growth_plus --metric unemployment_rate_mean --plot unemployment.svg
track history growth_plus --limit 100 --format csv
track history sepa --metric tool_success_rate`}
	return &cli.Command{
		Name: def.Name, Usage: def.Help, UsageText: "track history SCENARIO|LINEAGE [FLAGS]", Description: text.description(def.About),
		BashComplete: p.completeScenarios,
		Flags: append(bound.flags(),
			&cli.BoolFlag{Name: "lineage", Usage: "show the lineage if a scenario has the same name", Destination: &o.lineage},
			&cli.StringFlag{Name: "plot", Usage: "draw the history to `FILE`.svg", Destination: &o.plot}),
		Action: func(c *cli.Context) error {
			if err := bound.set(c); err != nil {
				return err
			}
			return bound.usageError(p.history(c.Context, def, o))
		},
	}
}

func (p *program) history(ctx context.Context, def ask.Def[answer.HistoryQuestion, answer.History], o historyOptions) error {
	if err := o.Check(); err != nil {
		return err
	}
	from, release, err := sourceFor(ctx, p, def, o.HistoryQuestion)
	if err != nil {
		return err
	}
	defer release()
	lineage := o.lineage
	if !lineage {
		if lineage, err = isLineage(ctx, from, o.Scenario); err != nil {
			return err
		}
	}
	if lineage {
		return p.lineageHistory(ctx, from, o)
	}
	a, err := def.Ask(ctx, from, o.HistoryQuestion)
	if err != nil {
		return err
	}
	return p.writeHistory(a, reports.HistoryChart(a), o.plot)
}

func (p *program) lineageHistory(ctx context.Context, from ask.Source, o historyOptions) error {
	if o.Spec != 0 {
		return usage("--spec: %s is a lineage, which has no spec", o.Scenario)
	}
	a, err := ask.LineageHistory().Ask(ctx, from, answer.LineageHistoryQuestion{Lineage: o.Scenario, Component: o.Metric, Limit: o.Limit, Next: o.Next})
	if err != nil {
		return err
	}
	return p.writeHistory(a, reports.LineageHistoryChart(a), o.plot)
}

func (p *program) writeHistory(a answer.Answer, c chart.Chart, plot string) error {
	if plot != "" {
		if err := p.plot(plot, c); err != nil {
			return err
		}
	}
	return p.writeAnswer(a)
}

// isLineage reports whether a name belongs to a lineage, and to no scenario.
func isLineage(ctx context.Context, from ask.Source, name string) (bool, error) {
	if from.Store == nil {
		return isLineageOfServer(ctx, from, name)
	}
	scenarios, err := from.Store.Scenarios(ctx)
	if err != nil || slices.Contains(scenarios, name) {
		return false, err
	}
	lineages, err := from.Store.Lineages(ctx)
	return slices.Contains(lineages, name), err
}

// isLineageOfServer asks for the lineage, which a token for some of them may be allowed, unlike a list.
func isLineageOfServer(ctx context.Context, from ask.Source, name string) (bool, error) {
	_, err := ask.History().Ask(ctx, from, answer.HistoryQuestion{Scenario: name, Limit: 1})
	if !errors.Is(err, track.ErrNotFound) {
		return false, nil // what the history is asked next says the same
	}
	_, err = ask.LineageHistory().Ask(ctx, from, answer.LineageHistoryQuestion{Lineage: name, Limit: 1})
	if errors.Is(err, track.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

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

// rescoreCommand returns the command for both: seeds under another spec, and executions under another rubric, which are
// scored already.
func (p *program) rescoreCommand() *cli.Command {
	command := questionCommand(p, ask.Rescore(), commandHelp{examples: `
track rescore growth_plus --spec 2 --dry-run
track rescore growth_plus
track rescore sepa --rubric rubric/1`})
	command.UsageText = "track rescore SCENARIO [--spec VERSION] [--dry-run] | LINEAGE --rubric RUBRIC [FLAGS]"
	command.Flags = append(command.Flags, &cli.StringFlag{Name: "rubric", Usage: "list the executions of a lineage whose grade differs under `RUBRIC`"})
	rescore := command.Action
	command.Action = func(c *cli.Context) error {
		if c.IsSet("rubric") {
			return p.compareRubrics(c)
		}
		return rescore(c)
	}
	return command
}

func (p *program) compareRubrics(c *cli.Context) error {
	var q answer.GradeChangesQuestion
	def := ask.CompareRubrics()
	params := def.Params(&q)
	if err := params.Set(url.Values{"lineage": c.Args().Slice(), "rubric": {c.String("rubric")}}); err != nil {
		return usageOf(params, err)
	}
	return usageOf(params, askAndWrite(c.Context, p, def, q))
}
