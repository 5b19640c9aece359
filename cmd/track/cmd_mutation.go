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

func (p *program) mutationNextCommand() *cli.Command {
	text := commandHelp{examples: `
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
