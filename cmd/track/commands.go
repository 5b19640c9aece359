package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/ask"
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

// commandGroups returns all commands. Those that ask one question and write its answer stand here with their examples.
func (p *program) commandGroups() []commandGroup {
	return []commandGroup{
		{"record", []commandEntry{
			{"spec", parent("spec", "declare the metrics of a scenario and their targets",
				p.specAddCommand, asking(p, ask.Specs(), "track spec list"), p.specShowCommand, p.specDiffCommand, p.specLintCommand, p.specSchemaCommand)},
			{"record", p.recordCommand}, {"design", p.designCommand}, {"sweep", p.sweepCommand},
			{"withdraw", parent("withdraw", "take back a seed, a configuration or a sweep that was a mistake",
				asking(p, ask.WithdrawSeed(), `track withdraw seed growth_plus@v0.10.2 7 --reason "the disk was full"`),
				asking(p, ask.WithdrawConfiguration(), `track withdraw configuration growth_plus@theta=41 --reason "theta was meant to be 14"`),
				asking(p, ask.WithdrawSweep(), `
track withdraw sweep 7k3m9q2x --reason "ran the wrong branch"
track withdraw sweep 7k3m9q2x --plan-only --reason "10000 seeds were meant to be 1000"`))},
			{"restore", parent("restore", "take back a withdrawal",
				asking(p, ask.RestoreSeed(), `track restore seed growth_plus@v0.10.2 7 --reason "the disk was not full"`),
				asking(p, ask.RestoreConfiguration(), `track restore configuration growth_plus@v0.10.2 --reason "it was right"`),
				asking(p, ask.RestoreSweep(), `track restore sweep 7k3m9q2x --reason "it was the right branch"`))},
			{"import", p.importCommand}, {"hook", p.hookCommand},
		}},
		{"judge", []commandEntry{
			{"stability", asking(p, ask.Stability(), `
track stability growth_plus
track stability growth_plus@theta-14 --seeds 0..99
track stability growth_plus --format json`)},
			{"scenario", parent("scenario", "show which scenarios there are, and how they stand",
				asking(p, ask.Scenarios(), "track scenario list\ntrack scenario list --format json"))},
			{"seeds", asking(p, ask.Seeds(), `
track seeds growth_plus --status FAIL
track seeds growth_plus@theta-14
track seeds --outcome error --since 24h
track seeds growth_plus --label v2 --max-score 0.8 --format csv --limit 0`)},
			{"show", parent("show", "show one record in full",
				asking(p, ask.Seed(), `
track show seed growth_plus 7
track show seed growth_plus@theta-14 7 --format json`),
				asking(p, ask.ShowExecution(), `
track show execution 01J9Z
track show execution 01J9Z --rubric rubric/1
track show execution 01J9Z --output
track show execution 01J9Z --trace --grep "no such file"`))},
			{"history", asking(p, ask.History(), `
track history growth_plus
track history growth_plus --metric unemployment_rate_mean --plot unemployment.svg
track history growth_plus --limit 100 --format csv`)}, {"gate", p.gateCommand},
			{"baseline", parent("baseline", "pin the configuration that others are compared with",
				asking(p, ask.SetBaseline(), `track baseline set growth_plus@v0.10.2 --reason "release 0.10.2"`),
				asking(p, ask.Baseline(), `track baseline show growth_plus`),
				asking(p, ask.Baselines(), `track baseline list --format json`),
				asking(p, ask.UnsetBaseline(), `track baseline unset growth_plus --reason "the model was recalibrated"`))},
			{"note", p.noteCommand},
			{"tag", parent("tag", "give configurations tags",
				asking(p, ask.AddTags(), `track tag add growth_plus@theta-14 released paper`),
				asking(p, ask.RemoveTags(), `track tag remove growth_plus@theta-14 released`),
				asking(p, ask.Tags(), `track tag list --tag released`))},
			{"improvement", asking(p, ask.Improvement(), `
track improvement buffer_stock --baseline growth_plus
track improvement growth_plus@theta-14 --baseline growth_plus@v1 --only-changed
track improvement growth_plus --margin 0.01 --plan 8,10,20,30`)},
			{"compare", under(asking(p, ask.Compare(), `
track compare growth_plus@v1 growth_plus@theta-14
track compare growth_plus@v1 growth_plus@v2 growth_plus@v3 --values`),
				asking(p, ask.CompareVersions(), "track compare versions sepa@v001 sepa@v004 --format csv"),
				asking(p, ask.CompareExecutions(), "track compare executions 01J9Z 01JA0"))},
			{"matrix", asking(p, ask.Matrix(), `
track matrix growth_plus@theta-14 --order failures
track matrix growth_plus@theta-14 --plot metrics.svg
track matrix growth_plus --by configurations --seed-order failures
track matrix --by scenarios --label v0.10.2`)},
			{"params", asking(p, ask.Params(), `
track params growth
track params growth --metric unemployment_rate_mean --label grid
track params growth --plot theta --by firms -o theta.svg
track params growth --heatmap theta,firms -o means.svg`)},
			{"noise", func() *cli.Command {
				return questionCommand(p, ask.Noise(), commandHelp{progress: [2]string{"drawing", "pairs of samples"}, examples: `
track noise growth_plus
track noise growth_plus@v1 --min-pass-rate 0.9 --sizes 10,20,40,80`})
			}},
			{"seeds-needed", asking(p, ask.SeedsNeeded(), `
track seeds-needed growth_plus --effect 0.01
track seeds-needed growth_plus@theta-14 --baseline growth_plus@v1 --effect 0.02 --power 0.9`)},
			{"rescore", asking(p, ask.Rescore(), `
track rescore growth_plus --spec 2 --dry-run
track rescore growth_plus`)},
			{"series", parent("series", "list, show and export the series of a seed",
				asking(p, ask.SeriesList(), "track series list growth_plus 7"),
				asking(p, ask.SeriesShow(), `
track series show growth_plus 7
track series show growth_plus@theta-14 7 unemployment --format json
track series show growth_plus 7 unemployment --plot unemployment.svg`),
				asking(p, ask.SeriesBands(), `
track series bands growth_plus@theta-14 unemployment --points 50
track series bands growth_plus unemployment --seeds 0..9 --plot band.svg`),
				p.seriesExportCommand)},
			{"artifact", parent("artifact", "list and write the files that were kept of seeds",
				asking(p, ask.Artifacts(), `
track artifact list growth_plus
track artifact list growth_plus@theta-14 --seed 7 --format json`),
				p.artifactGetCommand)},
			{"executions", asking(p, ask.Executions(), `
track executions sepa --limit 20
track executions sepa@v002 --status error
track executions --max-score 60 --since 24h --format csv`)},
			{"search", func() *cli.Command {
				return questionCommand(p, ask.Search(), commandHelp{progress: [2]string{"indexing", "executions"}, examples: `
track search "no such file" --kind error
track search 'timeout "connection refused"' --lineage sepa@v002`})
			}},
			{"fitness", asking(p, ask.Fitness(), `
track fitness sepa@v002
track fitness sepa --rubric rubric/1 --format json`)},
			{"rubric", parent("rubric", "list, check and compare the rubrics that executions are scored under",
				p.rubricListCommand,
				asking(p, ask.CheckRubric(), `track rubric check airline --truth reward`),
				asking(p, ask.CompareRubrics(), `track rubric compare sepa --rubric rubric/1`))},
		}},
		{"evolve", []commandEntry{
			{"lineage", parent("lineage", "begin, list, show and change lineages",
				asking(p, ask.NewLineage(), `
track lineage new sepa --root prompt.md --seed 42
track lineage new theta --subject scenario:growth_plus --root '{"theta": 10}' --policy confirm`),
				asking(p, ask.Lineages(), "track lineage list --format json"),
				asking(p, ask.Lineage(), "track lineage show sepa --format json"),
				asking(p, ask.LineageTree(), "track lineage tree sepa --format csv"),
				asking(p, ask.LineageFront(), `
track lineage front sepa
track lineage front sepa --x task:t-17 --y task:t-18
track lineage front sepa --x cost --plot front.svg`),
				asking(p, ask.LineageHistory(), `
track lineage history sepa
track lineage history sepa --component tool_success_rate --plot tools.svg`),
				asking(p, ask.LineageHead(), "track version export sepa@$(track lineage head sepa) > prompt.md"),
				asking(p, ask.SetLineage(), `
track lineage set sepa keep_text=on
track lineage set sepa policy=confirm,n1=3,n2=8 interval=5 --reason "noise of 9 points"`),
				asking(p, ask.FreezeLineage(), `track lineage freeze sepa --reason "release week"`),
				asking(p, ask.UnfreezeLineage(), "track lineage unfreeze sepa"))},
			{"version", parent("version", "list, show and compare the versions of a lineage",
				asking(p, ask.Versions(), "track version list sepa --format csv"),
				asking(p, ask.Version(), "track version show sepa@v002"),
				asking(p, ask.VersionDiff(), `
track version diff sepa@v002
track version diff sepa@v001 v004`),
				p.versionExportCommand)},
			{"mutation", parent("mutation", "propose, decide and list mutations",
				asking(p, ask.Propose(), `
track mutation propose --lineage sepa --child prompt.md --operator example_inject
track mutation propose --lineage theta --child '{"theta": 12}' --note "wider market"`),
				p.mutationNextCommand,
				asking(p, ask.Plan(), "track mutation plan m-3f0c9a5be1d27788 --format csv"),
				asking(p, ask.Decide(), `
track mutation decide m-3f0c9a5be1d27788
track mutation decide m-3f0c9a5be1d27788 --policy confirm --dry-run --format json`),
				asking(p, ask.Mutations(), `
track mutation list sepa --state rejected
track mutation list sepa --limit 0 --format csv`),
				asking(p, ask.Mutation(), "track mutation show m-3f0c9a5be1d27788"),
				asking(p, ask.MutationDiff(), "track mutation diff m-3f0c9a5be1d27788"),
				asking(p, ask.Withdraw(), `track mutation withdraw m-3f0c9a5be1d27788 --reason "asks for a tool that is gone"`))},
			{"evolve", p.evolveCommand},
			{"rollback", asking(p, ask.Rollback(), `
track rollback sepa --if-triggered
track rollback sepa --to v003 --reason "v004 forgets the tests"`)},
			{"replay", p.replayCommand},
			{"operators", asking(p, ask.Operators(), "track operators sepa --suggest")},
			{"draws", asking(p, ask.Draws(), "track draws sepa --format csv")},
		}},
		{"report", []commandEntry{
			{"report", p.reportCommand}, {"query", p.queryCommand},
		}},
		{"exchange", []commandEntry{
			{"export", parent("export", "write tables for analysis, and lines to merge elsewhere",
				p.exportTableCommand, p.exportLineageCommand, p.exportLinesCommand)},
			{"merge", p.mergeCommand}, {"ingest", p.ingestCommand}, {"push", p.pushCommand}, {"status", p.statusCommand}, {"remote", p.remoteCommand},
		}},
		{"administer", []commandEntry{
			{"init", p.initCommand}, {"migrate", p.migrateCommand}, {"check", p.checkCommand}, {"backup", p.backupCommand},
			{"prune", under(asking(p, ask.Prune(), `
track prune --older-than 90d --dry-run
track prune --older-than 90d --keep baseline,head`),
				asking(p, ask.PruneSeries(), `
track prune series --older-than 90d --dry-run
track prune series --keep 1000`),
				asking(p, ask.PruneArtifacts(), `track prune artifacts --older-than 90d --keep 1000`))},
			{"forget", parent("forget", "remove texts from the database",
				asking(p, ask.ForgetExecution(), `track forget execution 01J9ZC5Q0D`))},
			{"serve", p.serveCommand}, {"ui", p.uiCommand},
			{"token", parent("token", "manage who may use a server of this database",
				asking(p, ask.AddToken(), `
track token add ci --scope record,read --scenario 'bam/*' --expires 90d
track token add ana --scope read`),
				asking(p, ask.SetToken(), `track token set ana --expires 90d`),
				asking(p, ask.Tokens(), `track token list`),
				asking(p, ask.RevokeToken(), `track token revoke ci`))},
			{"completion", p.completionCommand},
		}},
	}
}

// asking returns what builds the command of a question.
func asking[Q any, A answer.Answer](p *program, def ask.Def[Q, A], examples string) func() *cli.Command {
	return func() *cli.Command { return questionCommand(p, def, commandHelp{examples: examples}) }
}

// parent returns what builds a command that does nothing without one of its commands.
func parent(name, usage string, commands ...func() *cli.Command) func() *cli.Command {
	return under(func() *cli.Command { return &cli.Command{Name: name, Usage: usage} }, commands...)
}

// under returns what builds a command that has others.
func under(build func() *cli.Command, commands ...func() *cli.Command) func() *cli.Command {
	return func() *cli.Command {
		c := build()
		for _, command := range commands {
			c.Subcommands = append(c.Subcommands, command())
		}
		return c
	}
}

// noteCommand returns the command that adds a note, with what else there is to do with notes.
func (p *program) noteCommand() *cli.Command {
	example := `track note growth_plus@theta-14 "the run of the paper"`
	c := under(asking(p, ask.AddNote(), example),
		asking(p, ask.AddNote(), strings.Replace(example, "note", "note add", 1)),
		asking(p, ask.Notes(), `track note list growth_plus`),
		asking(p, ask.RemoveNote(), `track note remove 7k3m9q2x --reason "about another run"`))()
	c.Name, c.Usage, c.UsageText = "note", "attach notes to configurations", "track note SCENARIO@CONFIGURATION TEXT [FLAGS]"
	return c
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
