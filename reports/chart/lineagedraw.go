package chart

import (
	"math"
	"slices"
)

const (
	rollbackLane = 18.0
	belowLane    = 22.0
	maxRollbacks = 40 // drawn from top to bottom
	headSize     = 9.0
	crowdedSize  = 2.8 // of many candidates
)

var (
	bestStyle     = style{stroke: green, width: 1.6}
	openStyle     = style{stroke: orange, width: 1.6} // of the best if nothing was decided
	topStyle      = style{stroke: orange, width: 2}
	rejectedStyle = style{stroke: axisInk, width: 2}
	failedStyle   = style{stroke: vermillion, width: 1.6}
	rollbackStyle = style{stroke: pink, width: 1.6}
	headStyle     = style{stroke: text, width: 1.6}
)

func (l Lineage) legend(counts [nDecisions]int, intervals shownIntervals) []entry {
	var legend []entry
	for _, d := range []Decision{Root, Accepted, Rejected, Undecided, Refused, Failed} {
		if counts[d] > 0 {
			name := decisions[d]
			if d != Root {
				name += " " + whole(counts[d])
			}
			legend = append(legend, entry{name, func(c canvas, at point) {
				drawDecision(c, d, []point{{at.x + sampleWidth/2, at.y}}, markerSize)
			}})
		}
	}
	if intervals.accepted || intervals.others {
		name := or(l.Interval, "interval")
		if !intervals.others && counts[Accepted] < len(l.Candidates)-counts[Root] {
			name += " of the accepted"
		}
		legend = append(legend, entry{name, func(c canvas, at point) {
			whisker(c, at.x+sampleWidth/2, at.y-8, at.y+8, maxCap, intervalStyle)
		}})
	}
	if name := l.LineName(); name != "" {
		legend = append(legend, entry{name, strip(l.lineStyle())})
	}
	if slices.ContainsFunc(l.Candidates, Candidate.isBest) {
		legend = append(legend, entry{l.bestName(), func(c canvas, at point) {
			c.circle(at.x+sampleWidth/2, at.y, headSize, topStyle)
		}})
	}
	if slices.ContainsFunc(l.Candidates, Candidate.isHead) {
		legend = append(legend, entry{"head", func(c canvas, at point) {
			c.circle(at.x+sampleWidth/2, at.y, headSize, headStyle)
		}})
	}
	if len(l.Rollbacks) > 0 {
		legend = append(legend, entry{"rollback", func(c canvas, at point) {
			drawRollback(c, at.x+sampleWidth/2, at.y-8, at.y+9)
		}})
	}
	return legend
}

func (l Lineage) bestName() string {
	if l.Minimize {
		return "lowest score"
	}
	return "highest score"
}

// isBetter reports whether a score is better than another.
func (l Lineage) isBetter(a, b float64) bool {
	if l.Minimize {
		a, b = b, a
	}
	return a > b
}

// best returns the candidate with the best score of those that the line follows, the first of equals.
func (l Lineage) best() (best Candidate, ok bool) {
	runs := l.runs()
	for _, c := range l.Candidates {
		if runs(c) && (!ok || l.isBetter(c.Mean, best.Mean)) {
			best, ok = c, true
		}
	}
	return best, ok
}

func (l Lineage) lineStyle() style {
	if l.undecided() {
		return openStyle
	}
	return bestStyle
}

// steps returns the line of the best score so far, up to the last candidate. A rollback takes it to the score of what
// is active again; where that has none, the line ends, and another begins with the next that is accepted.
func (l Lineage) steps(p plot) (lines [][]point) {
	var line []point
	y := 0.0
	to := func(x, next float64) {
		if line != nil {
			line = append(line, point{x, y})
		}
		line, y = append(line, point{x, next}), next
	}
	end := func(x float64) {
		if line != nil {
			x = max(x, line[len(line)-1].x) // a rollback lies behind the last candidate
			lines, line = append(lines, append(line, point{x, y})), nil
		}
	}
	rollbacks := l.Rollbacks
	back := func(before int) {
		for len(rollbacks) > 0 && rollbacks[0].After < before {
			r := rollbacks[0]
			rollbacks = rollbacks[1:]
			x := p.x.at(float64(r.After) + 0.5)
			again := slices.IndexFunc(l.Candidates, func(c Candidate) bool { return c.Number == r.To && c.isScored() })
			if again < 0 {
				end(x)
			} else {
				to(x, p.y.at(l.Candidates[again].Mean))
			}
		}
	}
	runs := l.runs()
	for _, c := range l.Candidates {
		back(c.Number)
		at := p.at(float64(c.Number), c.Mean)
		if runs(c) && (line == nil || l.isBetter(-at.y, -y)) { // y grows downwards
			to(at.x, at.y)
		}
	}
	if len(l.Candidates) > 0 {
		last := l.Candidates[len(l.Candidates)-1].Number
		back(math.MaxInt)
		end(p.x.at(float64(last)))
	}
	return lines
}

// BestSoFar returns where the line of the best score is at each candidate, in the order of their numbers; NaN if there
// is no line.
func (l Lineage) BestSoFar() []float64 {
	l = l.ordered()
	runs, best, rollbacks := l.runs(), math.NaN(), l.Rollbacks
	list := make([]float64, len(l.Candidates))
	for i, c := range l.Candidates {
		for ; len(rollbacks) > 0 && rollbacks[0].After < c.Number; rollbacks = rollbacks[1:] {
			best = math.NaN()
			if again := slices.IndexFunc(l.Candidates, func(c Candidate) bool { return c.Number == rollbacks[0].To && c.isScored() }); again >= 0 {
				best = l.Candidates[again].Mean
			}
		}
		if runs(c) && (math.IsNaN(best) || l.isBetter(c.Mean, best)) {
			best = c.Mean
		}
		list[i] = best
	}
	return list
}

// perColumn keeps of each column of a long line where it comes in, its highest, its lowest, and where it goes out.
func perColumn(line []point) (kept []point) {
	const long = 1000
	if len(line) <= long {
		return line
	}
	for from := 0; from < len(line); {
		to, high, low := from, from, from
		for ; to < len(line) && math.Floor(line[to].x) == math.Floor(line[from].x); to++ {
			if line[to].y < line[high].y {
				high = to
			}
			if line[to].y > line[low].y {
				low = to
			}
		}
		ends := []int{from, min(high, low), max(high, low), to - 1}
		for _, i := range slices.Compact(ends) {
			kept = append(kept, line[i])
		}
		from = to
	}
	return kept
}

// together counts the rollbacks up to i that are at the same place.
func (l Lineage) together(i int) (n int) {
	for at := l.Rollbacks[i].After; i >= 0 && l.Rollbacks[i].After == at; i-- {
		n++
	}
	return n
}

func (l Lineage) draw(c canvas, p plot, intervals shownIntervals) (fact string) {
	rollbacks := l.drawRollbacks(c, p)
	for _, candidate := range l.Candidates {
		if intervals.of(candidate) {
			candidate.drawInterval(c, p)
		}
	}
	points, left, square := l.points(p)
	heads := slices.DeleteFunc(slices.Clone(l.Candidates), func(c Candidate) bool { return !c.isHead() })
	size := markerSize
	if len(l.Candidates) > maxMarked {
		size = crowdedSize
	}
	for _, d := range []Decision{Rejected, Refused, Failed, Undecided} {
		drawDecision(c, d, points[d], size)
	}
	crowded := len(l.Candidates) > maxMarked
	if !crowded {
		l.drawLine(c, p)
	}
	drawDecision(c, Accepted, points[Accepted], size)
	if crowded { // the dots would hide it
		l.drawLine(c, p)
	}
	drawDecision(c, Root, points[Root], markerSize)
	for _, best := range l.Candidates {
		if best.isBest() {
			at := p.at(float64(best.Number), best.Mean)
			c.circle(at.x, at.y, headSize, topStyle)
		}
	}
	for _, head := range heads {
		at := p.at(float64(head.Number), head.Mean)
		drawDecision(c, head.decision(), []point{at}, size)
		c.circle(at.x, at.y, headSize, headStyle)
	}
	return leftOut(left, square, rollbacks)
}

// drawLine draws the line of the best score.
func (l Lineage) drawLine(c canvas, p plot) {
	for _, line := range l.steps(p) {
		c.polyline(perColumn(line), l.lineStyle())
	}
}

// leftOut says what is not drawn.
func leftOut(candidates int, square pixel, rollbacks int) (fact string) {
	if candidates > 0 {
		fact = count(candidates, "candidate is", "candidates are") + " not drawn, each in a square of " + square.String() +
			" with another of its kind; the highest and the lowest of each column are. "
	}
	if rollbacks > 0 {
		fact += count(rollbacks, "rollback is", "rollbacks are") + " not drawn. "
	}
	return fact
}

func (c Candidate) drawInterval(to canvas, p plot) {
	s := intervalStyle
	if c.decision() == Rejected {
		s = style{stroke: axisInk, width: 1}
	}
	a, b := p.at(float64(c.Number), c.Lo), p.at(float64(c.Number), c.Hi)
	to.polyline([]point{b, a}, s)
	for _, end := range []struct {
		value float64
		at    point
	}{{c.Hi, b}, {c.Lo, a}} {
		if p.y.lo <= end.value && end.value <= p.y.hi { // else it goes on beyond the frame
			to.polyline([]point{{end.at.x - maxCap/2, end.at.y}, {end.at.x + maxCap/2, end.at.y}}, s)
		}
	}
}

// points returns where the candidates of each decision are drawn, but for the head, and without those that would lie
// upon others, which left counts. Accepted ones are all drawn as long as there is room.
func (l Lineage) points(p plot) (points [nDecisions][]point, left int, square pixel) {
	const spared = 2000
	var all [nDecisions][]point
	total := 0
	for _, c := range l.Candidates {
		d, at := c.decision(), p.at(float64(c.Number), c.Mean)
		switch {
		case c.isBelow():
			at.y = p.bottom - belowLane/2
		case !c.isScored() || c.Head:
			continue
		}
		all[d] = append(all[d], at)
		total++
	}
	if total <= maxMarked {
		return all, 0, 0
	}
	kept := 0
	square = coarsen(func(square pixel) (cost int) {
		kept = 0
		for d := range all {
			points[d] = all[d]
			if Decision(d) != Accepted || len(all[d]) > spared {
				points[d] = thin(all[d], square)
			}
			kept += len(points[d])
		}
		return 2 * kept
	})
	return points, total - kept, square
}

// drawDecision draws candidates of one decision.
func drawDecision(c canvas, d Decision, at []point, size float64) {
	dash := 0.8 * size
	var lines, squares [][]point
	for _, p := range at {
		switch d {
		case Accepted:
			lines = append(lines, []point{p})
		case Rejected:
			lines = append(lines, []point{{p.x - dash, p.y}, {p.x + dash, p.y}})
		case Undecided:
			squares = append(squares, box(p.x-dash, p.y-dash, p.x+dash, p.y+dash))
		case Refused:
			squares = append(squares, []point{{p.x - dash, p.y - dash}, {p.x + dash, p.y - dash}, {p.x, p.y + dash}})
		case Root:
			squares = append(squares, []point{{p.x, p.y - 1.4*size}, {p.x + 1.4*size, p.y}, {p.x, p.y + 1.4*size}, {p.x - 1.4*size, p.y}})
		case Failed:
			lines = append(lines, cross(p, dash)...)
		}
	}
	switch d {
	case Root:
		c.areas(squares, style{fill: blue})
	case Accepted:
		c.lines(lines, style{stroke: paper, width: 2*size + 1.5})
		c.lines(lines, style{stroke: blue, width: 2 * size})
	case Rejected:
		c.lines(lines, rejectedStyle)
	case Undecided:
		c.areas(squares, hollow(blue))
	case Refused:
		c.areas(squares, hollow(axisInk))
	case Failed:
		c.lines(lines, failedStyle)
	}
}

// drawRollbacks draws all, or of many those that do not lie upon others; left counts the others.
func (l Lineage) drawRollbacks(c canvas, p plot) (left int) {
	const apart = 3
	many := len(l.Rollbacks) > maxRollbacks
	top, bottom := p.top-rollbackLane+2, p.bottom
	if many {
		bottom = p.top
	}
	last, arrow := math.Inf(-1), math.Inf(-1) // where they are
	taken := p.left                           // the end of the last name
	for i, r := range l.Rollbacks {
		x := l.place(p, i)
		if i+1 < len(l.Rollbacks) && l.Rollbacks[i+1].After == r.After {
			continue // the last of several at one place leads to what is active
		}
		if many && x < last+apart {
			left++
			continue
		}
		if last = x; x < arrow+3*arrowSize && many {
			c.polyline([]point{{x, top}, {x, bottom}}, rollbackStyle)
			continue
		}
		drawRollback(c, x, top, bottom)
		arrow = x
		taken = l.nameRollback(c, p, i, x, top, taken)
	}
	return left
}

// nameRollback writes where rollback i leads to, and how many there are at its place, on the side where there is
// room: at least how many. It returns where what it wrote or drew ends.
func (l Lineage) nameRollback(c canvas, p plot, i int, x, top, taken float64) (to float64) {
	names := []string{"to " + or(clean(l.Rollbacks[i].Name), whole(l.Rollbacks[i].To))}
	if n := l.together(i); n > 1 {
		names = []string{whole(n) + " rollbacks " + names[0], "×" + whole(n)}
	}
	y := top + sizeTick - 2
	for _, name := range names {
		room := textWidth(name, sizeTick)
		if x+gap+room < l.place(p, i+1)-2*arrowSize {
			c.text(x+gap/2, y, name, textStyle{sizeTick, dim, start})
			return x + gap + room
		}
		if right := x - 2*arrowSize - gap/2; right-room > taken+gap {
			c.text(right, y, name, textStyle{sizeTick, dim, end})
			return x
		}
	}
	return x
}

// place returns where rollback i is drawn, or the right end of the chart where there are no more.
func (l Lineage) place(p plot, i int) float64 {
	if i == len(l.Rollbacks) {
		return width
	}
	return p.x.at(float64(l.Rollbacks[i].After) + 0.5)
}

// drawRollback draws an upright line with an arrow back at its top.
func drawRollback(c canvas, x, top, bottom float64) {
	c.polyline([]point{{x, top}, {x, bottom}}, rollbackStyle)
	leftward.draw(c, point{x - arrowSize/2, top + arrowSize}, arrowSize, style{fill: pink})
}
