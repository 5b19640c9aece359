package chart

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"track/internal/property"
)

func TestThinned(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		var d Paired
		most, least := math.Inf(-1), math.Inf(1)
		state := rapid.Uint64().Draw(t, "state")
		random := func() float64 {
			state = state*6364136223846793005 + 1442695040888963407
			return float64(state>>11) / (1 << 53)
		}
		for range rapid.IntRange(0, 400).Draw(t, "pairs") {
			p := Pair{Label: whole(len(d.Pairs)), Baseline: random(), Candidate: random()}
			if random() < 0.1 {
				p.Candidate = math.NaN()
			}
			most, least = max(most, p.change()), min(least, p.change())
			d.Pairs = append(d.Pairs, p)
		}
		drawn := d.thinned()
		if len(d.Pairs) <= maxPairs {
			if len(drawn) != len(d.Pairs) {
				t.Errorf("%d of %d pairs are drawn", len(drawn), len(d.Pairs))
			}
			return
		}
		if len(drawn) != maxPairs {
			t.Fatalf("%d of %d pairs are drawn", len(drawn), len(d.Pairs))
		}
		first, last := drawn[0], drawn[len(drawn)-1]
		if first.change() != least || last.change() != most {
			t.Errorf("from %v to %v, the extremes are %v and %v", first, last, least, most)
		}
		for i, p := range drawn {
			known := func(other Pair) bool { return other.Label == p.Label }
			if !slices.ContainsFunc(d.Pairs, known) || i > 0 && p.change() < drawn[i-1].change() {
				t.Errorf("pair %v is new or out of order", p)
			}
		}
	})
}

func TestDirection(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		baseline, candidate float64
		want                string
	}{
		{1, 2, "candidate higher"}, {2, 1, "candidate lower"}, {1, 1, "equal"}, {nan, 1, "candidate higher"}, {1, nan, "candidate lower"}, {nan, nan, "equal"}, {0, nan, "equal"}, {1, math.Inf(1), "candidate lower"}, // no score counts as 0
	}
	for _, tt := range tests {
		if got := (Pair{Baseline: tt.baseline, Candidate: tt.candidate}).direction(); directions[got].name != tt.want {
			t.Errorf("from %v to %v: %s, want %s", tt.baseline, tt.candidate, directions[got].name, tt.want)
		}
	}
}

func TestPairsWithoutScore(t *testing.T) {
	nan := math.NaN()
	d := Paired{Pairs: []Pair{{"1", 0.5, 0.6}, {"2", 0.5, nan}, {"3", nan, 0.5}, {"4", nan, nan}, {"5", 0.5, nan}}}
	const want = "candidate higher 2, candidate lower 2, equal 1, baseline without a score 2, candidate without a score 3; a side without a score counts as 0."
	f := d.figure()
	if f.facts[1] != want {
		t.Errorf("%s\nwant %s", f.facts[1], want)
	}
	var names []string
	for _, e := range f.legend[1:] {
		names = append(names, e.name)
	}
	if got := strings.Join(names, ", "); !strings.HasPrefix(want, got+";") {
		t.Errorf("the legend has %s", got)
	}
	if f.y.lo < 0.4 || f.floor == 0 {
		t.Errorf("scores are drawn from %v on, with a lane of %v: what has no score belongs into a lane, not among the scores", f.y.lo, f.floor)
	}
}

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

// Panels that could not be told apart are counted.
func TestParameterChartOfManyPanels(t *testing.T) {
	c := Parameter{By: "k"}
	for i := range maxSeries + 3 {
		c.Panels = append(c.Panels, ParameterPanel{Name: fmt.Sprint(i), Points: []Dot{{1, 1}, {2, float64(i)}}})
	}
	if svg := parameterSVG(t, c); !strings.Contains(svg, "the last 3 panels not drawn") {
		t.Error("the panels that are left out are not counted")
	}
}

// An interval that leaves the axis ends in an arrow, and the subtitle says how many do.
func TestParameterChartMarksCuts(t *testing.T) {
	narrow := ParameterLevel{1, 1, 0.5, 0.4, 0.6}
	points := []Dot{{1, 0.45}, {1, 0.55}, {2, 0.6}, {2, 0.7}}
	draw := func(level ParameterLevel) (said bool, areas int) {
		svg := parameterSVG(t, Parameter{YLabel: "score", Panels: []ParameterPanel{{Points: points, Levels: []ParameterLevel{narrow, level}}}})
		return strings.Contains(svg, "1 interval goes further (arrow)"), strings.Count(svg, "z\"/>")
	}
	within, before := draw(ParameterLevel{2, 2, 0.65, 0.55, 0.75})
	if cut, after := draw(ParameterLevel{2, 2, 0.65, -8, 9}); within || !cut || after != before+2 {
		t.Errorf("said of a cut: %v and %v; %d polygons, %d without one, want 2 more", cut, within, after, before)
	}
}

// Each dot is a link to its own seed, with a name. One of them is a tab stop. Without links, a chart is an image.
func TestMarksAreLinks(t *testing.T) {
	t.Parallel()
	href := func(m Mark) string {
		if m.Label == "9" {
			return ""
		}
		return "/seed?n=" + m.Label + "&side=" + string(rune('0'+m.Side))
	}
	text := func(c Chart) string {
		var b strings.Builder
		if err := Inline(&b, c, href); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	scores := Distribution{Values: []float64{0.5, 0.25, 0.75}, Labels: []string{"7", "8", "9"}, Lo: 0, Hi: 1}
	got := text(scores)
	for _, want := range []string{
		`<a href="/seed?n=8&amp;side=0" aria-label="seed 8: 0.25"><title>seed 8: 0.25</title>`, `<a href="/seed?n=7&amp;side=0" tabindex="-1" aria-label="seed 7: 0.5">`, `role="group"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if n := strings.Count(got, "<a "); n != 2 {
		t.Errorf("%d links, want 2: seed 9 has none", n)
	}
	got = text(Paired{Pairs: []Pair{{"1<", 0.5, 0.75}}, Lo: 0, Hi: 1})
	for _, want := range []string{`<a href="/seed?n=1&lt;&amp;side=0" aria-label="seed 1&lt;, baseline: 0.5">`, `<a href="/seed?n=1&lt;&amp;side=1" tabindex="-1" aria-label="seed 1&lt;, candidate: 0.75">`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	var b strings.Builder
	if err := SVG(&b, scores); err != nil || strings.Contains(b.String(), "<a ") || !strings.Contains(b.String(), `role="img"`) {
		t.Errorf("%v: a file with links: %s", err, b.String())
	}
}
