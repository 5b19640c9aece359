package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/ask"
	"track/internal/shell"
)

func (p *program) mutationCommand() *cli.Command {
	return &cli.Command{
		Name:  "mutation",
		Usage: "propose, decide and list mutations",
		Subcommands: []*cli.Command{
			questionCommand(p, ask.Propose(), commandHelp{read: readers{"child": p.readContentFile("--child")}, examples: `
track mutation propose --lineage sepa --child prompt.md --operator example_inject
track mutation propose --lineage theta --child '{"theta": 12}' --note "wider market"`}),
			p.mutationNextCommand(),
			questionCommand(p, ask.Plan(), commandHelp{read: readers{"policy": readPolicyFile}, examples: "track mutation plan m-3f0c9a5be1d27788 --format csv"}),
			questionCommand(p, ask.Decide(), commandHelp{read: readers{"policy": readPolicyFile}, examples: `
track mutation decide m-3f0c9a5be1d27788
track mutation decide m-3f0c9a5be1d27788 --policy confirm --dry-run --format json`}),
			questionCommand(p, ask.Mutations(), commandHelp{complete: p.completeLineages, examples: `
track mutation list sepa --state rejected
track mutation list sepa --limit 0 --format csv`}),
			questionCommand(p, ask.Mutation(), commandHelp{examples: "track mutation show m-3f0c9a5be1d27788"}),
			questionCommand(p, ask.MutationDiff(), commandHelp{examples: "track mutation diff m-3f0c9a5be1d27788"}),
			questionCommand(p, ask.Withdraw(), commandHelp{examples: `track mutation withdraw m-3f0c9a5be1d27788 --reason "asks for a tool that is gone"`}),
		},
	}
}

func (p *program) mutationNextCommand() *cli.Command {
	text := commandHelp{complete: p.completeLineages, examples: `
track mutation next sepa --format json
eval "$(track mutation next sepa --shell)" && echo "$action: $reason"`}
	command := customCommand(p, ask.Next(), text, func(c *cli.Context, a answer.Next) error {
		if c.Bool("shell") {
			return p.writeNextShell(a)
		}
		return p.writeAnswer(a)
	})
	command.Flags = append(command.Flags, &cli.BoolFlag{
		Name: "shell", Usage: "print quoted variables for the eval of a shell: action, version, task, executions, mutation, operator, until and reason",
	})
	next := command.Action
	command.Action = func(c *cli.Context) error {
		if c.Bool("shell") && p.shared.format != "table" {
			return usage("--shell and --format: one of them says how to print it")
		}
		return next(c)
	}
	return command
}

// writeNextShell writes what to do as variables of a shell.
func (p *program) writeNextShell(a answer.Next) error {
	until := ""
	if !a.Until.IsZero() {
		until = a.Until.UTC().Format(time.RFC3339Nano)
	}
	for _, variable := range [][2]string{
		{"action", string(a.Action)}, {"version", a.Version}, {"task", a.Task}, {"executions", strconv.Itoa(a.Executions)}, {"mutation", a.Mutation},
		{"operator", a.Operator}, {"until", until}, {"reason", a.Reason},
	} {
		if _, err := fmt.Fprintf(p.out, "%s=%s\n", variable[0], shellQuoted(variable[1])); err != nil {
			return err
		}
	}
	return nil
}

// shellQuoted returns a word that every shell reads as the text.
func shellQuoted(text string) string {
	if word := shell.Word(text); word != text {
		return word
	}
	return "'" + text + "'"
}
