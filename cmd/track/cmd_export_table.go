package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/internal/dataset"
	"track/internal/reportfiles"
	"track/reports/render"
	"track/series/parquet"
	"track/tracker/seeds"
)

type tableOptions struct {
	output, to string
	force      bool
}

func (p *program) exportTableCommand() *cli.Command {
	var q answer.TableQuestion
	var o tableOptions
	bound := bindParams("export table", q.Params(), nil)
	help := commandHelp{examples: `
track export table growth_plus -o growth.parquet
track export table growth_plus@theta-14 --seeds 0..99 -o theta14.csv
track export table growth_plus --series -o series.parquet
track export table growth_plus -o growth/ --partition`}
	return &cli.Command{
		Name: "table", Usage: "write the seeds of a scenario as one table, for analysis elsewhere", UsageText: bound.usageText() + " -o FILE",
		Description: help.description(`Writes one row for each seed and metric, with parameters, label, revision, outcome, status and score. With --series, one row for each value of
each series. FILE ends in .csv or .parquet. A FILE that ends in / is a folder with one file for each configuration, as --partition asks for.
The file appears once it is whole. An existing file needs --force; a folder must be new or empty. The columns are described in
docs/reference/tables.md.`),
		BashComplete: p.completeScenarios,
		Flags: append(bound.flags(),
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`, or to a folder", Destination: &o.output},
			&cli.StringFlag{Name: "to", Usage: "write this `FORMAT`: csv or parquet (default: the suffix of FILE; parquet in a folder)", Destination: &o.to},
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
	case o.to == "" && q.Partition:
		o.to = "parquet"
	case o.to == "":
		o.to = suffix
	}
	switch {
	case o.to != "csv" && o.to != "parquet":
		return usage("-o %s: write a file .csv or .parquet, or name the format with --to csv|parquet", o.output)
	case q.Partition && (suffix == "csv" || suffix == "parquet"):
		return usage("-o %s: --partition writes a folder, not a file", o.output)
	}
	return nil
}

func (p *program) exportTable(ctx context.Context, q answer.TableQuestion, o tableOptions) error {
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	files := &tableFiles{options: o, isSafe: p.shared.safeCSV}
	defer files.discard()
	if err := files.begin(q.Partition); err != nil {
		return err
	}
	a, err := seeds.ExportTable(ctx, st.Reader, q, files.open)
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
	isSafe  bool
	folder  *reportfiles.UnfinishedFolder // nil for one file
	file    *reportfiles.Unfinished
	writer  dataset.Writer // of file; nil before the first row
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

// open is a [seeds.OpenTable].
func (f *tableFiles) open(columns []dataset.Column, configuration string) (_ dataset.Writer, err error) {
	if f.folder != nil {
		if err := f.finish(); err != nil {
			return nil, err
		}
		f.file, err = f.folder.Begin(filepath.Join("configuration="+configuration, "part-0."+f.options.to))
		if err != nil {
			return nil, err
		}
	}
	if f.writer == nil {
		f.writer = f.newWriter(columns)
	}
	return f.writer, nil
}

func (f *tableFiles) newWriter(columns []dataset.Column) dataset.Writer {
	if f.options.to == "csv" {
		return render.NewDatasetCSV(f.file, columns, f.isSafe)
	}
	return parquet.NewTableWriter(f.file, columns)
}

// finish puts the file in its place, if there is one.
func (f *tableFiles) finish() error {
	if f.writer == nil {
		return nil
	}
	if err := f.writer.Close(); err != nil {
		return err
	}
	if err := f.file.Place(); err != nil {
		return err
	}
	f.n, f.bytes, f.writer = f.n+1, f.bytes+f.file.Size(), nil
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
