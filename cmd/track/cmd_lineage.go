package main

import (
	"github.com/urfave/cli/v2"

	"track/ask"
)

func (p *program) lineageCommand() *cli.Command {
	return &cli.Command{
		Name:  "lineage",
		Usage: "begin, list, show and change lineages",
		Subcommands: []*cli.Command{
			p.lineageNewCommand(),
			questionCommand(p, ask.Lineages(), commandHelp{examples: "track lineage list --format json"}),
			questionCommand(p, ask.Lineage(), commandHelp{complete: p.completeLineages, examples: "track lineage show sepa --format json"}),
			questionCommand(p, ask.LineageTree(), commandHelp{complete: p.completeLineages, examples: "track lineage tree sepa --format csv"}),
			plottedCommand(p, ask.LineageFront(), commandHelp{complete: p.completeLineages, examples: `
track lineage front sepa
track lineage front sepa --x task:t-17 --y task:t-18
track lineage front sepa --x cost --plot front.svg`}),
			questionCommand(p, ask.LineageHead(), commandHelp{complete: p.completeLineages, examples: "track version export sepa@$(track lineage head sepa) > prompt.md"}),
			p.lineageSetCommand(),
			questionCommand(p, ask.FreezeLineage(), commandHelp{complete: p.completeLineages, examples: `track lineage freeze sepa --reason "release week"`}),
			questionCommand(p, ask.UnfreezeLineage(), commandHelp{complete: p.completeLineages, examples: "track lineage unfreeze sepa"}),
		},
	}
}

func (p *program) lineageNewCommand() *cli.Command {
	return questionCommand(p, ask.NewLineage(), commandHelp{
		read: readers{"policy": readPolicyFile, "operators": readOperatorsFile, "root": p.readContentFile("--root")},
		examples: `
track lineage new sepa --root prompt.md --seed 42
track lineage new theta --subject scenario:growth_plus --root '{"theta": 10}' --policy confirm`,
	})
}

func (p *program) lineageSetCommand() *cli.Command {
	return questionCommand(p, ask.SetLineage(), commandHelp{
		complete: p.completeLineages, read: readers{"setting": readSettingFile},
		examples: `
track lineage set sepa keep_text=on
track lineage set sepa policy=confirm,n1=3,n2=8 interval=5 --reason "noise of 9 points"`,
	})
}
