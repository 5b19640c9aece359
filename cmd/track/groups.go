package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// commandGroup is the commands that track --help lists together.
type commandGroup struct {
	name     string
	commands []*cli.Command
}

func (p *program) commandGroups() []commandGroup {
	return []commandGroup{
		{"record", []*cli.Command{
			p.specCommand(), p.recordCommand(), p.sweepCommand(), p.repeatCommand(), p.importCommand(), p.hookCommand(), p.watchCommand(),
		}},
		{"judge", []*cli.Command{
			p.stabilityCommand(), p.seedsCommand(), p.showCommand(), p.historyCommand(), p.gateCommand(), p.baselineCommand(), p.improvementCommand(),
			p.compareCommand(), p.noiseCommand(), p.seedsNeededCommand(), p.rescoreCommand(), p.seriesCommand(), p.executionsCommand(),
			p.fitnessCommand(), p.rubricCommand(),
		}},
		{"evolve", []*cli.Command{
			p.lineageCommand(), p.versionCommand(), p.mutationCommand(), p.rollbackCommand(), p.replayCommand(), p.operatorsCommand(), p.drawsCommand(),
		}},
		{"report", []*cli.Command{p.reportCommand(), p.queryCommand()}},
		{"exchange", []*cli.Command{p.exportCommand(), p.mergeCommand(), p.ingestCommand()}},
		{"administer", []*cli.Command{p.initCommand(), p.migrateCommand(), p.pruneCommand(), p.forgetCommand(), p.completionCommand()}},
	}
}

// helpTemplate returns the help of the program with its commands in groups; package cli would sort the groups by name.
func helpTemplate(groups []commandGroup) string {
	longest := 0
	for _, g := range groups {
		for _, c := range g.commands {
			longest = max(longest, len(c.Name))
		}
	}
	var commands strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&commands, "   %s:\n", g.name)
		for _, c := range g.commands {
			fmt.Fprintf(&commands, "     %-*s  %s\n", longest, c.Name, c.Usage)
		}
		commands.WriteByte('\n')
	}
	return "NAME:\n   {{.Name}} - {{.Usage}}\n\nUSAGE:\n   {{.UsageText}}\n\nVERSION:\n   {{.Version}}\n\nDESCRIPTION:\n   " +
		"{{nindent 3 .Description | trim}}\n\nCOMMANDS:\n" + commands.String() + "   track COMMAND --help explains a command, with examples\n"
}
