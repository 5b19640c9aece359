package main

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/ask"
	"track/reports"
	"track/series"
	"track/tracker/seeds"
)

func (p *program) seriesCommand() *cli.Command {
	return &cli.Command{
		Name:  "series",
		Usage: "list, show and export the series of a seed",
		Subcommands: []*cli.Command{
			questionCommand(p, ask.SeriesList(), commandHelp{complete: p.completeScenarios, examples: "track series list growth_plus 7"}),
			p.seriesShowCommand(),
			questionCommand(p, ask.SeriesBands(), commandHelp{complete: p.completeScenarios, examples: "track series bands growth_plus@theta-14 unemployment --points 50"}),
			p.seriesExportCommand(),
		},
	}
}

type seriesPlotOptions struct{ plot, seeds string }

func (p *program) seriesShowCommand() *cli.Command {
	command := questionCommand(p, ask.SeriesShow(), commandHelp{complete: p.completeScenarios, examples: `
track series show growth_plus 7
track series show growth_plus@theta-14 7 unemployment --format json
track series show growth_plus 7 unemployment --plot unemployment.svg
track series show growth_plus 0 unemployment --seeds 0..9 --plot band.png`})
	var o seriesPlotOptions
	command.Flags = append(command.Flags,
		&cli.StringFlag{Name: "plot", Usage: "draw the series into `FILE`, .svg or .png", Destination: &o.plot},
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
	if o.seeds == "" {
		return p.withSeries(c.Context, q, func(v answer.SeriesValues) error { return p.plot(o.plot, reports.SeriesChart(v)) })
	}
	ranges, err := track.ParseSeedRanges(o.seeds)
	if err != nil {
		return usage("--seeds: %v", err)
	}
	st, err := p.open(c.Context)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	band, err := seeds.LoadSeriesBand(c.Context, st.Reader, q.Of, q.Seed, q.Names[0], ranges)
	if err != nil {
		return err
	}
	if len(band.Without) > 0 {
		var numbers []string
		for _, n := range band.Without {
			numbers = append(numbers, n.String())
		}
		p.notice("without this series, so not in the band: seeds %s", strings.Join(numbers, ", "))
	}
	return p.plot(o.plot, reports.BandChart(band))
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
			write, err := seriesWriter(o.to, o.output)
			if err != nil {
				return err
			}
			return p.withSeries(c.Context, q, func(v answer.SeriesValues) error {
				return p.writeData(o.output, o.force, func(w io.Writer) error { return write(w, v.Series) })
			})
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

// seriesWriter returns what writes series in a format; if that is empty, in the one that the name of the output says,
// or as CSV.
func seriesWriter(format, output string) (func(io.Writer, []track.Series) error, error) {
	if format == "" {
		format = strings.TrimPrefix(filepath.Ext(output), ".")
	}
	switch format {
	case "", "csv":
		return series.WriteCSV, nil
	case "json":
		return series.WriteJSON, nil
	case "parquet":
		return series.WriteParquet, nil
	}
	return nil, usage("--to %s: write csv, parquet or json", format)
}
