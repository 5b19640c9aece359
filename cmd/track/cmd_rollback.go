package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"track/evolution"
	"track/tracker/lineages"
)

func (p *program) rollbackCommand() *cli.Command {
	var o lineages.RollbackOptions
	var at string
	return &cli.Command{
		Name:      "rollback",
		Usage:     "put an earlier version in force",
		UsageText: "track rollback L (--to V | --best | --previous | --if-triggered) [--reason TEXT]",
		Description: `--best is the version with the highest fitness among those that were ever in force, --previous the one before that in force.
--if-triggered goes back only where a trigger of the settings applies: drops of fitness from version to version in a row, a fitness below a
share of the best, or an error rate that is too high. A rollback is an entry of the ledger, and begins the cooldown. None leads to a version
that matches a forbidden pattern of the settings: named with --to, that is a conflict, exit code 14.

Examples:
   track rollback sepa --if-triggered
   track rollback sepa --to v003 --reason "v004 forgets the tests"`,
		BashComplete: p.completeLineages,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "to", Usage: "this `VERSION`", Destination: &o.To},
			&cli.BoolFlag{Name: "best", Usage: "the best that was ever in force", Destination: &o.Best},
			&cli.BoolFlag{Name: "previous", Usage: "the one before", Destination: &o.Previous},
			&cli.BoolFlag{Name: "if-triggered", Usage: "where the first trigger that applies says, if any does", Destination: &o.IfTriggered},
			&cli.StringFlag{Name: "reason", Usage: "`TEXT` for the ledger", Destination: &o.Reason},
			atFlag(&at),
		},
		Action: func(c *cli.Context) error {
			ways := 0
			for _, given := range []bool{o.To != "", o.Best, o.Previous, o.IfTriggered} {
				if given {
					ways++
				}
			}
			if c.NArg() > 1 || ways != 1 {
				return usage("track rollback takes one LINEAGE and one of --to, --best, --previous and --if-triggered")
			}
			var err error
			if o.At, err = parseAt(at); err != nil {
				return err
			}
			return p.rollback(c.Context, c.Args().First(), o)
		},
	}
}

type rollbackDocument struct {
	Lineage    string                     `json:"lineage"`
	RolledBack bool                       `json:"rolled_back"`
	Number     int                        `json:"number,omitzero"` // of its entry in the ledger
	Head       string                     `json:"head"`
	Event      *evolution.RollbackEvent   `json:"event"`
	Hash       string                     `json:"hash,omitempty"`
	Warnings   []lineages.DecisionWarning `json:"warnings"`
}

func (p *program) rollback(ctx context.Context, lineage string, o lineages.RollbackOptions) error {
	st, err := p.openForUpdate(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	if lineage, err = evolving(ctx, st.Reader, lineage); err != nil {
		return err
	}
	if o.To, err = versionOf(lineage, o.To); err != nil {
		return err
	}
	r, err := lineages.Rollback(ctx, st, lineage, o)
	if err != nil {
		return err
	}
	d := rollbackDocument{Lineage: lineage, RolledBack: r.Event != nil, Number: r.Number, Head: r.Head, Event: r.Event, Hash: r.Hash, Warnings: notNil(r.Warnings)}
	text := "no trigger applies: " + orNone(r.Head) + " stays in force"
	var trigger evolution.Trigger
	if r.Event != nil {
		trigger = r.Event.Trigger
		text = fmt.Sprintf("%s is in force, before %s\n%s", r.Event.To, orNone(r.Event.From), r.Event.Reason)
	}
	for _, w := range r.Warnings {
		text += "\nwarning: " + w.Message
	}
	return p.write(view{
		document: d, page: []any{text},
		rows: grid{columns: []string{"lineage", "rolled_back", "trigger", "head"}, cells: [][]any{{lineage, d.RolledBack, string(trigger), d.Head}}},
	})
}
