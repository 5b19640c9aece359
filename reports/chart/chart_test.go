package chart_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"track/internal/property"
	"track/reports/chart"
)

var nan, inf = math.NaN(), math.Inf(1)

type example struct {
	name  string
	chart chart.Chart
}

// examples are charts of all kinds, small enough for golden files.
func examples() []example { return slices.Concat(seriesExamples, reportExamples()) }

var seriesExamples = []example{
	{"line", chart.Line{
		Title: "Unemployment", XLabel: "period (quarters)", YLabel: "unemployment rate (share of workers)",
		Series: []chart.Named{{Name: "seed 0", Y: []float64{0.05, 0.07, nan, 0.06, 0.065}}, {Name: "seed 1", Y: []float64{0.04, 0.06, 0.08, inf}}},
	}},
	{"line_x", chart.Line{Title: "By year", X: []float64{2020, 1950, nan, 1990}, Series: []chart.Named{{Y: []float64{12e3, -5e3, 0, 8e5}}}}},
	{"line_one", chart.Line{Title: "One point", Series: []chart.Named{{Y: []float64{3.25}}}}},
	{"line_equal", chart.Line{Title: "All equal", Series: []chart.Named{{Y: []float64{0.0699, 0.0699, 0.0699}}}}},
	{"line_nan", chart.Line{Title: "All NaN", Series: []chart.Named{{Y: []float64{nan, -inf}}}}},
	{"line_empty", chart.Line{}},
	{"line_huge", chart.Line{Series: []chart.Named{{Y: []float64{-math.MaxFloat64, 0, math.MaxFloat64}}}}},
	{"line_tiny", chart.Line{Series: []chart.Named{{Y: []float64{0, math.SmallestNonzeroFloat64}}}}},
	{"band_points", chart.Band{
		Title: "Points over seeds", XLabel: "point", YLabel: "log of output (1)", NSeeds: 3, Seeds: [][]float64{{1, 2, nan, 4}, {2, 3, 5, 4}},
		Points: []chart.BandPoint{{At: 0, N: 3, Low: 1, Q1: 1.2, Median: 1.5, Q3: 1.8, High: 2}, {At: 10, N: 3, Low: 2, Q1: 2.2, Median: 2.5, Q3: 2.8, High: 3}, {At: 20}, {At: 30, N: 3, Low: 4, Q1: 4.2, Median: 4.5, Q3: 5.8, High: 6}},
	}},
	{"band_empty", chart.Band{Title: "No seeds"}},
	{"history", chart.History{
		Title: "Mean unemployment rate", XLabel: "configuration", YLabel: "unemployment_rate_mean (share)", Interval: "95% t interval",
		Points: []chart.Estimate{
			{Label: "v0.9.0", N: 10, Mean: 0.070, Lo: 0.066, Hi: 0.074},
			{Label: "v0.9.1", N: 10, Mean: 0.071, Lo: nan, Hi: nan},
			{Label: strings.Repeat("long-", 39) + "name", N: 8, Mean: nan},
			{Label: "v0.10.0", N: 9, Mean: 0.062, Lo: 0.058, Hi: 0.066},
		},
		Prediction:   &chart.Prediction{Name: "95% prediction interval", Lo: 0.060, Hi: 0.078},
		ChangePoints: []int{3, 0, 3, 99},
	}},
	{"history_empty", chart.History{Title: "None"}},
	{"hostile", chart.Line{
		Title: "<script>alert(1)</script> \"] & \x00\u202e\n|`", XLabel: "--> ]]>", YLabel: "</svg>",
		Series: []chart.Named{{Name: "</text><script>", Y: []float64{1, 2}}, {Name: "\xff", Y: []float64{2, 1}}},
	}},
}

func TestGolden(t *testing.T) {
	for _, tt := range examples() {
		t.Run(tt.name, func(t *testing.T) {
			got := svg(t, tt.chart)
			path := filepath.Join("testdata", tt.name+".svg")
			if os.Getenv("UPDATE_GOLDEN") != "" {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("%s (UPDATE_GOLDEN=1 writes it; look at the picture): %s", path, diff)
			}
			inspect(t, got)
		})
	}
}

const maxBytes = 200_000

// walk is a random walk that returns to 0.
func walk(n int) []float64 {
	x, state, v := make([]float64, n), uint64(1), 0.0
	for i := range x {
		state = state*6364136223846793005 + 1442695040888963407
		v = 0.999*v + float64(state>>11)/(1<<53) - 0.5
		x[i] = v
	}
	return x
}

// big are charts of more data than there are pixels.
func big() map[string]chart.Chart {
	x := walk(1_000_000)
	every := func(keep func(i int) bool) []float64 {
		y := slices.Clone(x)
		for i := range y {
			if !keep(i) {
				y[i] = nan
			}
		}
		return y
	}
	var series []chart.Named
	var spread []chart.BandPoint
	var points []chart.Estimate
	for i := range 1000 {
		series = append(series, chart.Named{Name: strings.Repeat("long ", 40) + strconv.Itoa(i), Y: x[1000*i : 1000*i+1000]})
	}
	var eight []chart.Named
	for i := range 8 {
		eight = append(eight, chart.Named{Name: "walk " + strconv.Itoa(i), Y: x[100_000*i : 100_000*i+100_000]})
	}
	for i := range 5000 {
		points = append(points, chart.Estimate{Label: strconv.Itoa(i), Mean: x[i], Lo: x[i] - 1, Hi: x[i] + 1})
	}
	for i, v := range x[:100_000] {
		spread = append(spread, chart.BandPoint{At: float64(i), N: i % 900, Low: v - 2, Q1: v - 1, Median: v, Q3: v + 1, High: v + 2})
	}
	changes := make([]int, 5000)
	for i := range changes {
		changes[i] = i
	}
	fewer := chart.History{Title: "As many as have markers", Points: points[:80], ChangePoints: changes[:80]}
	return map[string]chart.Chart{
		"a million points":            chart.Line{Series: []chart.Named{{Y: x}}},
		"every second is a gap":       chart.Line{Series: []chart.Named{{Y: every(func(i int) bool { return i%2 == 0 })}}},
		"every thousandth is a point": chart.Line{Series: []chart.Named{{Y: every(func(i int) bool { return i%1000 == 0 })}}},
		"eight series":                chart.Line{Series: eight},
		"1,000 series":                chart.Line{Series: series},
		"100,000 periods":             chart.Band{NSeeds: 900, Points: spread},
		"5,000 configurations":        chart.History{Points: points, ChangePoints: changes},
		"80 configurations":           fewer,
	}
}

func TestBig(t *testing.T) {
	for name, c := range big() {
		t.Run(name, func(t *testing.T) {
			got := svg(t, c)
			if len(got) > maxBytes {
				t.Errorf("%d bytes of SVG", len(got))
			}
			reduced := name != "80 configurations" && name != "every thousandth is a point"
			if reduced && !regexp.MustCompile(`column of \d+ pixel`).MatchString(got) {
				t.Errorf("the description does not say how points were reduced")
			}
			inspect(t, got)
		})
	}
}

// One point in a million stands out, and is where the axis has its end.
func TestSpikeIsDrawn(t *testing.T) {
	y := walk(1_000_000)
	y[654_321] = 200
	d := inspect(t, svg(t, chart.Line{Series: []chart.Named{{Y: y}}}))
	top := slices.MinFunc(d.points, func(a, b [2]float64) int { return int(a[1] - b[1]) })
	if share := (top[0] - d.left) / (d.right - d.left); math.Abs(share-0.654321) > 0.002 {
		t.Errorf("the highest point is at %v of the width", share)
	}
}

func TestWriteErrors(t *testing.T) {
	if err := chart.SVG(full{}, chart.Line{}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("got error %v", err)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// The values of the caller stay as they are, even where they have to be sorted.
func TestValuesAreNotChanged(t *testing.T) {
	x, y := []float64{3, 1, 2}, []float64{30, 10, 20}
	svg(t, chart.Line{X: x, Series: []chart.Named{{Y: y}}})
	svg(t, chart.Band{NSeeds: 1, Points: []chart.BandPoint{{}}, Seeds: [][]float64{y}})
	if !slices.Equal(x, []float64{3, 1, 2}) || !slices.Equal(y, []float64{30, 10, 20}) {
		t.Errorf("now %v and %v", x, y)
	}
}

func TestAnyLine(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		l := chart.Line{Title: text(t), XLabel: text(t), YLabel: text(t)}
		for range rapid.SampledFrom([]int{0, 1, 1, 2, 3, 9, 120}).Draw(t, "series") {
			l.Series = append(l.Series, chart.Named{Name: text(t), Y: floats(t)})
		}
		if rapid.Bool().Draw(t, "has x") {
			l.X = floats(t)
		}
		inspect(t, svg(t, l))
	})
}

func TestAnyBand(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		b := chart.Band{Title: text(t), XLabel: text(t), YLabel: text(t), NSeeds: rapid.IntRange(0, 9).Draw(t, "seeds")}
		for i := range rapid.IntRange(0, 9).Draw(t, "periods") {
			v := rapid.SliceOfN(value, 5, 5).Draw(t, "values")
			b.Points = append(b.Points, chart.BandPoint{At: float64(i), N: rapid.IntRange(0, 3).Draw(t, "n"), Low: v[0], Q1: v[1], Median: v[2], Q3: v[3], High: v[4]})
		}
		for range b.NSeeds {
			b.Seeds = append(b.Seeds, floats(t))
		}
		inspect(t, svg(t, b))
	})
}

func TestAnyHistory(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		h := chart.History{
			Title: text(t), XLabel: text(t), YLabel: text(t), Interval: text(t),
			ChangePoints: rapid.SliceOfN(rapid.IntRange(-1, 12), 0, 9).Draw(t, "changes"),
		}
		for range rapid.SampledFrom([]int{0, 1, 2, 8, 30, 90}).Draw(t, "points") {
			h.Points = append(h.Points, chart.Estimate{
				Label: text(t), N: rapid.IntRange(0, 2000).Draw(t, "n"),
				Mean: value.Draw(t, "mean"), Lo: value.Draw(t, "lo"), Hi: value.Draw(t, "hi"),
			})
		}
		if rapid.Bool().Draw(t, "predicted") {
			h.Prediction = &chart.Prediction{Name: text(t), Lo: value.Draw(t, "low"), Hi: value.Draw(t, "high")}
		}
		inspect(t, svg(t, h))
	})
}

var value = rapid.OneOf(rapid.Float64Range(-10, 10), rapid.Float64(), rapid.SampledFrom([]float64{
	0, 1, 1, 1 + 0x1p-52, 1e9, 1e15, math.SmallestNonzeroFloat64, math.MaxFloat64, -math.MaxFloat64, nan, inf, -inf,
}))

func floats(t *rapid.T) []float64 { return rapid.SliceOfN(value, 0, 20).Draw(t, "values") }

func text(t *rapid.T) string {
	return rapid.OneOf(
		rapid.String(),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 30), func(b []byte) string { return string(b) }),
		rapid.SampledFrom([]string{
			"", "seed 7", "<script>alert(1)</script>", `"]`, "]]>", "-->", "&lt;", "</svg>", "a\x00b", "\u202e", "new\nline",
			strings.Repeat("two hundred ", 17), strings.Repeat("日本", 100), strings.Repeat("W", 10000),
		}),
	).Draw(t, "text")
}

func svg(t rapid.TB, c chart.Chart) string {
	t.Helper()
	var b, again bytes.Buffer
	if err := errors.Join(chart.SVG(&b, c), chart.SVG(&again, c)); err != nil {
		t.Fatal(err)
	}
	if b.String() != again.String() {
		t.Error("the same chart gave different bytes")
	}
	return b.String()
}
