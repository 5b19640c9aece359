package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/reports/chart"
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
	return &cli.Command{
		Name:      "list",
		Usage:     "list the series of a seed",
		UsageText: "track series list SCENARIO[@CONFIGURATION] SEED [FLAGS]",
		Description: `Example:
   track series list growth_plus 7`,
		BashComplete: p.completeScenarios,
		Action: func(c *cli.Context) error {
			if c.NArg() != 2 {
				return usage("track series list takes a SCENARIO[@CONFIGURATION] and a SEED")
			}
			return p.withSeries(c.Context, c.Args().Get(0), c.Args().Get(1), func(st *store.Reader, seed track.RecordedSeed) error {
				return p.seriesList(c.Context, st, seed)
			})
		},
	}
}

type seriesShowOptions struct{ plot, seeds string }

func (p *program) seriesShowCommand() *cli.Command {
	var o seriesShowOptions
	return &cli.Command{
		Name:      "show",
		Usage:     "show the series of a seed at a glance, or draw them",
		UsageText: "track series show SCENARIO[@CONFIGURATION] SEED [NAME…] [FLAGS]",
		Description: `Examples:
   track series show growth_plus 7
   track series show growth_plus@theta-14 7 unemployment --format json
   track series show growth_plus 7 unemployment --plot unemployment.svg
   track series show growth_plus 0 unemployment --seeds 0..9 --plot band.png`,
		BashComplete: p.completeScenarios,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "plot", Usage: "draw them into `FILE`, .svg or .png", Destination: &o.plot},
			&cli.StringFlag{Name: "seeds", Usage: "draw the band over these seeds of SEED's configuration, as in `0..9`: median, quartiles, range", Destination: &o.seeds},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() < 2 {
				return usage("track series show takes a SCENARIO[@CONFIGURATION], a SEED, and names of series")
			}
			names := c.Args().Slice()[2:]
			if o.seeds != "" && (len(names) != 1 || o.plot == "") {
				return usage("--seeds draws one series over seeds: name it, and a file with --plot")
			}
			return p.withSeries(c.Context, c.Args().Get(0), c.Args().Get(1), func(st *store.Reader, seed track.RecordedSeed) error {
				switch {
				case o.seeds != "":
					return p.plotBand(c.Context, st, seed, names[0], o)
				case o.plot != "":
					return p.plotSeries(c.Context, st, seed, names, o.plot)
				}
				return p.seriesShow(c.Context, st, seed, names)
			})
		},
	}
}

func (p *program) seriesExportCommand() *cli.Command {
	var o struct{ to, output string }
	return &cli.Command{
		Name:      "export",
		Usage:     "write the series of a seed as CSV, Parquet or JSON",
		UsageText: "track series export SCENARIO[@CONFIGURATION] SEED [NAME…] [FLAGS]",
		Description: `The numbers are those that were recorded, to the last bit.

Examples:
   track series export growth_plus 7 > seed7.csv
   track series export growth_plus 7 unemployment inflation -o seed7.parquet`,
		BashComplete: p.completeScenarios,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "to", Usage: "csv, parquet or json; else as the suffix of the output says, else csv", Destination: &o.to},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`, not to standard output", Destination: &o.output},
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
				list, err := loadSeries(c.Context, st, seed.ID, c.Args().Slice()[2:])
				if err != nil {
					return err
				}
				return p.writeOutput(o.output, func(w io.Writer) error { return write(w, list) })
			})
		},
	}
}

// withSeries is [program.withSeed] for a command that shows one seed and does not tell which of several it is.
func (p *program) withSeries(ctx context.Context, selector, seedText string, do func(*store.Reader, track.RecordedSeed) error) error {
	return p.withSeed(ctx, selector, seedText, func(st *store.Reader, seed track.RecordedSeed, others []track.RecordedSeed) error {
		if len(others) > 0 {
			p.notice("seed %s is recorded under %d other configurations too; this is %s@%s",
				seed.Number, len(others), seed.Scenario, seeds.ShortHash(seed.Configuration.Hash))
		}
		return do(st, seed)
	})
}

// loadSeries reads the series of those names, or all where none is named.
func loadSeries(ctx context.Context, st *store.Reader, ulid string, names []string) ([]track.Series, error) {
	if len(names) == 0 {
		infos, err := st.Series(ctx, ulid)
		if err != nil {
			return nil, err
		}
		for _, info := range infos {
			names = append(names, info.Name)
		}
	}
	var list []track.Series
	for _, name := range names {
		values, err := seeds.LoadSeries(ctx, st, ulid, name)
		if err != nil {
			return nil, err
		}
		list = append(list, track.Series{Name: name, Values: values})
	}
	return list, nil
}

func (p *program) seriesList(ctx context.Context, st *store.Reader, seed track.RecordedSeed) error {
	infos, err := st.Series(ctx, seed.ID)
	if err != nil {
		return err
	}
	type item struct {
		Name     string `json:"name"`
		N        int    `json:"n"`
		Bytes    int64  `json:"bytes"`
		Hash     string `json:"hash"`
		PrunedAt string `json:"pruned_at,omitempty"`
	}
	items := []item{}
	v := view{lines: []any{}, rows: grid{columns: []string{"name", "n", "bytes", "hash", "pruned"}}}
	for _, info := range infos {
		i := item{info.Name, info.N, info.Bytes, info.Hash, timeText(info.PrunedAt)}
		items = append(items, i)
		v.lines = append(v.lines, i)
		v.rows.cells = append(v.rows.cells, []any{i.Name, i.N, i.Bytes, shown{seeds.ShortHash(i.Hash), i.Hash}, i.PrunedAt})
	}
	v.document, v.page = items, []any{v.rows}
	if len(items) == 0 {
		v.page = []any{fmt.Sprintf("seed %s was recorded without series", seed.Number)}
	}
	return p.write(v)
}

func (p *program) seriesShow(ctx context.Context, st *store.Reader, seed track.RecordedSeed, names []string) error {
	list, err := loadSeries(ctx, st, seed.ID, names)
	if err != nil {
		return err
	}
	type item struct {
		Name string   `json:"name"`
		N    int      `json:"n"`
		NNaN int      `json:"n_nan"`
		Min  *float64 `json:"min"`
		Mean *float64 `json:"mean"`
		Max  *float64 `json:"max"`
		Last *float64 `json:"last"`
	}
	items := []item{}
	v := view{lines: []any{}, rows: grid{columns: []string{"name", "n", "n_nan", "min", "mean", "max", "last"}}}
	table := grid{columns: []string{"series", "n", "NaN", "min", "mean", "max", "last", "over time"}}
	for _, s := range list {
		sum := series.Summarize(s.Values)
		numbers := sum.N - sum.NNaN
		i := item{s.Name, sum.N, sum.NNaN, number(sum.Min, numbers), number(sum.Mean, numbers), number(sum.Max, numbers), number(sum.Last, sum.N)}
		items = append(items, i)
		v.lines = append(v.lines, i)
		cells := []any{i.Name, i.N, i.NNaN, i.Min, i.Mean, i.Max, i.Last}
		v.rows.cells = append(v.rows.cells, cells)
		table.cells = append(table.cells, append(append([]any{}, cells...), chart.Sparkline(s.Values, 40)))
	}
	v.document, v.page = items, []any{table}
	if len(items) == 0 {
		v.page = []any{fmt.Sprintf("seed %s was recorded without series", seed.Number)}
	}
	return p.write(v)
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
