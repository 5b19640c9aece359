package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"track/ask"
	"track/scoring/format"
	"track/scoring/rubric"
	"track/tracker/agents"
)

func (p *program) rescoreCommand() *cli.Command {
	command := questionCommand(p, ask.Rescore(), commandHelp{complete: p.completeScenarios, examples: `
track rescore growth_plus --spec 2 --dry-run
track rescore growth_plus
track rescore sepa --rubric rubric/1`})
	command.UsageText = "track rescore SCENARIO [--spec VERSION] [--dry-run] | LINEAGE --rubric RUBRIC [FLAGS]"
	command.Flags = append(command.Flags, &cli.StringFlag{Name: "rubric", Usage: "list the executions of a lineage whose grade differs under `RUBRIC`"})
	rescore := command.Action
	command.Action = func(c *cli.Context) error {
		if name := c.String("rubric"); name != "" && c.NArg() == 1 {
			return p.rescoreLineage(c.Context, c.Args().First(), name)
		}
		return rescore(c)
	}
	return command
}

type gradeChangeDocument struct {
	ID        string   `json:"id"`
	Version   string   `json:"version"`
	Task      string   `json:"task"`
	From      *float64 `json:"from_score"`
	FromGrade string   `json:"from_grade"`
	To        *float64 `json:"to_score"`
	ToGrade   string   `json:"to_grade"`
}

// rescoreLineage lists the executions whose grade is another under a rubric.
func (p *program) rescoreLineage(ctx context.Context, lineage, name string) error {
	if _, err := rubric.ByName(name); err != nil {
		return usage("--rubric: %v", err)
	}
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	changes, n, err := agents.CompareRubrics(ctx, st.Reader, lineage, name)
	if err != nil {
		return err
	}
	documents := []gradeChangeDocument{}
	v := view{lines: []any{}, rows: grid{columns: []string{"id", "version", "task", "in force", "grade", name, "grade under it"}}}
	for _, c := range changes {
		d := gradeChangeDocument{c.ID, c.Version, c.Task, c.From, c.FromGrade, c.To, c.ToGrade}
		documents = append(documents, d)
		v.lines = append(v.lines, d)
		v.rows.cells = append(v.rows.cells, []any{c.ID, c.Version, c.Task, c.From, c.FromGrade, c.To, c.ToGrade})
	}
	v.document = map[string]any{"lineage": lineage, "rubric": name, "n_executions": n, "n_changes": len(changes), "changes": documents}
	v.page = []any{fmt.Sprintf("%s: of %s with a score, %d have another grade under %s", lineage, format.Counted(n, "execution"), len(changes), name)}
	if len(changes) > 0 {
		v.page = append(v.page, v.rows)
	}
	return p.write(v)
}
