package main

import (
	"context"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/ask"
	"track/series"
	"track/store"
	"track/tracker/seeds"
)

func (p *program) seriesCommand() *cli.Command {
	return &cli.Command{
		Name:        "series",
		Usage:       "list, show and export the series of a seed",
		Subcommands: []*cli.Command{p.seriesListCommand(), p.seriesShowCommand(), p.seriesExportCommand()},
	}
}

func (p *program) seriesListCommand() *cli.Command {
	return questionCommand(p, ask.SeriesList(), commandHelp{complete: p.completeScenarios, examples: "track series list growth_plus 7"})
}

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
		return p.withSeries(c.Context, c.Args().Get(0), c.Args().Get(1), func(st *store.Reader, seed track.RecordedSeed) error {
			if o.seeds != "" {
				return p.plotBand(c.Context, st, seed, c.Args().Get(2), o)
			}
			return p.plotSeries(c.Context, st, seed, c.Args().Slice()[2:], o.plot)
		})
	}
	return command
}

type seriesPlotOptions struct{ plot, seeds string }

func (p *program) seriesExportCommand() *cli.Command {
	var o struct{ to, output string }
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
		},
		Action: func(c *cli.Context) error {
			if c.NArg() < 2 {
				return usage("track series export takes a SCENARIO[@CONFIGURATION], a SEED, and names of series")
			}
			write, err := seriesWriter(o.to, o.output)
			if err != nil {
				return err
			}
			return p.withSeries(c.Context, c.Args().Get(0), c.Args().Get(1), func(st *store.Reader, seed track.RecordedSeed) error {
				list, err := seeds.LoadAllSeries(c.Context, st, seed.ID, c.Args().Slice()[2:])
				if err != nil {
					return err
				}
				return p.writeOutput(o.output, func(w io.Writer) error { return write(w, list) })
			})
		},
	}
}

// withSeries finds a seed, says if it is one of several records, and hands it over.
func (p *program) withSeries(ctx context.Context, selector, seedText string, do func(*store.Reader, track.RecordedSeed) error) error {
	of, err := answer.ParseSelector(selector)
	if err != nil {
		return usage("%v", err)
	}
	number, err := track.ParseSeedNumber(seedText)
	if err != nil {
		return usage("SEED: %v", err)
	}
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	seed, others, err := seeds.FindSeed(ctx, st.Reader, of, number)
	if err != nil {
		return err
	}
	if len(others) > 0 {
		p.notice("seed %s is also recorded under %d other configurations; this is %s@%s",
			seed.Number, len(others), seed.Scenario, track.ShortHash(seed.Configuration.Hash))
	}
	return do(st.Reader, seed)
}

// seriesWriter returns what writes series in the format that is asked for, or that the name of the output says.
func seriesWriter(format, output string) (func(io.Writer, []track.Series) error, error) {
	if format == "" {
		format = "csv"
		if _, suffix, ok := strings.Cut(output, "."); ok {
			format = suffix[strings.LastIndex(suffix, ".")+1:]
		}
	}
	switch format {
	case "csv":
		return series.WriteCSV, nil
	case "json":
		return series.WriteJSON, nil
	case "parquet":
		return series.WriteParquet, nil
	}
	return nil, usage("series are written as csv, parquet or json, not %q: use --to", format)
}

// writeOutput writes to a file, or to standard output where none is named.
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
