package main

import (
	"bytes"
	"cmp"
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

func (p *program) exportLineageCommand() *cli.Command {
	text := commandHelp{examples: `
track export lineage sepa -o sepa.jsonl
track export lineage sepa --manifest > sepa.manifest.json`}
	return filesCommand(p, ask.ExportLineage(), text, func(c *cli.Context, q answer.LineageFileQuestion, o outputFile) error {
		from, release, err := p.sourceForFiles(c.Context)
		if err != nil {
			return err
		}
		defer release()
		var text bytes.Buffer
		_, err = ask.ExportLineage().Ask(c.Context, from, q, func(string) (io.Writer, error) { return &text, nil })
		if err != nil {
			return err
		}
		return p.writeFile(cmp.Or(o.path, "-"), text.Bytes())
	})
}

func (p *program) exportLinesCommand() *cli.Command {
	text := commandHelp{examples: `
track export lines -o all.jsonl.gz
track export lines --scenario growth_plus --lineage sepa -o paper.jsonl`}
	return filesCommand(p, ask.ExportLines(), text, func(c *cli.Context, q answer.LinesQuestion, o outputFile) error {
		if err := o.check("export lines"); err != nil {
			return err
		}
		from, release, err := p.sourceForFiles(c.Context)
		if err != nil {
			return err
		}
		defer release()
		out, err := reportfiles.Begin(o.path, o.force)
		if err != nil {
			return err
		}
		defer out.Discard()
		q.Gzip = q.Gzip || strings.HasSuffix(o.path, ".gz")
		a, err := ask.ExportLines().Ask(c.Context, from, q, func(string) (io.Writer, error) { return out, nil })
		if err == nil {
			err = out.Place()
		}
		if err != nil && c.Context.Err() != nil {
			return interruption("export lines " + o.path + ": interrupted; nothing was written")
		}
		if err != nil {
			return err
		}
		a.File = o.path
		return p.writeAnswer(a)
	})
}

// outputFile is the file that a command writes what it exports to.
type outputFile struct {
	path  string // empty or - for standard output
	force bool   // replace it
}

// check returns an error if no file is named.
func (o outputFile) check(command string) error {
	if o.path == "" || o.path == "-" {
		return usage("track %s needs -o FILE", command)
	}
	return nil
}

// filesCommand returns the command that asks a question which files answer, for act to write them.
func filesCommand[Q any, A answer.Answer](p *program, def ask.Files[Q, A], text commandHelp, act func(c *cli.Context, q Q, o outputFile) error) *cli.Command {
	var q Q
	var o outputFile
	isShared := func(par param.Param) bool { return par.Name == "safe-csv" || par.Name == "wide" } // flags of every command
	bound := p.bindParams(def.Name, slices.DeleteFunc(def.Params(&q), isShared), nil)
	words := strings.Fields(def.Name)
	return &cli.Command{
		Name: words[len(words)-1], Usage: def.Help, UsageText: bound.usageText() + " [-o FILE]", Description: text.description(def.About), BashComplete: bound.complete(p),
		Flags: append(bound.flags(),
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`", Destination: &o.path},
			&cli.BoolFlag{Name: "force", Usage: "replace FILE if it exists", Destination: &o.force}),
		Action: func(c *cli.Context) error {
			if err := bound.set(c); err != nil {
				return err
			}
			return bound.usageError(act(c, q, o))
		},
	}
}

func (p *program) exportTableCommand() *cli.Command {
	text := commandHelp{examples: `
track export table growth_plus -o growth.parquet
track export table growth_plus@theta-14 --seeds 0..99 -o theta14.csv
track export table growth_plus --wide -o seeds.csv
track export table growth_plus --series -o series.parquet
track export table growth_plus -o growth/ --partition`}
	return filesCommand(p, ask.ExportTable(), text, func(c *cli.Context, q answer.TableQuestion, o outputFile) error {
		if err := o.checkTable(&q); err != nil {
			return err
		}
		return p.exportTable(c.Context, q, o)
	})
}

// checkTable completes the question, and refuses what no table can be written to.
func (o outputFile) checkTable(q *answer.TableQuestion) error {
	if err := o.check("export table"); err != nil {
		return err
	}
	q.Partition = q.Partition || strings.HasSuffix(o.path, "/") || os.IsPathSeparator(o.path[len(o.path)-1])
	suffix := strings.ToLower(strings.TrimPrefix(filepath.Ext(o.path), "."))
	switch {
	case q.To == "" && q.Partition:
		q.To = "parquet"
	case q.To == "":
		q.To = suffix
	}
	switch {
	case q.To != "csv" && q.To != "parquet":
		return usage("-o %s: write a file .csv or .parquet, or name the format with --to csv|parquet", o.path)
	case q.Partition && (suffix == "csv" || suffix == "parquet"):
		return usage("-o %s: --partition writes a folder, not a file", o.path)
	}
	return nil
}

func (p *program) exportTable(ctx context.Context, q answer.TableQuestion, o outputFile) error {
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
		return interruption("export table " + o.path + ": interrupted; nothing was written")
	}
	if err != nil {
		return err
	}
	a.Path, a.NFiles, a.Bytes = o.path, files.n, files.bytes
	return p.writeAnswer(a)
}

// tableFiles are the files of a table: one, or one for each configuration.
type tableFiles struct {
	options outputFile
	folder  *reportfiles.UnfinishedFolder // nil for one file
	file    *reportfiles.Unfinished
	begun   bool // file has something, and is not in its place
	n       int
	bytes   int64
}

func (f *tableFiles) begin(isFolder bool) (err error) {
	if isFolder {
		f.folder, err = reportfiles.BeginFolder(f.options.path)
		return err
	}
	f.file, err = reportfiles.Begin(f.options.path, f.options.force)
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
