package chart

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
	f.data = func(c canvas, p plot) string { b.draw(c, p); return "" }
	return f
}

func (b Bars) draw(c canvas, p plot) {
	const half = cellHeight/2 - 1
	var boxes [][]point
	for i, r := range b.Rows {
		if from, to := min(0, r.Value), max(0, r.Value); finite(r.Value) && from < to {
			y := p.y.at(float64(i))
			boxes = append(boxes, box(p.x.at(from), y-half, p.x.at(to), y+half))
		}
	}
	c.areas(boxes, style{fill: blue})
	c.polyline([]point{{p.x.at(0), p.top}, {p.x.at(0), p.bottom}}, style{stroke: axisInk, width: 1})
}
