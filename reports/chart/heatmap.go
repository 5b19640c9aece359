package chart

import "math"

// HeatMap shows the status of each metric in each seed: a row per metric, a column per seed. Rows can be other things,
// such as scenarios. Failed seeds are hatched, whatever their cells say. Where there are more seeds than columns have
// room, a column is several seeds, and each of its cells is divided in proportion to their statuses.
type HeatMap struct {
	Title, XLabel string
	One, Many     string // what a row is, and rows are; without them metrics
	Seeds         []HeatColumn
	Rows          []HeatRow
}

// HeatColumn is a column, which stands for a seed.
type HeatColumn struct {
	Label  string
	Failed bool // it has no result
}

// HeatRow is one metric, or one of what else the rows are.
type HeatRow struct {
	Name  string
	Cells []Status // of each seed; those that are missing have no value
}

func (h HeatMap) figure() figure {
	f := figure{kind: "Heat map", title: h.Title, xLabel: h.XLabel, widest: cellMost * float64(len(h.Seeds))}
	one, many := or(h.One, "metric"), or(h.Many, "metrics")
	f.subtitle = count(len(h.Rows), one, many) + ", " + count(len(h.Seeds), "seed", "seeds")
	if left := len(h.Rows) - maxRows; left > 0 {
		f.subtitle += ", the last " + count(left, one, many) + " not drawn"
		h.Rows = h.Rows[:maxRows]
	}
	for _, s := range h.Seeds {
		f.labels = append(f.labels, s.Label)
	}
	f.noted = len(h.Seeds) > 100 || len(h.Seeds)*len(h.Rows) > maxPoints/2 // several seeds may have to share a column
	f.x = axis{lo: -0.5, hi: float64(len(h.Seeds)) - 0.5}
	switch {
	case len(h.Rows) == 0:
		f.empty = "no " + many
	case len(h.Seeds) == 0:
		f.empty = "no seeds"
	}
	rows, all := h.tallies()
	failed := h.failed()
	f.rows, f.columns = h.rows(rows, all)
	f.legend = h.legend(all, len(failed))
	f.facts = h.facts(f.subtitle, rows, all, failed)
	f.data = h.draw
	return f
}

// status returns the status of a cell of a seed that did not fail.
func (r HeatRow) status(seed int) Status {
	if seed >= len(r.Cells) {
		return unmeasured
	}
	return r.Cells[seed].known()
}

// tally counts the cells of the seeds from, …, to-1 that did not fail.
func (h HeatMap) tally(r HeatRow, from, to int) (t tally) {
	for i := from; i < to; i++ {
		if !h.Seeds[i].Failed {
			t[r.status(i)]++
		}
	}
	return t
}

func (h HeatMap) tallies() (rows []tally, all tally) {
	for _, r := range h.Rows {
		t := h.tally(r, 0, len(h.Seeds))
		for status, n := range t {
			all[status] += n
		}
		rows = append(rows, t)
	}
	return rows, all
}

// failed returns the indices of failed seeds.
func (h HeatMap) failed() (indices []int) {
	for i, s := range h.Seeds {
		if s.Failed {
			indices = append(indices, i)
		}
	}
	return indices
}

// rows have the counts of each status as their columns.
func (h HeatMap) rows(tallies []tally, all tally) (rows []row, columns []string) {
	shown := all.named()
	for _, status := range shown {
		columns = append(columns, or(statuses[status].short, statuses[status].name))
	}
	for i, r := range h.Rows {
		var cells []string
		for _, status := range shown {
			cells = append(cells, whole(tallies[i][status]))
		}
		rows = append(rows, row{r.Name, cells})
	}
	return rows, columns
}

func (h HeatMap) legend(all tally, failed int) (legend []entry) {
	for _, status := range all.named() {
		look, name := statuses[status], statuses[status].name
		if status == unmeasured {
			name += " (n/a)"
		}
		if look.cell == (style{}) { // one that is not filled needs an edge to be seen
			look.cell = style{fill: paper, stroke: gridInk, width: 1}
		}
		legend = append(legend, entry{name + " " + whole(all[status]), func(c *canvas, at point) {
			c.area(box(at.x-cellHeight/2, at.y-cellHeight/2, at.x+cellHeight/2, at.y+cellHeight/2), look.cell)
			cellMarks(c, status, cellHeight, at)
		}})
	}
	if failed > 0 {
		legend = append(legend, entry{count(failed, "failed seed", "failed seeds"), func(c *canvas, at point) {
			hatched(c, [][]point{box(at.x-sampleWidth/2, at.y-cellHeight/2, at.x+sampleWidth/2, at.y+cellHeight/2)})
		}})
	}
	return legend
}

func (h HeatMap) facts(subtitle string, rows []tally, all tally, failed []int) []string {
	facts := []string{subtitle + ".", "Cells: " + all.String() + "."}
	var failing []int
	for i, t := range rows {
		if t[Fail] > 0 {
			failing = append(failing, i)
		}
	}
	if len(failing) > 0 {
		facts = append(facts, "FAIL in "+listed(len(failing), func(i int) string {
			k := failing[i]
			return or(h.Rows[k].Name, unnamed) + " (" + count(rows[k][Fail], "seed", "seeds") + ")"
		})+".")
	}
	if len(failed) > 0 {
		facts = append(facts, count(len(failed), "failed seed is", "failed seeds are")+" hatched and not among the cells: "+
			listed(len(failed), func(i int) string { return or(h.Seeds[failed[i]].Label, unnamed) })+".")
	}
	return facts
}

const (
	cellHeight = rowPitch - 2
	cellMost   = 40.0 // width, of few seeds
	cellMarked = 6.0  // width from which a cell has room for a mark
	cellApart  = 5.0  // width from which cells are drawn apart
	cellLeast  = 3.0  // width; narrower ones share a column
	stripLeast = 2.0  // width that failed seeds have in a column they share
)

// bin is a column of the drawing: the seeds from, …, to-1. Those that did not fail have the part up to ran.
type bin struct {
	from, to         int
	left, ran, right float64
}

// bins puts size seeds into each column; the last may have fewer.
func (h HeatMap) bins(p plot, size int) (bins []bin) {
	for from := 0; from < len(h.Seeds); from += size {
		b := bin{from: from, to: min(from+size, len(h.Seeds))}
		failed := 0
		for _, s := range h.Seeds[from:b.to] {
			if s.Failed {
				failed++
			}
		}
		b.left, b.right = p.x.at(float64(b.from)-0.5), p.x.at(float64(b.to)-0.5)
		b.ran = b.right
		if width := b.right - b.left; failed > 0 {
			b.ran -= min(width, max(stripLeast, width*float64(failed)/float64(b.to-b.from)))
		}
		bins = append(bins, b)
	}
	return bins
}

func (h HeatMap) draw(c *canvas, p plot) (fact string) {
	var cells mosaic
	var bins []bin
	size, width := 1, (p.right-p.left)/float64(len(h.Seeds))
	coarsen(func(column pixel) (points int) {
		size = max(1, int(math.Ceil(cellLeast*float64(column)/width)))
		bins = h.bins(p, size)
		cells = h.mosaic(p, bins)
		return cells.cost()
	})
	for status, areas := range cells {
		c.areas(areas, statuses[status].cell)
	}
	if size == 1 && width >= cellMarked {
		h.drawMarks(c, p, min(width, cellHeight))
	}
	if width := width * float64(size); width >= cellApart {
		var joints [][]point
		for _, b := range bins[1:] {
			joints = append(joints, []point{{b.left, p.top}, {b.left, p.bottom - 1}})
		}
		c.lines(joints, style{stroke: paper, width: 1})
	}
	drawFailed(c, p, bins)
	if size > 1 {
		return h.columnFact(size)
	}
	return ""
}

func (h HeatMap) columnFact(size int) string {
	fact := "A column is " + count(size, "seed", "seeds") + ": its cells are divided in proportion to their statuses, FAIL at the bottom"
	if len(h.failed()) > 0 {
		fact += "; failed seeds are a strip at its right"
	}
	return fact + "."
}

// mosaic are the areas of each status.
type mosaic [nStatuses][][]point

func (m mosaic) cost() (points int) {
	for _, areas := range m {
		points += 2 * len(areas)
	}
	return points
}

func (h HeatMap) mosaic(p plot, bins []bin) (m mosaic) {
	for i, r := range h.Rows {
		middle := p.y.at(float64(i))
		for _, b := range bins {
			t := h.tally(r, b.from, b.to)
			bottom := middle + cellHeight/2
			for _, status := range [...]Status{Fail, Warn, Pass, Broken} {
				if t[status] > 0 {
					top := bottom - cellHeight*float64(t[status])/float64(t.sum())
					m.add(status, b.left, top, b.ran, bottom)
					bottom = top
				}
			}
		}
	}
	return m
}

// add draws an area, as a part of the last one where it goes on from there.
func (m *mosaic) add(status Status, left, top, right, bottom float64) {
	areas := m[status]
	if len(areas) > 0 {
		if last := areas[len(areas)-1]; last[0].y == top && last[2].y == bottom && last[1].x == left {
			last[1].x, last[2].x = right, right
			return
		}
	}
	m[status] = append(areas, box(left, top, right, bottom))
}

// drawMarks puts a mark into each cell of a seed that did not fail.
func (h HeatMap) drawMarks(c *canvas, p plot, size float64) {
	var at [nStatuses][]point
	for i, r := range h.Rows {
		for k, s := range h.Seeds {
			if !s.Failed {
				status := r.status(k)
				at[status] = append(at[status], p.at(float64(k), float64(i)))
			}
		}
	}
	for status, points := range at {
		cellMarks(c, Status(status), size, points...)
	}
}

// cellMarks draws the marks of one status into cells of the given size: a cross for FAIL and for a failed seed, a
// rising stroke for WARN, a level one for what was not scored, a dot if nothing was measured, and nothing for PASS.
func cellMarks(c *canvas, status Status, size float64, at ...point) {
	if look := statuses[status]; look.line != none {
		look.mark.draw(c, size/3.2, style{stroke: look.line, width: max(1, size/10)}, at...)
	}
}

// drawFailed hatches the parts of failed seeds from the top to the bottom.
func drawFailed(c *canvas, p plot, bins []bin) {
	var strips [][]point
	for _, b := range bins {
		switch n := len(strips); {
		case b.ran == b.right:
		case n > 0 && strips[n-1][1].x == b.ran:
			strips[n-1][1].x, strips[n-1][2].x = b.right, b.right
		default:
			strips = append(strips, box(b.ran, p.top, b.right, p.bottom-1))
		}
	}
	hatched(c, strips)
}

// hatched fills boxes with rising lines on grey, and those without room for lines with a darker grey.
func hatched(c *canvas, boxes [][]point) {
	const pitch, narrow, most = 6, 4, 3000
	var wide, rest, lines [][]point
	edges := 0.0
	for _, b := range boxes {
		if w := b[1].x - b[0].x; w < narrow {
			rest = append(rest, b)
		} else {
			wide = append(wide, b)
			edges += w + b[2].y - b[1].y
		}
	}
	for _, b := range wide {
		lines = append(lines, hatch(b[0], b[2], max(pitch, edges/most))...)
	}
	c.areas(wide, style{fill: gridInk})
	c.areas(rest, style{fill: axisInk})
	c.lines(lines, style{stroke: axisInk, width: 1})
}

// hatch returns rising lines within the box from its top left to its bottom right corner.
func hatch(from, to point, pitch float64) (lines [][]point) {
	for k := math.Ceil((from.x + from.y) / pitch); float64(k*pitch) <= to.x+to.y; k++ {
		sum := float64(k * pitch)
		a, b := max(from.x, sum-to.y), min(to.x, sum-from.y)
		lines = append(lines, []point{{a, sum - a}, {b, sum - b}})
	}
	return lines
}

// Grid is a heat map of numbers: a row for each thing, a column for each of some others. The larger or the better a
// number is, the stronger is the colour of its cell, which has the number as text.
type Grid struct {
	Title, XLabel string
	One, Many     string // what a row is, and rows are: "task", "tasks"
	Columns       []string
	Rows          []GridRow
	Low, High     string               // what the ends of the scale are called: "worst", "best"
	Minimize      bool                 // lower numbers have the stronger colour
	Scale         [2]float64           // its ends; without them the lowest and the highest number
	Text          func(float64) string // nil for three digits
}

// GridRow has the numbers of one thing; NaN for none.
type GridRow struct {
	Name   string
	Values []float64
}

func (g Grid) figure() figure {
	const wide, faint, strong = 64.0, 0.06, 0.5
	f := figure{kind: "Heat map", title: g.Title, xLabel: g.XLabel, labels: g.Columns, widest: wide * float64(len(g.Columns))}
	f.subtitle = count(len(g.Rows), or(g.One, "row"), or(g.Many, "rows")) + ", " + count(len(g.Columns), "column", "columns")
	f.facts = []string{f.subtitle + "."}
	f.x = axis{lo: -0.5, hi: float64(len(g.Columns)) - 0.5}
	var values extent
	for _, r := range g.Rows {
		f.rows = append(f.rows, row{name: r.Name})
		for _, v := range r.Values {
			if finite(v) {
				values.add(v)
			}
		}
	}
	if values.n == 0 || len(g.Columns) == 0 {
		f.empty = noValues
		return f
	}
	f.facts = append(f.facts, "Values are "+values.span()+".")
	from, to := g.Scale[0], g.Scale[1]
	if from >= to {
		from, to = values.lo, values.hi
	}
	if g.Minimize {
		from, to = to, from
	}
	cell := func(v float64) style {
		steps := math.Round(20*share(v, from, to)) / 20
		return style{fill: blue, opacity: faint + float64(steps*(strong-faint))}
	}
	for k, end := range [2]float64{from, to} {
		f.legend = append(f.legend, entry{[2]string{or(g.Low, "smallest"), or(g.High, "largest")}[k] + " " + number(end), patch(cell(end))})
	}
	f.data = func(c *canvas, p plot) string {
		for i, r := range g.Rows {
			for k, v := range r.Values[:min(len(r.Values), len(g.Columns))] {
				at := p.at(float64(k), float64(i))
				if !finite(v) {
					c.text(at.x, at.y+4.5, "–", width, textStyle{sizeTick, dim, middle})
					continue
				}
				left, right := p.x.at(float64(k)-0.5)+0.5, p.x.at(float64(k)+0.5)-0.5
				c.area(box(left, at.y-cellHeight/2, right, at.y+cellHeight/2), cell(v))
				text3 := rounded(v, 3)
				if g.Text != nil {
					text3 = g.Text(v)
				}
				c.text(at.x, at.y+4.5, text3, right-left, textStyle{sizeTick, text, middle})
			}
		}
		return ""
	}
	return f
}
