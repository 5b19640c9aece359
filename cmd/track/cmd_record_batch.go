package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/batch"
	"track/tracker"
)

type recordBatchOptions struct {
	spec               int
	replace, valuesWin bool
}

func (p *program) recordBatchCommand() *cli.Command {
	var o recordBatchOptions
	return &cli.Command{
		Name:      "batch",
		Usage:     "record many seeds and executions from JSON lines",
		UsageText: "track record batch [FLAGS] FILE|-",
		Description: `Reads one JSON object a line, of any number:

   {"kind":"seed","scenario":"growth_plus","seed":"7","values":{"unemployment_rate_mean":0.0699},
    "configuration":{"label":"v0.10.2","params":{},"commit":"303e61f"},"outcome":"ok"}

   {"kind":"execution","lineage":"sepa","version":"v002","task":"t-17","calls":[{"tool":"Bash","exit":0}],"output":"…"}

A seed may carry "series":{"unemployment":[0.06,0.07]}, or "series_file":"run7.csv" from the folder of the batch. An execution without
a key is recorded once, whatever else it says being equal: key or trial tells repetitions apart.
Bad lines are reported and left out, good ones are recorded; the exit code is then 5, or 14 where the only trouble is
what is recorded with other values. Run again, it continues: what is recorded already counts as duplicate.

Examples:
   track record batch results.jsonl
   zcat results.jsonl.gz | track record batch - --format json`,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "spec", DefaultText: "the newest", Usage: "judge under this `VERSION` of the spec", Destination: &o.spec},
			&cli.BoolFlag{Name: "values-win", Usage: "given values stand where the series say otherwise", Destination: &o.valuesWin},
			&cli.BoolFlag{Name: "replace", Usage: "supersede recorded seeds that differ; executions never", Destination: &o.replace},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track record batch takes one FILE, or - for standard input")
			}
			return p.recordBatch(c.Context, o, c.Args().First())
		},
	}
}

func (p *program) recordBatch(ctx context.Context, o recordBatchOptions, file string) error {
	source, name, size := p.in, inputName(file), int64(0)
	if file != "-" {
		opened, err := os.Open(file)
		if errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("batch file %s: %w", file, track.ErrNotFound)
		}
		if err != nil {
			return &track.FieldError{File: file, Message: err.Error()}
		}
		defer func() { _ = opened.Close() }()
		source = opened
		if info, err := opened.Stat(); err == nil {
			if info.IsDir() {
				return &track.FieldError{File: file, Message: "is a directory"}
			}
			size = info.Size()
		}
	}
	st, err := p.openOrCreate(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	bar := p.newProgress("recording", "lines", size)
	recorder := tracker.NewRecorder(st, tracker.Options{SpecVersion: o.spec, Replace: o.replace, ValuesWin: o.valuesWin}, bufio.NewReader(rand.Reader))
	d := batchDocument{Errors: []batchProblem{}}
	summary, err := recorder.RecordAll(ctx, entries(name, bar.reader(source)), tracker.BatchObserver{
		Problem: func(problem tracker.BatchProblem) {
			bar.clear()
			failure := track.FieldError{File: name, Line: problem.Line, Field: problem.Field, Message: problem.Message}
			fmt.Fprintln(p.err, printable(failure.Error()))
			d.add(problem)
		},
		Progress: bar.update,
	})
	bar.clear()
	d.count(summary)
	p.noticeSummary(summary)
	if errors.Is(err, context.Canceled) {
		err = track.WithHint(err, "run the same command again: it continues")
	}
	if err != nil {
		return fmt.Errorf("record batch %s: %w; recorded before that: %d lines", name, err, summary.Recorded+summary.Replaced)
	}
	if err := p.write(d.view(name)); err != nil {
		return err
	}
	return d.verdict(name)
}

// entries adapts the reader of batches to the recorder.
func entries(name string, source io.Reader) iter.Seq2[tracker.Entry, error] {
	return func(yield func(tracker.Entry, error) bool) {
		for record, err := range batch.Read(name, source) {
			if !yield(tracker.Entry{Line: record.Line, Seed: record.Seed, Execution: record.Execution, Sweep: record.Sweep, Err: record.Err}, err) {
				return
			}
		}
	}
}

func (p *program) noticeSummary(s tracker.BatchSummary) {
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
	if s.WithoutRevision > 0 {
		p.notice("%d seeds name no commit: edits of the code between them are not told apart", s.WithoutRevision)
	}
}

type batchDocument struct {
	Recorded      int            `json:"recorded"`
	Executions    int            `json:"executions,omitzero"` // of the recorded ones
	Replaced      int            `json:"replaced,omitzero"`
	Duplicates    int            `json:"duplicates"`
	Conflicts     int            `json:"conflicts"`
	Rejected      int            `json:"rejected"`
	Errors        []batchProblem `json:"errors"`
	ErrorsOmitted int            `json:"errors_omitted,omitzero"` // beyond maxErrors; all of them went to standard error
}

type batchProblem struct {
	Line    int    `json:"line"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

// maxErrors bounds what is kept of the problems of a batch of any size.
const maxErrors = 10_000

func (d *batchDocument) add(p tracker.BatchProblem) {
	if len(d.Errors) == maxErrors {
		d.ErrorsOmitted++
		return
	}
	d.Errors = append(d.Errors, batchProblem{p.Line, p.Field, p.Message})
}

func (d *batchDocument) count(s tracker.BatchSummary) {
	d.Recorded, d.Replaced, d.Duplicates, d.Conflicts, d.Rejected = s.Recorded, s.Replaced, s.Duplicates, s.Conflicts, s.Rejected
	d.Executions = s.Executions
}

func (d *batchDocument) view(name string) view {
	line := fmt.Sprintf("%s: %d recorded, %d duplicate, %d conflicting, %d rejected", name, d.Recorded, d.Duplicates, d.Conflicts, d.Rejected)
	if d.Replaced > 0 {
		line += fmt.Sprintf(", %d replaced", d.Replaced)
	}
	return view{
		document: d,
		rows: grid{
			columns: []string{"recorded", "replaced", "duplicates", "conflicts", "rejected"},
			cells:   [][]any{{d.Recorded, d.Replaced, d.Duplicates, d.Conflicts, d.Rejected}},
		},
		page: []any{line},
	}
}

func (d *batchDocument) verdict(name string) error {
	switch {
	case d.Rejected > 0:
		err := fmt.Errorf("record batch %s: %w: %d of its lines were left out", name, track.ErrInvalid, d.Rejected+d.Conflicts)
		if d.Conflicts > 0 {
			err = track.WithHint(err, "--replace records seeds that are recorded with other values, and keeps the others as superseded")
		}
		return track.WithHint(err, "mend them and run the same command again: what is recorded is skipped")
	case d.Conflicts > 0:
		err := fmt.Errorf("record batch %s: %w: %s recorded with other values before", name, track.ErrConflict, counted(d.Conflicts, "line"))
		err = track.WithHint(err, "either the simulation is not deterministic, or the configuration of the lines does not tell apart what differs")
		return track.WithHint(err, "--replace records them and keeps the others as superseded")
	}
	return nil
}
