package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/answer/param"
	"track/importer"
	"track/importer/prices"
	"track/reports/escape"
	"track/scoring/format"
	"track/store"
	"track/tracker/agents"
	"track/tracker/exchange"
)

type importOptions struct {
	lineage, version, since string
	prices                  string
	keepText, dryRun        bool
	programs                importProgramsOptions
}

// formatAuto is the format of each file itself.
const formatAuto = "auto"

func (p *program) importCommand() *cli.Command {
	var o importOptions
	return p.admitting(&cli.Command{
		Name:      "import",
		Usage:     "record executions from the logs of agents",
		UsageText: "track import FORMAT PATH... --lineage L [FLAGS]",
		Description: `FORMAT is claude-code (transcripts), claude-hooks (logs of hooks), codex (rollouts), tau-bench, inspect (.json and .eval), sepa (its
folder), jsonl (track's own lines), atif (trajectories), swe-agent (and mini-SWE-agent), openhands (output.jsonl, trajectories), otlp
(OpenTelemetry in JSON: gen_ai, Claude Code), messages (conversations as OpenAI has them, also {"messages": [...]} by line), or auto, which
finds the format of each file. PATH is a file, which may be compressed with gzip, a folder, a pattern such as 'logs/*.jsonl', or - for
standard input. Executions are scored as track record execution scores them. A file of no format is refused, and nothing is created for it.

openevolve, shinka, gepa (a gepa_state.bin, or its folder) and dgm are runs of other evolvers: each content is a version, each step a
mutation, each evaluation an execution. An evaluation that failed has no score. Scores are taken as they are, and the best program is
active. What track export lines and track export lineage wrote is merged: track merge FILE.

A cost that a log does not give is computed from its tokens, by a table of prices that is built in or by --prices FILE. It is marked with
the date of the table. Without a price of the model, the cost is unknown.

Import as often as you like: what is recorded counts as duplicate, and an execution that has grown is completed. Damaged parts are left
out, with file, line and reason; everything else is recorded. The exit code is then 5.
The exit code is 14 if the only trouble is a record that was recorded before with other content.

For a server (--server, TRACK_SERVER), executions of logs are kept on this machine and sent. Left out are files that were written within the
last hour and executions whose log stops within them: import again later.

Examples:
   track import claude-code ~/.claude/projects --lineage mine --since 24h
   track import sepa .microai/agents/sepa/memory --lineage sepa
   track import auto 'logs/**' downloads --lineage mixed --dry-run --format json
   track import openevolve output/checkpoints --lineage run-7`,
		BashComplete: func(*cli.Context) { p.offer(importFormats()...) },
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "lineage", Usage: "record into the lineage `NAME`, whatever the log says", Destination: &o.lineage},
			&cli.StringFlag{Name: "version", Usage: "record under the version `NAME` if the log names none", Destination: &o.version},
			&cli.StringFlag{Name: "since", Usage: "leave out what started before `TIME`, or longer ago, such as 24h", Destination: &o.since},
			&cli.BoolFlag{Name: "keep-text", Usage: "keep inputs and outputs of the calls too, masked", Destination: &o.keepText},
			&cli.StringFlag{Name: "prices", DefaultText: "built in", Usage: "compute a cost that the log does not give by the prices in `FILE`", Destination: &o.prices},
			p.maxSizeFlag(),
			&cli.BoolFlag{Name: "dry-run", Usage: "count, and record nothing", Destination: &o.dryRun},
		}, o.programs.flags()...),
		Action: func(c *cli.Context) error {
			if c.NArg() < 2 {
				return usage("track import takes a FORMAT and at least one PATH; the formats are %s", strings.Join(importFormats(), ", "))
			}
			o.programs.scale = optional(c, "scale")
			name, paths := c.Args().First(), c.Args().Tail()
			if !slices.Contains(importFormats(), name) {
				return usage("track import knows no format %q; the formats are %s", name, strings.Join(importFormats(), ", "))
			}
			for _, f := range exchange.ProgramFormats() {
				if f.Name == name {
					return p.importPrograms(c.Context, f, paths, o)
				}
			}
			if name == formatAuto {
				return p.importFound(c.Context, paths, o)
			}
			return p.importLogs(c.Context, name, paths, o)
		},
	})
}

func importFormats() (names []string) {
	for _, f := range importer.Formats() {
		names = append(names, f.Name)
	}
	for _, f := range exchange.ProgramFormats() {
		names = append(names, f.Name)
	}
	return append(names, formatAuto)
}

// importLogs records the executions of logs. The format is empty for that of each file.
func (p *program) importLogs(ctx context.Context, name string, paths []string, o importOptions) error {
	options, err := o.parse(p)
	if err != nil {
		return err
	}
	if o.programs.isSet() {
		return usage("--scale, --minimize, --seed, --at and --keep-secrets are for runs of evolvers: openevolve, shinka, gepa and dgm")
	}
	var streams []exchange.LogStream
	if slices.Contains(paths, "-") {
		streams = []exchange.LogStream{{Name: inputName("-"), In: p.in}}
	}
	logs, err := exchange.FindLogs(name, streams, slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return path == "-" }))
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	if options.Lineage == "" && !logs.NameLineages() {
		return usage("track import needs --lineage NAME: of these formats, only the lines of %s name one", importer.JSONL)
	}
	if client, err := p.client(); client != nil || err != nil {
		if err != nil {
			return err
		}
		return p.importForServer(ctx, client, name, logs, options)
	}
	st, err := p.openForImport(ctx, options.DryRun)
	if err != nil {
		return err
	}
	defer func() {
		if st != nil {
			_ = st.Close()
		}
	}()
	bar := p.newProgress("importing", "executions", logs.Size())
	options.Create = func(ctx context.Context) (_ *store.Store, err error) {
		bar.clear()
		st, err = p.openOrCreate(ctx)
		return st, err
	}
	problem := func(s importer.Skip) {
		bar.clear()
		p.showSkip(s)
	}
	a, err := exchange.ImportLogs(ctx, st, logs, options, bufio.NewReader(rand.Reader), exchange.LogObserver{
		Problem: problem, Read: func(n int) { bar.read.Add(int64(n)) }, Progress: bar.update,
	})
	bar.clear()
	a.DryRun = o.dryRun
	p.noticeSkippedFiles(a)
	if err != nil {
		return err
	}
	if err := p.writeAnswer(a); err != nil {
		return err
	}
	return exchange.ImportError(a)
}

// showSkip says why a part of the input was left out, and what would help.
func (p *program) showSkip(s importer.Skip) {
	text := s.String()
	if s.Hint != nil {
		text += " (" + shellHint(*s.Hint) + ")"
	}
	fmt.Fprintln(p.err, escape.Line(p.withoutSecrets(text)))
}

func (o importOptions) parse(p *program) (options exchange.ImportOptions, err error) {
	table := prices.Builtin()
	if o.prices != "" {
		text, err := p.readInput("prices", o.prices, 1<<20)
		if err != nil {
			return options, err
		}
		if table, err = prices.Parse(o.prices, text); err != nil {
			return options, err
		}
	}
	options = exchange.ImportOptions{Lineage: o.lineage, Version: o.version, DryRun: o.dryRun, Execution: agents.Options{KeepText: o.keepText, Prices: table}}
	for flag, name := range map[string]string{"lineage": o.lineage, "version": o.version} {
		if err := track.CheckName(name); name != "" && err != nil {
			return options, usage("--%s: %v", flag, err)
		}
	}
	options.Since, err = parseSince(o.since, p.now())
	return options, err
}

// openForImport opens the database, in a dry run only to read it. It returns nil if there is none.
func (p *program) openForImport(ctx context.Context, dryRun bool) (*store.Store, error) {
	open := p.openForUpdate
	if dryRun {
		open = p.open
	}
	st, err := open(ctx)
	if errors.Is(err, track.ErrNotFound) {
		return nil, nil
	}
	return st, err
}

// noticeSkippedFiles names the first files that are of no known format.
func (p *program) noticeSkippedFiles(a answer.Imported) {
	const named = 3
	var names []string
	for _, f := range a.SkippedFiles[:min(named, len(a.SkippedFiles))] {
		names = append(names, f.File)
	}
	n := len(a.SkippedFiles) + a.SkippedFilesOmitted
	if more := n - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more (--format json names them all)", more))
	}
	if n > 0 {
		p.notice("%s of no such format left alone: %s", format.Counted(n, "file"), strings.Join(names, ", "))
	}
}

// importProgramsOptions are the options of imports of runs of other evolvers.
type importProgramsOptions struct {
	keepSecrets, minimize bool
	scale                 *float64
	seed, at              string
}

func (o *importProgramsOptions) flags() []cli.Flag {
	return []cli.Flag{
		&cli.Float64Flag{Name: "scale", Usage: "multiply scores by this `NUMBER` to get 0 to 100; else they are taken as they are (runs of evolvers)"},
		&cli.BoolFlag{Name: "minimize", Usage: "take less as better, of scores as they are (runs of evolvers)", Destination: &o.minimize},
		&cli.StringFlag{Name: "seed", Usage: "derive all draws of the new lineage from this whole `NUMBER` (runs of evolvers)", Destination: &o.seed},
		&cli.StringFlag{Name: "at", Usage: "use this `TIME` if the run names none; else now (runs of evolvers)", Destination: &o.at},
		&cli.BoolFlag{Name: "keep-secrets", Usage: "keep contents to the byte, and mask nothing in them (runs of evolvers)", Destination: &o.keepSecrets},
	}
}

func (o importProgramsOptions) isSet() bool { return o != importProgramsOptions{} }

// importPrograms records a run of another evolver.
func (p *program) importPrograms(ctx context.Context, f exchange.ProgramFormat, paths []string, o importOptions) error {
	if len(paths) != 1 {
		return usage("track import %s takes one PATH: a run is one", f.Name)
	}
	if o.lineage == "" {
		return usage("track import %s needs --lineage NAME", f.Name)
	}
	if o.version != "" || o.since != "" || o.keepText {
		return usage("--version, --since and --keep-text are for logs of executions, not for %s", f.Name)
	}
	options := exchange.ProgramsOptions{
		Lineage: o.lineage, Scale: o.programs.scale, Minimize: o.programs.minimize, KeepSecrets: o.programs.keepSecrets, DryRun: o.dryRun,
	}
	if options.Minimize && options.Scale != nil {
		return usage("--minimize is for scores as they are: leave --scale out")
	}
	if err := param.Seed(&options.Seed).Set(o.programs.seed); o.programs.seed != "" && err != nil {
		return usage("--seed: %v", err)
	}
	if err := param.Time(&options.At).Set(o.programs.at); o.programs.at != "" && err != nil {
		return usage("--at: %v", err)
	}
	open := func() (*store.Store, error) { return p.openOrCreate(ctx) }
	a, err := exchange.ReadPrograms(ctx, f, paths[0], open, options, bufio.NewReader(rand.Reader), p.showSkip)
	if err != nil {
		return err
	}
	if err := p.writeAnswer(a); err != nil {
		return err
	}
	return exchange.ProgramsError(a)
}

// importFound records whatever is found: runs of other evolvers, each in a lineage of its own, and logs. Several runs
// are named after their folders.
func (p *program) importFound(ctx context.Context, paths []string, o importOptions) error {
	runs, rest := exchange.FindPrograms(paths)
	for _, run := range runs {
		one := o
		if base := filepath.Base(filepath.Clean(run.Path)); len(runs) > 1 && o.lineage != "" {
			one.lineage += "-" + base
		} else if o.lineage == "" {
			one.lineage = base
		}
		if err := p.importPrograms(ctx, run.Format, []string{run.Path}, one); err != nil {
			return err
		}
	}
	if len(runs) > 0 {
		o.programs = importProgramsOptions{}
		if logs, err := exchange.FindLogs("", nil, rest); len(rest) == 0 || err != nil || logs.Size() == 0 {
			return nil
		}
	}
	return p.importLogs(ctx, "", rest, o)
}
