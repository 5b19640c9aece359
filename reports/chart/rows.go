package chart

// row is a line of a chart that stands for one thing: its name at the left of the plot, and texts at its right.
type row struct {
	name  string
	cells []string // as many as there are columns
}

const (
	rowPitch    = 18.0
	rowNameRoom = 270.0 // of a name
	rowsTop     = 34.0  // above the first row, for the ticks and the headings of the columns
	maxRows     = 400   // more are not drawn, which is said
)

// drawRows gives y its scale, and names and columns the room they need.
func (f figure) drawRows(c canvas, p *plot) {
	p.top += rowsTop - plotTop
	p.y = axis{lo: -0.5, hi: float64(len(f.rows)) - 0.5}.scale(p.top, p.bottom)
	p.left += f.rowNameRoom() + gap
	rooms := f.columnRooms()
	for _, room := range rooms {
		p.right -= room
	}
	if f.widest > 0 {
		p.right = min(p.right, p.left+f.widest)
	}
	for i, r := range f.rows {
		label(c, p.left-gap, p.y.at(float64(i))+4.5, or(r.name, unnamed), rowNameRoom, textStyle{sizeTick, text, end})
	}
	x := p.right
	for k, room := range rooms {
		x += room
		c.text(x, p.top-gap, f.columns[k], textStyle{sizeTick, dim, end})
		for i, r := range f.rows {
			ink := text
			if r.cells[k] == "0" { // what is there stands out from what is not
				ink = dim
			}
			c.text(x, p.y.at(float64(i))+4.5, r.cells[k], textStyle{sizeTick, ink, end})
		}
	}
}

func (f figure) rowNameRoom() float64 {
	room := 0.0
	for _, r := range f.rows {
		room = max(room, textWidth(or(r.name, unnamed), sizeTick))
	}
	return min(room, rowNameRoom)
}

// columnRooms returns the widths of the columns, each with the gap before it.
func (f figure) columnRooms() []float64 {
	rooms := make([]float64, len(f.columns))
	for k, heading := range f.columns {
		rooms[k] = textWidth(heading, sizeTick)
		for _, r := range f.rows {
			rooms[k] = max(rooms[k], textWidth(r.cells[k], sizeTick))
		}
		rooms[k] += 2 * gap
	}
	return rooms
}

// drawGrid repeats the ticks of x above many rows. Where they are numbers, it draws lines through them and along the
// rows.
func (f figure) drawGrid(c canvas, p plot, ticks []tick) {
	const high = 25 // rows from which the axis at the bottom is far away
	numbers := f.labels == nil
	if numbers {
		var lines [][]point
		for i := range f.rows {
			y := p.y.at(float64(i))
			lines = append(lines, []point{{p.left, y}, {p.right, y}})
		}
		c.lines(lines, style{stroke: gridInk, width: 1})
	}
	for _, t := range ticks {
		if numbers {
			x := p.x.at(t.value)
			c.polyline([]point{{x, p.top}, {x, p.bottom}}, gridLine(t))
		}
		centre, room := p.place(t)
		if len(f.rows) >= high && centre+room/2 < p.right+gap { // beyond are the headings of the columns
			p.drawXTick(c, t, p.top-gap)
		}
	}
}
