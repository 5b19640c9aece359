package reports

import (
	"track/answer"
	"track/reports/chart"
	"track/scoring/verdict"
)

// FrontChart draws the versions of a lineage by two objectives.
func FrontChart(a answer.LineageFront) chart.Front {
	c := chart.Front{
		Title: a.Lineage + ": " + a.Y.Name + " against " + a.X.Name, XLabel: "mean " + a.X.Label(), YLabel: "mean " + a.Y.Label(), Interval: "95% t interval",
		MinimizeX: a.X.Minimize, MinimizeY: a.Y.Minimize,
	}
	estimate := func(name string, e verdict.Estimate) chart.Estimate {
		return chart.Estimate{Label: name, N: e.N, Mean: e.Value, Lo: e.Interval.Lo, Hi: e.Interval.Hi}
	}
	for _, v := range a.Items {
		c.Points = append(c.Points, chart.FrontPoint{X: estimate(v.Version, v.X), Y: estimate(v.Version, v.Y), Front: v.Front, Active: v.Active, Root: v.Root})
	}
	return c
}
