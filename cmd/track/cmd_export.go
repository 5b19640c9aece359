package main

import (
	"bytes"
	"context"
	"io"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/ask"
)

func (p *program) exportCommand() *cli.Command {
	return &cli.Command{
		Name:        "export",
		Usage:       "write tables for analysis, and lines to merge elsewhere",
		Subcommands: []*cli.Command{p.exportTableCommand(), p.exportLineageCommand(), p.exportLinesCommand()},
	}
}

// formatManifest is a form of export lineage alone.
const formatManifest = "manifest"

func (p *program) exportLineageCommand() *cli.Command {
	var file string
	return &cli.Command{
		Name:      "lineage",
		Usage:     "write a lineage with its ledger: jsonl to merge elsewhere, manifest to check it against later",
		UsageText: "track export lineage L [--format jsonl|manifest] [-o FILE]",
		Description: `The lines hold the versions with their contents, and every entry of the ledger with its evidence. track merge FILE records them
in another database: the hashes are the same, and track replay passes. Executions are not part of it. Equal lineages are equal bytes.
The manifest names versions, decisions and the end of the ledger by their hashes, and holds the SHA-256 of the lines. Keep it where
nobody changes it: track replay --manifest FILE finds what was cut off or rewritten since.

Examples:
   track export lineage sepa -o sepa.jsonl
   track export lineage sepa --format manifest > sepa.manifest.json`,
		BashComplete: p.completeLineages,
		Flags:        []cli.Flag{&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`; - is standard output", Value: "-", Destination: &file}},
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
	from, release, err := p.sourceForFiles(ctx)
	if err != nil {
		return err
	}
	defer release()
	var text bytes.Buffer
	q := answer.LineageFileQuestion{Lineage: name, Manifest: format == formatManifest}
	_, err = ask.ExportLineage().Ask(ctx, from, q, func(string) (io.Writer, error) { return &text, nil })
	if err != nil {
		return err
	}
	return p.writeFile(file, text.Bytes())
}
