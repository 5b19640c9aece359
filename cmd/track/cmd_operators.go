package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"track/evolution"
	"track/scoring/format"
	"track/store"
	"track/tracker/lineages"
)

func (p *program) operatorsCommand() *cli.Command {
	var suggest bool
	return &cli.Command{
		Name:      "operators",
		Usage:     "how the operators of a lineage did, and which to use",
		UsageText: "track operators L [--suggest]",
		Description: `Tried counts proposals that were not refused; the rate of acceptance is of those that were decided, with its Wilson interval; mean delta is
that of the last decisions, with its t interval, and of all of them: those with few trials weigh as much as others. Cost per point is what the
mutations cost, where that is known, over the points that the accepted ones gained, as they were measured when they were decided.
--suggest says which operator the next consideration would draw, and records nothing.

Example:
   track operators sepa --suggest`,
		BashComplete: p.completeLineages,
		Flags:        []cli.Flag{&cli.BoolFlag{Name: "suggest", Usage: "say which operator to use now", Destination: &suggest}},
		Action: func(c *cli.Context) error {
			return p.readLineage(c, func(st *store.Reader, lineage string) error { return p.operators(c.Context, st, lineage, suggest) })
		},
	}
}

type operatorDocument struct {
	Operator     string            `json:"operator"`
	Risk         evolution.Risk    `json:"risk"`
	Listed       bool              `json:"listed"` // in the settings in force
	Tried        int               `json:"tried"`
	Refused      int               `json:"refused"`
	Open         int               `json:"open"`
	Accepted     int               `json:"accepted"`
	Rejected     int               `json:"rejected"`
	Withdrawn    int               `json:"withdrawn"`
	AcceptRate   *estimateDocument `json:"accept_rate"`
	Delta        *estimateDocument `json:"mean_delta"`
	CostUSD      *float64          `json:"cost_usd"`
	NCost        int               `json:"n_cost"` // mutations whose cost is known
	Gain         float64           `json:"gain"`   // points, of the accepted ones
	CostPerPoint *float64          `json:"cost_per_point"`
	RolledBack   int               `json:"rolled_back"`
	Weight       float64           `json:"weight"` // in the roulette
}

type suggestionDocument struct {
	Operator string         `json:"operator"`
	Risk     evolution.Risk `json:"risk"`
	Reason   string         `json:"reason"`
	Pending  bool           `json:"pending"` // it is drawn and recorded already
	Weights  []float64      `json:"weights"`
	Draw     drawDocument   `json:"draw"`
}

func newOperatorDocument(r lineages.OperatorReport) operatorDocument {
	d := operatorDocument{
		Operator: r.Operator.Name, Risk: r.Operator.Risk, Listed: r.Listed, Tried: r.Tried, Refused: r.Refused, Open: r.Open, Accepted: r.Accepted, Rejected: r.Rejected,
		Withdrawn: r.Withdrawn, NCost: r.NCost, Gain: r.Gain, CostPerPoint: r.CostPerPoint(), RolledBack: r.RolledBack, Weight: r.Weight,
	}
	if a := r.AcceptRate; a != nil {
		d.AcceptRate = &estimateDocument{&a.Value, a.N, newCI(a.Interval), a.Interval.Method}
	}
	if m := r.Delta; m != nil {
		d.Delta = &estimateDocument{&m.Mean, m.N, newCI(m.Interval), m.Interval.Method}
	}
	if r.NCost > 0 {
		d.CostUSD = &r.CostUSD
	}
	return d
}

func (p *program) operators(ctx context.Context, st *store.Reader, lineage string, suggest bool) error {
	list, err := lineages.Operators(ctx, st, lineage)
	if err != nil {
		return err
	}
	document := struct {
		Lineage    string              `json:"lineage"`
		Operators  []operatorDocument  `json:"operators"`
		Suggestion *suggestionDocument `json:"suggestion"`
	}{Lineage: lineage, Operators: []operatorDocument{}}
	rows := grid{columns: []string{"operator", "risk", "tried", "refused", "open", "accepted", "rate", "interval", "mean delta", "interval of delta", "cost/point", "rolled back", "weight"}}
	for _, r := range list {
		d := newOperatorDocument(r)
		document.Operators = append(document.Operators, d)
		var rate, rateInterval, delta, deltaInterval any
		if r.AcceptRate != nil {
			rate, rateInterval = shown{format.Percent(r.AcceptRate.Value), r.AcceptRate.Value}, intervalText(r.AcceptRate.Interval, format.Percent)
		}
		if r.Delta != nil {
			delta, deltaInterval = signedCell(&r.Delta.Mean), intervalText(r.Delta.Interval, signed)
		}
		rows.cells = append(rows.cells, []any{
			d.Operator, string(d.Risk), d.Tried, d.Refused, d.Open, d.Accepted, rate, rateInterval, delta, deltaInterval, d.CostPerPoint, d.RolledBack, shown{format.Fixed(d.Weight, 2), d.Weight},
		})
	}
	page := []any{rows}
	if suggest {
		s, err := lineages.SuggestOperator(ctx, st, lineage)
		if err != nil {
			return err
		}
		document.Suggestion = &suggestionDocument{s.Operator.Name, s.Operator.Risk, s.Reason, s.Pending, notNil(s.Weights), newDrawDocument(s.Draw, nil, s.DrawUsed)}
		text := fmt.Sprintf("use %s (%s): %s", s.Operator.Name, s.Operator.Risk, s.Reason)
		if s.DrawUsed {
			text += fmt.Sprintf(", drew %.4f", s.Draw.U)
		}
		if s.Pending {
			text += "\nit is drawn already: track mutation propose takes it"
		}
		page = append(page, text)
	}
	v := view{document: document, rows: rows, page: page}
	for _, d := range document.Operators {
		v.lines = append(v.lines, d)
	}
	return p.write(v)
}
