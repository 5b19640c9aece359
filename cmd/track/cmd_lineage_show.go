package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"track/evolution"
	"track/store"
	"track/tracker/lineages"
)

func (p *program) lineageShowCommand() *cli.Command {
	return &cli.Command{
		Name:      "show",
		Usage:     "where a lineage stands: head, mutations, settings",
		UsageText: "track lineage show NAME",
		Description: `Example:
   track lineage show sepa --format json`,
		BashComplete: p.completeLineages,
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track lineage show takes NAME")
			}
			st, err := p.open(c.Context)
			if err != nil {
				return err
			}
			defer func() { _ = st.Close() }()
			return p.showLineage(c.Context, st.Reader, c.Args().First())
		},
	}
}

type lineageDetail struct {
	Lineage   string                          `json:"lineage"`
	Subject   string                          `json:"subject"`
	Seed      string                          `json:"seed"`
	Head      string                          `json:"head"`
	End       evolution.Head                  `json:"end"` // of the ledger: keep it elsewhere, and replay finds what is cut off
	Mutations map[evolution.MutationState]int `json:"mutations"`
	Versions  []versionDocument               `json:"versions"`
	Settings  evolution.Settings              `json:"settings"`
}

func newLineageDetail(o lineages.Overview) lineageDetail {
	l := o.Lineage
	d := lineageDetail{
		Lineage: l.Name, Subject: l.Subject, Seed: l.Seed.String(), Head: l.Head, End: l.End, Mutations: o.Mutations, Versions: []versionDocument{}, Settings: l.Settings,
	}
	for _, v := range o.Versions {
		d.Versions = append(d.Versions, newVersionDocument(v))
	}
	return d
}

func (p *program) showLineage(ctx context.Context, st *store.Reader, name string) error {
	overview, err := lineages.LoadOverview(ctx, st, name)
	if err != nil {
		return err
	}
	l, d := overview.Lineage, newLineageDetail(overview)
	var states []string
	for _, state := range []evolution.MutationState{
		evolution.MutationProposed, evolution.MutationContinued, evolution.MutationAccepted, evolution.MutationRejected, evolution.MutationRefused, evolution.MutationWithdrawn,
	} {
		if n := d.Mutations[state]; n > 0 {
			states = append(states, fmt.Sprintf("%d %s", n, state))
		}
	}
	if len(states) == 0 {
		states = []string{"none yet"}
	}
	versions := versionsGrid()
	for _, v := range overview.Versions {
		row := newVersionDocument(v)
		if v.State != lineages.VersionArchived || len(overview.Versions) <= 20 {
			versions.cells = append(versions.cells, row.cells())
		}
	}
	text := fmt.Sprintf("%s, a lineage of %s: %s in force\nmutations: %s\nledger: %s, seed %s", l.Name, subjectText(l.Subject), orNone(l.Head), strings.Join(states, ", "), entriesText(l.End.Number), l.Seed)
	page := []any{text, versions}
	if hidden := len(d.Versions) - len(versions.cells); hidden > 0 {
		page = append(page, fmt.Sprintf("%d archived versions not shown: track version list %s shows all", hidden, l.Name))
	}
	return p.write(view{document: d, rows: versions, page: append(page, settingsGrid(l.Settings))})
}
