package main

import (
	"context"
	"errors"
	"slices"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/ask"
	"track/reports"
	"track/reports/chart"
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
