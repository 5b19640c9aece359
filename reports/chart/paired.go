package chart

import (
	"cmp"
	"slices"
)

// Paired shows what became of each seed: its score in the baseline and in the candidate, joined by a line. Of more pairs than
// there is room for, those are drawn that lie evenly in the order of their change.
type Paired struct {
	Title, XLabel, YLabel       string
	Lo, Hi                      float64 // ends of the scale of scores; equal where it has none
	Pairs                       []Pair
	OnlyBaseline, OnlyCandidate int // seeds without a partner
}

// Pair is one seed. A side that is not finite has no score.
type Pair struct {
	Label               string
	Baseline, Candidate float64
}

// maxPairs have room beside each other.
const maxPairs = 120

// direction is how the candidate of a pair compares to its baseline.
type direction int

const (
	higher direction = iota
	lower
	equal
	onesided // one score, or none
)

// directions are how candidates look: the shape alone says where they went.
var directions = [...]struct {
	name   string
	marker shape
	ink    ink
}{
	higher:   {"candidate higher", upward, blue},
	lower:    {"candidate lower", downward, vermillion},
	equal:    {"equal", square, dim},
	onesided: {"a side has no score", nil, dim},
}

func (p Pair) direction() direction {
	switch {
	case !finite(p.Baseline) || !finite(p.Candidate):
		return onesided
	case p.Candidate > p.Baseline:
		return higher
	case p.Candidate < p.Baseline:
		return lower
	}
	return equal
}

func (d Paired) figure() figure {
	f := figure{kind: "Paired dot plot", title: d.Title, xLabel: d.XLabel, yLabel: d.YLabel}
	var y extent
	var counts [len(directions)]int
	for _, p := range d.Pairs {
		y.add(p.Baseline)
		y.add(p.Candidate)
		counts[p.direction()]++
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
	f.facts = []string{f.subtitle + ".", directionsText(counts)}
	if y.n > 0 {
		f.facts = append(f.facts, "Scores are "+y.span()+".")
	}
	if g := gaps(y, 0); g != "" {
		f.facts = append(f.facts, "Scores "+g+".")
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
		f.empty = noValues
	}
	f.legend = pairedLegend(drawn, counts)
	f.data = func(c canvas, p plot) string { return d.draw(c, p, drawn) }
	return f
}

func directionsText(counts [len(directions)]int) string {
	s := ""
	for k, look := range directions {
		if k > 0 {
			s += ", "
		}
		s += look.name + " " + whole(counts[k])
	}
	return s + "."
}

// thinned are at most maxPairs pairs: all, in the order given; or, of those with two scores, the ones that lie at equal steps in the
// order of their change, from the largest loss to the largest gain.
func (d Paired) thinned() []Pair {
	if len(d.Pairs) <= maxPairs {
		return d.Pairs
	}
	sorted := slices.DeleteFunc(slices.Clone(d.Pairs), func(p Pair) bool { return p.direction() == onesided })
	slices.SortStableFunc(sorted, func(a, b Pair) int { return cmp.Compare(a.Candidate-a.Baseline, b.Candidate-b.Baseline) })
	if len(sorted) <= maxPairs {
		return sorted
	}
	drawn := make([]Pair, maxPairs)
	for i := range drawn {
		drawn[i] = sorted[i*(len(sorted)-1)/(maxPairs-1)]
	}
	return drawn
}

func pairedLegend(drawn []Pair, counts [len(directions)]int) []entry {
	legend := []entry{{"baseline", func(c canvas, at point) {
		disk.draw(c, point{at.x + sampleWidth/2, at.y}, markerSize, hollow(dim))
	}}}
	for k, look := range directions {
		if direction(k) == onesided && counts[k] == 0 {
			continue
		}
		legend = append(legend, entry{look.name + " " + whole(counts[k]), func(c canvas, at point) {
			at.x += sampleWidth / 2
			switch direction(k) {
			case onesided:
				c.lines(cross(at, markerSize), crossStyle)
				return
			case higher:
				c.polyline([]point{{at.x, at.y + 9}, at}, style{stroke: look.ink, width: lineWidth})
			case lower:
				c.polyline([]point{{at.x, at.y - 9}, at}, style{stroke: look.ink, width: lineWidth})
			}
			look.marker.draw(c, at, markerSize, solid(look.ink))
		}})
	}
	if slices.ContainsFunc(drawn, func(p Pair) bool { return p.direction() == onesided && finite(p.Candidate) }) {
		legend = append(legend, entry{"candidate alone", func(c canvas, at point) {
			diamond.draw(c, point{at.x + sampleWidth/2, at.y}, markerSize, hollow(dim))
		}})
	}
	return legend
}

var crossStyle = style{stroke: text, width: 1.6}

func (d Paired) draw(c canvas, p plot, drawn []Pair) (fact string) {
	size := min(markerSize, (p.right-p.left)/float64(len(drawn))/2.4)
	for i, pair := range drawn {
		pair.draw(c, p, float64(i), size)
	}
	if len(drawn) == len(d.Pairs) {
		return ""
	}
	return count(len(drawn), "pair", "pairs") + " of " + whole(len(d.Pairs)) + " are drawn: those with two scores, " +
		"at equal steps in the order of their change, from the largest loss to the largest gain."
}

func (p Pair) draw(c canvas, in plot, x, size float64) {
	look := directions[p.direction()]
	baseline, candidate := in.at(x, p.Baseline), in.at(x, p.Candidate)
	if p.direction() == onesided {
		c.lines(cross(point{in.x.at(x), in.bottom - 2*size}, size), crossStyle)
		if finite(p.Candidate) {
			diamond.draw(c, candidate, size, hollow(dim))
		}
	} else {
		c.polyline([]point{baseline, candidate}, style{stroke: look.ink, width: lineWidth})
	}
	if finite(p.Baseline) {
		disk.draw(c, baseline, size, hollow(dim))
	}
	if p.direction() != onesided {
		look.marker.draw(c, candidate, size, solid(look.ink))
	}
}
