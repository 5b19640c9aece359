package main

import (
	"context"
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/ask"
	"track/scoring"
	"track/spec"
)

func (p *program) specCommand() *cli.Command {
	return &cli.Command{
		Name:  "spec",
		Usage: "declare the metrics of a scenario and their targets",
		Subcommands: []*cli.Command{
			p.specAddCommand(),
			questionCommand(p, ask.Specs(), commandHelp{examples: "track spec list"}),
			p.specShowCommand(),
			p.specDiffCommand(), p.specLintCommand(), p.specSchemaCommand(),
		},
	}
}

func (p *program) specShowCommand() *cli.Command {
	command := questionCommand(p, ask.Spec(), commandHelp{examples: `
track spec show growth_plus
track spec show growth_plus@1 --format json
track spec show growth_plus@1 --document | tr -d '\\n' | sha256sum`})
	command.Flags = append(command.Flags, &cli.BoolFlag{Name: "document", Usage: "print only the canonical document, on one line"})
	show := command.Action
	command.Action = func(c *cli.Context) error {
		if !c.Bool("document") || c.NArg() != 1 {
			return show(c)
		}
		sel, err := answer.ParseSpecSelector(c.Args().First())
		if err != nil {
			return usage("%v", err)
		}
		q := answer.SpecQuestion{Of: sel}
		from, release, err := sourceFor(c.Context, p, ask.Spec(), q)
		if err != nil {
			return err
		}
		defer release()
		a, err := ask.Spec().Ask(c.Context, from, q)
		if err == nil {
			_, err = fmt.Fprintf(p.text(), "%s\n", a.Document)
		}
		return err
	}
	return command
}

func (p *program) specAddCommand() *cli.Command {
	isNew, def := false, ask.AddSpec()
	return p.admitting(&cli.Command{
		Name:      "add",
		Usage:     "add a spec file; a changed one becomes the next version",
		UsageText: "track spec add FILE|-",
		Description: def.About + `

Example:
   track spec add growth_plus.yaml`,
		Flags:  []cli.Flag{newFlag(&isNew)},
		Action: p.withOneFile(func(ctx context.Context, file string) error { return p.specAdd(ctx, def, file, isNew) }),
	})
}

func (p *program) specAdd(ctx context.Context, def ask.Def[answer.AddSpecQuestion, answer.SpecAdded], file string, isNew bool) error {
	parsed, err := p.readSpec(file)
	if err != nil {
		return err
	}
	document := string(spec.Canonical(parsed))
	q := answer.AddSpecQuestion{Document: &document, Scenario: parsed.Scenario, New: isNew}
	from, release, err := sourceFor(ctx, p, def, q)
	if err != nil {
		return err
	}
	defer release()
	added, err := def.Ask(ctx, from, q)
	if err != nil {
		return err
	}
	for _, w := range spec.Lint(parsed) {
		p.notice("%s", w)
	}
	return p.writeAnswer(added)
}

// readSpec reads and checks a spec file; - is standard input.
func (p *program) readSpec(file string) (scoring.Spec, error) {
	data, err := p.readInput("spec file", file, 64<<20)
	if err != nil {
		return scoring.Spec{}, err
	}
	return spec.Parse(inputName(file), data)
}

func (p *program) specDiffCommand() *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "show what differs between two specs",
		UsageText: "track spec diff A B [FLAGS]",
		Description: `A and B are SCENARIO[@VERSION] or spec files.

Examples:
   track spec diff growth_plus@1 growth_plus@2
   track spec diff growth_plus growth_plus.yaml`,
		BashComplete: p.completeScenarios,
		Action: func(c *cli.Context) error {
			if c.NArg() != 2 {
				return usage("track spec diff takes two of SCENARIO[@VERSION] or FILE")
			}
			a := answer.SpecDiff{Before: c.Args().Get(0), After: c.Args().Get(1)}
			before, err := p.specOrFile(c.Context, a.Before)
			if err != nil {
				return err
			}
			after, err := p.specOrFile(c.Context, a.After)
			if err != nil {
				return err
			}
			a.Items = spec.Diff(before, after)
			return p.writeAnswer(a)
		},
	}
}

// specOrFile reads the file of that name if there is one, and else the spec from the database.
func (p *program) specOrFile(ctx context.Context, name string) (scoring.Spec, error) {
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() || name == "-" {
		return p.readSpec(name)
	}
	sel, err := answer.ParseSpecSelector(name)
	if err != nil {
		return scoring.Spec{}, usage("%v", err)
	}
	from, release, err := p.sourceForFiles(ctx)
	if err != nil {
		return scoring.Spec{}, err
	}
	defer release()
	a, err := ask.Spec().Ask(ctx, from, answer.SpecQuestion{Of: sel})
	if err != nil {
		return scoring.Spec{}, err
	}
	return spec.Decode(a.Document)
}

func (p *program) specLintCommand() *cli.Command {
	return &cli.Command{
		Name:      "lint",
		Usage:     "check a spec file without adding it",
		UsageText: "track spec lint FILE|- [FLAGS]",
		Description: `Names what makes the file unusable (exit code 5), and warns about what is unusual. If the database has seeds
of the scenario, it also tests whether the skip of each mean over a series is long enough, and warns of values in percent.

Example:
   track spec lint growth_plus.yaml`,
		Action: p.withOneFile(func(ctx context.Context, file string) error {
			parsed, err := p.readSpec(file)
			if err != nil {
				return err
			}
			from, release, err := p.sourceForFiles(ctx)
			if isNotFound(err) {
				return p.writeAnswer(answer.NewSpecLint(file, parsed))
			}
			if err != nil {
				return err
			}
			defer release()
			document := string(spec.Canonical(parsed))
			lint, err := ask.LintSpec().Ask(ctx, from, answer.LintSpecQuestion{Document: &document, Scenario: parsed.Scenario})
			if err != nil {
				return err
			}
			lint.File = file
			return p.writeAnswer(lint)
		}),
	}
}

func (p *program) specSchemaCommand() *cli.Command {
	return &cli.Command{
		Name:      "schema",
		Usage:     "print the JSON Schema of spec files, for editors",
		UsageText: "track spec schema",
		Description: `Example:
   track spec schema > track-spec.schema.json`,
		Action: p.withoutArguments(func(*cli.Context) error {
			_, err := p.out.Write(spec.Schema())
			return err
		}),
	}
}

// withOneFile passes on the only argument of a command.
func (p *program) withOneFile(action func(ctx context.Context, file string) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		if c.NArg() != 1 {
			return usage("%s takes one FILE, or - for standard input", c.Command.HelpName)
		}
		return action(c.Context, c.Args().First())
	}
}
