package main

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/ask"
	"track/remote"
	"track/reports"
	"track/tracker/seeds"
)

func (p *program) seriesCommand() *cli.Command {
	return &cli.Command{
		Name:  "series",
		Usage: "list, show and export the series of a seed",
		Subcommands: []*cli.Command{
			questionCommand(p, ask.SeriesList(), commandHelp{examples: "track series list growth_plus 7"}),
			p.seriesShowCommand(),
			questionCommand(p, ask.SeriesBands(), commandHelp{examples: "track series bands growth_plus@theta-14 unemployment --points 50"}),
			p.seriesExportCommand(),
		},
	}
}

type seriesPlotOptions struct{ plot, seeds string }

func (p *program) seriesShowCommand() *cli.Command {
	command := questionCommand(p, ask.SeriesShow(), commandHelp{examples: `
track series show growth_plus 7
track series show growth_plus@theta-14 7 unemployment --format json
track series show growth_plus 7 unemployment --plot unemployment.svg
track series show growth_plus 0 unemployment --seeds 0..9 --plot band.svg`})
	var o seriesPlotOptions
	command.Flags = append(command.Flags,
		&cli.StringFlag{Name: "plot", Usage: "draw the series into `FILE`.svg", Destination: &o.plot},
		&cli.StringFlag{Name: "seeds", Usage: "draw the band over these `SEEDS` of the configuration, such as 0..9: median, quartiles, range", Destination: &o.seeds})
	show := command.Action
	command.Action = func(c *cli.Context) error {
		switch {
		case o.seeds != "" && (c.NArg() != 3 || o.plot == ""):
			return usage("--seeds draws one series over seeds: name it, and a file with --plot")
		case o.plot == "" || c.NArg() < 2:
			return show(c)
		}
		return p.plotSeries(c, o)
	}
	return command
}

// plotSeries draws series of one seed, or one series of several.
func (p *program) plotSeries(c *cli.Context, o seriesPlotOptions) error {
	q, err := seriesQuestion(c)
	if err != nil {
		return err
	}
	client, err := p.client()
	switch {
	case err != nil:
		return err
	case client != nil && o.seeds == "":
		return p.plotFrom(c.Context, client, q, o.plot)
	case o.seeds == "":
		return p.withSeries(c.Context, q, func(v answer.SeriesValues) error { return p.plot(o.plot, reports.SeriesChart(v)) })
	}
	ranges, err := track.ParseSeedRanges(o.seeds)
	if err != nil {
		return usage("--seeds: %v", err)
	}
	return p.plotBand(c.Context, answer.SeriesPlotQuestion{Of: q.Of, Seed: q.Seed, Name: q.Names[0], Seeds: ranges}, o.plot)
}

// plotBand draws one series of several seeds, and says which seeds are not in the picture.
func (p *program) plotBand(ctx context.Context, q answer.SeriesPlotQuestion, file string) error {
	from, release, err := p.sourceForFiles(ctx)
	if err != nil {
		return err
	}
	defer release()
	var drawn bytes.Buffer
	a, err := ask.PlotSeries().Ask(ctx, from, q, func(string) (io.Writer, error) { return &drawn, nil })
	if err != nil {
		return err
	}
	if text := a.Missing(); text != "" {
		p.notice("%s", text)
	}
	return p.plotAs(file, func(w io.Writer) error {
		_, err := drawn.WriteTo(w)
		return err
	})
}

// plotFrom draws series of a seed as a server does, which says if the seed is one of several records.
func (p *program) plotFrom(ctx context.Context, client *remote.Client, q answer.SeriesQuestion, file string) error {
	p.pushFirst(ctx, client)
	a, err := ask.SeriesShow().Ask(ctx, client.Source(), q)
	if err != nil {
		return err
	}
	if text := a.Ambiguity(); text != "" {
		p.notice("%s", text)
	}
	params, err := q.Params().Encode()
	if err != nil {
		return err
	}
	return p.plotAs(file, func(w io.Writer) error {
		return ask.SeriesShow().Question().WriteAs(ctx, client.Source(), params, ask.SVG, w)
	})
}

func (p *program) seriesExportCommand() *cli.Command {
	var o struct {
		to, output string
		force      bool
	}
	return &cli.Command{
		Name:      "export",
		Usage:     "write the series of a seed as CSV, Parquet or JSON",
		UsageText: "track series export SCENARIO[@CONFIGURATION] SEED [NAME…] [FLAGS]",
		Description: `Writes the recorded numbers to the last bit.

Examples:
   track series export growth_plus 7 > seed7.csv
   track series export growth_plus 7 unemployment inflation -o seed7.parquet`,
		BashComplete: p.completeScenarios,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "to", Usage: "write this `FORMAT`: csv, parquet or json; else the format of the suffix of the output, else csv", Destination: &o.to},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE` instead of standard output", Destination: &o.output},
			&cli.BoolFlag{Name: "force", Usage: "replace an existing file", Destination: &o.force},
		},
		Action: func(c *cli.Context) error {
			q, err := seriesQuestion(c)
			if err != nil {
				return err
			}
			format, err := seriesFormat(o.to, o.output)
			if err != nil {
				return err
			}
			return p.exportSeries(c.Context, answer.SeriesFileQuestion{Of: q.Of, Seed: q.Seed, Names: q.Names, To: format}, o.output, o.force)
		},
	}
}

// seriesQuestion reads the arguments SCENARIO[@CONFIGURATION] SEED [NAME…].
func seriesQuestion(c *cli.Context) (q answer.SeriesQuestion, err error) {
	words := c.Args().Slice()
	if len(words) < 2 {
		return q, usage("%s takes a SCENARIO[@CONFIGURATION], a SEED, and names of series", c.Command.HelpName)
	}
	if q.Of, err = answer.ParseSelector(words[0]); err != nil {
		return q, usage("%v", err)
	}
	if q.Seed, err = track.ParseSeedNumber(words[1]); err != nil {
		return q, usage("SEED: %v", err)
	}
	q.Names = words[2:]
	return q, nil
}

// withSeries reads the series of a seed, says if the seed is one of several records, and hands them over.
func (p *program) withSeries(ctx context.Context, q answer.SeriesQuestion, do func(answer.SeriesValues) error) error {
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	v, err := seeds.LoadSeriesValues(ctx, st.Reader, q)
	if err != nil {
		return err
	}
	if text := v.Ambiguity(); text != "" {
		p.notice("%s", text)
	}
	return do(v)
}

// exportSeries writes the series of a seed, and says if the seed is one of several records.
func (p *program) exportSeries(ctx context.Context, q answer.SeriesFileQuestion, output string, force bool) error {
	from, release, err := p.sourceForFiles(ctx)
	if err != nil {
		return err
	}
	defer release()
	var text bytes.Buffer
	a, err := ask.ExportSeries().Ask(ctx, from, q, func(string) (io.Writer, error) { return &text, nil })
	if err != nil {
		return err
	}
	if text := a.Ambiguity(); text != "" {
		p.notice("%s", text)
	}
	return p.writeData(output, force, func(w io.Writer) error {
		_, err := text.WriteTo(w)
		return err
	})
}

// seriesFormat returns the format to write series in: if none is given, the one that the name of the output says, or
// CSV.
func seriesFormat(format, output string) (string, error) {
	if format == "" {
		format = strings.TrimPrefix(filepath.Ext(output), ".")
	}
	switch format {
	case "":
		return "csv", nil
	case "csv", "json", "parquet":
		return format, nil
	}
	return "", usage("--to %s: write csv, parquet or json", format)
}
