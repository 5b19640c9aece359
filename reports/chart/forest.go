package chart

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Forest shows what became better or worse: a row for each metric, with the mean of its differences, an interval, and
// the thresholds from which a difference counts. A few rows far beyond all others do not flatten these: they end in
// an arrow, and their numbers stand at the right like those of all, as the thresholds do.
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
	thresholdsTo = 4 // the frame goes as far as thresholds up to that many times as far as the rows reach
	flattening   = 5 // a row that reaches that many times as far as the next is cut
)

// thresholds are the limits of a row, each a line with its ends turned to where differences count.
var thresholds = [2]struct {
	name string
	of   func(Difference) float64
	turn float64
}{
	{"degradation below", func(d Difference) float64 { return d.Loss }, -1},
	{"improvement above", func(d Difference) float64 { return d.Gain }, 1},
}

// thresholdStyle has no colour, as those stand for statuses.
var thresholdStyle = style{stroke: text, width: 1.4}

func thresholdLine(x, y, turn float64) []point {
	const half, end = rowPitch/2 - 2, 3.0
	return []point{{x + turn*end, y - half}, {x, y - half}, {x, y + half}, {x + turn*end, y + half}}
}

func set(threshold float64) bool { return threshold != 0 && finite(threshold) }

func (f Forest) figure() figure {
	all := len(f.Rows)
	f.Rows = f.Rows[:min(all, maxRows)]
	g := figure{kind: "Forest plot", title: f.Title, xLabel: f.XLabel, columns: []string{"mean", "interval"}, x: f.axis()}
	var t tally
	var estimates []Estimate
	var undefined, beyond, far []string
	within, intervals := [2]bool{}, false
	for _, d := range f.Rows {
		name := or(d.Label, unnamed)
		t[d.Status.known()]++
		estimates = append(estimates, d.Estimate)
		if !finite(d.Mean) {
			undefined = append(undefined, name)
		} else if lo, hi := d.edges(); lo < g.x.lo || hi > g.x.hi {
			beyond = append(beyond, name+" "+signed(d.Mean))
		}
		intervals = intervals || d.hasRange()
		outside := ""
		for k, threshold := range thresholds {
			if v := threshold.of(d); set(v) {
				if in := g.x.lo <= v && v <= g.x.hi; in {
					within[k] = true
				} else {
					outside += " " + signed(v)
				}
			}
		}
		if outside != "" {
			far = append(far, name+outside)
		}
	}
	names := func(list []string) string { return listed(len(list), func(i int) string { return list[i] }) }
	g.subtitle = count(all, "metric", "metrics") + sampleSizes(estimates, "pair", "pairs")
	if all > len(f.Rows) {
		g.subtitle += ", the last " + count(all-len(f.Rows), "metric", "metrics") + " not drawn"
	}
	g.facts = []string{g.subtitle + ".", t.String() + "."}
	if len(undefined) > 0 {
		g.subtitle += ", " + whole(len(undefined)) + " undefined"
		g.facts = append(g.facts, "Undefined: "+names(undefined)+".")
	}
	if len(beyond) > 0 {
		g.subtitle += ", " + count(len(beyond), "goes", "go") + " beyond the frame (arrow)"
		g.facts = append(g.facts, "Beyond the frame, which ends at "+signed(g.x.lo)+" and "+signed(g.x.hi)+": "+names(beyond)+".")
	}
	if len(far) > 0 {
		g.subtitle += ", " + count(len(far), "threshold", "thresholds") + " off the frame"
		g.facts = append(g.facts, count(len(far), "row has", "rows have")+" a threshold beyond the frame: "+names(far)+".")
		g.columns = append(g.columns, "threshold")
	}
	if len(f.Rows) == 0 {
		g.empty = "no metrics"
	}
	for _, d := range f.Rows {
		g.rows = append(g.rows, row{d.Label, d.cells(signedAs(g.x))[:len(g.columns)]})
	}
	for status := unmeasured; status <= Fail; status++ {
		if status != unmeasured || t[status] > len(undefined) {
			g.legend = append(g.legend, entry{statuses[status].name + " " + whole(t[status]), func(c *canvas, at point) { statusMark(c, status, at) }})
		}
	}
	if intervals {
		g.legend = append(g.legend, entry{or(f.Interval, "interval"), func(c *canvas, at point) {
			bar(c, point{at.x - sampleWidth/2, at.y}, point{at.x + sampleWidth/2, at.y}, maxCap, thresholdStyle, [2]bool{})
		}})
	}
	for k, threshold := range thresholds {
		if within[k] {
			g.legend = append(g.legend, entry{threshold.name, func(c *canvas, at point) { c.line(thresholdStyle, thresholdLine(at.x, at.y, threshold.turn)...) }})
		}
	}
	g.data = f.draw
	return g
}

// cells returns the numbers of a row.
func (d Difference) cells(text func(float64) string) []string {
	cells := []string{"undefined", "", ""}
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
	cells[2] = strings.Join(limits, ", ")
	return cells
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
	for _, d := range f.Rows {
		for _, v := range []float64{math.Abs(d.Loss), math.Abs(d.Gain)} {
			if limit == 0 && set(v) && (far == 0 || thresholdsTo*v < far) { // nothing changed
				far = thresholdsTo * v
			}
		}
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

func statusMark(c *canvas, s Status, at point) {
	how := solid(statuses[s].ink)
	if s == unmeasured {
		how = hollow(statuses[s].ink)
	}
	statuses[s].marker.draw(c, markerSize, how, at)
}

func (f Forest) draw(c *canvas, p plot) (fact string) {
	var lines [][]point
	for _, threshold := range thresholds {
		for i, d := range f.Rows {
			if v := threshold.of(d); set(v) && p.x.lo <= v && v <= p.x.hi {
				lines = append(lines, thresholdLine(p.x.at(v), p.y.at(float64(i)), threshold.turn))
			}
		}
	}
	c.lines(lines, thresholdStyle)
	for i, d := range f.Rows {
		if !finite(d.Mean) {
			continue
		}
		status, y := d.Status.known(), p.y.at(float64(i))
		lo, hi := d.edges()
		cut := [2]bool{lo < p.x.lo, hi > p.x.hi}
		if d.hasRange() || cut[0] || cut[1] {
			bar(c, point{p.x.at(lo), y}, point{p.x.at(hi), y}, maxCap, style{stroke: statuses[status].ink, width: lineWidth}, cut)
		}
		if p.x.lo <= d.Mean && d.Mean <= p.x.hi {
			statusMark(c, status, point{p.x.at(d.Mean), y})
		}
	}
	return ""
}

// Bars has a row for each thing, with a bar for its value, from 0 to the left if that is negative.
type Bars struct {
	Title, XLabel string
	Rows          []Bar
}

// Bar is one row. Its value stands as a text at the right.
type Bar struct {
	Name, Text string
	Value      float64 // a bar is drawn if it is finite
}

func (b Bars) figure() figure {
	f := figure{kind: "Bars", title: b.Title, xLabel: b.XLabel, columns: []string{"value"}}
	f.subtitle = count(len(b.Rows), "row", "rows")
	if left := len(b.Rows) - maxRows; left > 0 {
		f.subtitle += ", the last " + whole(left) + " not drawn"
		b.Rows = b.Rows[:maxRows]
	}
	var values extent
	for _, r := range b.Rows {
		values.add(r.Value)
		f.rows = append(f.rows, row{r.Name, []string{clean(r.Text)}})
	}
	f.facts = []string{f.subtitle + "."}
	if values.n == 0 {
		f.empty = noValues
		return f
	}
	f.facts = append(f.facts, "Values are "+values.span()+".", listed(len(b.Rows), func(i int) string {
		return or(b.Rows[i].Name, unnamed) + " " + clean(b.Rows[i].Text)
	})+".")
	values.add(0)
	f.x = upright(values)
	f.data = func(c *canvas, p plot) string { b.draw(c, p); return "" }
	return f
}

func (b Bars) draw(c *canvas, p plot) {
	const half = cellHeight/2 - 1
	var boxes [][]point
	for i, r := range b.Rows {
		if from, to := min(0, r.Value), max(0, r.Value); finite(r.Value) && from < to {
			y := p.y.at(float64(i))
			boxes = append(boxes, box(p.x.at(from), y-half, p.x.at(to), y+half))
		}
	}
	c.areas(boxes, style{fill: blue})
	c.line(style{stroke: axisInk, width: 1}, point{p.x.at(0), p.top}, point{p.x.at(0), p.bottom})
}
