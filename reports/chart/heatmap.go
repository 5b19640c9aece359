package chart

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

// shortNames are what the columns of statuses are called if they have other names than those.
var shortNames = map[Status]string{unmeasured: "n/a", Broken: "failed"}

// rows have the counts of each status as their columns.
func (h HeatMap) rows(tallies []tally, all tally) (rows []row, columns []string) {
	shown := all.named()
	for _, status := range shown {
		columns = append(columns, or(shortNames[status], statuses[status].name))
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

func (h HeatMap) legend(all tally, failed int) []entry {
	var legend []entry
	add := func(name string, status Status) {
		legend = append(legend, entry{name + " " + whole(all[status]), func(c canvas, at point) {
			left, right := at.x+(sampleWidth-cellHeight)/2, at.x+(sampleWidth+cellHeight)/2
			c.areas([][]point{box(left, at.y-cellHeight/2, right, at.y+cellHeight/2)}, sampleOf(status))
			cellMarks(c, status, []point{{at.x + sampleWidth/2, at.y}}, cellHeight)
		}})
	}
	for _, status := range all.named() {
		name := statuses[status].name
		if status == unmeasured {
			name += " (n/a)"
		}
		add(name, status)
	}
	if failed > 0 {
		legend = append(legend, entry{count(failed, "failed seed", "failed seeds"), func(c canvas, at point) {
			hatched(c, [][]point{box(at.x, at.y-cellHeight/2, at.x+sampleWidth, at.y+cellHeight/2)})
		}})
	}
	return legend
}

// sampleOf returns the style of a cell in the legend, where one that is not filled needs an edge to be seen.
func sampleOf(status Status) style {
	if statuses[status].cell == (style{}) {
		return style{fill: paper, stroke: gridInk, width: 1}
	}
	return statuses[status].cell
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
