package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/answer/param"
	"track/ask"
	"track/internal/reportfiles"
)

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

func (p *program) seriesExportCommand() *cli.Command {
	text := commandHelp{examples: `
track series export growth_plus 7 > seed7.csv
track series export growth_plus 7 unemployment inflation -o seed7.parquet`}
	return filesCommand(p, ask.ExportSeries(), text, func(c *cli.Context, q answer.SeriesFileQuestion, o outputFile) error {
		if suffix := strings.TrimPrefix(filepath.Ext(o.path), "."); !c.IsSet("to") && suffix != "" {
			if q.To = suffix; !slices.Contains([]string{"csv", "parquet", "json"}, q.To) {
				return usage("--to %s: write csv, parquet or json", q.To)
			}
		}
		from, release, err := p.sourceForFiles(c.Context)
		if err != nil {
			return err
		}
		defer release()
		var text bytes.Buffer
		a, err := ask.ExportSeries().Ask(c.Context, from, q, func(string) (io.Writer, error) { return &text, nil })
		if err != nil {
			return err
		}
		if text := a.Ambiguity(); text != "" {
			p.notice("%s", text)
		}
		return p.writeData(o.path, o.force, func(w io.Writer) error {
			_, err := text.WriteTo(w)
			return err
		})
	})
}

type artifactGetOptions struct {
	of           answer.Selector
	number       track.SeedNumber
	name, output string
	force        bool
}

func (p *program) artifactGetCommand() *cli.Command {
	var o artifactGetOptions
	seed, all := "", false
	return &cli.Command{
		Name:      "get",
		Usage:     "write a file of a seed, or all of them",
		UsageText: "track artifact get SCENARIO[@CONFIGURATION] --seed N NAME|--all [-o FILE|DIR|-] [FLAGS]",
		Description: `Writes a file as it is stored: in text, secrets are masked. Without -o, a file goes to standard output; bytes that are not text do not go
to a terminal. A file that exists is not replaced, unless --force is given. With --all, names like -rf, .ssh and ~ get an underscore before them.

Examples:
   track artifact get growth_plus --seed 7 run.log
   track artifact get growth_plus@theta-14 --seed 7 plot.png -o plot.png
   track artifact get growth_plus --seed 7 --all -o seed7`,
		BashComplete: p.completeScenarios,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "seed", Usage: "write files of this seed, a whole `NUMBER`", Destination: &seed},
			&cli.BoolFlag{Name: "all", Usage: "write all files of the seed, under their names in the folder of --output", Destination: &all},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`; - is standard output", Destination: &o.output},
			&cli.BoolFlag{Name: "force", Usage: "replace files that exist", Destination: &o.force},
		},
		Action: func(c *cli.Context) (err error) {
			words := c.Args().Slice()
			switch {
			case all && len(words) != 1, !all && len(words) != 2:
				return usage("track artifact get takes a SCENARIO[@CONFIGURATION], and the NAME of a file or --all")
			case seed == "":
				return usage("track artifact get needs --seed NUMBER")
			case all && (o.output == "" || o.output == "-"):
				return usage("--all needs -o DIR, the folder to write into")
			}
			if o.of, err = answer.ParseSelector(words[0]); err != nil {
				return usage("%v", err)
			}
			if o.number, err = track.ParseSeedNumber(seed); err != nil {
				return usage("--seed: %v", err)
			}
			if !all {
				if o.name = words[1]; o.name == "" {
					return usage("the NAME of the file is empty")
				}
			}
			return p.getArtifacts(c.Context, o)
		},
	}
}

func (p *program) getArtifacts(ctx context.Context, o artifactGetOptions) error {
	from, release, err := p.sourceForFiles(ctx)
	if err != nil {
		return err
	}
	defer release()
	contents := map[string]*bytes.Buffer{}
	a, err := ask.ArtifactFiles().Ask(ctx, from, answer.ArtifactFilesQuestion{Of: o.of, Seed: o.number, Name: o.name}, func(name string) (io.Writer, error) {
		contents[name] = &bytes.Buffer{}
		return contents[name], nil
	})
	if err != nil {
		return err
	}
	if o.name != "" && (o.output == "" || o.output == "-") {
		if text := a.Ambiguity(); text != "" {
			p.notice("%s", text)
		}
		return p.printArtifact(o.name, contents[o.name].Bytes())
	}
	var written []reportfiles.File
	for i, f := range a.Items {
		content, isKept := contents[f.Name]
		if !isKept {
			continue
		}
		path, err := o.target(f.Name)
		if err != nil {
			return err
		}
		if safe := safeArtifactName(f.Name); o.name == "" && safe != f.Name {
			p.notice("%s is written as %s: other programs take such a name for an option, a hidden file or a home folder", f.Name, safe)
		}
		a.Items[i].File = path
		written = append(written, reportfiles.File{Path: path, Data: content.Bytes()})
	}
	if err := o.write(written); err != nil {
		return err
	}
	return p.writeAnswer(a)
}

// printArtifact writes a file to standard output.
func (p *program) printArtifact(name string, content []byte) error {
	if isTerminal(p.out) && !utf8.Valid(content) {
		err := fmt.Errorf("%w: %s is not text, and would garble the terminal", track.ErrInvalid, name)
		return track.WithHint(err, track.Hint{Text: "write it to a file"}.With("output", "FILE"))
	}
	_, err := p.text().Write(content)
	return err
}

// safeArtifactName returns the name that a file is written under. Different names stay different.
func safeArtifactName(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		if first := strings.TrimLeft(part, "_"); first != "" && strings.ContainsAny(first[:1], ".-~") {
			parts[i] = "_" + part
		}
	}
	return strings.Join(parts, "/")
}

// target returns the path that a file is written to, which must not exist unless it is to be replaced.
func (o artifactGetOptions) target(name string) (string, error) {
	path := o.output
	if o.name == "" {
		local, err := filepath.Localize(safeArtifactName(name))
		if err != nil {
			return "", fmt.Errorf("%w: file %s: its name is no path on this system", track.ErrInvalid, name)
		}
		path = filepath.Join(o.output, local)
	}
	_, err := os.Lstat(path)
	switch {
	case err == nil && !o.force:
		err = fmt.Errorf("%w: %s exists", track.ErrConflict, path)
		return "", track.WithHint(err, track.Hint{Text: "replace it"}.With("force", ""))
	case err != nil && !os.IsNotExist(err):
		return "", err
	}
	return path, nil
}

// write writes files, each of them whole or not at all. The folders of all files are made below the one that the user
// names.
func (o artifactGetOptions) write(files []reportfiles.File) error {
	if o.name != "" {
		return reportfiles.Replace(files)
	}
	if err := os.MkdirAll(o.output, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(o.output)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for _, f := range files { // a link in the folder must not lead elsewhere
		within, err := filepath.Rel(o.output, f.Path)
		if err == nil {
			err = root.MkdirAll(filepath.Dir(within), fs.FileMode(0o755))
		}
		if err != nil {
			return err
		}
	}
	return reportfiles.Replace(files)
}
