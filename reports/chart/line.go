package chart

import (
	"math"
	"slices"
	"strings"
)

// Line is a chart of one or several series. Labels carry the unit: "unemployment rate (share of workers)".
//
// A series may have a million points: of those in one pixel column the lowest and the highest are drawn, and the
// description says so. At most 56 series are drawn; the subtitle says how many were left out.
type Line struct {
	Title, XLabel, YLabel string
	Series                []Named
}

// Named is one series of a [Line].
type Named struct {
	Name string
	X    []float64 // as long as Y and in any order; nil stands for 0, 1, 2, …
	Y    []float64 // NaN and infinities are gaps
}

const (
	maxSeries = nHues * len(markers) // more could not be told apart
	maxMarked = 400                  // points in all, if each is to have a marker
	lineWidth = 1.6
)

// ordered is a series with its points in the order of x.
type ordered struct {
	Named
	ex, ey  extent
	whole   bool // every x is a whole number
	nowhere int  // points without a finite x
}

// order sorts and counts the points of a series.
func order(s Named) ordered {
	t := ordered{Named: s, whole: true}
	if s.X != nil {
		n := min(len(s.X), len(s.Y))
		t.nowhere = len(s.Y) - n
		t.X, t.Y = s.X[:n], s.Y[:n]
		t.sort()
	}
	for i, y := range t.Y {
		x := t.x(i)
		if !finite(x) {
			t.nowhere++
			continue
		}
		t.ey.add(y)
		if finite(y) {
			t.ex.add(x)
			t.whole = t.whole && x == math.Trunc(x)
		}
	}
	return t
}

func (t ordered) x(i int) float64 {
	if t.X == nil {
		return float64(i)
	}
	return t.X[i]
}

// sort puts the points in the order of x, those with the same x in the order given. It does not touch the slices of
// the caller.
func (t *ordered) sort() {
	last, sorted := math.Inf(-1), true
	for _, x := range t.X {
		if finite(x) {
			sorted = sorted && last <= x
			last = x
		}
	}
	if sorted {
		return
	}
	points := make([]point, len(t.X))
	for i, x := range t.X {
		points[i] = point{x, t.Y[i]}
	}
	slices.SortStableFunc(points, func(a, b point) int {
		switch {
		case a.x < b.x || math.IsNaN(a.x) && !math.IsNaN(b.x):
			return -1
		case a.x > b.x || math.IsNaN(b.x) && !math.IsNaN(a.x):
			return 1
		}
		return 0
	})
	t.X, t.Y = make([]float64, len(points)), make([]float64, len(points))
	for i, p := range points {
		t.X[i], t.Y[i] = p.x, p.y
	}
}

// gaps counts what is missing, such as "not drawn: 2 NaN, 1 infinite".
func gaps(e extent, nowhere int) string {
	var kinds []string
	for _, kind := range []struct {
		n    int
		name string
	}{{e.nan, "NaN"}, {e.inf, "infinite"}, {nowhere, "without a finite x"}} {
		if kind.n > 0 {
			kinds = append(kinds, count(kind.n, kind.name, kind.name))
		}
	}
	if kinds == nil {
		return ""
	}
	return "not drawn: " + strings.Join(kinds, ", ")
}

// fact describes one series in a sentence.
func (t ordered) fact() string {
	fact := "n = " + count(t.ey.n, "point", "points")
	if t.ey.n > 0 {
		fact += ", " + t.ey.span() + ", at x " + t.ex.span()
	}
	if g := gaps(t.ey, t.nowhere); g != "" {
		fact += "; " + g
	}
	if name := clean(t.Name); name != "" {
		return name + ": " + fact + "."
	}
	return fact + "."
}

func (l Line) figure() figure {
	f := figure{kind: "Line chart", title: l.Title, xLabel: l.XLabel, yLabel: l.YLabel}
	series := make([]ordered, min(len(l.Series), maxSeries))
	var x, y extent
	whole := true
	for i := range series {
		series[i] = order(l.Series[i])
		x.merge(series[i].ex)
		y.merge(series[i].ey)
		whole = whole && series[i].whole
		if i < maxFacts {
			f.facts = append(f.facts, series[i].fact())
		}
	}
	if others := len(l.Series) - maxFacts; others > 0 {
		f.facts = append(f.facts, "And "+count(others, "other series", "other series")+".")
	}
	f.x, f.y = along(x, whole), upright(y)
	switch {
	case len(l.Series) == 0:
		f.empty = "no series"
	case y.n == 0:
		f.empty = noValues
	}
	f.subtitle = l.subtitle(series, y)
	if len(series) > 1 {
		for i, t := range series {
			f.legend = append(f.legend, entry{or(t.Name, "series "+number(float64(i+1))), func(c canvas, at point) {
				strip(pen(i))(c, at)
				mark(c, i, point{at.x + sampleWidth/2, at.y})
			}})
		}
	}
	f.data = func(c canvas, p plot) string { return drawSeries(c, p, series) }
	return f
}

func pen(i int) style { return style{stroke: hue(i), width: lineWidth} }

func (l Line) subtitle(series []ordered, all extent) string {
	if len(series) == 0 {
		return "n = 0"
	}
	lo, hi, nowhere := series[0].ey.n, series[0].ey.n, 0
	for _, t := range series {
		lo, hi, nowhere = min(lo, t.ey.n), max(hi, t.ey.n), nowhere+t.nowhere
	}
	subtitle := "n = " + count(hi, "point", "points")
	if len(series) > 1 {
		subtitle = count(len(l.Series), "series", "series") + ", n = " + among(lo, hi) + " points each"
	}
	if len(series) == 1 && all.n > 0 {
		subtitle += ", " + all.span()
	}
	if left := len(l.Series) - len(series); left > 0 {
		subtitle += ", the last " + count(left, "series", "series") + " not drawn"
	}
	if g := gaps(all, nowhere); g != "" {
		subtitle += "; " + g
	}
	return subtitle
}

func drawSeries(c canvas, p plot, series []ordered) (fact string) {
	lines := make([][][]point, len(series))
	total, kept := 0, 0
	column := coarsen(func(column pixel) (points int) {
		kept = 0
		for i, t := range series {
			lines[i] = reduce(len(t.Y), func(k int) (point, bool) {
				x, y := t.x(k), t.Y[k]
				if !finite(x) || !finite(y) {
					return point{}, false
				}
				return p.at(x, y), true
			}, column)
			points += cost(lines[i])
			for _, run := range lines[i] {
				kept += len(run)
			}
		}
		return points
	})
	for i, t := range series {
		total += t.ey.n
		trace(c, lines[i], pen(i))
	}
	for i, runs := range lines {
		drawMarkers(c, p, i, runs, len(series), total)
	}
	if kept < total {
		return "Of the points in each column of " + column.String() + " only the lowest and the highest are drawn."
	}
	return ""
}

// drawMarkers marks each point where there are few in all; otherwise some points of each series, to tell it from
// others.
func drawMarkers(c canvas, p plot, series int, runs [][]point, nSeries, nPoints int) {
	markers := 8
	if nSeries > 20 {
		markers = 4
	}
	step := (p.right - p.left) / float64(markers)
	switch {
	case nPoints <= maxMarked && nPoints <= 50*nSeries:
		step = 0
	case nSeries == 1:
		return
	}
	next := p.left + step*(float64(series)+0.5)/float64(nSeries)
	for _, run := range runs {
		for _, at := range run {
			if at.x >= next {
				mark(c, series, at)
				next = max(next, at.x-step) + step
			}
		}
	}
}
