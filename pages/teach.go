package pages

import (
	"cmp"
	"context"
	"net/url"

	"track/answer"
	"track/ask"
	"track/internal/shell"
)

// teachList shows the commands that would fill a list without rows, with the names of what is recorded.
func (b *builder) teachList(ctx context.Context) {
	commands := listCommands()[b.page.question.Name]
	for name := range b.asked {
		if name != "limit" && name != "lineage" { // what is asked for may exist elsewhere
			return
		}
	}
	for _, s := range b.view.Sections {
		if s.Table != nil && s.Table.N > 0 {
			return
		}
	}
	if commands == nil {
		return
	}
	b.view.Sections = append(b.view.Sections, section{ID: "begin", Title: "To begin", Commands: commands(b.nameOfScenario(ctx), b.asked.Get("lineage"))})
}

// listCommands returns what fills lists: commands for a scenario and a lineage, which may have no names yet.
func listCommands() map[string]func(scenario, lineage string) []string {
	return map[string]func(scenario, lineage string) []string{
		"sweep list": func(scenario, _ string) []string {
			return []string{"track sweep --scenario " + scenario + " --seeds 0..9 -- python simulate.py --seed {seed}", "track sweep list"}
		},
		"executions": func(_, lineage string) []string {
			version := "v001"
			if of, err := answer.ParseLineageSelector(lineage); err == nil && lineage != "" {
				if lineage = of.Lineage; of.Version != nil {
					version = *of.Version
				}
			}
			of := shell.Word(cmp.Or(lineage, "sepa"))
			return []string{
				"track record execution --lineage " + of + " --version " + shell.Word(version) + " --events executions.jsonl",
				"track import claude-code ~/.claude/projects --lineage " + of, "track executions " + of,
			}
		},
	}
}

// nameOfScenario returns the name of a scenario as a word of a command: the first one that is recorded.
func (b *builder) nameOfScenario(ctx context.Context) string {
	a, err := get(ctx, b, ask.Scenarios(), url.Values{"limit": {"1"}})
	if err != nil || len(a.Items) == 0 {
		return "growth_plus"
	}
	return shell.Word(a.Items[0].Scenario)
}
