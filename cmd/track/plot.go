package main

import (
	"bytes"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/ask"
	"track/internal/reportfiles"
	"track/reports/chart"
)

// plottedCommand is [questionCommand] for a question that has a picture, which a flag writes to a file as well.
func plottedCommand[Q any, A answer.Answer](p *program, def ask.Def[Q, A], text commandHelp) *cli.Command {
	file := ""
	command := commandOf(p, def, text, func(c *cli.Context, q Q) error {
		from, release, err := sourceFor(c.Context, p, def, q)
		if err != nil {
			return err
		}
		defer release()
		return untilInterrupted(c.Context, func() error {
			return ask.Snapshot(c.Context, from, func(from ask.Source) error {
				if file != "" {
					draw := func(w io.Writer) error { return def.WritePicture(c.Context, from, q, ask.SVG, w) }
					if err := p.plotAs(file, draw); err != nil {
						return err
					}
				}
				conclusion, err := writeAnswer(c.Context, p, def, from, q)
				if err != nil {
					return err
				}
				return conclude(conclusion)
			})
		})
	})
	command.Flags = append(command.Flags, &cli.StringFlag{Name: "plot", Usage: "draw the answer into `FILE`.svg", Destination: &file})
	return command
}

// plot writes a chart to a file.
func (p *program) plot(path string, c chart.Chart) error {
	return p.plotAs(path, func(w io.Writer) error { return chart.SVG(w, c) })
}

// plotAs writes what draw draws to a file.
func (p *program) plotAs(path string, draw func(io.Writer) error) error {
	if !strings.HasSuffix(path, ".svg") {
		return usage("--plot %s: name a file that ends in .svg", path)
	}
	var drawn bytes.Buffer
	if err := draw(&drawn); err != nil {
		return err
	}
	if err := p.writeOutput(path, func(w io.Writer) error { _, err := drawn.WriteTo(w); return err }); err != nil {
		return err
	}
	p.notice("drew %s", path)
	return nil
}

// writeOutput writes to a file, or to standard output if none is named.
func (p *program) writeOutput(path string, write func(io.Writer) error) error {
	if path == "" || path == "-" {
		return write(p.out)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := write(file); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}

// writeData writes a file whole or not at all, or to standard output. A file that is there is kept, unless it may be
// replaced.
func (p *program) writeData(path string, replace bool, write func(io.Writer) error) error {
	if path == "" || path == "-" {
		return write(p.out)
	}
	file, err := reportfiles.Begin(path, replace)
	if err != nil {
		return err
	}
	if err := write(file); err != nil {
		file.Discard()
		return err
	}
	return file.Place()
}
