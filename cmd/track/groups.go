package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// commandGroup is the commands that track --help lists together.
type commandGroup struct {
	name     string
	commands []commandEntry
}

// commandEntry is a command that is built when it is needed: to build all of them takes half a millisecond.
type commandEntry struct {
	name  string
	build func() *cli.Command
}

func (p *program) commandGroups() []commandGroup {
	return []commandGroup{
		{"record", []commandEntry{
			{"spec", p.specCommand}, {"record", p.recordCommand}, {"design", p.designCommand}, {"sweep", p.sweepCommand}, {"repeat", p.repeatCommand},
			{"withdraw", p.withdrawCommand}, {"restore", p.restoreCommand}, {"import", p.importCommand}, {"hook", p.hookCommand}, {"watch", p.watchCommand},
		}},
		{"judge", []commandEntry{
			{"stability", p.stabilityCommand}, {"scenario", p.scenarioCommand}, {"seeds", p.seedsCommand}, {"show", p.showCommand},
			{"history", p.historyCommand}, {"gate", p.gateCommand}, {"baseline", p.baselineCommand},
			{"note", p.noteCommand}, {"tag", p.tagCommand},
			{"improvement", p.improvementCommand}, {"compare", p.compareCommand}, {"matrix", p.matrixCommand}, {"params", p.paramsCommand}, {"noise", p.noiseCommand},
			{"seeds-needed", p.seedsNeededCommand}, {"rescore", p.rescoreCommand}, {"series", p.seriesCommand}, {"artifact", p.artifactCommand},
			{"executions", p.executionsCommand}, {"search", p.searchCommand}, {"fitness", p.fitnessCommand}, {"rubric", p.rubricCommand},
		}},
		{"evolve", []commandEntry{
			{"lineage", p.lineageCommand}, {"version", p.versionCommand}, {"mutation", p.mutationCommand}, {"evolve", p.evolveCommand},
			{"rollback", p.rollbackCommand}, {"replay", p.replayCommand}, {"operators", p.operatorsCommand},
			{"draws", p.drawsCommand},
		}},
		{"report", []commandEntry{
			{"report", p.reportCommand}, {"query", p.queryCommand},
		}},
		{"exchange", []commandEntry{
			{"export", p.exportCommand}, {"merge", p.mergeCommand}, {"ingest", p.ingestCommand}, {"push", p.pushCommand}, {"status", p.statusCommand}, {"remote", p.remoteCommand},
		}},
		{"administer", []commandEntry{
			{"init", p.initCommand}, {"migrate", p.migrateCommand}, {"check", p.checkCommand}, {"backup", p.backupCommand}, {"prune", p.pruneCommand}, {"forget", p.forgetCommand}, {"serve", p.serveCommand}, {"ui", p.uiCommand}, {"token", p.tokenCommand},
			{"completion", p.completionCommand},
		}},
	}
}

// buildCommands returns the command of that name alone, or all commands in their groups if there is none.
func buildCommands(groups []commandGroup, name string) (commands []*cli.Command) {
	for _, g := range groups {
		for _, entry := range g.commands {
			if entry.name == name {
				return []*cli.Command{entry.build()}
			}
		}
	}
	for _, g := range groups {
		for _, entry := range g.commands {
			commands = append(commands, entry.build())
		}
	}
	return commands
}

// helpTemplate returns the help of the program with its commands in groups; package cli would sort the groups by name.
func helpTemplate(groups []commandGroup, commands []*cli.Command) string {
	longest := 0
	for _, c := range commands {
		longest = max(longest, len(c.Name))
	}
	var list strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&list, "   %s:\n", g.name)
		for _, c := range commands[:len(g.commands)] {
			fmt.Fprintf(&list, "     %-*s  %s\n", longest, c.Name, c.Usage)
		}
		commands = commands[len(g.commands):]
		list.WriteByte('\n')
	}
	return "NAME:\n   {{.Name}} - {{.Usage}}\n\nUSAGE:\n   {{.UsageText}}\n\nVERSION:\n   {{.Version}}\n\nDESCRIPTION:\n   " +
		"{{nindent 3 .Description | trim}}\n\nCOMMANDS:\n" + list.String() + "   track COMMAND --help explains a command, with examples\n"
}
