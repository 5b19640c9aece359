package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/evolution"
	"track/store"
	"track/tracker/lineages"
)

type newLineageOptions struct {
	seed, policy, root, head, subject, operators, at string
	keepSecrets                                      bool
}

func (p *program) lineageNewCommand() *cli.Command {
	var o newLineageOptions
	return &cli.Command{
		Name:      "new",
		Usage:     "begin the ledger of a lineage",
		UsageText: "track lineage new NAME [--root FILE] [FLAGS]",
		Description: `A lineage is the history of one thing that is evolved: the prompt of an agent, whose executions are the evidence, or with --subject
scenario:S the parameters of a simulation, a JSON object, with the seeds of scenario S as evidence. --root is its first version in force.
A lineage that was only recorded so far goes on with the versions it has: the one that its source calls active, or that --head names, is in
force. Every draw follows from --seed; without it a seed is drawn, and recorded. The same command again does nothing.

Examples:
   track lineage new sepa --root prompt.md --seed 42
   track lineage new theta --subject scenario:growth_plus --root '{"theta": 10}' --policy confirm`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "seed", Usage: "whole `NUMBER` from 0 to 18446744073709551615 that all draws follow from", Destination: &o.seed},
			&cli.StringFlag{Name: "policy", Usage: "`NAME`, NAME,param=number or @FILE: threshold, strict, poi, confirm, sprt, cs or anneal", Destination: &o.policy},
			&cli.StringFlag{Name: "root", Usage: "`FILE` with the first version, - for standard input; of a simulation the JSON object itself will do", Destination: &o.root},
			&cli.StringFlag{Name: "head", Usage: "`VERSION` that is there already, in place of --root", Destination: &o.head},
			&cli.StringFlag{Name: "subject", Value: lineages.SubjectAgent, Usage: "agent, or `scenario:NAME`", Destination: &o.subject},
			&cli.StringFlag{Name: "operators", Usage: `FILE with the operators, [{"name": "rephrase", "risk": "LOW"}]`, Destination: &o.operators},
			&cli.BoolFlag{Name: "keep-secrets", Usage: "record a root in which something looks like a secret", Destination: &o.keepSecrets},
			atFlag(&o.at),
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track lineage new takes NAME")
			}
			if o.root != "" && o.head != "" {
				return usage("--root and --head: one of them is the first version in force")
			}
			return p.newLineage(c.Context, c.Args().First(), o)
		},
	}
}

func (p *program) newLineage(ctx context.Context, name string, o newLineageOptions) error {
	options, err := o.parse(ctx, p, name)
	if err == nil {
		err = options.Validate()
	}
	if err != nil {
		return err
	}
	st, err := p.openOrCreate(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	if err := checkRoot(ctx, st.Reader, options); err != nil {
		return err
	}
	l, created, err := lineages.New(ctx, st, options, rand.Reader)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s: a lineage of %s, seed %s, policy %s, %s in force", l.Name, subjectText(l.Subject), l.Seed, l.Settings.Policy, orNone(l.Head))
	if !created {
		text += "\nit was there already: nothing was changed"
	}
	if scenario := l.Scenario(); scenario != "" {
		if _, err := st.Spec(ctx, scenario, 0); isNotFound(err) {
			p.notice("scenario %s has no spec yet, so that its seeds have no score and nothing can be decided: track spec add FILE adds one", scenario)
		} else if err != nil {
			return err
		}
	}
	return p.write(view{
		document: map[string]any{"lineage": l.Name, "created": created, "seed": l.Seed.String(), "subject": l.Subject, "head": l.Head, "settings": l.Settings, "end": l.End},
		rows:     grid{columns: []string{"lineage", "seed", "subject", "policy", "head"}, cells: [][]any{{l.Name, l.Seed.String(), l.Subject, l.Settings.Policy, l.Head}}},
		page:     []any{text},
	})
}

// checkRoot refuses a lineage without any version: nothing could be a child of it.
func checkRoot(ctx context.Context, st *store.Reader, o lineages.NewOptions) error {
	if o.Root != nil || o.Head != "" {
		return nil
	}
	versions, err := st.VersionStates(ctx, o.Name)
	if err == nil && len(versions) == 0 {
		err = usage("lineage %s has no version yet: give the first one with --root FILE", o.Name)
	}
	return err
}

func subjectText(subject string) string {
	if subject == lineages.SubjectAgent {
		return "an agent"
	}
	return "the parameters of " + subject
}

func orNone(name string) string {
	if name == "" {
		return "no version"
	}
	return name
}

func (o newLineageOptions) parse(ctx context.Context, p *program, name string) (options lineages.NewOptions, err error) {
	options = lineages.NewOptions{Name: name, Subject: o.subject, Head: o.head, Settings: evolution.DefaultSettings(), KeepSecrets: o.keepSecrets}
	if o.subject != lineages.SubjectAgent {
		options.Settings = evolution.DefaultParameterSettings()
	}
	if options.At, err = parseAt(o.at); err != nil {
		return options, err
	}
	if o.seed != "" {
		seed, err := track.ParseSeedNumber(o.seed)
		if err != nil {
			return options, usage("--seed %v", err)
		}
		options.Seed = (*uint64)(&seed)
	}
	if o.policy != "" {
		if err := changeSetting(&options.Settings, "policy", o.policy); err != nil {
			return options, err
		}
	}
	if o.operators != "" {
		if err := changeSetting(&options.Settings, "operators", o.operators); err != nil {
			return options, err
		}
	}
	if o.root != "" {
		root, err := p.readContent(ctx, "--root", o.root)
		options.Root = &root
		return options, err
	}
	return options, nil
}

// readContent reads the content of a version, to the byte: a file, or standard input, or, of a simulation, the object itself.
func (p *program) readContent(ctx context.Context, flag, file string) (string, error) {
	if strings.HasPrefix(file, "{") {
		return file, nil
	}
	text, err := p.readText(file)
	if err != nil {
		err = fmt.Errorf("%s: %w", flag, err)
	}
	return text, err
}
