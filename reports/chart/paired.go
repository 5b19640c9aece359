package chart

import (
	"cmp"
	"slices"
	"strings"
)

// Paired shows what became of each seed: its score in the baseline and in the candidate, joined by a line. A side
// without a score counts as 0, as it does in the tests, and stands in a lane below the scores. Of more pairs than
// there is room for, those are drawn that lie evenly in the order of their change.
type Paired struct {
	Title, XLabel, YLabel       string
	Lo, Hi                      float64 // ends of the scale of scores; equal if it has none
	Pairs                       []Pair
	OnlyBaseline, OnlyCandidate int // seeds without a partner
}

// Pair is one seed. A side that is not finite has no score, and counts as 0.
type Pair struct {
	Label               string
	Baseline, Candidate float64
}

// maxPairs have room next to each other.
const maxPairs = 120

// direction is how the candidate of a pair compares to its baseline.
type direction int

const (
	higher direction = iota
	lower
	equal
)

// directions are how candidates look: the shape alone says where they went.
var directions = [...]struct {
	name   string
	marker shape
	ink    ink
}{
	higher: {"candidate higher", upward, blue},
	lower:  {"candidate lower", downward, vermillion},
	equal:  {"equal", square, dim},
}

// counted returns what a score counts as: without one it is 0.
func counted(score float64) float64 {
	if !finite(score) {
		return 0
	}
	return score
}

func (p Pair) change() float64 { return counted(p.Candidate) - counted(p.Baseline) }

func (p Pair) direction() direction {
	switch baseline, candidate := counted(p.Baseline), counted(p.Candidate); {
	case candidate > baseline:
		return higher
	case candidate < baseline:
		return lower
	}
	return equal
}

func (d Paired) figure() figure {
	f := figure{kind: "Paired dot plot", title: d.Title, xLabel: d.XLabel, yLabel: d.YLabel}
	var y extent
	counts := d.count()
	for _, p := range d.Pairs {
		y.add(p.Baseline)
		y.add(p.Candidate)
	}
	f.subtitle = count(len(d.Pairs), "pair", "pairs")
	for _, side := range []struct {
		n    int
		name string
	}{{d.OnlyBaseline, "baseline"}, {d.OnlyCandidate, "candidate"}} {
		if side.n > 0 {
			f.subtitle += ", " + count(side.n, "seed", "seeds") + " only in the " + side.name
		}
	}
	f.facts = []string{f.subtitle + ".", counts.String()}
	if lane := counts.noScore(); lane != "" {
		f.subtitle += ", " + lane
		f.floor = noScoreLane
	}
	if y.n > 0 {
		f.facts = append(f.facts, "Scores are "+y.span()+".")
	}
	drawn := d.thinned()
	f.noted = len(drawn) < len(d.Pairs)
	for _, p := range drawn {
		f.labels = append(f.labels, p.Label)
	}
	f.x, f.y = axis{lo: -0.5, hi: float64(len(drawn)) - 0.5}, upright(y).within(d.Lo, d.Hi, y)
	switch {
	case len(d.Pairs) == 0:
		f.empty = "no pairs"
	case y.n == 0:
		f.empty = "no scores"
	}
	f.legend = pairedLegend(counts)
	f.data = func(c canvas, p plot) string { return d.draw(c, p, drawn, f.floor) }
	return f
}

// pairCounts are how many pairs went where, and how many sides have no score.
type pairCounts struct {
	directions          [len(directions)]int
	baseline, candidate int // without a score
}

func (d Paired) count() (n pairCounts) {
	for _, p := range d.Pairs {
		n.directions[p.direction()]++
		if !finite(p.Baseline) {
			n.baseline++
		}
		if !finite(p.Candidate) {
			n.candidate++
		}
	}
	return n
}

func (n pairCounts) String() string {
	var words []string
	for k, look := range directions {
		words = append(words, look.name+" "+whole(n.directions[k]))
	}
	for _, side := range n.withoutScore() {
		words = append(words, side.name())
	}
	text := strings.Join(words, ", ")
	if n.noScore() != "" {
		text += "; a side without a score counts as 0"
	}
	return text + "."
}

// noScore says how many sides stand in the lane, and what they count as; empty if none do.
func (n pairCounts) noScore() string {
	if n.baseline+n.candidate == 0 {
		return ""
	}
	return "no score " + whole(n.baseline+n.candidate) + " (counts as 0)"
}

// sideWithoutScore is how a side without a score looks in the lane. Both of one pair are seen upon each other.
type sideWithoutScore struct {
	side string
	n    int
	draw func(c canvas, at point, size float64)
}

func (s sideWithoutScore) name() string { return s.side + " without a score " + whole(s.n) }

// withoutScore returns the sides that have seeds without a score.
func (n pairCounts) withoutScore() (sides []sideWithoutScore) {
	if n.baseline > 0 {
		sides = append(sides, sideWithoutScore{"baseline", n.baseline, drawNoBaseline})
	}
	if n.candidate > 0 {
		sides = append(sides, sideWithoutScore{"candidate", n.candidate, drawNoCandidate})
	}
	return sides
}

func drawNoBaseline(c canvas, at point, size float64) {
	disk.draw(c, at, 1.5*size, hollow(dim))
}

func drawNoCandidate(c canvas, at point, size float64) {
	c.lines(cross(at, 0.8*size), crossStyle)
}

// thinned returns at most maxPairs pairs: all, in the order given; or those that lie at equal steps in the order of
// their change, from the largest loss to the largest gain.
func (d Paired) thinned() []Pair {
	if len(d.Pairs) <= maxPairs {
		return d.Pairs
	}
	sorted := slices.Clone(d.Pairs)
	slices.SortStableFunc(sorted, func(a, b Pair) int { return cmp.Compare(a.change(), b.change()) })
	drawn := make([]Pair, maxPairs)
	for i := range drawn {
		drawn[i] = sorted[i*(len(sorted)-1)/(maxPairs-1)]
	}
	return drawn
}

func pairedLegend(counts pairCounts) []entry {
	legend := []entry{{"baseline", func(c canvas, at point) {
		disk.draw(c, point{at.x + sampleWidth/2, at.y}, markerSize, hollow(dim))
	}}}
	for k, look := range directions {
		legend = append(legend, entry{look.name + " " + whole(counts.directions[k]), func(c canvas, at point) {
			at.x += sampleWidth / 2
			switch direction(k) {
			case higher:
				c.polyline([]point{{at.x, at.y + 9}, at}, style{stroke: look.ink, width: lineWidth})
			case lower:
				c.polyline([]point{{at.x, at.y - 9}, at}, style{stroke: look.ink, width: lineWidth})
			}
			look.marker.draw(c, at, markerSize, solid(look.ink))
		}})
	}
	for _, side := range counts.withoutScore() {
		legend = append(legend, entry{side.name(), func(c canvas, at point) {
			side.draw(c, point{at.x + sampleWidth/2, at.y}, markerSize)
		}})
	}
	return legend
}

const noScoreLane = 24.0

var crossStyle = style{stroke: text, width: 1.6}

func (d Paired) draw(c canvas, p plot, drawn []Pair, floor float64) (fact string) {
	size := min(markerSize, (p.right-p.left)/float64(len(drawn))/2.4)
	lane := p.bottom - floor/2
	if floor > 0 {
		label(c, p.left-gap, lane+4.5, "none", p.left-gap, textStyle{sizeTick, dim, end})
	}
	for i, pair := range drawn {
		pair.draw(c, p, float64(i), lane, size)
	}
	if len(drawn) == len(d.Pairs) {
		return ""
	}
	return count(len(drawn), "pair", "pairs") + " of " + whole(len(d.Pairs)) + " are drawn: those at equal steps in the order of their " +
		"change, from the largest loss to the largest gain."
}

// draw draws a pair; what has no score stands in the lane.
func (p Pair) draw(c canvas, in plot, x, lane, size float64) {
	look := directions[p.direction()]
	at := func(score float64) point {
		if !finite(score) {
			return point{in.x.at(x), lane}
		}
		return in.at(x, score)
	}
	baseline, candidate := at(p.Baseline), at(p.Candidate)
	c.polyline([]point{baseline, candidate}, style{stroke: look.ink, width: lineWidth})
	p.mark(c, 0, "baseline", p.Baseline, func() {
		if finite(p.Baseline) {
			disk.draw(c, baseline, size, hollow(dim))
		} else {
			drawNoBaseline(c, baseline, size)
		}
	})
	p.mark(c, 1, "candidate", p.Candidate, func() {
		if finite(p.Candidate) {
			look.marker.draw(c, candidate, size, solid(look.ink))
		} else {
			drawNoCandidate(c, candidate, size)
		}
	})
}

// mark draws one side.
func (p Pair) mark(c canvas, side int, name string, score float64, draw func()) {
	text := "no score"
	if finite(score) {
		text = number(score)
	}
	marked(c, Mark{Label: p.Label, Side: side}, "seed "+p.Label+", "+name+": "+text, draw)
}
