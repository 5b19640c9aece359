package chart

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Line is a chart of one or several series. Labels carry the unit: "unemployment rate (share of workers)".
//
// A series may have a million points: of those in one pixel column the lowest and the highest are drawn, and the
// description says so. At most 56 series are drawn; the subtitle says how many were left out.
type Line struct {
	Title, XLabel, YLabel string
	X                     []float64 // of the points of all series, in any order; nil stands for 0, 1, 2, …
	Series                []Named
}

// Named is one series of a [Line].
type Named struct {
	Name string
	Y    []float64 // NaN and infinities are gaps
}

const maxSeries = nHues * len(markers) // more could not be told apart

// Plot returns the series over all points, in the order of x.
func (l Line) Plot() Plot {
	p := Plot{Title: l.Title, XLabel: l.XLabel, YLabel: l.YLabel, kind: "Line chart"}
	n := 0
	for _, s := range l.Series {
		n = max(n, len(s.Y))
	}
	var order []int // of the points with a finite x
	for i := range n {
		if l.X == nil || i < len(l.X) && finite(l.X[i]) {
			order = append(order, i)
		}
	}
	if l.X != nil {
		slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(l.X[i], l.X[k]) })
	}
	p.x.whole = true
	for _, i := range order {
		x := float64(i)
		if l.X != nil {
			x = l.X[i]
		}
		p.X, p.x.whole = append(p.X, x), p.x.whole && x == math.Trunc(x)
	}
	all, sizes, nowhere := extent{}, extent{}, 0
	var places extent // of the points
	for k, named := range l.Series[:min(len(l.Series), maxSeries)] {
		s := Series{Name: or(named.Name, "series "+number(float64(k+1))), Ink: hue(k), Width: lineWidth, Shape: markers[k%len(markers)], Size: markerSize, Y: named.Y}
		if l.X != nil || len(named.Y) < n {
			s.Y = newSeries("", len(order), none).Y
			for at, i := range order {
				if i < len(named.Y) {
					s.Y[at] = named.Y[i]
				}
			}
		}
		var y, x extent
		for at, i := range order {
			if i < len(named.Y) {
				if y.add(s.Y[at]); finite(s.Y[at]) {
					x.add(p.X[at])
				}
			}
		}
		lost := len(named.Y)
		if lost -= y.n + y.nan + y.inf; k < maxFacts {
			fact := "n = " + count(y.n, "point", "points")
			if y.n > 0 {
				fact += ", " + y.span() + ", at x " + x.span()
			}
			if g := gaps(y, lost); g != "" {
				fact += "; " + g
			}
			if name := clean(named.Name); name != "" {
				fact = name + ": " + fact
			}
			p.facts = append(p.facts, fact+".")
		}
		all.merge(y)
		places.merge(x)
		sizes.add(float64(y.n))
		nowhere += lost
		p.Series = append(p.Series, s)
	}
	if others := len(l.Series) - maxFacts; others > 0 {
		p.facts = append(p.facts, "And "+count(others, "other series", "other series")+".")
	}
	p.x = along(places, p.x.whole)
	p.subtitle = "n = " + count(int(sizes.hi), "point", "points")
	switch len(l.Series) {
	case 0:
		p.empty = "no series"
	case 1:
		if all.n > 0 {
			p.subtitle += ", " + all.span()
		}
	default:
		p.subtitle = count(len(l.Series), "series", "series") + ", n = " + among(int(sizes.lo), int(sizes.hi)) + " points each"
	}
	if left := len(l.Series) - len(p.Series); left > 0 {
		p.subtitle += ", the last " + count(left, "series", "series") + " not drawn"
	}
	if g := gaps(all, nowhere); g != "" {
		p.subtitle += "; " + g
	}
	p.Words = func(i int) string {
		words := strings.TrimSpace(clean(l.XLabel) + " " + number(p.X[i]))
		for _, s := range p.Series[:min(len(p.Series), 6)] {
			if finite(s.Y[i]) {
				words += ", " + s.Name + " " + number(s.Y[i])
			}
		}
		return words
	}
	return p
}

func (l Line) figure() figure { return l.Plot().figure() }

// gaps counts what is missing, such as "not drawn: 2 NaN, 1 infinite".
func gaps(e extent, nowhere int) string {
	var kinds []string
	for _, kind := range []struct {
		n    int
		name string
	}{{e.nan, "NaN"}, {e.inf, "infinite"}, {nowhere, "without a finite x"}} {
		if kind.n > 0 {
			kinds = append(kinds, whole(kind.n)+" "+kind.name)
		}
	}
	if kinds == nil {
		return ""
	}
	return "not drawn: " + strings.Join(kinds, ", ")
}

// Band shows one series over many seeds: for each period the median as a line, the quartiles as a band, and the
// smallest and largest value as a lighter one; the seeds are thin lines behind, if there are few or each is a link.
type Band struct {
	Title, XLabel, YLabel string
	Points                []BandPoint
	NSeeds                int         // that Points summarises
	Seeds                 [][]float64 // a series per seed, with a value for each of Points
	Labels                []string    // of the seeds, whose lines are links to them; nil for none
}

// BandPoint says how the values of seeds spread in a period. Its numbers mean nothing if N is 0.
type BandPoint struct {
	At                        float64 // the period
	N                         int     // seeds that have a value
	Low, Q1, Median, Q3, High float64
}

const maxSeedLines = 60

// Plot returns the median, the bands and the seeds.
func (b Band) Plot() Plot {
	p := Plot{Title: b.Title, XLabel: b.XLabel, YLabel: b.YLabel, kind: "Band over seeds"}
	median := Series{Name: "median", Ink: blue, Width: 1.8}
	quartiles, whole := Area{Name: "quartiles", Ink: blue}, Area{Name: "smallest to largest", Ink: blue}
	var n, x, medians extent
	for _, at := range b.Points {
		if n.add(float64(at.N)); at.N == 0 {
			at = BandPoint{at.At, 0, math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()}
		} else {
			x.add(at.At)
			medians.add(at.Median)
		}
		p.X, median.Y = append(p.X, at.At), append(median.Y, at.Median)
		quartiles.High, quartiles.Low = append(quartiles.High, at.Q3), append(quartiles.Low, at.Q1)
		whole.High, whole.Low = append(whole.High, at.High), append(whole.Low, at.Low)
	}
	p.Areas, p.x = []Area{whole, quartiles}, along(x, true)
	for i, seed := range b.Seeds {
		if len(b.Seeds) <= maxSeedLines || b.Labels != nil {
			s := Series{Name: "a seed", Ink: axisInk, Width: 0.6, Y: seed[:min(len(seed), len(p.X))]}
			if i < len(b.Labels) {
				s.Mark = b.Labels[i]
			}
			p.Series = append(p.Series, s)
		}
	}
	p.Series = append(p.Series, median)
	p.subtitle = "n = " + count(b.NSeeds, "seed", "seeds")
	if n.lo < float64(b.NSeeds) && n.n > 0 {
		p.subtitle += ", " + among(int(n.lo), int(n.hi)) + " per period"
	}
	p.subtitle += ", " + count(len(b.Points), "period", "periods")
	if p.facts = []string{p.subtitle + "."}; b.NSeeds == 0 {
		p.empty = "no seeds"
	}
	if medians.n > 0 {
		p.facts = append(p.facts, "Values are "+Plot{Areas: p.Areas}.values().span()+"; the median is "+medians.span()+".")
	}
	p.Words = func(i int) string {
		at := b.Points[i]
		words := strings.TrimSpace(clean(b.XLabel)+" "+number(at.At)) + ": "
		if at.N == 0 {
			return words + "no value"
		}
		return words + "median " + number(at.Median) + ", quartiles " + number(at.Q1) + " to " + number(at.Q3) +
			", range " + number(at.Low) + " to " + number(at.High) + ", " + count(at.N, "seed", "seeds")
	}
	return p
}

func (b Band) figure() figure { return b.Plot().figure() }

// History shows how an estimate changed from one configuration to the next: points with intervals. Points of the same
// line are joined.
type History struct {
	Title, XLabel, YLabel string
	Points                []Estimate // in the order of time
	Interval              string     // what Lo and Hi are: "95% t interval"; without it "interval"
	Prediction            *Prediction
	ChangePoints          []int                // each the index of the first point of a new level; others than 1 to len(Points)-1 are left out
	Number                func(float64) string // writes a mean; nil for four digits
}

// Prediction is a range in which the next point is expected. One that is not finite is not drawn.
type Prediction struct {
	Name   string // "95% prediction interval"; without it "prediction"
	Lo, Hi float64
}

// maxLines is the largest number of lines of a history: beyond, its points are not joined.
const maxLines = 40

// Plot returns the means with their intervals, what is expected of the next one, and the changes of level.
func (h History) Plot() Plot {
	n := len(h.Points)
	p := Plot{
		Title: h.Title, XLabel: h.XLabel, YLabel: h.YLabel, kind: "History", Named: true, IntervalName: or(h.Interval, "interval"), RuleName: "change of level",
		subtitle: count(n, "configuration", "configurations") + sampleSizes(h.Points, "seed", "seeds"),
	}
	p.facts = []string{p.subtitle + "."}
	var means extent
	lines, intervals := map[string]int{}, 0
	high, low := newSeries("", n, none).Y, newSeries("", n, none).Y
	for i, e := range h.Points {
		means.add(e.Mean)
		at, known := lines[e.Line]
		if !known {
			at = len(p.Series)
			lines[e.Line] = at
			p.Series = append(p.Series, newSeries("mean", n, blue))
		}
		size := ""
		if e.N > 0 && finite(e.Mean) {
			size = "n=" + strconv.Itoa(e.N)
		}
		p.Series[at].Y[i] = e.Mean
		p.X, p.Labels, p.under = append(p.X, float64(i)), append(p.Labels, e.Label), append(p.under, size)
		if e.hasInterval() {
			high[i], low[i] = max(e.Lo, e.Hi), min(e.Lo, e.Hi)
			intervals++
		}
	}
	for i := range p.Series {
		s := &p.Series[i]
		if s.Size, s.Joins = markerSize, len(p.Series) > 1; len(p.Series) <= maxLines {
			s.Width = lineWidth
		}
	}
	if n <= maxIntervals {
		for i, e := range h.Points {
			p.addUpright(float64(i), e, false)
		}
	} else if intervals > 0 {
		p.Areas = append(p.Areas, Area{p.IntervalName, blue, high, low})
		p.facts = append(p.facts, "Intervals are merged to a band.")
	}
	if means.n > 0 {
		p.facts = append(p.facts, "Means are "+means.span()+"; "+count(intervals, "has", "have")+" an interval ("+p.IntervalName+").")
		if last := h.Points[n-1]; finite(last.Mean) {
			p.facts = append(p.facts, "The last, "+or(last.Label, unnamed)+", is "+number(last.Mean)+".")
		}
	}
	if g := gaps(means, 0); g != "" {
		p.facts = append(p.facts, "Means "+g+".")
	}
	if e := h.Prediction; e != nil {
		if name := or(e.Name, "prediction"); finite(e.Lo) && finite(e.Hi) && means.n > 0 {
			p.Areas = append(p.Areas, Area{name, orange, slices.Repeat([]float64{max(e.Lo, e.Hi)}, n), slices.Repeat([]float64{min(e.Lo, e.Hi)}, n)})
			p.facts = append(p.facts, name+": "+number(e.Lo)+" to "+number(e.Hi)+".")
		} else {
			p.facts = append(p.facts, name+" not drawn: not finite.")
		}
	}
	changes := slices.DeleteFunc(slices.Clone(h.ChangePoints), func(i int) bool { return i <= 0 || i >= n })
	slices.Sort(changes)
	changes = slices.Compact(changes)
	for _, i := range changes {
		p.Rules = append(p.Rules, Rule{At: float64(i) - 0.5})
	}
	if len(changes) > 0 {
		p.facts = append(p.facts, "The level changes at "+listed(len(changes), func(i int) string { return or(h.Points[changes[i]].Label, unnamed) })+".")
	}
	if n == 0 {
		p.empty = "no configurations"
	}
	p.Words = func(i int) string {
		words := or(h.Points[i].Label, unnamed) + ": " + h.Points[i].words(or(h.YLabel, "mean"), h.Interval, numberOr(h.Number))
		if slices.Contains(changes, i) {
			words += "; the level changes here"
		}
		return words
	}
	return p
}

func (h History) figure() figure { return h.Plot().figure() }

func numberOr(write func(float64) string) func(float64) string {
	if write == nil {
		return number
	}
	return write
}
