package chart

import (
	"slices"
)

// Band shows one series over many seeds: for each period the median as a line, the quartiles as a band, and the
// smallest and largest value as a lighter one. They are computed over the seeds that have a finite value in that
// period; the subtitle says how many those are. Quartiles are interpolated between order statistics (type 7 of
// Hyndman and Fan 1996). If Points says how the values spread, the seeds are thin lines behind, with a value for each
// point.
type Band struct {
	Title, XLabel, YLabel string
	Seeds                 [][]float64 // one series per seed, of any length
	Points                []BandPoint
	NSeeds                int // that Points summarises
}

// BandPoint says how the values of seeds spread in a period. Its numbers mean nothing if N is 0.
type BandPoint struct {
	At                        float64 // the period
	N                         int     // seeds that have a value
	Low, Q1, Median, Q3, High float64
}

// spread summarises one period.
type spread struct {
	at                        float64
	n                         int
	low, q1, median, q3, high float64
}

// newSpread sorts values, which are finite.
func newSpread(values []float64) spread {
	if len(values) == 0 {
		return spread{}
	}
	slices.Sort(values)
	return spread{
		n: len(values), low: values[0], high: values[len(values)-1],
		q1: quantile(values, 0.25), median: quantile(values, 0.5), q3: quantile(values, 0.75),
	}
}

func quantile(sorted []float64, q float64) float64 {
	position := float64(q * float64(len(sorted)-1))
	i := int(position)
	t := position - float64(i)
	if t == 0 {
		return sorted[i]
	}
	v := float64(sorted[i]*(1-t)) + float64(sorted[i+1]*t)
	return max(sorted[i], min(sorted[i+1], v))
}

func (b Band) figure() figure {
	if b.Points != nil {
		return b.summarized()
	}
	f := figure{kind: "Band over seeds", title: b.Title, xLabel: b.XLabel, yLabel: b.YLabel}
	periods, seeds := 0, 0
	var y extent
	for _, seed := range b.Seeds {
		periods = max(periods, len(seed))
		before := y.n
		for _, v := range seed {
			y.add(v)
		}
		if y.n > before {
			seeds++
		}
	}
	var x, n extent
	spreads := make([]spread, periods)
	values := make([]float64, 0, len(b.Seeds))
	for i := range spreads {
		values = values[:0]
		for _, seed := range b.Seeds {
			if i < len(seed) && finite(seed[i]) {
				values = append(values, seed[i])
			}
		}
		spreads[i] = newSpread(values)
		spreads[i].at = float64(i)
		n.add(float64(len(values)))
		if len(values) > 0 {
			x.add(float64(i))
		}
	}
	f.x, f.y = along(x, true), upright(y)
	switch {
	case len(b.Seeds) == 0:
		f.empty = "no seeds"
	case y.n == 0:
		f.empty = noValues
	}
	f.subtitle = "n = " + count(seeds, "seed", "seeds")
	if n.lo < float64(seeds) {
		f.subtitle += ", " + among(int(n.lo), int(n.hi)) + " per period"
	}
	f.subtitle += ", " + count(periods, "period", "periods")
	if without := len(b.Seeds) - seeds; without > 0 {
		f.subtitle += ", " + count(without, "seed", "seeds") + " without a value"
	}
	f.facts = []string{f.subtitle + "."}
	if y.n > 0 {
		f.facts = append(f.facts, "Values are "+y.span()+"; the median is "+medians(spreads).span()+".")
	}
	if g := gaps(y, 0); g != "" {
		f.facts = append(f.facts, "Values "+g+".")
	}
	if seeds > 1 {
		f.legend = spreadLegend()
	}
	f.data = func(c canvas, p plot) string { return drawSpreads(c, p, spreads) }
	return f
}

// summarized draws the points as they are, and each seed as a thin line.
func (b Band) summarized() figure {
	f := figure{kind: "Band over seeds", title: b.Title, xLabel: b.XLabel, yLabel: b.YLabel, empty: noValues}
	spreads := make([]spread, len(b.Points))
	var x, y extent
	for i, p := range b.Points {
		spreads[i] = spread{p.At, p.N, p.Low, p.Q1, p.Median, p.Q3, p.High}
		if p.N > 0 && finite(p.Low) && finite(p.High) {
			x.add(p.At)
			y.add(p.Low)
			y.add(p.High)
			f.empty = ""
		}
	}
	f.x, f.y = along(x, true), upright(y)
	f.subtitle = "n = " + count(b.NSeeds, "seed", "seeds")
	f.facts = []string{f.subtitle + "."}
	if f.empty != "" {
		return f
	}
	f.facts = append(f.facts, "Values are "+y.span()+"; the median is "+medians(spreads).span()+".")
	f.legend = append(spreadLegend(), entry{"a seed", strip(seedStyle)})
	f.data = func(c canvas, p plot) string {
		b.drawSeeds(c, p)
		return drawSpreads(c, p, spreads)
	}
	return f
}

// drawSeeds draws each seed.
func (b Band) drawSeeds(c canvas, p plot) {
	var lines [][]point
	coarsen(func(column pixel) (sum int) {
		lines = nil
		for _, seed := range b.Seeds {
			lines = append(lines, reduce(min(len(seed), len(b.Points)), func(i int) (point, bool) {
				return p.at(b.Points[i].At, max(p.y.lo, min(p.y.hi, seed[i]))), finite(seed[i]) && b.Points[i].N > 0
			}, column)...)
		}
		return cost(lines)
	})
	c.lines(lines, seedStyle)
}

func spreadLegend() []entry {
	return []entry{
		{"median", strip(medianStyle)},
		{"quartiles", func(c canvas, at point) { patch(rangeStyle)(c, at); patch(quartileStyle)(c, at) }},
		{"smallest to largest", patch(rangeStyle)},
	}
}

var (
	seedStyle     = style{stroke: axisInk, width: 0.4}
	medianStyle   = style{stroke: blue, width: 1.8}
	quartileStyle = style{fill: blue, opacity: 0.34}
	rangeStyle    = style{fill: blue, opacity: 0.18}
)

func medians(spreads []spread) (e extent) {
	for _, s := range spreads {
		if s.n > 0 {
			e.add(s.median)
		}
	}
	return e
}

func drawSpreads(c canvas, p plot, spreads []spread) (fact string) {
	var ranges, quartiles [][]slab
	var median [][]point
	slabs := func(edges func(s spread) (low, high float64), column pixel) [][]slab {
		return envelope(len(spreads), func(i int) (slab, bool) {
			low, high := edges(spreads[i])
			return slab{p.x.at(spreads[i].at), p.y.at(high), p.y.at(low)}, spreads[i].n > 0
		}, column)
	}
	column := coarsen(func(column pixel) int {
		ranges = slabs(func(s spread) (float64, float64) { return s.low, s.high }, column)
		quartiles = slabs(func(s spread) (float64, float64) { return s.q1, s.q3 }, column)
		median = reduce(len(spreads), func(i int) (point, bool) {
			return p.at(spreads[i].at, spreads[i].median), spreads[i].n > 0
		}, column)
		return area(ranges) + area(quartiles) + cost(median)
	})
	fillRuns(c, p, ranges, rangeStyle)
	fillRuns(c, p, quartiles, quartileStyle)
	trace(c, median, medianStyle)
	if float64(len(spreads)-1)*float64(column) > p.right-p.left {
		return "Bands are as wide as they are anywhere in a column of " + column.String() +
			"; of the medians in it only the lowest and the highest are drawn."
	}
	return ""
}
