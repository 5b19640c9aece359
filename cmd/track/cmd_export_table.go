package main

import (
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
