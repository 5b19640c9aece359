package chart

import "math"

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

func (h HeatMap) draw(c canvas, p plot) (fact string) {
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
		drawJoints(c, p, bins)
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
func (h HeatMap) drawMarks(c canvas, p plot, size float64) {
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
		cellMarks(c, Status(status), points, size)
	}
}

// cellMarks draws the marks of one status into cells of the given size: a cross for FAIL and for a failed seed, a
// rising stroke for WARN, a level one for what was not scored, a dot if nothing was measured, and nothing for PASS.
func cellMarks(c canvas, status Status, at []point, size float64) {
	half := size / 4
	var lines [][]point
	for _, p := range at {
		switch status {
		case Fail, Broken:
			lines = append(lines, cross(p, half)...)
		case Warn:
			lines = append(lines, cross(p, half)[0])
		case Unscored:
			lines = append(lines, []point{{p.x - half, p.y}, {p.x + half, p.y}})
		case unmeasured:
			lines = append(lines, []point{p})
		}
	}
	ink := map[Status]ink{Fail: paper, Warn: text, Broken: dim, Unscored: dim, unmeasured: dim}[status]
	c.lines(lines, style{stroke: ink, width: max(1, size/10)})
}

// drawJoints draws the columns apart.
func drawJoints(c canvas, p plot, bins []bin) {
	var joints [][]point
	for _, b := range bins[1:] {
		joints = append(joints, []point{{b.left, p.top}, {b.left, p.bottom - 1}})
	}
	c.lines(joints, style{stroke: paper, width: 1})
}

// drawFailed hatches the parts of failed seeds from the top to the bottom.
func drawFailed(c canvas, p plot, bins []bin) {
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
func hatched(c canvas, boxes [][]point) {
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
