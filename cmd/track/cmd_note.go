package main

import (
	"github.com/urfave/cli/v2"

	"track/ask"
)

// noteCommand returns the command that adds a note, with what else there is to do with notes.
func (p *program) noteCommand() *cli.Command {
	c := questionCommand(p, ask.AddNote(), commandHelp{complete: p.completeScenarios, examples: `track note growth_plus@theta-14 "the run of the paper"`})
	c.Name, c.Usage, c.UsageText = "note", "attach notes to configurations", "track note SCENARIO@CONFIGURATION TEXT [FLAGS]"
	c.Subcommands = []*cli.Command{
		questionCommand(p, ask.AddNote(), commandHelp{complete: p.completeScenarios, examples: `track note add growth_plus@theta-14 "the run of the paper"`}),
		questionCommand(p, ask.Notes(), commandHelp{complete: p.completeScenarios, examples: `track note list growth_plus`}),
		questionCommand(p, ask.RemoveNote(), commandHelp{examples: `track note remove 7k3m9q2x --reason "about another run"`}),
	}
	return c
}

func (p *program) tagCommand() *cli.Command {
	return &cli.Command{
		Name: "tag", Usage: "give configurations tags",
		Subcommands: []*cli.Command{
			questionCommand(p, ask.AddTags(), commandHelp{complete: p.completeScenarios, examples: `track tag add growth_plus@theta-14 released paper`}),
			questionCommand(p, ask.RemoveTags(), commandHelp{complete: p.completeScenarios, examples: `track tag remove growth_plus@theta-14 released`}),
			questionCommand(p, ask.Tags(), commandHelp{complete: p.completeScenarios, examples: `track tag list --tag released`}),
		},
	}
}
