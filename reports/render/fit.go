package render

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"track/answer"
	"track/scoring/format"
)

// gap is what separates two columns of a table.
const gap = 2

// least says how narrow columns may become: those whose text wraps, and names and other short texts.
type least struct{ text, name int }

// layouts are tried in turn: names wrap only if there is no other way, and numbers never.
func layouts() []least { return []least{{20, math.MaxInt}, {12, math.MaxInt}, {12, 12}} }

// cells are the texts of a table: a header and rows.
type cells struct {
	columns []answer.Column
	header  []string
	numeric []bool
	rows    [][]string
}

// leftOut returns the columns that are left out so that the others fit into width: by their priority, and if that is
// not enough from the right. Everything fits if width is 0.
func (c cells) leftOut(width int) (indices []int) {
	if width <= 0 || c.natural() <= width {
		return nil
	}
	shown := make([]bool, len(c.columns))
	for i := range shown {
		shown[i] = true
	}
	for _, i := range c.dropOrder() {
		if total(c.least(shown, layouts()[0])) <= width {
			return indices
		}
		shown[i] = false
		indices = append(indices, i)
	}
	for i := len(c.columns) - 1; i > 0 && total(c.narrowest(shown, width)) > width; i-- {
		if shown[i] {
			shown[i] = false
			indices = append(indices, i)
		}
	}
	return indices
}

// dropOrder returns the columns that may be left out, in the order in which they are.
func (c cells) dropOrder() (indices []int) {
	for i := range c.columns {
		if c.columns[i].Priority > 0 {
			indices = append(indices, i)
		}
	}
	slices.SortStableFunc(indices, func(a, b int) int { return cmp.Compare(c.columns[b].Priority, c.columns[a].Priority) })
	return indices
}

// natural returns the width of the table as it is if nothing wraps.
func (c cells) natural() int {
	widths := make([]int, len(c.columns))
	for i := range widths {
		widths[i] = max(c.content(i), displayWidth(c.header[i]))
	}
	return total(widths)
}

// content returns the width of the widest cell of a column, without the header.
func (c cells) content(column int) (width int) {
	for _, row := range c.rows {
		width = max(width, displayWidth(row[column]))
	}
	return width
}

// narrowest returns the widths of the columns that are shown in the first layout that fits; in the last if none does.
func (c cells) narrowest(shown []bool, width int) (widths []int) {
	for _, l := range layouts() {
		if widths = c.least(shown, l); total(widths) <= width {
			break
		}
	}
	return widths
}

// least returns the least widths of the columns that are shown: of the words of the header, and of cells.
func (c cells) least(shown []bool, l least) []int {
	var widths []int
	for i := range c.columns {
		if !shown[i] {
			continue
		}
		width := c.content(i)
		switch {
		case c.columns[i].Wrap && !c.numeric[i]:
			width = min(width, l.text)
		case !c.numeric[i]:
			width = min(width, l.name)
		}
		for word := range strings.FieldsSeq(c.header[i]) {
			width = max(width, min(displayWidth(word), l.text))
		}
		widths = append(widths, width)
	}
	return widths
}

func total(widths []int) int {
	sum := gap * max(0, len(widths)-1)
	for _, w := range widths {
		sum += w
	}
	return sum
}

// without returns the table without some of its columns.
func (c cells) without(left []int) cells {
	if len(left) == 0 {
		return c
	}
	kept := cells{rows: make([][]string, len(c.rows))}
	for i := range c.columns {
		if slices.Contains(left, i) {
			continue
		}
		kept.columns, kept.header, kept.numeric = append(kept.columns, c.columns[i]), append(kept.header, c.header[i]), append(kept.numeric, c.numeric[i])
		for k, row := range c.rows {
			kept.rows[k] = append(kept.rows[k], row[i])
		}
	}
	return kept
}

// wrapped returns the table with line breaks in cells and headers, so that it fits into width.
func (c cells) wrapped(width int) cells {
	if width <= 0 || c.natural() <= width {
		return c
	}
	widths := c.widths(width)
	fit := cells{columns: c.columns, numeric: c.numeric, header: make([]string, len(c.header)), rows: make([][]string, len(c.rows))}
	for i := range c.header {
		fit.header[i] = strings.Join(wrap(c.header[i], widths[i], -1), "\n")
	}
	for k, row := range c.rows {
		fit.rows[k] = make([]string, len(row))
		for i, cell := range row {
			fit.rows[k][i] = strings.Join(wrap(cell, widths[i], -1), "\n")
		}
	}
	return fit
}

// widths shares the width among the columns: each gets its least width; what is left goes to texts, then to headers.
func (c cells) widths(width int) []int {
	shown := make([]bool, len(c.columns))
	for i := range shown {
		shown[i] = true
	}
	widths := c.narrowest(shown, width)
	content, header := make([]int, len(widths)), make([]int, len(widths))
	for i := range widths {
		content[i], header[i] = c.content(i), displayWidth(c.header[i])
	}
	spare := width - total(widths)
	spare = widen(widths, content, spare)
	widen(widths, header, spare)
	return widths
}

// widen gives the columns that want to be wider one column of the terminal after the other, and returns what is left.
func widen(widths, wanted []int, spare int) int {
	for given := true; given && spare > 0; {
		given = false
		for i := range widths {
			if widths[i] < wanted[i] && spare > 0 {
				widths[i]++
				spare--
				given = true
			}
		}
	}
	return spare
}

// leftOutNote names the columns that are left out, in the order of the table.
func (p *page) leftOutNote(c cells, left []int) string {
	slices.Sort(left)
	names := make([]string, len(left))
	for k, i := range left {
		if names[k] = c.header[i]; names[k] == "" || isRepeated(c.header, i) {
			names[k] = p.line(strings.ReplaceAll(c.columns[i].Name, "_", " "))
		}
	}
	note := format.Counted(len(left), "column") + " left out: " + strings.Join(names, ", ")
	if p.WideHint != "" {
		note += "; " + p.WideHint
	}
	return note
}

// isRepeated reports whether another column has the same header.
func isRepeated(header []string, i int) bool {
	return slices.Index(header, header[i]) != i || slices.Contains(header[i+1:], header[i])
}
