package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"track/evolution"
	"track/tracker/lineages"
)

type proposeOptions struct {
	lineage, child, operator, risk, note, id, at string
	parents                                      []string
	cost                                         *float64
	keepSecrets                                  bool
}

func (p *program) mutationProposeCommand() *cli.Command {
	var o proposeOptions
	return &cli.Command{
		Name:      "propose",
		Usage:     "record a child of a version, to be tried and decided",
		UsageText: "track mutation propose --lineage L --child FILE|- [--parent V]... [FLAGS]",
		Description: `The child is kept to the byte; a content that the lineage has already is that version. Without --parent it is a child of the version
in force; of two parents, as in a crossover, the child is compared with the first. Without --operator it is the one that track mutation
next drew. The id follows from parents, child and operator, so that proposing it again does nothing; by another operator it is a conflict,
exit code 14, unless --id names the attempt. A child that is empty, shorter than half or longer than twice its parent, or that matches a
forbidden pattern is recorded as refused, and the exit code is 10. The limits of a day bind track mutation next; a child beyond them is
recorded, with a warning.

Examples:
   track mutation propose --lineage sepa --child prompt.md --operator example_inject
   track mutation propose --lineage theta --child '{"theta": 12}' --note "wider market"`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "lineage", Usage: "`NAME` of the lineage", Destination: &o.lineage},
			&cli.StringFlag{Name: "child", Usage: "`FILE` with its content, - for standard input; of a simulation the JSON object itself will do", Destination: &o.child},
			&cli.StringSliceFlag{Name: "parent", Usage: "`VERSION` that it was made of; repeat it for a crossover"},
			&cli.StringFlag{Name: "operator", Usage: "`NAME` of what made it", Destination: &o.operator},
			&cli.StringFlag{Name: "risk", Usage: "LOW, MEDIUM or HIGH; else that of the operator", Destination: &o.risk},
			&cli.StringFlag{Name: "note", Usage: "`TEXT` for people", Destination: &o.note},
			&cli.Float64Flag{Name: "cost", Usage: "what it cost to make, in `USD`"},
			&cli.StringFlag{Name: "id", Usage: "`KEY` of your own", Destination: &o.id},
			&cli.BoolFlag{Name: "keep-secrets", Usage: "record a child in which something looks like a secret", Destination: &o.keepSecrets},
			atFlag(&o.at),
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 0 || o.child == "" {
				return usage("track mutation propose takes --child FILE, - for standard input")
			}
			o.parents, o.cost = c.StringSlice("parent"), optional(c, "cost")
			return p.propose(c.Context, o)
		},
	}
}

func (p *program) propose(ctx context.Context, o proposeOptions) error {
	at, err := parseAt(o.at)
	if err != nil {
		return err
	}
	child, err := p.readContent(ctx, "--child", o.child)
	if err != nil {
		return err
	}
	st, err := p.openForUpdate(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	lineage, err := evolving(ctx, st.Reader, o.lineage)
	if err != nil {
		return err
	}
	r, err := lineages.Propose(ctx, st, lineage, lineages.ProposeOptions{
		Child: child, Parents: o.parents, Operator: o.operator, Risk: evolution.Risk(strings.ToUpper(o.risk)), Note: o.note, CostUSD: o.cost, ID: o.id,
		KeepSecrets: o.keepSecrets, At: at,
	})
	if err != nil {
		return err
	}
	if err := p.write(proposeView(r)); err != nil {
		return err
	}
	for _, w := range r.Warnings {
		p.notice("warning: %s", w.Message)
	}
	if r.State == evolution.MutationRefused {
		return verdictExit(exitRejected)
	}
	return nil
}

type proposeDocument struct {
	mutationDocument
	Known    bool                      `json:"known"` // it was proposed before
	Refusals []evolution.Refusal       `json:"refusals"`
	Warnings []lineages.ProposeWarning `json:"warnings"`
}

func proposeView(r lineages.ProposeResult) view {
	d := proposeDocument{newMutationDocument(r.Lineage, r.Mutation), r.Known, notNil(r.Refusals), notNil(r.Warnings)}
	text := fmt.Sprintf("%s: %s of %s by %s (%s), %s", d.Mutation, d.Child, strings.Join(d.Parents, " and "), operatorText(d.Operator), d.Risk, d.State)
	if r.Known {
		text += "\nit was proposed before: nothing was changed"
	}
	for _, refusal := range r.Refusals {
		text += fmt.Sprintf("\n%s: %s", refusal.Code, refusal.Reason)
	}
	rows := mutationsGrid()
	rows.cells = [][]any{d.cells(r.Mutation)}
	return view{document: d, rows: rows, page: []any{text}}
}

// operatorText is the operator behind the word by.
func operatorText(name string) string {
	if name == lineages.OperatorByHand {
		return "hand"
	}
	return name
}
