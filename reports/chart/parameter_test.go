package chart

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
)

func parameterSVG(t *testing.T, c Chart) string {
	t.Helper()
	var b, again bytes.Buffer
	if err := SVG(&b, c); err != nil {
		t.Fatal(err)
	}
	if err := SVG(&again, c); err != nil || again.String() != b.String() {
		t.Errorf("the same chart gives other bytes (error %v)", err)
	}
	if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
		t.Error("the picture has coordinates that are no numbers")
	}
	return b.String()
}

func TestParameterChart(t *testing.T) {
	panel := ParameterPanel{
		Name:   "a",
		Points: []Dot{{8, 0.5}, {10, 0.7}, {10, math.NaN()}},
		Levels: []ParameterLevel{{8, 8, 0.5, math.NaN(), math.NaN()}, {10, 10, 0.7, -40, 40}},
	}
	for _, c := range []Parameter{
		{Title: "one", Panels: []ParameterPanel{panel}},
		{Title: "two", By: "rule", Panels: []ParameterPanel{panel, {Name: "b"}}},
		{Title: "names", XNames: []string{"x", "y"}, Panels: []ParameterPanel{{Points: []Dot{{0, 1}, {1, 2}}, Levels: []ParameterLevel{{0, 0, 1, 0, 2}, {1, 1, 2, 1, 3}}}}},
		{Title: "equal", Panels: []ParameterPanel{{Points: []Dot{{1, 1}, {1, 1}}, Levels: []ParameterLevel{{1, 1, 1, 1, 1}}}}},
	} {
		svg := parameterSVG(t, c)
		if !strings.Contains(svg, c.Title) || strings.Contains(svg, "Nothing is drawn") {
			t.Errorf("%s: %.300s", c.Title, svg)
		}
		if c.By != "" && (!strings.Contains(svg, "rule a") || !strings.Contains(svg, "rule b")) {
			t.Error("the panels have no names")
		}
	}
	if svg := parameterSVG(t, Parameter{Title: "none"}); !strings.Contains(svg, "Nothing is drawn: no finite values") {
		t.Errorf("%.300s", svg)
	}
}

// Panels that have no room are counted.
func TestParameterChartOfManyPanels(t *testing.T) {
	c := Parameter{By: "k"}
	for i := range 9 {
		c.Panels = append(c.Panels, ParameterPanel{Name: fmt.Sprint(i), Points: []Dot{{1, 1}, {2, float64(i)}}})
	}
	if svg := parameterSVG(t, c); !strings.Contains(svg, "the last 3 panels not drawn") {
		t.Error("the panels that are left out are not counted")
	}
}

func TestMeansChart(t *testing.T) {
	m := Means{
		Title: "means", XNames: []string{"8", "10"}, YNames: []string{"a", "b"}, Cells: [][]float64{{1, 2}, {math.NaN(), 4}},
		Text: func(x float64) string { return fmt.Sprintf("v%v", x) },
	}
	svg := parameterSVG(t, m)
	for _, text := range []string{"v1", "v2", "v4", "1 to 4; darker is larger"} {
		if !strings.Contains(svg, text) {
			t.Errorf("%q is missing", text)
		}
	}
	m.Cells = [][]float64{{math.NaN(), math.NaN()}}
	if svg := parameterSVG(t, m); !strings.Contains(svg, "Nothing is drawn") {
		t.Error("a heat map of nothing is drawn")
	}
}

// An interval that leaves the axis ends in an arrow, and the subtitle says how many do.
func TestParameterChartMarksCuts(t *testing.T) {
	narrow := ParameterLevel{1, 1, 0.5, 0.4, 0.6}
	points := []Dot{{1, 0.45}, {1, 0.55}, {2, 0.6}, {2, 0.7}}
	draw := func(level ParameterLevel) (said bool, polygons int) {
		svg := parameterSVG(t, Parameter{YLabel: "score", Panels: []ParameterPanel{{Points: points, Levels: []ParameterLevel{narrow, level}}}})
		return strings.Contains(svg, "1 interval goes further (arrow)"), strings.Count(svg, "<polygon")
	}
	within, before := draw(ParameterLevel{2, 2, 0.65, 0.55, 0.75})
	if cut, after := draw(ParameterLevel{2, 2, 0.65, -8, 9}); within || !cut || after != before+2 {
		t.Errorf("said of a cut: %v and %v; %d polygons, %d without one, want 2 more", cut, within, after, before)
	}
}
