package pages

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"track"
	"track/answer"
	"track/evolution"
	"track/scoring/effects"
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
	a.Items[0].Root, a.Items[1].Active = true, true
	b := newBuilder(Page{Path: "/lineage/front"}, Request{})
	drawn, link := b.chartOf(a)
	c := newLineChart(drawn.(plotted).Plot(), link)
	// Means go from 40 to 50, so intervals are shown from 35 to 55.
	if want := (plotValues{2, 35, 2, 55, 3, 0}); !slices.ContainsFunc(c.Bars, func(bar plotValues) bool { return slices.Equal(bar, want) }) {
		t.Errorf("bars %v, want one of %v", c.Bars, want)
	}
	if want := (plotValues{3, 42, 3, 48, 0, 1}); !slices.ContainsFunc(c.Bars, func(bar plotValues) bool { return slices.Equal(bar, want) }) {
		t.Errorf("bars %v, want one of %v", c.Bars, want)
	}
	if err := b.addFront(a, "", nil); err != nil || len(b.last().Sentences) != 1 || !strings.HasPrefix(b.last().Sentences[0].Text, "1 interval goes beyond the chart") {
		t.Errorf("%v, error %v", b.last().Sentences, err)
	}
	marks := map[string]string{}
	for _, key := range c.keys() {
		marks[key.Label] = key.Mark
	}
	if marks["on the front"] == "" || marks["not on the front"] != "key-square" || marks["root"] != "key-diamond" || marks["active"] != "key-ring" {
		t.Errorf("the legend has %v", marks)
	}
}

func TestTreeNodeWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		version answer.TreeVersion
		want    string
	}{
		{answer.TreeVersion{Version: "v1", NFailed: 1}, "v1, active"},
		{answer.TreeVersion{Version: "v2", NFailed: 1}, "v2, failed"},
		{answer.TreeVersion{Version: "v3", NFailed: 1, N: 1}, "v3, open"},
	} {
		if got := (treeNode{Version: c.version}).words(answer.Numbers{}, "v1"); got != c.want {
			t.Errorf("%+v: %q, want %q", c.version, got, c.want)
		}
		if letter, class := treeClass(c.version, "v1"); (letter == "e") != (class == "failed") || (class == "failed") != strings.HasSuffix(c.want, "failed") {
			t.Errorf("%+v has the mark %s of %s", c.version, letter, class)
		}
	}
}

// Means of different parameters are not joined: a line between them would look like a change over time.
func TestSparklineJoinsTheSameParameters(t *testing.T) {
	t.Parallel()
	s := string(sparkline([]float64{0.5, 0.9, 0.6, 0.7}, []int{0, 1, 0, 2}, 3))
	for _, want := range []string{
		`<path class="line" d="M2 14L63.3 11"/>`, `<path class="dot" d="M32.7 2h0"/>`, `<path class="dot" d="M94 8h0"/>`, `<circle class="last" cx="94" cy="8" r="2.5"/>`,
		"joined if their parameters are the same", "3 older configurations not drawn",
	} {
		if !strings.Contains(s, want) {
			t.Errorf("no %s in %s", want, s)
		}
	}
}

// TestRunningCells checks which cells a sweep has of which no seed has ended: those that run.
func TestRunningCells(t *testing.T) {
	t.Parallel()
	m := running(answer.Sweep{
		RecordedSweep: answer.RecordedSweep{Scenario: "s"},
		Progress: answer.SweepProgress{NPlanned: 20, NRunning: 3, Configurations: []answer.ConfigurationProgress{
			{Configuration: "0123456789abcdef", Running: []track.SeedNumber{4, 2}}, {Configuration: "1", Label: "two", Running: []track.SeedNumber{3}}, {Configuration: "2"},
		}},
	})
	if len(m.Items) != 2 || len(m.Seeds) != 3 || m.Items[0].Name != "0123456789" || m.Items[0].Cells != ">_>" || m.Items[1].Name != "two" || m.Items[1].Cells != "_>_" {
		t.Errorf("%+v", m)
	}
	b := &builder{}
	if err := b.addHeatMap(m, nil, ".heatmap"); err != nil || len(b.view.Sections) != 1 || b.view.Sections[0].Title != "Configuration by seed" {
		t.Errorf("%+v, error %v", b.view.Sections, err)
	}
}

// A parameter whose name has a comma is the second of a grid, since an address ends the first by a comma.
func TestGridOfParametersWithCommas(t *testing.T) {
	for _, tt := range []struct{ first, second, want string }{
		{"a", "b", "a,b"}, {"a,x", "b", "b,a,x"}, {"a", "b,x", "a,b,x"}, {"a,x", "b,x", ""},
	} {
		b := &builder{asked: url.Values{}}
		got := b.drawnParams(answer.ParamsAnalysis{Analysis: effects.Analysis{Effects: []effects.Effect{{Parameter: tt.first}, {Parameter: tt.second}}}})
		if got.Get("heatmap") != tt.want || got.Get("plot") != tt.first {
			t.Errorf("%s and %s: %v", tt.first, tt.second, got)
		}
	}
	b := newBuilder(Page{Path: "/params"}, Request{In: url.Values{}})
	var links []string
	for _, choices := range b.gridChoices([]string{"a", "b", "c,x"}, "a", "b") {
		for _, choice := range choices.Choices {
			links = append(links, choice.Href)
		}
	}
	if got, want := strings.Join(links, " "), "/params?heatmap=a%2Cb /params?heatmap=a%2Cb /params?heatmap=a%2Cc%2Cx"; got != want {
		t.Errorf("links %s, want %s", got, want)
	}
}

// TestBarColumns checks that a score of 0 has a bar only among scores that end at 1.
func TestBarColumns(t *testing.T) {
	t.Parallel()
	columns := answer.Columns{{Name: "seed"}, {Name: "score"}}
	for _, tt := range []struct {
		other float64
		want  bool
	}{{0.5, true}, {89.3, false}, {-2, false}} {
		if got := barColumns(answer.Table{Columns: columns, Rows: [][]any{{1, 0.0}, {2, tt.other}}}); got[1] != tt.want || got[0] {
			t.Errorf("0 and %v: %v, want %v", tt.other, got, tt.want)
		}
	}
}

// Numbers of seeds are texts: they are sorted as numbers, also above 2^53.
func TestNumbersInTextsAreSorted(t *testing.T) {
	texts := []any{"10", "9", "18446744073709551615", "18446744073709551614", "a", "1a"}
	slices.SortStableFunc(texts, func(a, b any) int { return compareCells(a, b, false) })
	if want := []any{"9", "10", "18446744073709551614", "18446744073709551615", "1a", "a"}; !slices.Equal(texts, want) {
		t.Errorf("sorted: %v, want %v", texts, want)
	}
}

// TestCutMiddle holds that a long text keeps its beginning and its end, and that nothing is left out unsaid.
func TestCutMiddle(t *testing.T) {
	t.Parallel()
	lines := func(n int) string { return strings.Repeat("line\n", n) }
	for _, tt := range []struct{ text, first, last, left string }{
		{"short", "short", "", ""},
		{lines(8), lines(8), "", ""}, // with the empty text after the last newline, 9: 4 + 4 + 1
		{"a\n" + lines(20) + "z", "a\n" + lines(3), lines(3) + "z", "14 lines"},
		{strings.Repeat("é", 3000), strings.Repeat("é", 1000), strings.Repeat("é", 1000), "2000 bytes"},
	} {
		first, last, left := cutMiddle(tt.text)
		if first != tt.first || last != tt.last || left != tt.left {
			t.Errorf("%.20q: %.20q, %.20q, %q; want %.20q, %.20q, %q", tt.text, first, last, left, tt.first, tt.last, tt.left)
		}
	}
}

// TestDiffLinesMarkWords holds that words are marked also where a text has no newline at its end.
func TestDiffLinesMarkWords(t *testing.T) {
	t.Parallel()
	text := "--- a\n+++ b\n@@ -1,1 +1,1 @@\n-Answer in English.\n\\ No newline at end of file\n+Answer in German.\n\\ No newline at end of file\n"
	var marked []string
	for _, line := range diffLines(text) {
		for _, p := range line.Pieces {
			if p.Mark {
				marked = append(marked, line.Class+" "+p.Text)
			}
		}
	}
	if got := strings.Join(marked, ", "); got != "removed English, added German" {
		t.Errorf("marked: %s", got)
	}
}

func TestFailedCounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		inTrace, counted int
		want             string
	}{
		{4, 4, "4 failed"},
		{4, 2, "4 failed, 2 of them benign under basic"},
		{1, 2, "1 failed, 2 under basic"},
	} {
		if got := failedCounts(c.inTrace, c.counted, "basic"); got != c.want {
			t.Errorf("%d in the trace, %d counted: %q, want %q", c.inTrace, c.counted, got, c.want)
		}
	}
}

// An interval stands beside the estimate that it is of: a delta of means over all trials is not the mean of the pairs.
func TestDecisionFacts(t *testing.T) {
	t.Parallel()
	delta := 0.68
	var d answer.Decision
	d.Delta, d.NChild, d.NParent = &delta, 4, 3
	d.CI = &evolution.Interval{Lo: -10.66, Hi: 13.82, Estimate: 1.58, N: 3, Confidence: 0.95, Method: "paired t"}
	list := decisionFacts(d)
	if len(list) < 2 || list[0].Interval != "" || list[1].Name != "mean of pairs" || list[1].Value != "+1.58" || list[1].Interval != "[-10.66, +13.82]" {
		t.Errorf("%+v", list)
	}
	d.CI.Estimate = delta
	if list = decisionFacts(d); list[0].Interval != "[-10.66, +13.82]" || len(list) > 1 && list[1].Name == "mean of pairs" {
		t.Errorf("the same estimate: %+v", list)
	}
}

// The page of a mutation begins with what became of it and with warnings, and says neither again.
func TestDecisionIsSaidOnce(t *testing.T) {
	t.Parallel()
	if got, want := sentenceOf(answer.Sentence{Kind: answer.Verdict, Text: "REJECTED  m-1: v2 of v1"}), (sentence{Class: string(answer.Verdict), Verdict: "REJECTED", Status: "fail", Text: "m-1: v2 of v1"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	var d answer.Decision
	d.Mutation, d.State, d.Warnings = "m-1", "REJECTED", []answer.DecisionWarning{{Code: "small_n", Message: "n too small"}}
	var b builder
	b.lead(slices.Concat(d.Brief(), warningsOf(d.Lead())))
	b.addDecision(d)
	if last := b.view.Lead[len(b.view.Lead)-1]; last.Class != string(answer.Warning) {
		t.Errorf("the lead ends with %+v, not with a warning", last)
	}
	for _, s := range b.view.Sections[0].Sentences {
		if slices.Contains(b.view.Lead, s) {
			t.Errorf("%+v is said twice", s)
		}
	}
}
