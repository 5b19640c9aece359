package pages

import (
	"slices"
	"strings"
	"testing"

	"track/answer"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// TestFrontPlot checks that a wide interval does not set the axis: it is cut, its bar says so, and so does a sentence.
// Points on the front have a sign of their own.
func TestFrontPlot(t *testing.T) {
	t.Parallel()
	version := func(name string, x, y, half float64, front bool) answer.FrontVersion {
		of := func(v, half float64) verdict.Estimate {
			return verdict.Estimate{Value: v, N: 2, Interval: stats.Interval{Lo: v - half, Hi: v + half}}
		}
		return answer.FrontVersion{Version: name, Front: front, X: of(x, 0.01), Y: of(y, half)}
	}
	a := answer.LineageFront{Lineage: "l", X: answer.Objective{Name: "cost", Minimize: true}, Y: answer.Objective{Name: "score"}}
	a.Items = []answer.FrontVersion{version("v1", 1, 40, 2, true), version("v2", 2, 50, 500, true), version("v3", 3, 45, 3, false)}
	c, notes := frontPlot(a, func(version string) string { return version })
	// Means go from 40 to 50, so intervals are shown from 35 to 55.
	if want := (plotValues{2, 35, 2, 55, 3, 0}); !slices.ContainsFunc(c.Bars, func(bar plotValues) bool { return slices.Equal(bar, want) }) {
		t.Errorf("bars %v, want one of %v", c.Bars, want)
	}
	if want := (plotValues{3, 42, 3, 48, 0, 1}); !slices.ContainsFunc(c.Bars, func(bar plotValues) bool { return slices.Equal(bar, want) }) {
		t.Errorf("bars %v, want one of %v", c.Bars, want)
	}
	if len(notes) != 1 || !strings.HasPrefix(notes[0].Text, "1 interval goes beyond the chart") {
		t.Errorf("notes %v", notes)
	}
	marks := map[string]string{}
	for _, key := range c.keys() {
		marks[key.Label] = key.Mark()
	}
	if marks["on the front"] != "key-dot" || marks["not on the front"] != "key-square" || marks["root"] != "key-diamond" || marks["active"] != "key-ring" || c.whisker() != "95% t interval" {
		t.Errorf("the legend has %v and %q", marks, c.whisker())
	}
}
