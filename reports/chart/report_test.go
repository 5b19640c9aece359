package chart_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"track/internal/property"
	"track/reports/chart"
)

const hostile = "<script>alert(1)</script> \"] & \x00\u202e\n|`]]>"

var (
	longName  = strings.Repeat("twenty_characters_ab", 10)
	unit      = "total score (0 to 1)"
	tInterval = "95% t interval"
)

// heat has n seeds; statuses are written P, W, F and -, and repeated.
func heat(title string, n int, rows map[string]string, names ...string) chart.HeatMap {
	h := chart.HeatMap{Title: title, XLabel: "seed"}
	for i := range n {
		h.Seeds = append(h.Seeds, chart.HeatColumn{Label: strconv.Itoa(i)})
	}
	statuses := map[byte]chart.Status{'P': chart.Pass, 'W': chart.Warn, 'F': chart.Fail, '-': chart.Unmeasured}
	for _, name := range names {
		row := chart.HeatRow{Name: name}
		for i := range n {
			row.Cells = append(row.Cells, statuses[rows[name][i%len(rows[name])]])
		}
		h.Rows = append(h.Rows, row)
	}
	return h
}

func mean(label string, n int, mean, half float64) chart.Estimate {
	return chart.Estimate{Label: label, N: n, Mean: mean, Lo: mean - half, Hi: mean + half}
}

// reportExamples are the charts of reports.
func reportExamples() []example {
	return slices.Concat(heatExamples(), distributionExamples(), forestExamples(), pairedExamples(), lineageExamples(), gridExamples(), barExamples(), frontExamples(), treeExamples())
}

func frontExamples() []example {
	point := func(name string, x, y, half float64) chart.FrontPoint {
		return chart.FrontPoint{X: mean(name, 3, x, half/10), Y: mean(name, 3, y, half)}
	}
	points := []chart.FrontPoint{point("v001", 0.2, 40, 4), point("v002", 0.5, 70, 8), point("v003", 0.9, 75, nan), point("v004", 0.7, 60, 5), point(longName, 0.21, 50, 400), point("v006", nan, 3, 1)}
	for _, i := range []int{0, 1, 2, 4} {
		points[i].Front = true
	}
	points[0].Root, points[1].Active = true, true
	bad := point(hostile, 1, 1, 1)
	bad.Front = true
	return []example{
		{"front", chart.Front{Title: "score against cost", XLabel: "cost (USD)", YLabel: "score", Interval: tInterval, MinimizeX: true, Points: points}},
		{"front_hostile", chart.Front{Title: hostile, XLabel: hostile, YLabel: hostile, Points: []chart.FrontPoint{bad}}}, {"front_empty", chart.Front{Title: "None"}},
	}
}

func barExamples() []example {
	rows := []chart.Bar{
		{"v1", "12.5", 12.5}, {longName, "-3", -3}, {hostile, hostile, 0}, {"", "-", nan}, {"largest", "1e+308", 1e308},
	}
	return []example{
		{"bars", chart.Bars{Title: "output by configuration", XLabel: "output", Rows: rows[:4]}},
		{"bars_hostile", chart.Bars{Title: hostile, XLabel: hostile, Rows: rows}}, {"bars_empty", chart.Bars{Title: "None", Rows: rows[3:4]}},
	}
}

func heatExamples() []example {
	rows := map[string]string{"inflation": "PPWPF", "output": "P", "wages": "W", longName: "PF-", "": "-"}
	failed := heat("Metrics by seed", 6, rows, "inflation", "output", "wages", longName, "")
	failed.Seeds[4].Failed = true
	short := heat("A row that is too short, one that is too long, and a status that does not exist", 2, nil)
	short.Rows = []chart.HeatRow{{Name: "none"}, {Name: "three", Cells: []chart.Status{chart.Fail, chart.Pass, chart.Fail}}, {Name: "unknown", Cells: []chart.Status{99, -1}}}
	all := heat("All seeds failed", 3, rows, "inflation")
	for i := range all.Seeds {
		all.Seeds[i].Failed = true
	}
	scenarios := heat("Scenarios by seed", 3, rows, "inflation", "output")
	scenarios.One, scenarios.Many = "scenario", "scenarios"
	scenarios.Rows[0].Cells = []chart.Status{chart.Broken, chart.Unscored, chart.Pass}
	scenarios.Rows[1].Cells = []chart.Status{chart.Fail, chart.Absent, chart.Unmeasured}
	bad := heat(hostile, 1, map[string]string{hostile: "F"}, hostile)
	bad.Seeds[0].Label = hostile
	return []example{
		{"heat", failed}, {"heat_cells", short}, {"heat_failed", all}, {"heat_hostile", bad}, {"heat_scenarios", scenarios},
		{"heat_one", heat("One metric, one seed", 1, rows, "inflation")},
		{"heat_many", heat("1,000 seeds", 1000, rows, "inflation", "wages")},
		{"heat_empty", heat("No metrics", 3, nil)}, {"heat_no_seeds", heat("No seeds", 0, rows, "output")},
	}
}

func distributionExamples() []example {
	ten := []float64{0.862, 0.844, 0.853, 0.864, 0.854, 0.857, 0.837, 0.856, 0.858, 0.859}
	estimate := mean("", 10, 0.8544, 0.0059)
	alone := chart.Estimate{Mean: 0.8, Lo: nan, Hi: nan}
	equal := make([]float64, 1000)
	for i := range equal {
		equal[i] = 87.5
	}
	same := mean("", 1000, 87.5, 0)
	return []example{
		{"distribution", chart.Distribution{Title: "Scores over seeds", XLabel: unit, Values: ten, Mean: &estimate, Interval: tInterval, Hi: 1, Failed: 2, Missing: 1}},
		{"distribution_one", chart.Distribution{Title: "One seed", XLabel: unit, Values: []float64{0.8}, Mean: &alone, Hi: 1}},
		{"distribution_equal", chart.Distribution{Title: "All equal", XLabel: "fitness (0 to 100)", Values: equal, Mean: &same, Hi: 100}},
		{"distribution_gaps", chart.Distribution{Title: "Gaps", Values: []float64{nan, 0, inf, 1, 1, 0.5}}},
		{"distribution_empty", chart.Distribution{Title: "None", XLabel: unit, Values: []float64{nan}, Failed: 3, Hi: 1}},
	}
}

func forestExamples() []example {
	rows := []chart.Difference{
		{Estimate: mean("inflation_rate_mean", 10, -0.0103, 0.019), Status: chart.Warn, Loss: -0.1667, Gain: 0.05},
		{Estimate: mean("n_recessions", 10, 0.1333, 0.139), Status: chart.Pass, Loss: -0.1667, Gain: 0.05},
		{Estimate: mean("bankruptcies", 9, -0.3, 0.05), Status: chart.Fail, Loss: -0.25},
		{Estimate: mean("no difference", 10, 0, 0), Status: chart.Pass, Loss: -2.5},
		{Estimate: chart.Estimate{Label: "no interval", N: 1, Mean: 0.1, Lo: nan, Hi: nan}, Status: chart.Pass},
		{Estimate: chart.Estimate{Label: "no upper end", N: 2, Mean: 0.1, Lo: 0.02, Hi: inf}, Status: chart.Unmeasured},
		{Estimate: chart.Estimate{Label: longName, Mean: nan}, Status: chart.Unmeasured, Loss: -0.1},
		{Estimate: mean("far away", 10, -40, 5), Status: chart.Fail},
		{Estimate: mean("as far the other way", 10, 0.2, 30), Status: chart.Pass},
	}
	return []example{
		{"forest", chart.Forest{Title: "Candidate against baseline", XLabel: "difference of score", Interval: tInterval, Rows: rows[:7]}},
		{"forest_cut", chart.Forest{Title: "Far away", XLabel: "difference of score", Rows: rows[:8]}},
		{"forest_wide", chart.Forest{Title: "Two of nine are too many to cut", Rows: rows}},
		{"forest_equal", chart.Forest{Title: "All equal", Rows: rows[3:4]}},
		{"forest_undefined", chart.Forest{Title: "Nothing is defined", Rows: []chart.Difference{rows[6], {Estimate: chart.Estimate{Label: hostile, Mean: inf}}}}},
		{"forest_empty", chart.Forest{Title: "No metrics"}},
	}
}

func pairedExamples() []example {
	pairs := []chart.Pair{{"0", 0.86, 0.83}, {"1", 0.84, 0.85}, {"2", 0.85, 0.85}, {"3", nan, 0.84}, {"4", 0.87, nan}, {hostile, nan, inf}}
	many := make([]chart.Pair, 300)
	for i, v := range walk(300) {
		many[i] = chart.Pair{Label: strconv.Itoa(i), Baseline: 0.8, Candidate: 0.8 + v/100}
	}
	return []example{
		{"paired", chart.Paired{Title: "Seed by seed", XLabel: "seed", YLabel: unit, Pairs: pairs, OnlyBaseline: 2, OnlyCandidate: 1}},
		{"paired_many", chart.Paired{Title: "300 pairs", XLabel: "seed, in the order of the change", YLabel: unit, Pairs: many}},
		{"paired_one", chart.Paired{Title: "One pair", XLabel: "seed", YLabel: unit, Pairs: pairs[:1]}},
		{"paired_nan", chart.Paired{Title: "No scores", Pairs: pairs[5:], OnlyCandidate: 1}},
		{"paired_empty", chart.Paired{Title: "No pairs", OnlyBaseline: 1000}},
	}
}

func gridExamples() []example {
	rows := []chart.GridRow{{Name: "parse_dates (holdout)", Values: []float64{80, nan, 20}}, {Name: longName, Values: []float64{0, 55.555, 100}}, {Name: "none"}}
	scores := chart.Grid{Title: "Scores of sepa by task", XLabel: "version", One: "task", Many: "tasks", Low: "worst", High: "best", Columns: []string{"v001", "v002", "v003"}, Rows: rows, Scale: [2]float64{0, 100}}
	minimized := chart.Grid{Title: "Errors", Columns: []string{"v001", "<b>"}, Minimize: true, Rows: []chart.GridRow{{Name: "a", Values: []float64{-1e300, 1e300}}, {Name: "b", Values: []float64{math.Inf(1), 7}}}}
	return []example{{"grid", scores}, {"grid_minimized", minimized}, {"grid_empty", chart.Grid{Title: "No scores", One: "task", Many: "tasks", Columns: []string{"v001"}, Rows: rows[2:]}}}
}

func lineageExamples() []example {
	candidates := []chart.Candidate{
		{Number: 3, Decision: chart.Failed, Estimate: mean("", 3, 99, 1)},
		{Number: 0, Decision: chart.Accepted, Estimate: mean("", 5, 60, 4)},
		{Number: 1, Decision: chart.Rejected, Estimate: mean("", 5, 55, 6)},
		{Number: 2, Decision: chart.Accepted, Head: true, Estimate: mean("", 5, 68, 3)},
		{Number: 4, Decision: chart.Accepted, Estimate: chart.Estimate{Mean: 64, Lo: nan, Hi: nan}},
		{Number: 5, Decision: chart.Undecided, Estimate: mean("", 1, 70, 9)},
		{Number: 6, Decision: chart.Rejected, Estimate: chart.Estimate{Mean: nan}},
	}
	lineage := chart.Lineage{
		Title: "Lineage sepa", XLabel: "candidate (number)", YLabel: "fitness (0 to 100)", Interval: tInterval,
		Candidates: candidates, Rollbacks: []chart.Rollback{{After: 4, To: 2}},
	}
	only := func(title string, candidates ...chart.Candidate) chart.Lineage {
		return chart.Lineage{Title: title, YLabel: "fitness (0 to 100)", Candidates: candidates}
	}
	scored := func(number int, d chart.Decision, score float64) chart.Candidate {
		return chart.Candidate{Number: number, Decision: d, Estimate: mean("", 1, score, nan)}
	}
	undecided := only("Nothing decided", scored(0, chart.Root, 40), scored(1, chart.Undecided, 35), scored(2, chart.Undecided, 62), scored(3, chart.Failed, 0), scored(4, chart.Undecided, 50))
	undecided.Candidates[0].Head, undecided.Candidates[2].Best = true, true
	back := chart.Lineage{
		Title: "Back to the root", YLabel: "score", Interval: tInterval, Most: 100, Rollbacks: []chart.Rollback{{After: 3, To: 2}, {After: 3, To: 1}, {After: 3, To: 0, Name: "v001"}},
		Candidates: []chart.Candidate{
			scored(0, chart.Root, 50), {Number: 1, Decision: chart.Accepted, Estimate: mean("", 5, 70, 9)}, {Number: 2, Decision: chart.Accepted, Estimate: mean("", 5, 88, 20)},
			{Number: 3, Decision: chart.Accepted, Estimate: mean("", 5, 96, 6)},
		},
	}
	back.Candidates[0].Head = true
	return []example{
		{"lineage_undecided", undecided}, {"lineage_back", back},
		{"lineage", lineage}, {"lineage_one", only("A root alone", candidates[1])}, {"lineage_failed", only("No scores", candidates[0], candidates[6])},
		{"lineage_rejected", only("None accepted", candidates[2], candidates[5])}, {"lineage_empty", only("None")},
	}
}

// What is counted in the description are all values that were given.
func TestReportsCountEverything(t *testing.T) {
	want := map[string][]string{
		"heat":               {"5 metrics, 6 seeds", "PASS 11, WARN 6, FAIL 1, no value 7", "1 failed seed is hatched", "FAIL in " + longName + " (1 seed)"},
		"heat_many":          {"PASS 600, WARN 1,200, FAIL 200", "A column is 5 seeds"},
		"distribution":       {"n = 10 seeds", "without a score: 2 failed seeds, 1 with missing values", "mean 0.8544 (95% t interval 0.8485 to 0.8603)"},
		"distribution_equal": {"n = 1,000 seeds, 87.5", "the highest is 1,000 seeds"},
		"distribution_gaps":  {"n = 4 seeds", "1 NaN, 1 infinite"},
		"distribution_empty": {"n = 0 seeds", "3 failed seeds"},
		"forest":             {"7 metrics", "PASS 3, WARN 1, FAIL 1, no value 2", "n = 1 to 10 pairs, not known for 1 other", "Undefined: " + longName, "1 row has a threshold beyond"},
		"forest_cut":         {"2 go beyond the frame", "no upper end +0.1, far away −40"},
		"forest_undefined":   {"2 undefined"},
		"grid":               {"3 tasks, 3 columns", "0 to 100", "worst 0", "best 100"},
		"grid_empty":         {"1 task, 1 column", "no finite values"},
		"paired":             {"6 pairs, 2 seeds only in the baseline, 1 seed only in the candidate", "candidate higher 2, candidate lower 2, equal 2, baseline without a score 2, candidate without a score 2"},
		"paired_many":        {"120 pairs of 300 are drawn"},
		"lineage":            {"7 candidates, 1 rollback", "undecided 1, accepted 3, rejected 2, failed 1", "1 without a score", "The head is candidate 2, 68", "after 4 to 2"},
		"lineage_undecided":  {"4 candidates and the root", "Nothing was decided; the highest score is that of candidate 2, 62", "The head is the root, 40", "undecided 3, accepted 0"},
		"lineage_back":       {"3 candidates and the root, 3 rollbacks", "The head is the root, 50", "The best accepted is candidate 3, 96"},
	}
	for _, tt := range examples() {
		got := inspect(t, svg(t, tt.chart))
		for _, fact := range want[tt.name] {
			if !strings.Contains(got.desc, fact) && !slices.ContainsFunc(got.texts, func(l label) bool { return strings.Contains(l.text, fact) }) {
				t.Errorf("%s does not say %q: %s", tt.name, fact, got.desc)
			}
		}
		delete(want, tt.name)
	}
	if len(want) > 0 {
		t.Errorf("there are no examples %v", want)
	}
}

// A name of 200 characters is cut, and whole in a title.
func TestLongNamesAreWholeInTitles(t *testing.T) {
	for _, tt := range examples() {
		d := inspect(t, svg(t, tt.chart))
		if tt.name == "heat" || tt.name == "forest" || tt.name == "forest_undefined" {
			if !slices.Contains(d.cut, longName) {
				t.Errorf("%s: the long name is not among %q", tt.name, d.cut)
			}
		}
	}
}

// The largest reports stay readable and their files small.
func TestBigReports(t *testing.T) {
	x := walk(66_000)
	var h chart.HeatMap
	var f chart.Forest
	var p chart.Paired
	l := chart.Lineage{Title: "10,000 candidates"}
	for i := range 1000 {
		h.Seeds = append(h.Seeds, chart.HeatColumn{Label: strconv.Itoa(i), Failed: i%17 == 0})
		p.Pairs = append(p.Pairs, chart.Pair{Label: strconv.Itoa(i), Baseline: x[i], Candidate: x[i+1000]})
		f.Rows = append(f.Rows, chart.Difference{Estimate: mean(longName, i, x[i], 1), Status: chart.Status(i % 4)})
	}
	for i := range 66 {
		row := chart.HeatRow{Name: strconv.Itoa(i)}
		for k := range 1000 {
			row.Cells = append(row.Cells, chart.Status(int(64+x[i*1000+k])%4))
		}
		h.Rows = append(h.Rows, row)
	}
	for i := range 10_000 {
		l.Candidates = append(l.Candidates, chart.Candidate{Number: i, Decision: chart.Decision(i % 4), Estimate: mean("", 1, x[i], 1)})
		l.Rollbacks = append(l.Rollbacks, chart.Rollback{After: i})
	}
	tests := []struct {
		name, says string
		chart      chart.Chart
		most       int // bytes
	}{
		{"heat map", "A column is", h, maxBytes},
		{"distribution", "A bar is", chart.Distribution{Values: x}, maxBytes},
		{"forest plot", "the last 600 metrics not drawn", f, 2 * maxBytes},
		{"paired dots", "120 pairs of 1,000", p, maxBytes},
		{"lineage", "points are not drawn", l, maxBytes},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := svg(t, tt.chart)
			if d := inspect(t, got); !strings.Contains(d.desc, tt.says) {
				t.Errorf("%q is not in %s", tt.says, d.desc)
			}
			if len(got) > tt.most {
				t.Errorf("%d bytes", len(got))
			}
		})
	}
}

// Every value has its mark. The legend has one more of each.
func TestEveryValueIsDrawn(t *testing.T) {
	x := walk(300)
	var l chart.Lineage
	var p chart.Paired
	var f chart.Forest
	up, rejected, failing := 0, 0, 0
	for i, v := range x[:100] {
		p.Pairs = append(p.Pairs, chart.Pair{Baseline: 0.1, Candidate: v})
		f.Rows = append(f.Rows, chart.Difference{Estimate: mean("", 1, v, 1), Status: chart.Pass})
		if v > 0.1 {
			up++
		}
		if i%7 == 0 {
			f.Rows[i].Status = chart.Fail
			failing++
		}
	}
	for i, v := range x {
		l.Candidates = append(l.Candidates, chart.Candidate{Number: i, Decision: chart.Accepted, Estimate: chart.Estimate{Mean: v, Lo: nan, Hi: nan}})
		if i%3 == 0 {
			l.Candidates[i].Decision = chart.Rejected
			rejected++
		}
	}
	dots := func(parts [][][2]float64) (n int) {
		for _, part := range parts {
			if len(part) == 1 {
				n++
			}
		}
		return n
	}
	heat := inspect(t, svg(t, heat("", 7, map[string]string{"a": "F", "b": "WP-"}, "a", "b")))
	lineage, forest, paired := inspect(t, svg(t, l)), inspect(t, svg(t, f)), inspect(t, svg(t, p))
	distribution := inspect(t, svg(t, chart.Distribution{Values: x}))
	tests := []struct {
		name      string
		got, want int
	}{
		{"scores", len(distribution.shapes["fill-1 line-paper"]), 300 + 1},
		{"metrics that pass", len(forest.shapes["fill-1 line-paper"]), 100 - failing + 1},
		{"metrics that fail", len(forest.shapes["fill-2 line-paper"]), failing + 1},
		{"pairs that went up", len(paired.shapes["fill-1 line-paper"]), up + 1},
		{"pairs that went down", len(paired.shapes["fill-2 line-paper"]), 100 - up + 1},
		{"baselines", len(paired.shapes["fill-paper line-dim"]), 100 + 1},
		{"accepted candidates", dots(lineage.shapes["line-1"]), 300 - rejected},             // the sample of the legend is a circle
		{"rejected candidates", len(lineage.shapes["line-axis"]), rejected + 1 + 1 + 6 + 1}, // the axis, its ticks and the line of 0 are of the same ink
		{"strokes of crosses of FAIL", len(heat.shapes["line-paper"]), 2*7 + 2 + 6},         // and the lines between columns
		{"strokes of WARN", len(heat.shapes["line-text"]), 3 + 1},
		{"dots of what was not measured", len(heat.shapes["line-dim"]), 2 + 1},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: %d are drawn, want %d", tt.name, tt.got, tt.want)
		}
	}
}

// Numbers so large that half a number is nothing to them have an axis, too.
func TestLargestNumbers(t *testing.T) {
	c := chart.Candidate{Number: math.MaxInt64, Decision: chart.Accepted, Head: true, Estimate: mean("", 1, 5, 1)}
	inspect(t, svg(t, chart.Lineage{Candidates: []chart.Candidate{c}, Rollbacks: []chart.Rollback{{After: math.MaxInt64, To: math.MinInt64}}}))
}

func estimate(t *rapid.T) chart.Estimate {
	return chart.Estimate{
		Label: text(t), N: rapid.IntRange(0, 2000).Draw(t, "n"), Mean: value.Draw(t, "mean"), Lo: value.Draw(t, "lo"), Hi: value.Draw(t, "hi"),
	}
}

func TestAnyHeatMap(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		h := chart.HeatMap{Title: text(t), XLabel: text(t)}
		for range rapid.SampledFrom([]int{0, 1, 2, 30, 200}).Draw(t, "seeds") {
			h.Seeds = append(h.Seeds, chart.HeatColumn{Label: text(t), Failed: rapid.Bool().Draw(t, "failed")})
		}
		status := rapid.Map(rapid.IntRange(-1, 4), func(i int) chart.Status { return chart.Status(i) })
		for range rapid.SampledFrom([]int{0, 1, 3, 30}).Draw(t, "metrics") {
			h.Rows = append(h.Rows, chart.HeatRow{Name: text(t), Cells: rapid.SliceOfN(status, 0, 40).Draw(t, "cells")})
		}
		inspect(t, svg(t, h))
	})
}

func TestAnyDistribution(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		d := chart.Distribution{
			Title: text(t), XLabel: text(t), Interval: text(t), Values: rapid.SliceOfN(value, 0, 500).Draw(t, "values"),
			Failed: rapid.IntRange(0, 9).Draw(t, "failed"), Lo: value.Draw(t, "from"), Hi: value.Draw(t, "to"),
		}
		if rapid.Bool().Draw(t, "has mean") {
			e := estimate(t)
			d.Mean = &e
		}
		inspect(t, svg(t, d))
	})
}

func TestAnyForest(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		f := chart.Forest{Title: text(t), XLabel: text(t), Interval: text(t)}
		for range rapid.SampledFrom([]int{0, 1, 2, 3, 40}).Draw(t, "metrics") {
			f.Rows = append(f.Rows, chart.Difference{
				Estimate: estimate(t), Status: chart.Status(rapid.IntRange(-1, 4).Draw(t, "status")), Loss: value.Draw(t, "loss"), Gain: value.Draw(t, "gain"),
			})
		}
		inspect(t, svg(t, f))
	})
}

func TestAnyPaired(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := chart.Paired{Title: text(t), XLabel: text(t), YLabel: text(t), OnlyBaseline: rapid.IntRange(0, 2).Draw(t, "unmatched")}
		for range rapid.SampledFrom([]int{0, 1, 2, 20, 150}).Draw(t, "pairs") {
			p.Pairs = append(p.Pairs, chart.Pair{Label: text(t), Baseline: value.Draw(t, "baseline"), Candidate: value.Draw(t, "candidate")})
		}
		inspect(t, svg(t, p))
	})
}

func TestAnyLineage(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		l := chart.Lineage{Title: text(t), XLabel: text(t), YLabel: text(t), Interval: text(t)}
		number := rapid.OneOf(rapid.IntRange(0, 20), rapid.Int())
		for range rapid.SampledFrom([]int{0, 1, 2, 20, 100}).Draw(t, "candidates") {
			l.Candidates = append(l.Candidates, chart.Candidate{
				Number: number.Draw(t, "number"), Decision: chart.Decision(rapid.IntRange(-1, 4).Draw(t, "decision")),
				Head: rapid.Bool().Draw(t, "head"), Estimate: estimate(t),
			})
		}
		for range rapid.SampledFrom([]int{0, 1, 50}).Draw(t, "rollbacks") {
			l.Rollbacks = append(l.Rollbacks, chart.Rollback{After: number.Draw(t, "after"), To: number.Draw(t, "to")})
		}
		inspect(t, svg(t, l))
	})
}

// A label at the edge of the chart stands beside its tick, and still not on its neighbour.
func TestFirstLabelWithoutRoomAtItsLeft(t *testing.T) {
	h := chart.HeatMap{Rows: []chart.HeatRow{{Name: "a"}}}
	for range 200 {
		h.Seeds = append(h.Seeds, chart.HeatColumn{Label: "日本日本日本"})
	}
	h.Seeds[0].Label = "<script>alert(1)</script>"
	inspect(t, svg(t, h))
}

func treeExamples() []example {
	nodes := []chart.TreeNode{
		{Name: "v001", Decision: chart.Root, Height: 30, OnPath: true}, {Name: "v002", Decision: chart.Accepted, Height: 60, OnPath: true, Parents: []int{0}},
		{Name: "v003", Decision: chart.Rejected, Lane: 1, Height: 10, Parents: []int{0}}, {Name: "v004", Decision: chart.Refused, Lane: 1, Parents: []int{1}},
		{Name: longName, Decision: chart.Undecided, Lane: 1, Height: 50, Parents: []int{1, 2}}, {Name: "v006", Decision: chart.Failed, Parents: []int{1}},
		{Name: "v007", Decision: chart.Accepted, Height: 100, Active: true, OnPath: true, Parents: []int{1, 4, 99}},
	}
	many := chart.Tree{Title: "Many versions", Lanes: make([]string, 12)}
	for i := range 120 {
		many.Nodes = append(many.Nodes, chart.TreeNode{Name: "v" + strconv.Itoa(i), Decision: chart.Decision(i % 5), Lane: i % 12, Height: 15 * (i % 7), Parents: []int{i - 12}})
	}
	return []example{
		{"tree", chart.Tree{Title: "Tree of sepa", Lanes: []string{"island 0", longName}, Nodes: nodes}}, {"tree_many", many},
		{"tree_hostile", chart.Tree{Title: hostile, Lanes: []string{hostile}, Nodes: []chart.TreeNode{{Name: hostile, Lane: 9, Height: -1, Decision: 99}}}}, {"tree_empty", chart.Tree{Title: "None"}},
	}
}
