package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"track/store"
	"track/tracker/lineages"
)

func (p *program) drawsCommand() *cli.Command {
	return &cli.Command{
		Name:      "draws",
		Usage:     "every random number of a lineage, with all that it takes to draw it again",
		UsageText: "track draws L",
		Description: `A draw is a function of its key: the first 8 bytes of SHA-256 over "track/draw/1", a zero byte, the seed (8 bytes, big-endian) and,
each after its length (4 bytes, big-endian), lineage, mutation, attempt in decimal and label; u is its highest 53 bits over 2^53.

Example:
   track draws sepa --format csv`,
		BashComplete: p.completeLineages,
		Action: func(c *cli.Context) error {
			return p.readLineage(c, func(st *store.Reader, lineage string) error { return p.draws(c.Context, st, lineage) })
		},
	}
}

type drawLineDocument struct {
	Number int `json:"number"` // of the entry in the ledger
	drawDocument
	Outcome string `json:"outcome"`
	At      string `json:"at"`
}

func (p *program) draws(ctx context.Context, st *store.Reader, lineage string) error {
	list, err := lineages.Draws(ctx, st, lineage)
	if err != nil {
		return err
	}
	documents, v := []drawLineDocument{}, view{lines: []any{}, rows: grid{columns: []string{"#", "for", "label", "attempt", "seed", "raw", "u", "p", "outcome", "algorithm"}}}
	for _, d := range list {
		line := drawLineDocument{Number: d.Number, drawDocument: newDrawDocument(d.Draw, d.P, d.Used), Outcome: d.Outcome, At: timeText(d.At)}
		documents, v.lines = append(documents, line), append(v.lines, line)
		v.rows.cells = append(v.rows.cells, []any{
			d.Number, d.Draw.Mutation, d.Draw.Label, d.Draw.Attempt, fmt.Sprint(d.Draw.Seed), d.Draw.Raw.String(), shown{fmt.Sprintf("%.6f", d.Draw.U), d.Draw.U}, d.P, d.Outcome, d.Draw.Algorithm,
		})
	}
	v.document, v.page = documents, []any{v.rows}
	if len(list) == 0 {
		v.page = []any{"lineage " + lineage + " has drawn nothing yet"}
	}
	return p.write(v)
}
