package main

import (
	"context"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/ask"
	"track/internal/reportfiles"
)

func (p *program) exportLinesCommand() *cli.Command {
	var file string
	var force bool
	return &cli.Command{
		Name:      "lines",
		Usage:     "write scenarios and lineages, with all that belongs to them, as lines",
		UsageText: "track export lines [--scenario S]... [--lineage L]... -o FILE",
		Description: `The file has everything that is named, or the whole database, as JSON lines. track merge FILE records it in another database. Scenarios
come with specs, seeds, series, files, baselines and sweeps. Lineages come with versions, ledgers and executions. If the name ends in
.gz, the file is compressed.

Examples:
   track export lines -o all.jsonl.gz
   track export lines --scenario growth_plus --lineage sepa -o paper.jsonl`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`", Destination: &file},
			&cli.BoolFlag{Name: "force", Usage: "replace FILE", Destination: &force},
			&cli.StringSliceFlag{Name: "scenario", Usage: "include the scenario `NAME`; may be repeated"},
			&cli.StringSliceFlag{Name: "lineage", Usage: "include the lineage `NAME`; may be repeated"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usage("track export lines takes no argument: name what to export with --scenario and --lineage")
			}
			if file == "" || file == "-" {
				return usage("track export lines needs -o FILE")
			}
			q := answer.LinesQuestion{Scenarios: c.StringSlice("scenario"), Lineages: c.StringSlice("lineage"), Gzip: strings.HasSuffix(file, ".gz")}
			return p.exportLines(c.Context, q, file, force)
		},
	}
}

func (p *program) exportLines(ctx context.Context, q answer.LinesQuestion, file string, force bool) error {
	from, release, err := p.sourceForFiles(ctx)
	if err != nil {
		return err
	}
	defer release()
	out, err := reportfiles.Begin(file, force)
	if err != nil {
		return err
	}
	defer out.Discard()
	a, err := ask.ExportLines().Ask(ctx, from, q, func(string) (io.Writer, error) { return out, nil })
	if err == nil {
		err = out.Place()
	}
	if err != nil && ctx.Err() != nil {
		return interruption("export lines " + file + ": interrupted; nothing was written")
	}
	if err != nil {
		return err
	}
	a.File = file
	return p.writeAnswer(a)
}
