package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/importer/lines"
	"track/reports/escape"
	"track/scoring/format"
	"track/store"
	"track/tracker/exchange"
	"track/tracker/seeds"
)

type recordBatchOptions struct {
	spec               int
	replace, valuesWin bool
	spool, isNew       bool
	awayDir            string // for a server that cannot be reached; empty if nothing goes into a spool
}

func (p *program) recordBatchCommand() *cli.Command {
	var o recordBatchOptions
	return p.admitting(&cli.Command{
		Name:      "batch",
		Usage:     "record many seeds and executions from JSON lines",
		UsageText: "track record batch [FLAGS] FILE|-",
		Description: `Reads one JSON object a line, of any number:

   {"kind":"seed","scenario":"growth_plus","seed":"7","values":{"unemployment_rate_mean":0.0699},
    "configuration":{"label":"v0.10.2","params":{},"commit":"303e61f"},"outcome":"ok"}

   {"kind":"execution","lineage":"sepa","version":"v002","task":"t-17","calls":[{"tool":"Bash","exit":0}],"output":"…"}

A seed may carry "series":{"unemployment":[0.06,0.07]}, or "series_file":"run7.csv" from the folder of the batch. Executions without a
key that are equal otherwise are recorded once: use key or trial to tell repetitions apart.
Bad lines are left out, good ones are recorded; the exit code is then 5. The first 50 bad lines are named, and --format json names all. The
exit code is 14 if the only trouble is a record with other values. Run the same batch again to continue: recorded lines count as
duplicates.

Examples:
   track record batch results.jsonl
   zcat results.jsonl.gz | track record batch - --format json`,
		Flags: append(p.textFormatFlags(),
			&cli.IntFlag{Name: "spec", DefaultText: "the newest", Usage: "judge under this `VERSION` of the spec", Destination: &o.spec},
			&cli.BoolFlag{Name: "values-win", Usage: "keep given values that differ from those of the series", Destination: &o.valuesWin},
			&cli.BoolFlag{Name: "replace", Usage: "supersede recorded seeds that differ; executions never", Destination: &o.replace},
			p.maxSizeFlag(),
			newFlag(&o.isNew), spoolFlag(&o.spool),
		),
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track record batch takes one FILE, or - for standard input")
			}
			dir, spooled, err := p.spooling(c, o.spool)
			if err != nil {
				return err
			}
			if spooled && (o.spec > 0 || o.replace || o.valuesWin) {
				return usage("--spec, --replace and --values-win are for the database, and this goes into a spool: --spool=false, or leave them out")
			}
			if spooled {
				return p.spoolBatch(c.Context, dir, c.Args().First(), p.openBatch)
			}
			if !c.IsSet("spool") && o.spec == 0 && !o.replace && !o.valuesWin {
				o.awayDir = dir
			}
			return p.recordBatch(c.Context, o, c.Args().First())
		},
	})
}

// openBatch opens a file of lines, or standard input, whose size is 0.
func (p *program) openBatch(file string) (source io.Reader, size int64, closeFile func(), err error) {
	if file == "-" {
		return p.in, 0, func() {}, nil
	}
	opened, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, 0, nil, fmt.Errorf("batch file %s: %w", file, track.ErrNotFound)
	}
	if err != nil {
		return nil, 0, nil, &track.FieldError{File: file, Message: err.Error()}
	}
	if info, err := opened.Stat(); err == nil {
		if size = info.Size(); info.IsDir() {
			_ = opened.Close()
			return nil, 0, nil, &track.FieldError{File: file, Message: "is a directory"}
		}
	}
	return opened, size, func() { _ = opened.Close() }, nil
}

func (p *program) recordBatch(ctx context.Context, o recordBatchOptions, file string) error {
	name := inputName(file)
	read, err := p.seriesOptions()
	if err != nil {
		return err
	}
	source, size, closeFile, err := p.openBatch(file)
	if err != nil {
		return err
	}
	defer closeFile()
	keep := func(dir string) error { return p.spoolBatch(ctx, dir, file, p.openBatch) }
	st, err := p.openOrCreate(ctx)
	if err != nil {
		return p.orKeep(o.awayDir, err, keep)
	}
	if file == "-" && o.awayDir != "" && store.IsServer(st.Path()) {
		repeated, err := newRepeated(source)
		if err != nil {
			return errors.Join(err, st.Close())
		}
		defer repeated.close()
		source = repeated
		keep = func(dir string) error {
			return p.spoolBatch(ctx, dir, file, func(string) (io.Reader, int64, func(), error) { return repeated.again(), 0, func() {}, nil })
		}
	}
	defer func() { _ = st.Close() }()
	bar := p.newProgress("recording", "lines", size)
	defer bar.watch()()
	tell := read.LeftOut
	read.LeftOut = func(file string, columns []string) {
		bar.clear()
		tell(file, columns)
	}
	recorder := seeds.NewRecorder(st, seeds.Options{SpecVersion: o.spec, Replace: o.replace, ValuesWin: o.valuesWin, Names: newNames(o.isNew)}, bufio.NewReader(rand.Reader))
	d, problems := answer.NewRecordedLines(name), lineProblems{program: p, source: name}
	summary, err := exchange.RecordAll(ctx, recorder, lines.ReadWith(name, bar.reader(source), read), exchange.BatchObserver{
		Problem: func(problem exchange.BatchProblem) {
			d.AddProblem(problem.LineProblem)
			bar.clear()
			problems.add(problem)
		},
		Progress: bar.update,
	})
	bar.clear()
	problems.end()
	summary.AddTo(&d)
	p.noticeSummary(summary)
	if store.IsAway(err) || store.IsRefused(err) {
		return p.orKeep(o.awayDir, err, keep)
	}
	if errors.Is(err, context.Canceled) {
		err = track.WithHint(err, track.Hint{Text: "run the same command again: it continues"})
	}
	if err != nil {
		return fmt.Errorf("record batch %s: %w; recorded before that: %d lines", name, err, summary.Recorded+summary.Replaced)
	}
	if err := p.writeAnswer(d); err != nil {
		return err
	}
	return linesError(d, "record batch "+name)
}

// tellFailure writes what is wrong with a line, and what would help.
func (p *program) tellFailure(problem *track.FieldError) {
	text := problem.Error()
	if problem.Hint != nil {
		text += " (" + shellHint(*problem.Hint) + ")"
	}
	fmt.Fprintln(p.err, escape.Line(p.withoutSecrets(text)))
}

func (p *program) noticeSummary(s exchange.BatchSummary) {
	if len(s.WithoutSpec) > 0 {
		p.notice("no spec yet, so recorded but not scored: %s", strings.Join(s.WithoutSpec, ", "))
	}
	if len(s.UnknownMetrics) > 0 {
		const named = 5
		names, more := s.UnknownMetrics, ""
		if len(names) > named {
			names, more = names[:named], fmt.Sprintf(" and %d more", len(names)-named)
		}
		p.notice("not in the spec, stored but not scored: %s%s", strings.Join(names, ", "), more)
	}
	if s.Equal > 0 {
		p.notice("%s", answer.EqualLinesText(s.Equal))
	}
	if s.Forgotten > 0 {
		p.notice("%s recorded without texts: they were forgotten earlier", format.Counted(s.Forgotten, "execution"))
	}
	if s.WithoutRevision > 0 {
		p.notice("%s without a commit: edits of the code between them are not told apart", format.Counted(s.WithoutRevision, "seed"))
	}
}

// linesError says what of lines was left out; nil for nothing. command names the command and what it read.
func linesError(d answer.RecordedLines, command string) error {
	switch {
	case d.Rejected > 0:
		err := fmt.Errorf("%s: %w: %s left out", command, track.ErrInvalid, format.Counted(d.Rejected+d.Conflicts, "line"))
		if d.Conflicts > 0 {
			err = track.WithHint(err, track.Hint{Text: "--replace records seeds that are recorded with other values, and keeps the others as superseded"})
		}
		return track.WithHint(err, track.Hint{Text: "mend them and run the same command again: what is recorded is skipped"})
	case d.Conflicts > 0:
		err := fmt.Errorf("%s: %w: %s recorded with other values before", command, track.ErrConflict, format.Counted(d.Conflicts, "line"))
		err = track.WithHint(err, track.Hint{Text: "either the simulation is not deterministic, or the configuration of the lines does not tell apart what differs"})
		return track.WithHint(err, track.Hint{Text: "--replace records them and keeps the others as superseded"})
	}
	return nil
}
