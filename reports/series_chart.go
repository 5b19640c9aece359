package reports

import (
	"fmt"

	"track"
	"track/answer"
	"track/reports/chart"
)

// SeriesChart draws series of one seed.
func SeriesChart(v answer.SeriesValues) chart.Line {
	line := chart.Line{Title: fmt.Sprintf("%s, seed %s", v.Scenario, v.Seed), XLabel: "point", YLabel: "value"}
	if len(v.Series) == 1 {
		line.YLabel = v.Series[0].Name
	}
	for _, s := range v.Series {
		line.Series = append(line.Series, chart.Named{Name: s.Name, Y: s.Values})
	}
	return line
}

// BandChart draws one series over the seeds of a configuration: median, quartiles and range.
func BandChart(b answer.SeriesBand) chart.Band {
	title := fmt.Sprintf("%s, %s over seeds %s", b.Scenario, b.Name, track.SeedRanges(b.Seeds))
	return chart.Band{Title: title, XLabel: "point", YLabel: b.Name, Seeds: b.Values}
}
