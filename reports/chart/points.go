package chart

import (
	"cmp"
	"slices"
	"strings"
)

// Front shows things by two objectives, each with its intervals. Those on the Pareto front are dots, joined by steps:
// the corner between two of them is as bad as both. Others are faint. The active one is ringed, the root is a diamond.
type Front struct {
	Title, XLabel, YLabel string
	Interval              string               // what the intervals are
	MinimizeX, MinimizeY  bool                 // less is better
	Points                []FrontPoint         // those without both means are left out
	NumberX, NumberY      func(float64) string // write a mean; nil for four digits
}

// FrontPoint is one thing. Its name is the label of X.
type FrontPoint struct {
	X, Y                Estimate
	Front, Active, Root bool
}

// Plot returns the points in the order of x.
func (f Front) Plot() Plot {
	points := slices.DeleteFunc(slices.Clone(f.Points), func(p FrontPoint) bool { return !finite(p.X.Mean) || !finite(p.Y.Mean) })
	slices.SortStableFunc(points, func(a, b FrontPoint) int {
		return cmp.Or(cmp.Compare(a.X.Mean, b.X.Mean), cmp.Compare(a.Y.Mean, b.Y.Mean))
	})
	n := len(points)
	p := Plot{Title: f.Title, XLabel: f.XLabel, YLabel: f.YLabel, kind: "Pareto front", Scattered: true, tight: true, IntervalName: f.Interval}
	active, root := newSeries("active", n, text), newSeries("root", n, text)
	others, front := newSeries("not on the front", n, axisInk), newSeries("on the front", n, blue)
	active.Size, active.Hollow, active.Shape.Name = 2*markerSize, true, "ring"
	root.Size, root.Hollow, root.Shape = 1.6*markerSize, true, diamond
	others.Size, others.Hollow, others.Shape = 0.7*markerSize, true, square
	front.Size, front.Shape, front.named = markerSize, disk, true
	steps := newSeries("", n, green)
	if steps.Width, steps.Joins, steps.Steps = lineWidth, true, -1; f.MinimizeX {
		steps.Steps = 1
	}
	var x, y extent
	var names []string
	for i, one := range points {
		x.add(one.X.Mean)
		y.add(one.Y.Mean)
		p.X, p.Labels = append(p.X, one.X.Mean), append(p.Labels, one.X.Label)
		if one.Front {
			front.Y[i], steps.Y[i] = one.Y.Mean, one.Y.Mean
			names = append(names, or(one.X.Label, unnamed)+" ("+number(one.X.Mean)+", "+number(one.Y.Mean)+")")
		} else {
			others.Y[i] = one.Y.Mean
		}
		if one.Root {
			root.Y[i] = one.Y.Mean
		}
		if one.Active {
			active.Y[i] = one.Y.Mean
		}
		if n <= maxIntervals {
			if one.X.hasInterval() {
				p.Intervals = append(p.Intervals, Interval{X0: one.X.Lo, Y0: one.Y.Mean, X1: one.X.Hi, Y1: one.Y.Mean, Faint: !one.Front})
			}
			p.addUpright(one.X.Mean, one.Y, !one.Front)
		}
	}
	steps.Name = front.Name
	p.Series = []Series{active, others, steps, front, root}
	p.Series = slices.DeleteFunc(p.Series, func(s Series) bool { return !slices.ContainsFunc(s.Y, finite) })
	p.subtitle = count(n, "version", "versions") + ", " + whole(len(names)) + " on the front"
	p.facts = []string{p.subtitle + "."}
	if n == 0 {
		p.empty = "no version has both"
		return p
	}
	if n > maxIntervals {
		p.subtitle += ", without their intervals"
		p.facts = append(p.facts, "Intervals of more than "+whole(maxIntervals)+" versions are not drawn.")
	}
	p.facts = append(p.facts, "x is "+x.span()+", y is "+y.span()+".", "The front: "+listed(len(names), func(i int) string { return names[i] })+".")
	p.Words = func(i int) string {
		one := points[i]
		words := or(one.X.Label, unnamed)
		if one.Root {
			words += ", the root"
		}
		if one.Active {
			words += ", active"
		}
		on := ", not on the front: "
		if one.Front {
			on = ", on the front: "
		}
		x, _, _ := strings.Cut(f.XLabel, ",") // without what is better
		y, _, _ := strings.Cut(f.YLabel, ",")
		return words + on + one.X.words(x, f.Interval, numberOr(f.NumberX)) + "; " + one.Y.words(y, f.Interval, numberOr(f.NumberY))
	}
	return p
}

func (f Front) figure() figure { return f.Plot().figure() }

// Parameter shows an outcome against a parameter: a dot for each configuration, and for each level of the parameter its
// mean with an interval. There is a colour and a shape for each value of another parameter, or a single one.
type Parameter struct {
	Title, XLabel, YLabel string
	IntervalName          string
	XNames                []string // of the values 0, 1, … of x; nil for numbers
	By                    string   // the other parameter
	Panels                []ParameterPanel
}

// ParameterPanel is the configurations with one value of the other parameter.
type ParameterPanel struct {
	Name   string
	Points []Dot
	Levels []ParameterLevel
}

// Dot is a configuration.
type Dot struct{ X, Y float64 }

// ParameterLevel is the mean of the configurations whose parameter is between From and To.
type ParameterLevel struct {
	From, To     float64
	Mean, Lo, Hi float64 // Lo and Hi are NaN without an interval
}

// Plot returns the configurations beside the means of their levels.
func (c Parameter) Plot() Plot {
	p := Plot{Title: c.Title, XLabel: c.XLabel, YLabel: c.YLabel, kind: "Parameter chart", Scattered: true, tight: true, IntervalName: or(c.IntervalName, "interval")}
	type placed struct {
		x, y   float64
		series int
	}
	var all []placed
	var y extent
	n, panels := 0, c.Panels[:min(len(c.Panels), maxSeries)]
	for k, panel := range panels {
		n += len(panel.Points)
		for _, d := range panel.Points {
			if y.add(d.Y); finite(d.X) && finite(d.Y) {
				all = append(all, placed{d.X, d.Y, 2 * k})
			}
		}
		for _, l := range panel.Levels {
			x := l.From/2 + l.To/2
			if !finite(l.Mean) || !finite(x) {
				continue
			}
			all = append(all, placed{x, l.Mean, 2*k + 1})
			if l.From < l.To { // a range
				p.Intervals = append(p.Intervals, Interval{X0: l.From, Y0: l.Mean, X1: l.To, Y1: l.Mean, Faint: true})
			}
			p.addUpright(x, Estimate{Mean: l.Mean, Lo: l.Lo, Hi: l.Hi}, false)
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.x, b.x) })
	for k, panel := range panels {
		name := ""
		if len(c.Panels) > 1 {
			name = ", " + c.By + " " + panel.Name
		}
		dots, means := newSeries("configuration"+name, len(all), hue(k)), newSeries("mean of a level"+name, len(all), hue(k))
		dots.Size, dots.Hollow, dots.Shape = 2, true, markers[k%len(markers)]
		means.Size, means.Shape, means.Joins = markerSize, markers[k%len(markers)], true
		if c.XNames == nil { // levels have an order
			means.Width = lineWidth
		}
		p.Series = append(p.Series, dots, means)
	}
	for i, one := range all {
		p.X = append(p.X, one.x)
		p.Series[one.series].Y[i] = one.y
	}
	p.subtitle = count(n, "configuration", "configurations")
	if left := len(c.Panels) - len(panels); left > 0 {
		p.subtitle += ", the last " + count(left, "panel", "panels") + " not drawn"
	}
	p.facts = []string{p.subtitle + ".", "Values are " + y.span() + "."}
	p.Words = func(i int) string {
		return p.Series[all[i].series].Name + ": " + or(c.XLabel, "x") + " " + number(all[i].x) + ", " + or(c.YLabel, "y") + " " + number(all[i].y)
	}
	return p
}

func (c Parameter) figure() figure {
	f := c.Plot().figure()
	if c.XNames != nil {
		f.x, f.labels = axis{lo: -0.5, hi: float64(len(c.XNames)) - 0.5}, c.XNames
	}
	return f
}

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

// directions are how candidates look: the shape alone says where they went.
var directions = [...]struct {
	name  string
	shape Shape
	ink   Ink
}{{"candidate higher", upward, blue}, {"candidate lower", downward, vermillion}, {"equal", square, dim}}

// counted returns what a score counts as: without one it is 0.
func counted(score float64) float64 {
	if !finite(score) {
		return 0
	}
	return score
}

func (p Pair) change() float64 { return counted(p.Candidate) - counted(p.Baseline) }

// direction returns the place of what became of the pair among the directions.
func (p Pair) direction() int {
	switch baseline, candidate := counted(p.Baseline), counted(p.Candidate); {
	case candidate > baseline:
		return 0
	case candidate < baseline:
		return 1
	}
	return 2
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

// Plot returns the pairs that are drawn.
func (d Paired) Plot() Plot {
	p := Plot{Title: d.Title, XLabel: d.XLabel, YLabel: d.YLabel, kind: "Paired dot plot", Named: true, lo: d.Lo, hi: d.Hi}
	var y extent
	var counts [len(directions)]int
	var without [2]int
	for _, pair := range d.Pairs {
		counts[pair.direction()]++
		for side, score := range [2]float64{pair.Baseline, pair.Candidate} {
			if y.add(score); !finite(score) {
				without[side]++
			}
		}
	}
	drawn := d.thinned()
	n := len(drawn)
	size := min(markerSize, width/float64(max(1, n))/2.6)
	sides := [2]string{"baseline", "candidate"}
	var lost [2]Series // without a score
	baseline := newSeries("baseline", n, dim)
	baseline.Size, baseline.Hollow = size, true
	p.Series = []Series{baseline}
	var words []string
	for k, look := range directions {
		s := newSeries(look.name+" "+whole(counts[k]), n, look.ink)
		s.Size, s.Shape, s.side = size, look.shape, 1
		p.Series, words = append(p.Series, s), append(words, s.Name)
	}
	for side, name := range sides {
		s := newSeries(name+" without a score "+whole(without[side]), n, dim)
		if s.Size, s.Hollow, s.side = 1.5*size, true, side; side == 1 {
			s.Size, s.Shape, s.Ink = size, cross, text
		}
		lost[side] = s
	}
	for i, pair := range drawn {
		look := directions[pair.direction()]
		p.X, p.Labels = append(p.X, float64(i)), append(p.Labels, pair.Label)
		p.Intervals = append(p.Intervals, Interval{X0: float64(i), Y0: pair.Baseline, X1: float64(i), Y1: pair.Candidate, ink: look.ink})
		if p.Series[0].Y[i] = pair.Baseline; !finite(pair.Baseline) {
			lost[0].below = append(lost[0].below, i)
		}
		if p.Series[1+pair.direction()].Y[i] = pair.Candidate; !finite(pair.Candidate) {
			lost[1].below = append(lost[1].below, i)
		}
	}
	p.subtitle = count(len(d.Pairs), "pair", "pairs")
	for side, only := range [2]int{d.OnlyBaseline, d.OnlyCandidate} {
		if only > 0 {
			p.subtitle += ", " + count(only, "seed", "seeds") + " only in the " + sides[side]
		}
		if without[side] > 0 {
			p.Series, words = append(p.Series, lost[side]), append(words, lost[side].Name)
		}
	}
	for k := range p.Series {
		side := sides[p.Series[k].side]
		p.Series[k].text = func(i int) string {
			score := "no score"
			if v := [2]float64{drawn[i].Baseline, drawn[i].Candidate}[p.Series[k].side]; finite(v) {
				score = number(v)
			}
			return "seed " + drawn[i].Label + ", " + side + ": " + score
		}
	}
	p.facts = []string{p.subtitle + "."}
	tally := strings.Join(words, ", ")
	if all := without[0] + without[1]; all > 0 {
		tally += "; a side without a score counts as 0"
		p.subtitle += ", no score " + whole(all) + " (counts as 0)"
		p.below, p.without = belowLane, "none"
	}
	p.facts = append(p.facts, tally+".")
	switch {
	case len(d.Pairs) == 0:
		p.empty = "no pairs"
	case y.n == 0:
		p.empty = "no scores"
	default:
		p.facts = append(p.facts, "Scores are "+y.span()+".")
	}
	if n < len(d.Pairs) {
		fact := count(n, "pair", "pairs") + " of " + whole(len(d.Pairs)) + " are drawn: those at equal steps in the order of their change"
		p.subtitle += "; " + whole(n) + " are drawn"
		p.facts = append(p.facts, fact+", from the largest loss to the largest gain.")
	}
	p.Words = func(i int) string { return p.Series[0].text(i) + "; " + p.Series[1].text(i) }
	return p
}

func (d Paired) figure() figure { return d.Plot().figure() }

// share returns where v lies between two numbers, from 0 to 1. Halves do not overflow.
func share(v, from, to float64) float64 {
	if from == to {
		return 1
	}
	return max(0, min(1, (v/2-from/2)/(to/2-from/2)))
}
