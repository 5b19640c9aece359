package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/ask"
	"track/reports/render"
	"track/scoring"
	"track/spec"
	"track/sweep"
	"track/tracker/agents"
	"track/tracker/sweeps"
)

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

func (p *program) designCommand() *cli.Command {
	var q answer.DesignQuestion
	output, force := "", false
	bound := p.bindParams("design", q.Params(), nil)
	help := commandHelp{examples: `
track design lhs --param theta=8:14 --param firms=10:40:int --n 64 -o points.csv
track design sobol --param rate=1e-4:1e-1:log --param rule=a,b --n 64 --seed 7 > points.csv
track design grid --param theta=8:14 --param firms=10,20,40 --n 4 -o points.jsonl
track sweep --scenario growth --seeds 0..9 --design points.csv -- ./sim --seed {seed} --theta {theta} --firms {firms}`}
	return &cli.Command{
		Name: "design", Usage: "spread configurations over ranges of parameters, for a sweep", UsageText: bound.usageText(),
		Description: help.description(`Writes one configuration a row, as CSV or JSON lines, which track sweep --design runs. METHOD is lhs (a Latin hypercube: each parameter takes one
value in each of N equal parts of its range), sobol (a Sobol sequence with a random shift; best with a power of two) or grid (every
combination). The same seed gives the same design on every machine.`),
		Flags: append(bound.flags(), &cli.StringFlag{Name: "output", Aliases: []string{"o"}, Destination: &output,
			Usage: "write to `FILE` instead of standard output: JSON lines if it ends in .jsonl, else CSV"},
			&cli.BoolFlag{Name: "force", Usage: "replace an existing file", Destination: &force}),
		Action: func(c *cli.Context) error {
			if err := bound.set(c); err != nil {
				return err
			}
			a, err := sweeps.NewDesign(q)
			if err != nil {
				return bound.usageError(err)
			}
			for _, s := range a.Lead() {
				p.noticeSentence(s)
			}
			options := p.renderOptions()
			switch {
			case strings.HasSuffix(output, ".jsonl"):
				options.Format = render.JSONL
			case options.Format == render.Table:
				options.Format = render.CSV
			}
			return p.writeData(output, force, func(w io.Writer) error { return render.Write(w, a, options) })
		},
	}
}

// readDesign reads a file of configurations. What is wrong with it is said with its name.
func (p *program) readDesign(file string) (string, error) {
	const largest = 64 << 20
	text, err := p.readInput("design", file, largest)
	if err != nil {
		return "", err
	}
	_, err = sweep.ReadDesign(inputName(file), text)
	return string(text), err
}

// rubricListCommand returns a command that needs no database.
func (p *program) rubricListCommand() *cli.Command {
	command := questionCommand(p, ask.Rubrics(), commandHelp{examples: `track rubric list --format json`})
	command.Action = func(c *cli.Context) error {
		if c.NArg() != 0 {
			return usage("track rubric list takes no argument")
		}
		a, err := agents.ListRubrics(c.Context, nil, answer.RubricsQuestion{})
		if err != nil {
			return err
		}
		return p.writeAnswer(a)
	}
	return command
}
