package chart

import (
	"math"
	"slices"
)

// reduce takes n points, in the order of their x, to runs without gaps; at says false if there is none. Of the points
// in one column of the given width, the lowest and the highest are kept, in their order: no spike is lost. A gap
// within a column is too narrow to be seen and is closed.
func reduce(n int, at func(i int) (point, bool), column pixel) (runs [][]point) {
	var run []point
	var first, second point // the extremes of the current column, in their order
	current, cut := math.Inf(-1), false
	flush := func() {
		if !math.IsInf(current, -1) {
			run = append(run, first)
			if second != first {
				run = append(run, second)
			}
		}
	}
	for i := range n {
		p, ok := at(i)
		if !ok {
			cut = true
			continue
		}
		low, high := first, second
		if low.y > high.y {
			low, high = high, low
		}
		switch c := math.Floor(p.x / float64(column)); {
		case c != current:
			flush()
			if cut && len(run) > 0 {
				runs, run = append(runs, run), nil
			}
			first, second, current = p, p, c
		case p.y < low.y:
			first, second = high, p
		case p.y > high.y:
			first, second = low, p
		}
		cut = false
	}
	flush()
	if len(run) > 0 {
		runs = append(runs, run)
	}
	return runs
}

// thin leaves out points that would lie upon others: of those in a square with the given side the first stays, and in
// any case the lowest and the highest of each column.
func thin(points []point, side pixel) (kept []point) {
	type square struct{ column, row int }
	of := func(p point) square {
		return square{int(math.Floor(p.x / float64(side))), int(math.Floor(p.y / float64(side)))}
	}
	low, high := map[int]int{}, map[int]int{} // by column
	for i, p := range points {
		column := of(p).column
		if k, ok := low[column]; !ok || p.y > points[k].y {
			low[column] = i
		}
		if k, ok := high[column]; !ok || p.y < points[k].y {
			high[column] = i
		}
	}
	taken := map[square]bool{}
	for column, i := range low {
		taken[of(points[i])], taken[of(points[high[column]])] = true, true
	}
	for i, p := range points {
		s := of(p)
		if !taken[s] || low[s.column] == i || high[s.column] == i {
			taken[s], kept = true, append(kept, p)
		}
	}
	return kept
}

// maxPoints bounds the size of a file; a point takes about 12 bytes of SVG.
const maxPoints = 8000

// pixel is the width of a column.
type pixel int

func (p pixel) String() string { return count(int(p), "pixel", "pixels") }

// coarsen calls draft with columns of 1, 2, 4, … pixels until the points it needs are few enough.
func coarsen(draft func(column pixel) (points int)) (column pixel) {
	for column = 1; draft(column) > maxPoints && column < width; column *= 2 {
	}
	return column
}

// cost returns the number of points that take as much room as runs.
func cost(runs [][]point) (points int) {
	const element = 5 // points that an element takes on its own
	for _, run := range runs {
		points += element + len(run)
	}
	return points
}

// trace draws runs as lines, and a run of one point as a dot.
func trace(c *canvas, runs [][]point, s style) {
	for _, run := range runs {
		if len(run) == 1 {
			c.circle(run[0].x, run[0].y, 1.5*s.width, style{fill: s.stroke})
		} else {
			c.line(s, run...)
		}
	}
}

// fill draws what lies between the runs of two lines, which have the same gaps, within p.
func fill(c *canvas, p plot, above, below [][]point, s style) {
	for i, run := range above {
		outline := slices.Clone(run)
		for _, at := range slices.Backward(below[i]) {
			outline = append(outline, at)
		}
		if left, right := run[0].x, run[len(run)-1].x; left == right && below[i][0].x == below[i][len(below[i])-1].x { // an area needs width
			outline = box(max(p.left, left-2), run[0].y, min(p.right, left+2), below[i][0].y)
		}
		c.area(outline, s)
	}
}
