package chart

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Forest shows what became better or worse: a row for each metric, with the mean of its differences, an interval, and
// the thresholds from which a difference counts. A few rows far beyond all others do not flatten these: they end in
// an arrow, and their numbers stand at the right like those of all. A threshold beyond the frame is a chevron at its
// edge, with its value at the right.
type Forest struct {
	Title, XLabel string
	Interval      string // what Lo and Hi are: "95% t interval"; without it "interval"
	Rows          []Difference
}

// Difference is a row of a [Forest].
type Difference struct {
	Estimate   // of candidate minus baseline; without a finite mean it is undefined. Lo and Hi may be infinite
	Status     Status
	Loss, Gain float64 // below Loss it is a degradation, above Gain an improvement; 0 and NaN stand for no such threshold
}

const (
	arrowSize    = 6.0
	thresholdsTo = 4 // the frame goes as far as thresholds up to that many times as far as the rows reach
	flattening   = 5 // a row that reaches that many times as far as the next is cut
)

func (f Forest) figure() figure {
	all := len(f.Rows)
	f.Rows = f.Rows[:min(all, maxRows)]
	g := figure{kind: "Forest plot", title: f.Title, xLabel: f.XLabel, columns: []string{"mean", "interval"}}
	g.subtitle = count(all, "metric", "metrics") + sizes(sampleSizes(f.estimates()), len(f.Rows), "pair", "pairs")
	if all > len(f.Rows) {
		g.subtitle += ", the last " + count(all-len(f.Rows), "metric", "metrics") + " not drawn"
	}
	g.facts = []string{g.subtitle + ".", f.tally().String() + "."}
	if undefined := f.where(func(d Difference) bool { return !finite(d.Mean) }); len(undefined) > 0 {
		g.subtitle += ", " + whole(len(undefined)) + " undefined"
		g.facts = append(g.facts, "Undefined: "+f.names(undefined)+".")
	}
	g.x = f.axis()
	if cut := f.where(func(d Difference) bool { return d.beyond(g.x) }); len(cut) > 0 {
		g.subtitle += ", " + count(len(cut), "goes", "go") + " beyond the frame (arrow)"
		g.facts = append(g.facts, "Beyond the frame, which ends at "+signed(g.x.lo)+" and "+signed(g.x.hi)+": "+f.names(cut)+".")
	}
	if far := f.where(func(d Difference) bool { return d.farThreshold(g.x) }); len(far) > 0 {
		g.subtitle += ", " + count(len(far), "threshold", "thresholds") + " off the frame"
		g.facts = append(g.facts, count(len(far), "row has", "rows have")+" a threshold beyond the frame: "+f.farNames(far, g.x)+".")
		g.columns = append(g.columns, "threshold")
	}
	if len(f.Rows) == 0 {
		g.empty = "no metrics"
	}
	g.rows = f.rows(signedAs(g.x), len(g.columns))
	g.legend = f.legend(g.x)
	g.data = func(c canvas, p plot) string { f.draw(c, p); return "" }
	return g
}

func (f Forest) estimates() (estimates []Estimate) {
	for _, d := range f.Rows {
		estimates = append(estimates, d.Estimate)
	}
	return estimates
}

func (f Forest) tally() (t tally) {
	for _, d := range f.Rows {
		t[d.Status.known()]++
	}
	return t
}

// where returns the indices of the rows for which is holds.
func (f Forest) where(is func(Difference) bool) (indices []int) {
	for i, d := range f.Rows {
		if is(d) {
			indices = append(indices, i)
		}
	}
	return indices
}

// names lists rows with their numbers.
func (f Forest) names(indices []int) string {
	return listed(len(indices), func(i int) string {
		d := f.Rows[indices[i]]
		name := or(d.Label, unnamed)
		if !finite(d.Mean) {
			return name
		}
		return name + " " + signed(d.Mean)
	})
}

// farNames lists rows with their thresholds beyond the frame.
func (f Forest) farNames(indices []int, x axis) string {
	return listed(len(indices), func(i int) string {
		d := f.Rows[indices[i]]
		name := or(d.Label, unnamed)
		for _, t := range thresholds {
			if t.side(d, x) != 0 {
				name += " " + signed(t.of(d))
			}
		}
		return name
	})
}

// rows have their thresholds in a third column.
func (f Forest) rows(text func(float64) string, nColumns int) (rows []row) {
	for _, d := range f.Rows {
		cells := []string{"undefined", ""}
		if finite(d.Mean) {
			cells[0] = text(d.Mean)
		}
		if d.hasRange() {
			cells[1] = text(d.Lo) + " to " + text(d.Hi)
		}
		var limits []string
		for _, t := range thresholds {
			if v := t.of(d); set(v) {
				limits = append(limits, text(v))
			}
		}
		cells = append(cells, strings.Join(limits, ", "))
		rows = append(rows, row{d.Label, cells[:nColumns]})
	}
	return rows
}

// hasRange reports whether there is an interval, maybe without an end.
func (d Difference) hasRange() bool {
	return finite(d.Mean) && !math.IsNaN(d.Lo) && !math.IsNaN(d.Hi)
}

// edges returns the ends of all that a row shows; they may be infinite.
func (d Difference) edges() (lo, hi float64) {
	if !d.hasRange() {
		return d.Mean, d.Mean
	}
	return min(d.Mean, d.Lo, d.Hi), max(d.Mean, d.Lo, d.Hi)
}

// known returns the finite numbers of a row.
func (d Difference) known() (e extent) {
	if finite(d.Mean) {
		lo, hi := d.edges()
		e.add(d.Mean)
		e.add(lo)
		e.add(hi)
	}
	return e
}

// limit returns how far from 0 rows are drawn: as far as they reach, unless some reach so much further than the
// others that these could not be told apart. At most one row in ten is cut, or one of few, and no more than needed.
func (f Forest) limit() float64 {
	var reaches []float64
	for _, d := range f.Rows {
		if e := d.known(); e.lo < 0 || e.hi > 0 {
			reaches = append(reaches, max(-e.lo, e.hi))
		}
	}
	slices.SortFunc(reaches, func(a, b float64) int { return cmp.Compare(b, a) })
	if len(reaches) == 0 {
		return 0
	}
	const few = 3
	for cut := 1; cut <= max(1, len(reaches)/10) && len(reaches) >= few; cut++ {
		if reaches[0]/flattening > reaches[cut] {
			return min(reaches[0], 1.25*reaches[cut])
		}
	}
	return reaches[0]
}

func (f Forest) axis() axis {
	limit := f.limit()
	far := thresholdsTo * limit
	if limit == 0 { // nothing changed
		far = thresholdsTo * f.nearestThreshold()
	}
	var e extent
	e.add(0)
	for _, d := range f.Rows {
		known := d.known()
		e.add(max(-limit, min(limit, known.lo)))
		e.add(max(-limit, min(limit, known.hi)))
		for _, v := range []float64{d.Loss, d.Gain} {
			if math.Abs(v) <= far {
				e.add(v)
			}
		}
	}
	return padded(e)
}

// nearestThreshold returns how far from 0 the first one is; 0 if there are none.
func (f Forest) nearestThreshold() (nearest float64) {
	for _, d := range f.Rows {
		for _, t := range thresholds {
			if v := math.Abs(t.of(d)); set(v) && (nearest == 0 || v < nearest) {
				nearest = v
			}
		}
	}
	return nearest
}

func (d Difference) beyond(x axis) bool {
	lo, hi := d.edges()
	return finite(d.Mean) && (lo < x.lo || hi > x.hi)
}

func (d Difference) farThreshold(x axis) bool {
	return slices.ContainsFunc(thresholds, func(t threshold) bool { return t.side(d, x) != 0 })
}

func (f Forest) legend(x axis) []entry {
	var legend []entry
	all := f.tally()
	for status := unmeasured; status <= Fail; status++ {
		drawn := func(d Difference) bool { return d.Status.known() == status && finite(d.Mean) }
		if status == unmeasured && len(f.where(drawn)) == 0 {
			continue
		}
		legend = append(legend, entry{statuses[status].name + " " + whole(all[status]), func(c canvas, at point) {
			statusMark(c, status, point{at.x + sampleWidth/2, at.y})
		}})
	}
	if len(f.where(Difference.hasRange)) > 0 {
		legend = append(legend, entry{or(f.Interval, "interval"), func(c canvas, at point) {
			lying(c, at.y, at.x, at.x+sampleWidth, maxCap, style{stroke: text, width: 1.4})
		}})
	}
	for _, threshold := range thresholds {
		within := func(d Difference) bool { return set(threshold.of(d)) && threshold.side(d, x) == 0 }
		if len(f.where(within)) > 0 {
			legend = append(legend, entry{threshold.name, func(c canvas, at point) {
				c.lines(threshold.lines(at.x+sampleWidth/2, at.y), thresholdStyle)
			}})
		}
		beyond := func(d Difference) bool { return threshold.side(d, x) != 0 }
		if len(f.where(beyond)) > 0 {
			legend = append(legend, entry{threshold.name + " (off the frame)", func(c canvas, at point) {
				c.lines([][]point{chevron(point{at.x + sampleWidth/2 - 1.5, at.y}, threshold.turn)}, thresholdStyle)
			}})
		}
	}
	return legend
}

// thresholds are the limits of a row, each a line with its ends turned to where differences count.
var thresholds = []threshold{
	{"degradation below", func(d Difference) float64 { return d.Loss }, -1},
	{"improvement above", func(d Difference) float64 { return d.Gain }, 1},
}

// thresholdStyle has no colour, as those stand for statuses.
var thresholdStyle = style{stroke: text, width: 1.4}

type threshold struct {
	name string
	of   func(Difference) float64
	turn float64
}

// side returns -1 where the threshold of a row is beyond the left end of the frame, 1 where it is beyond the right
// one, and else 0.
func (t threshold) side(d Difference, x axis) float64 {
	switch v := t.of(d); {
	case !set(v):
		return 0
	case v < x.lo:
		return -1
	case v > x.hi:
		return 1
	}
	return 0
}

func (t threshold) lines(x, y float64) [][]point {
	const half, end = rowPitch/2 - 2, 3.0
	return [][]point{{{x + t.turn*end, y - half}, {x, y - half}, {x, y + half}, {x + t.turn*end, y + half}}}
}

// chevron points from at to the left (-1) or to the right (1).
func chevron(at point, side float64) []point {
	const wide, half = 4.0, 4.5
	return []point{{at.x, at.y - half}, {at.x + side*wide, at.y}, {at.x, at.y + half}}
}

func set(threshold float64) bool { return threshold != 0 && finite(threshold) }

func statusMark(c canvas, s Status, at point) {
	look, how := statuses[s], solid(statuses[s].ink)
	if s == unmeasured {
		how = hollow(look.ink)
	}
	look.marker.draw(c, at, markerSize, how)
}

func (f Forest) draw(c canvas, p plot) {
	var lines [][]point
	for _, threshold := range thresholds {
		for i, d := range f.Rows {
			y := p.y.at(float64(i))
			switch side := threshold.side(d, p.x.axis); {
			case side < 0: // in the gap next to the frame
				lines = append(lines, chevron(point{p.left - 1, y}, side))
			case side > 0:
				lines = append(lines, chevron(point{p.right + 1, y}, side))
			case set(threshold.of(d)):
				lines = append(lines, threshold.lines(p.x.at(threshold.of(d)), y)...)
			}
		}
	}
	c.lines(lines, thresholdStyle)
	for i, d := range f.Rows {
		if finite(d.Mean) {
			d.draw(c, p, p.y.at(float64(i)))
		}
	}
}

func (d Difference) draw(c canvas, p plot, y float64) {
	status := d.Status.known()
	s := style{stroke: statuses[status].ink, width: 1.6}
	if d.hasRange() {
		lying(c, y, p.x.at(min(d.Lo, d.Hi)), p.x.at(max(d.Lo, d.Hi)), maxCap, s)
	}
	if p.x.lo <= d.Mean && d.Mean <= p.x.hi {
		statusMark(c, status, point{p.x.at(d.Mean), y})
	}
	lo, hi := d.edges()
	if lo < p.x.lo {
		leftward.draw(c, point{p.left + arrowSize, y}, arrowSize, solid(s.stroke))
	}
	if hi > p.x.hi {
		rightward.draw(c, point{p.right - arrowSize, y}, arrowSize, solid(s.stroke))
	}
}
