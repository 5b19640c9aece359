package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/ask"
	"track/reports"
	"track/store"
)

// historyOptions are what the command takes beside the parameters of the question.
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
			return p.history(c.Context, def, o)
		},
	}
}

func (p *program) history(ctx context.Context, def ask.Def[answer.HistoryQuestion, answer.History], o historyOptions) error {
	if err := o.Check(); err != nil {
		return usageOfParam(err)
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
		return p.lineageHistory(ctx, st.Reader, o.Scenario, o)
	}
	return p.scenarioHistory(ctx, st, def, o)
}

func (p *program) scenarioHistory(ctx context.Context, st *store.Store, def ask.Def[answer.HistoryQuestion, answer.History], o historyOptions) error {
	a, err := def.Ask(ctx, ask.Source{Store: st}, o.HistoryQuestion)
	if err != nil {
		return usageOfParam(err)
	}
	if o.plot != "" {
		if err := p.plot(o.plot, reports.HistoryChart(a)); err != nil {
			return err
		}
	}
	return p.writeAnswer(a)
}
