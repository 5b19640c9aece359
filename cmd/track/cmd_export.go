package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/answer/param"
	"track/ask"
	"track/internal/reportfiles"
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

type tableOptions struct {
	output string
	force  bool
}

func (p *program) exportTableCommand() *cli.Command {
	var q answer.TableQuestion
	var o tableOptions
	isShared := func(par param.Param) bool { return par.Name == "safe-csv" || par.Name == "wide" } // flags of every command
	bound := p.bindParams("export table", slices.DeleteFunc(q.Params(), isShared), nil)
	help := commandHelp{examples: `
track export table growth_plus -o growth.parquet
track export table growth_plus@theta-14 --seeds 0..99 -o theta14.csv
track export table growth_plus --wide -o seeds.csv
track export table growth_plus --series -o series.parquet
track export table growth_plus -o growth/ --partition`}
	return &cli.Command{
		Name: "table", Usage: "write the seeds of a scenario as one table, for analysis elsewhere", UsageText: bound.usageText() + " -o FILE",
		Description: help.description(`Writes one row for each seed and metric, with parameters, label, revision, outcome, status and score. With --wide, one row for each seed, with
the columns value.METRIC, score.METRIC and status.METRIC. With --series, one row for each value of each series. FILE ends in .csv or .parquet. A FILE that ends in / is a folder with one file for each configuration, as --partition asks for.
The file appears once it is whole. An existing file needs --force; a folder must be new or empty. The columns are described in
docs/reference/tables.md.`),
		BashComplete: p.completeScenarios,
		Flags: append(bound.flags(),
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`, or to a folder", Destination: &o.output},
			&cli.BoolFlag{Name: "force", Usage: "replace FILE if it exists", Destination: &o.force}),
		Action: func(c *cli.Context) error {
			if err := bound.set(c); err != nil {
				return err
			}
			if err := o.check(&q); err != nil {
				return err
			}
			return bound.usageError(p.exportTable(c.Context, q, o))
		},
	}
}

// check completes the options, and refuses what they do not allow.
func (o *tableOptions) check(q *answer.TableQuestion) error {
	if o.output == "" || o.output == "-" {
		return usage("track export table needs -o FILE")
	}
	q.Partition = q.Partition || strings.HasSuffix(o.output, "/") || os.IsPathSeparator(o.output[len(o.output)-1])
	suffix := strings.ToLower(strings.TrimPrefix(filepath.Ext(o.output), "."))
	switch {
	case q.To == "" && q.Partition:
		q.To = "parquet"
	case q.To == "":
		q.To = suffix
	}
	switch {
	case q.To != "csv" && q.To != "parquet":
		return usage("-o %s: write a file .csv or .parquet, or name the format with --to csv|parquet", o.output)
	case q.Partition && (suffix == "csv" || suffix == "parquet"):
		return usage("-o %s: --partition writes a folder, not a file", o.output)
	}
	return nil
}

func (p *program) exportTable(ctx context.Context, q answer.TableQuestion, o tableOptions) error {
	from, release, err := p.sourceForFiles(ctx)
	if err != nil {
		return err
	}
	defer release()
	q.SafeCSV, q.Wide = p.shared.safeCSV, p.shared.screen.wide
	files := &tableFiles{options: o}
	defer files.discard()
	if err := files.begin(q.Partition); err != nil {
		return err
	}
	a, err := ask.ExportTable().Ask(ctx, from, q, files.create)
	if err == nil {
		err = files.place()
	}
	if err != nil && ctx.Err() != nil {
		return interruption("export table " + o.output + ": interrupted; nothing was written")
	}
	if err != nil {
		return err
	}
	a.Path, a.NFiles, a.Bytes = o.output, files.n, files.bytes
	return p.writeAnswer(a)
}

// tableFiles are the files of a table: one, or one for each configuration.
type tableFiles struct {
	options tableOptions
	folder  *reportfiles.UnfinishedFolder // nil for one file
	file    *reportfiles.Unfinished
	begun   bool // file has something, and is not in its place
	n       int
	bytes   int64
}

func (f *tableFiles) begin(isFolder bool) (err error) {
	if isFolder {
		f.folder, err = reportfiles.BeginFolder(f.options.output)
		return err
	}
	f.file, err = reportfiles.Begin(f.options.output, f.options.force)
	return err
}

// create is an [ask.Create].
func (f *tableFiles) create(name string) (_ io.Writer, err error) {
	if f.folder != nil {
		if err := f.finish(); err != nil {
			return nil, err
		}
		if f.file, err = f.folder.Begin(filepath.FromSlash(name)); err != nil {
			return nil, err
		}
	}
	f.begun = true
	return f.file, nil
}

// finish puts the file in its place, if there is one.
func (f *tableFiles) finish() error {
	if !f.begun {
		return nil
	}
	if err := f.file.Place(); err != nil {
		return err
	}
	f.n, f.bytes, f.begun = f.n+1, f.bytes+f.file.Size(), false
	return nil
}

func (f *tableFiles) place() error {
	if err := f.finish(); err != nil || f.folder == nil {
		return err
	}
	return f.folder.Place()
}

// discard removes what is not in its place.
func (f *tableFiles) discard() {
	if f.file != nil {
		f.file.Discard()
	}
	if f.folder != nil {
		f.folder.Discard()
	}
}
