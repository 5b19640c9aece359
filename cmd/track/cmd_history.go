package main

import (
	"context"
	"slices"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/ask"
	"track/reports"
	"track/reports/chart"
	"track/store"
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
	bound := bindParams(def.Name, def.Params(&o.HistoryQuestion), nil)
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
			&cli.StringFlag{Name: "plot", Usage: "draw the history to `FILE`.svg or .png", Destination: &o.plot}),
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
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	lineage := o.lineage
	if !lineage {
		if lineage, err = isLineage(ctx, st.Reader, o.Scenario); err != nil {
			return err
		}
	}
	if lineage {
		return p.lineageHistory(ctx, st, o)
	}
	a, err := def.Ask(ctx, ask.Source{Store: st}, o.HistoryQuestion)
	if err != nil {
		return err
	}
	return p.writeHistory(a, reports.HistoryChart(a), o.plot)
}

func (p *program) lineageHistory(ctx context.Context, st *store.Store, o historyOptions) error {
	if o.Spec != 0 {
		return usage("--spec: %s is a lineage, which has no spec", o.Scenario)
	}
	a, err := ask.LineageHistory().Ask(ctx, ask.Source{Store: st}, answer.LineageHistoryQuestion{Lineage: o.Scenario, Component: o.Metric, Limit: o.Limit, Next: o.Next})
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
func isLineage(ctx context.Context, st *store.Reader, name string) (bool, error) {
	scenarios, err := st.Scenarios(ctx)
	if err != nil || slices.Contains(scenarios, name) {
		return false, err
	}
	lineages, err := st.Lineages(ctx)
	return slices.Contains(lineages, name), err
}
