package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/importer"
	"track/importer/formats"
	"track/scoring/format"
	"track/store"
	"track/tracker/agents"
	"track/tracker/exchange"
)

type importOptions struct {
	lineage, version, since string
	keepText, dryRun        bool
	inferParents            bool // of runs of other evolvers
	keepSecrets             bool
	scale                   *float64
	seed, at                string
}

// formatAuto stands for the format of each file itself.
const formatAuto = "auto"

func (p *program) importCommand() *cli.Command {
	var o importOptions
	return &cli.Command{
		Name:      "import",
		Usage:     "record the executions that logs of agents hold",
		UsageText: "track import FORMAT PATH... --lineage L [FLAGS]",
		Description: `FORMAT is claude-code (transcripts), claude-hooks (logs of hooks), codex (rollouts), tau-bench, inspect (.json and .eval), sepa (its
folder), jsonl (track's own lines), or auto: each file in its own. PATH is a file, also with gzip, a folder with all that is below it,
a pattern such as 'logs/*.jsonl', or - for standard input. Every execution is scored as track record execution does it.

openevolve and shinka are runs of other evolvers: each content is a version, each step a mutation, each evaluation an execution; what failed
earns no score, whatever the source carries for it. lineage is what track export lineage wrote: it is recorded whole, and only where it
replays without a difference. bundle is what track export bundle wrote: it is merged, as track merge does it.

Import again and again: what is recorded counts as duplicate, and an execution that went on since then is completed. What is
damaged is left out, with file, line and reason, and everything whole is kept; the exit code is then 5, or 14 where the only trouble is
what is recorded with other content.

Examples:
   track import claude-code ~/.claude/projects --lineage mine --since 24h
   track import sepa .microai/agents/sepa/memory --lineage sepa
   track import auto 'logs/**' downloads --lineage mixed --dry-run --format json
   track import openevolve output/checkpoints --lineage run-7 --infer-parents
   track import lineage sepa.jsonl`,
		BashComplete: func(*cli.Context) { p.offer(importFormats()...) },
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "lineage", Usage: "`NAME` of the lineage that the agent belongs to, whatever the log says", Destination: &o.lineage},
			&cli.StringFlag{Name: "version", Usage: "`NAME` of the version of its prompt, where the log names none", Destination: &o.version},
			&cli.StringFlag{Name: "since", Usage: "leave out what started before `TIME`, or longer ago, such as 24h", Destination: &o.since},
			&cli.BoolFlag{Name: "keep-text", Usage: "keep inputs and outputs of the calls too, masked", Destination: &o.keepText},
			&cli.BoolFlag{Name: "dry-run", Usage: "count, and record nothing", Destination: &o.dryRun},
			&cli.BoolFlag{Name: "infer-parents", Usage: "of openevolve and shinka: put the likeliest program in the place of a parent that the run has lost", Destination: &o.inferParents},
			&cli.Float64Flag{Name: "scale", Usage: "of openevolve (100) and shinka (1): what scores times this `NUMBER` are is from 0 to 100"},
			&cli.StringFlag{Name: "seed", Usage: "of openevolve and shinka: whole `NUMBER` that all draws of the new lineage follow from", Destination: &o.seed},
			&cli.StringFlag{Name: "at", Usage: "of openevolve and shinka: `TIME` of what the run has no time of; else now", Destination: &o.at},
			&cli.BoolFlag{Name: "keep-secrets", Usage: "of openevolve and shinka: keep contents to the byte, and mask nothing in them", Destination: &o.keepSecrets},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() < 2 {
				return usage("track import takes a FORMAT and at least one PATH; the formats are %s", strings.Join(importFormats(), ", "))
			}
			o.scale = optional(c, "scale")
			switch format, paths := c.Args().First(), c.Args().Tail(); format {
			case formatLineage:
				return p.importLineage(c.Context, paths, o)
			case formatBundle:
				return p.importBundle(c.Context, paths, o)
			case formatOpenEvolve, formatShinka:
				return p.importPrograms(c.Context, format, paths, o)
			default:
				return p.importLogs(c.Context, format, paths, o)
			}
		},
	}
}

func importFormats() (names []string) {
	for _, format := range importer.Formats() {
		names = append(names, format.Name)
	}
	return append(names, formatOpenEvolve, formatShinka, formatLineage, formatBundle, formatAuto)
}

func (p *program) importLogs(ctx context.Context, format string, paths []string, o importOptions) error {
	options, err := o.parse(p)
	if err != nil {
		return err
	}
	if !slices.Contains(importFormats(), format) {
		return usage("track import knows no format %q; the formats are %s", format, strings.Join(importFormats(), ", "))
	}
	if o.programsOnly() {
		return usage("--infer-parents, --scale, --seed, --at and --keep-secrets are for %s and %s", formatOpenEvolve, formatShinka)
	}
	if format == formatAuto {
		format = ""
	}
	sources, passed, err := p.findSources(format, paths)
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	if options.Lineage == "" && slices.ContainsFunc(sources, func(s formats.Source) bool { return s.Format != importer.JSONL }) {
		return usage("track import needs --lineage NAME: of these formats, only the lines of %s name one", importer.JSONL)
	}
	st, err := p.openForImport(ctx, options.DryRun)
	if err != nil {
		return err
	}
	if st != nil {
		defer func() { _ = st.Close() }()
	}
	return p.runImport(ctx, st, sources, passed, options)
}

func (o importOptions) parse(p *program) (options exchange.ImportOptions, err error) {
	options = exchange.ImportOptions{Lineage: o.lineage, Version: o.version, DryRun: o.dryRun, Execution: agents.Options{KeepText: o.keepText}}
	for flag, name := range map[string]string{"lineage": o.lineage, "version": o.version} {
		if err := track.CheckName(name); name != "" && err != nil {
			return options, usage("--%s: %v", flag, err)
		}
	}
	options.Since, err = parseSince(o.since, p.now())
	return options, err
}

func (p *program) findSources(format string, paths []string) (sources []formats.Source, passed []formats.Passed, err error) {
	for _, path := range paths {
		if path == "-" {
			sources = append(sources, formats.Stream(format, inputName(path), p.in))
		}
	}
	paths = slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return path == "-" })
	found, passed, err := formats.Find(format, paths)
	if err != nil {
		return nil, nil, err
	}
	if sources = append(sources, found...); len(sources) > 0 {
		return sources, passed, nil
	}
	for _, other := range passed { // nothing can be imported, and this is why
		if other.Named {
			return nil, nil, other.Err
		}
	}
	if format != "" && len(paths) > 0 {
		return nil, nil, track.WithHint(fmt.Errorf("no file of format %s in %s: %w", format, shortList(paths), track.ErrNotFound), track.Hint{Text: "track import auto takes whatever it knows"})
	}
	return sources, passed, nil
}

// openForImport opens the database; in a dry run only to read it, and nil where there is none.
func (p *program) openForImport(ctx context.Context, dryRun bool) (*store.Store, error) {
	if !dryRun {
		return p.openOrCreate(ctx)
	}
	st, err := p.open(ctx)
	if errors.Is(err, track.ErrNotFound) {
		return nil, nil
	}
	return st, err
}

func (p *program) runImport(ctx context.Context, st *store.Store, sources []formats.Source, passed []formats.Passed, options exchange.ImportOptions) error {
	a, refused := newImported(sources, options.DryRun), 0
	var size int64
	for _, s := range sources {
		size += s.Size
	}
	bar := p.newProgress("importing", "executions", size)
	tell := func(problem importer.Skip) {
		bar.clear()
		fmt.Fprintln(p.err, printable(problem.String()))
		a.AddProblem(importProblem(problem))
	}
	for _, other := range passed {
		if other.Named {
			refused++ // a file that was named, and is not of the format
			tell(skipOf(other.Path, other.Err))
		} else {
			a.AddSkippedFile(answer.SkippedFile{File: other.Path, Reason: reasonOf(other.Path, other.Err)})
		}
	}
	items := readSources(sources, func(n int) { bar.read.Add(int64(n)) })
	summary, err := exchange.Import(ctx, st, items, options, bufio.NewReader(rand.Reader), exchange.ImportObserver{Skip: tell, Conflict: tell, Progress: bar.update})
	bar.clear()
	a.ImportCounts = summary
	a.Skipped += refused
	if len(a.SkippedFiles) > 0 {
		p.notice("%s of no such format left alone: %s", format.Counted(len(a.SkippedFiles)+a.SkippedFilesOmitted, "file"), someFiles(a))
	}
	if errors.Is(err, context.Canceled) {
		err = track.WithHint(err, track.Hint{Text: "run the same command again: it continues"})
	}
	if err != nil {
		return fmt.Errorf("import: %w; recorded before that: %s", err, format.Counted(summary.Executions+summary.Replaced, "execution"))
	}
	if err := p.writeAnswer(a); err != nil {
		return err
	}
	return importError(a)
}

// readSources reads one source after the other. One that cannot be read further is said to be so, and the next is read.
func readSources(sources []formats.Source, count func(n int)) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		for _, source := range sources {
			for item, err := range source.Read(count) {
				if err != nil {
					skip := skipOf(source.Path, err)
					skip.Line = item.Line
					item = importer.Item{File: source.Path, Line: item.Line, Skip: &skip}
				}
				if !yield(item, nil) {
					return
				}
			}
		}
	}
}

// skipOf says of a whole file why it was left out, and what would help.
func skipOf(path string, err error) importer.Skip {
	skip := importer.Skip{File: path, Reason: reasonOf(path, err)}
	if hints := track.Hints(err); len(hints) > 0 {
		skip.Reason += " (" + shellHint(hints[0]) + ")"
	}
	return skip
}

// reasonOf is an error without the name of the file.
func reasonOf(path string, err error) string {
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), "read "), path+": ")
}
