package main

import (
	"bytes"
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/urfave/cli/v2"

	"track/importer/lines"
	"track/tracker/lineages"
)

func (p *program) exportCommand() *cli.Command {
	return &cli.Command{
		Name:        "export",
		Usage:       "write what is recorded, to be taken elsewhere",
		Subcommands: []*cli.Command{p.exportLineageCommand(), p.exportBundleCommand()},
	}
}

// formatManifest is a form of export lineage alone.
const formatManifest = "manifest"

func (p *program) exportLineageCommand() *cli.Command {
	var file string
	return &cli.Command{
		Name:      "lineage",
		Usage:     "write a lineage with its ledger: jsonl to import elsewhere, manifest to check it against later",
		UsageText: "track export lineage L [--format jsonl|manifest] [-o FILE]",
		Description: `The lines hold the versions with their contents and every entry of the ledger with its evidence: track import lineage FILE records them in
another database, where the same hashes stand and track replay passes. Executions are no part of it. Equal lineages are equal bytes.
The manifest names versions, decisions and the end of the ledger by their hashes, and the SHA-256 of the lines. Keep it where nobody
changes it: track replay --manifest FILE finds what was cut off or written anew since.

Examples:
   track export lineage sepa -o sepa.jsonl
   track export lineage sepa --format manifest > sepa.manifest.json`,
		BashComplete: p.completeLineages,
		Flags:        []cli.Flag{&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "`FILE` to write, - for standard output", Value: "-", Destination: &file}},
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return usage("track export lineage takes one LINEAGE")
			}
			format := p.shared.format
			if !c.IsSet("format") {
				format = "jsonl"
			}
			if format != "jsonl" && format != formatManifest {
				return usage("--format %s: a lineage is exported as jsonl or manifest", format)
			}
			return p.exportLineage(c.Context, c.Args().First(), format, file)
		},
	}
}

func (p *program) exportLineage(ctx context.Context, name, format, file string) error {
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	if name, err = lineages.Resolve(ctx, st.Reader, name); err != nil {
		return err
	}
	x, err := lineages.Export(ctx, st.Reader, name)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if format == "jsonl" {
		err = lines.WriteLineage(&b, x)
	} else {
		var m lines.Manifest
		if m, err = lines.NewManifest(x); err == nil {
			err = json.MarshalWrite(&b, m, json.Deterministic(true), jsontext.WithIndent("  "))
			b.WriteByte('\n')
		}
	}
	if err != nil {
		return err
	}
	return p.writeFile(file, b.Bytes())
}
