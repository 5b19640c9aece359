package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"track"
	"track/reports/chart"
	"track/store"
	"track/tracker/seeds"
)

// plotSeries draws series of one seed.
func (p *program) plotSeries(ctx context.Context, st *store.Reader, seed track.RecordedSeed, names []string, path string) error {
	list, err := seeds.LoadAllSeries(ctx, st, seed.ID, names)
	if err != nil {
		return err
	}
	line := chart.Line{Title: fmt.Sprintf("%s, seed %s", seed.Scenario, seed.Number), XLabel: "point", YLabel: "value"}
	if len(list) == 1 {
		line.YLabel = list[0].Name
	}
	for _, s := range list {
		line.Series = append(line.Series, chart.Named{Name: s.Name, Y: s.Values})
	}
	return p.plot(path, line)
}

// plotBand draws one series over the seeds of a configuration. Seeds without the series are named.
func (p *program) plotBand(ctx context.Context, st *store.Reader, seed track.RecordedSeed, name string, o seriesPlotOptions) error {
	ranges, err := track.ParseSeedRanges(o.seeds)
	if err != nil {
		return usage("--seeds: %v", err)
	}
	found, err := st.FindConfigurations(ctx, seed.Scenario, seed.Configuration.Hash)
	if err != nil {
		return err
	}
	ids, err := st.SeedIDs(ctx, store.Selection{Scenario: seed.Scenario, Configurations: []int64{found[0].ID}, Seeds: ranges})
	if err != nil {
		return err
	}
	band := chart.Band{Title: fmt.Sprintf("%s, %s over seeds %s", seed.Scenario, name, o.seeds), XLabel: "point", YLabel: name}
	var without []string
	for _, id := range ids {
		values, err := seeds.LoadSeries(ctx, st, id.ULID, name)
		if errors.Is(err, track.ErrNotFound) {
			without = append(without, id.Number.String())
			continue
		}
		if err != nil {
			return err
		}
		band.Seeds = append(band.Seeds, values)
	}
	if len(band.Seeds) == 0 {
		return fmt.Errorf("series %s of seeds %s: %w", name, o.seeds, track.ErrNotFound)
	}
	if len(without) > 0 {
		p.notice("without this series, so not in the band: seeds %s", strings.Join(without, ", "))
	}
	return p.plot(o.plot, band)
}

// plot writes a chart to a file in the format of its suffix.
func (p *program) plot(path string, c chart.Chart) error {
	draw := chart.SVG
	switch {
	case strings.HasSuffix(path, ".png"):
		draw = chart.PNG
	case !strings.HasSuffix(path, ".svg"):
		return usage("--plot %s: name a file that ends in .svg or .png", path)
	}
	if err := p.writeOutput(path, func(w io.Writer) error { return draw(w, c) }); err != nil {
		return err
	}
	p.notice("drew %s", path)
	return nil
}
