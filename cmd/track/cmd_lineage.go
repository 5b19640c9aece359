package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/store"
)

func (p *program) lineageCommand() *cli.Command {
	return &cli.Command{
		Name:        "lineage",
		Usage:       "the lineages of agents and their settings",
		Subcommands: []*cli.Command{p.lineageListCommand(), p.lineageSetCommand()},
	}
}

func (p *program) lineageListCommand() *cli.Command {
	return &cli.Command{
		Name:      "list",
		Usage:     "list the lineages",
		UsageText: "track lineage list",
		Description: `A lineage comes into being with its first execution.

Example:
   track lineage list --format json`,
		Action: func(c *cli.Context) error {
			if c.NArg() != 0 {
				return usage("track lineage list takes no argument")
			}
			st, err := p.open(c.Context)
			if err != nil {
				return err
			}
			defer func() { _ = st.Close() }()
			names, err := st.Lineages(c.Context)
			if err != nil {
				return err
			}
			return p.listLineages(c.Context, st, names)
		},
	}
}

type lineageDocument struct {
	Lineage     string `json:"lineage"`
	NVersions   int    `json:"n_versions"`
	NExecutions int    `json:"n_executions"`
	KeepText    bool   `json:"keep_text"`
	Last        string `json:"last,omitempty"`
}

func (p *program) listLineages(ctx context.Context, st *store.Store, names []string) error {
	documents := []lineageDocument{}
	v := view{lines: []any{}, rows: grid{columns: []string{"lineage", "versions", "executions", "keeps text", "last"}}}
	for _, name := range names {
		d := lineageDocument{Lineage: name}
		var err error
		if d.KeepText, err = st.KeepsText(ctx, name); err != nil {
			return err
		}
		versions, err := st.Versions(ctx, name)
		if err != nil && !isNotFound(err) {
			return err
		}
		var last any
		d.NVersions = len(versions)
		for _, version := range versions {
			d.NExecutions += version.NExecutions
			if text := timeText(version.Last); text > d.Last {
				d.Last, last = text, shown{people(version.Last), text}
			}
		}
		documents = append(documents, d)
		v.lines = append(v.lines, d)
		v.rows.cells = append(v.rows.cells, []any{d.Lineage, d.NVersions, d.NExecutions, d.KeepText, last})
	}
	v.document, v.page = documents, []any{v.rows}
	if len(names) == 0 {
		v.page = []any{"there is no lineage yet: track record execution or track import makes one"}
	}
	return p.write(v)
}

func (p *program) lineageSetCommand() *cli.Command {
	return &cli.Command{
		Name:      "set",
		Usage:     "change a setting of a lineage",
		UsageText: "track lineage set NAME KEY=VALUE",
		Description: `keep_text=on keeps inputs and outputs of the calls recorded from now on, masked; keep_text=off, which is how a lineage begins, keeps
their digests and sizes.

Example:
   track lineage set sepa keep_text=on`,
		BashComplete: p.completeLineages,
		Action: func(c *cli.Context) error {
			if c.NArg() != 2 {
				return usage("track lineage set takes NAME and KEY=VALUE")
			}
			name := c.Args().Get(0)
			key, value, _ := strings.Cut(c.Args().Get(1), "=")
			keep := map[string]bool{"on": true, "off": false}
			on, known := keep[value]
			if key != "keep_text" || !known {
				return usage("%s: the setting is keep_text=on or keep_text=off", c.Args().Get(1))
			}
			if err := track.CheckName(name); err != nil {
				return usage("NAME %v", err)
			}
			st, err := p.openOrCreate(c.Context)
			if err != nil {
				return err
			}
			defer func() { _ = st.Close() }()
			if err := st.Update(c.Context, func(tx *store.Tx) error { return tx.SetKeepText(name, on) }); err != nil {
				return err
			}
			return p.write(view{
				document: map[string]any{"lineage": name, "keep_text": on},
				rows:     grid{columns: []string{"lineage", "keep_text"}, cells: [][]any{{name, on}}},
				page:     []any{fmt.Sprintf("%s: keep_text is %s", name, value)},
			})
		},
	}
}
