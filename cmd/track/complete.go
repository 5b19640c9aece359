package main

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"track/evolution"
	"track/internal/shell"
)

// completionFlag ends the command line by which a shell asks what the word before it, which may be empty, can become.
// bash asks with bashLineFlag after the line up to the cursor and the characters that part words.
const (
	completionFlag = "--generate-bash-completion"
	bashLineFlag   = "--complete-bash-line"
)

// completeFor prints what the last word can become, if a shell asks for that with the last of args.
func (p *program) completeFor(ctx context.Context, args []string) bool {
	last := len(args) - 1
	switch {
	case last > 0 && args[last] == completionFlag:
		p.complete(ctx, p.app(""), args[1:last])
	case last == 3 && args[last] == bashLineFlag:
		line := shell.ParseTyped(args[1], args[2])
		p.insert = line.Insert
		p.complete(ctx, p.app(""), line.Arguments())
	default:
		return false
	}
	return true
}

// complete prints what the last of words can become, one on a line; nothing where that is a file, or anything at all.
func (p *program) complete(ctx context.Context, app *cli.App, words []string) {
	if len(words) == 0 {
		return
	}
	command := &cli.Command{Subcommands: app.Commands, Flags: append(p.sharedFlags(), cli.VersionFlag)}
	valueOf := "" // the flag whose value comes next
	for _, word := range words[:len(words)-1] {
		next := find(command.Subcommands, word)
		switch {
		case valueOf == "db":
			p.shared.db, valueOf = word, ""
		case valueOf != "":
			valueOf = ""
		case len(word) > 1 && word[0] == '-':
			if !strings.Contains(word, "=") && takesValue(word, command.Flags, command.Subcommands) {
				valueOf = strings.TrimLeft(word, "-")
			}
		case next != nil:
			command = next
		}
	}
	p.typed = words[len(words)-1]
	switch {
	case valueOf != "":
		p.completeValue(ctx, valueOf)
	case strings.HasPrefix(p.typed, "-"):
		p.completeFlag(command)
	case len(command.Subcommands) > 0:
		p.offer(commandNames(command.Subcommands)...)
	case command.BashComplete != nil:
		c := cli.NewContext(app, flag.NewFlagSet("", flag.ContinueOnError), nil)
		c.Context = ctx
		command.BashComplete(c)
	}
}

// offer prints the candidates that begin with what is typed; for bash with the quotes that they need, since other
// shells quote what they insert. A name that is not a line of visible characters is not offered.
func (p *program) offer(candidates ...string) {
	for _, candidate := range candidates {
		if !strings.HasPrefix(candidate, p.typed) || !shell.Visible(candidate) {
			continue
		}
		insert := candidate
		if p.insert != nil {
			var safe bool
			if insert, safe = p.insert(candidate); !safe {
				continue
			}
		}
		fmt.Fprintln(p.out, insert)
	}
}

func (p *program) completeFlag(command *cli.Command) {
	p.offer("--help")
	for _, flag := range command.VisibleFlags() {
		p.offer("--" + flag.Names()[0])
	}
}

func (p *program) completeValue(ctx context.Context, flag string) {
	switch flag {
	case "format":
		p.offer("table", "json", "jsonl", "csv", "md")
	case "outcome":
		p.offer("ok", "error", "timeout", "collapsed")
	case "status":
		p.offer("PASS", "WARN", "FAIL")
	case "scenario":
		p.offerScenarios(ctx)
	case "lineage":
		p.offerLineages(ctx)
	case "policy", "counterfactual":
		p.offer(evolution.Policies()...)
	case "risk":
		p.offer("LOW", "MEDIUM", "HIGH")
	}
}

// completeScenarios offers the names of the scenarios as the arguments of a command.
func (p *program) completeScenarios(c *cli.Context) { p.offerScenarios(c.Context) }

func (p *program) offerScenarios(ctx context.Context) {
	st, err := p.open(ctx)
	if err != nil {
		return // a shell has no use for the reason
	}
	defer func() { _ = st.Close() }()
	scenarios, _ := st.Scenarios(ctx)
	p.offer(scenarios...)
}

// completeLineages offers the names of the lineages as the arguments of a command.
func (p *program) completeLineages(c *cli.Context) { p.offerLineages(c.Context) }

func (p *program) offerLineages(ctx context.Context) {
	st, err := p.open(ctx)
	if err != nil {
		return
	}
	defer func() { _ = st.Close() }()
	lineages, _ := st.Lineages(ctx)
	p.offer(lineages...)
}
