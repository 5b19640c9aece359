package reports

import (
	"cmp"
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

// BandChart draws a series over the seeds of a configuration: median, quartiles and range.
func BandChart(a answer.SeriesBands) chart.Band {
	title := fmt.Sprintf("%s %s, %s over seeds", a.Scenario, cmp.Or(a.Label, track.ShortHash(a.Configuration)), a.Name)
	c := chart.Band{Title: title, XLabel: "point", YLabel: a.Name, NSeeds: len(a.Seeds)}
	for _, p := range a.Points {
		c.Points = append(c.Points, chart.BandPoint{At: float64(p.At), N: p.N, Low: p.Low, Q1: p.Q1, Median: p.Median, Q3: p.Q3, High: p.High})
	}
	for _, s := range a.Seeds {
		c.Seeds = append(c.Seeds, s.Values)
	}
	return c
}
