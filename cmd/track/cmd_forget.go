package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"track/scoring/format"
)

func (p *program) forgetCommand() *cli.Command {
	return &cli.Command{
		Name:        "forget",
		Usage:       "remove texts that should not be kept",
		Subcommands: []*cli.Command{p.forgetExecutionCommand()},
	}
}

func (p *program) forgetExecutionCommand() *cli.Command {
	return &cli.Command{
		Name:      "execution",
		Usage:     "remove the texts of executions; scores, counts and digests stay",
		UsageText: "track forget execution ID…",
		Description: `The final text, inputs and outputs of calls, error messages, and what the reasons of scores quote of them. It cannot be undone. The
whole database is written anew, so that no trace stays in its files: forget many at once. Backups and copies keep what they have.

Example:
   track forget execution 01J9ZC5Q0D`,
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return usage("track forget execution takes one or more IDs")
			}
			st, err := p.openForUpdate(c.Context)
			if err != nil {
				return err
			}
			defer func() { _ = st.Close() }()
			var ids []string
			for _, id := range c.Args().Slice() {
				execution, err := st.Execution(c.Context, id)
				if err != nil {
					return err
				}
				ids = append(ids, execution.ID)
			}
			if err := st.Forget(c.Context, ids...); err != nil {
				return err
			}
			v := view{document: map[string]any{"forgotten": ids}, page: []any{fmt.Sprintf("removed the texts of %s", format.Counted(len(ids), "execution"))}}
			v.rows.columns = []string{"id"}
			for _, id := range ids {
				v.rows.cells = append(v.rows.cells, []any{id})
			}
			return p.write(v)
		},
	}
}
