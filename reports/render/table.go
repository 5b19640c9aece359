package render

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"track/answer"
	"track/scoring/format"
)

// writeTable writes a table for people, one for each group if it is grouped.
func (p *page) writeTable(t answer.Table) {
	switch {
	case t.ForPrograms, len(t.Rows) == 0 && t.HiddenIfEmpty:
	case len(t.Rows) == 0 && t.Empty != "":
		p.beginBlock()
		p.writeParagraph(t.Empty, -1)
	default:
		p.writeFilledTable(t)
	}
	p.writeSentences(t.Notes)
}

// writeFilledTable writes a table that has rows, or at least a header, and says what is left out of it.
func (p *page) writeFilledTable(t answer.Table) {
	columns, rows := ShownColumns(t, answer.ForPeople), t.Rows
	if t.Shown > 0 && len(rows) > t.Shown && !t.Grouped {
		rows = rows[:t.Shown]
	}
	groups := [][][]any{rows}
	if t.Grouped {
		columns, groups = columns[1:], groupRows(rows)
	}
	all := p.cells(t.Columns, columns, rows)
	left, fixed := p.fixed[t.Name]
	if !fixed {
		left = all.leftOut(p.tableWidth())
	}
	for _, group := range groups {
		title := t.Title
		if t.Grouped {
			title = PeopleText(group[0][0])
		}
		p.writeRows(title, p.cells(t.Columns, columns, group).without(left))
	}
	if more := len(t.Rows) - len(rows); more > 0 {
		fmt.Fprintf(p, "and %d more; the format json lists all\n", more)
	}
	if len(left) > 0 && p.fixed == nil {
		p.writeParagraph(p.leftOutNote(all, left), -1)
	} else if p.fixed != nil && !fixed {
		p.fixed[t.Name] = left
		if len(left) > 0 {
			*p.leftNote = p.leftOutNote(all, left)
		}
	}
}

// groupRows returns the rows by their first cell, in the order in which the groups first appear.
func groupRows(rows [][]any) (groups [][][]any) {
	index := map[string]int{}
	for _, row := range rows {
		name := PeopleText(row[0])
		i, seen := index[name]
		if !seen {
			i = len(groups)
			index[name] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], row)
	}
	return groups
}

// cells returns the texts of some columns of a table.
func (p *page) cells(all []answer.Column, columns []int, rows [][]any) cells {
	c := cells{rows: make([][]string, len(rows))}
	for _, k := range columns {
		header := strings.TrimSpace(all[k].Head)
		if all[k].Head == "" {
			header = all[k].Name
		}
		c.columns, c.header, c.numeric = append(c.columns, all[k]), append(c.header, p.line(header)), append(c.numeric, IsNumericColumn(rows, k))
	}
	for i, row := range rows {
		c.rows[i] = make([]string, len(columns))
		for j, k := range columns {
			c.rows[i][j] = p.cell(row[k])
		}
	}
	return c
}

func (p *page) writeRows(title string, c cells) {
	p.beginBlock()
	if p.Continued {
		title = ""
	}
	if title != "" && p.Format == Markdown {
		fmt.Fprintf(p, "### %s\n\n", p.line(title))
	} else if title != "" {
		p.writeParagraph(p.line(title), -1)
	}
	if p.Format == Markdown {
		p.markdownTable(c.header, c.numeric, c.rows)
		return
	}
	p.plainTable(c.wrapped(p.tableWidth()))
}

func (p *page) markdownTable(header []string, numeric []bool, rows [][]string) {
	rule := make([]string, len(header))
	for i := range rule {
		if rule[i] = ":--- "; numeric[i] {
			rule[i] = " ---:"
		}
	}
	line := func(cells []string) string { return "| " + strings.Join(cells, " | ") + " |" }
	if !p.Continued {
		fmt.Fprintf(p, "%s\n|%s|\n", line(header), strings.Join(rule, "|"))
	}
	for _, row := range rows {
		fmt.Fprintln(p, line(row))
	}
}

func (p *page) plainTable(c cells) {
	t := table.NewWriter()
	configs := make([]table.ColumnConfig, len(c.header))
	for i := range c.header {
		align := text.AlignLeft
		if c.numeric[i] {
			align = text.AlignRight
		}
		configs[i] = table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align}
	}
	if !p.Continued {
		t.AppendHeader(tableRow(c.header))
	}
	t.SetColumnConfigs(configs)
	for _, row := range c.rows {
		for i := range row {
			row[i] = embolden(p.colour(row[i]))
		}
		t.AppendRow(tableRow(row))
	}
	t.SetStyle(plainStyle())
	for line := range strings.Lines(t.Render() + "\n") {
		line = strings.TrimRight(line, " \n")
		if width := p.tableWidth(); width > 0 && strings.HasPrefix(line, rule) {
			line = text.Trim(line, width) // it goes on beneath the gap after the last column
		}
		fmt.Fprintln(p, line)
	}
}

func tableRow(cells []string) table.Row {
	row := make(table.Row, len(cells))
	for i, cell := range cells {
		row[i] = cell
	}
	return row
}

// rule is what the line beneath the header is made of.
const rule = "─"

func plainStyle() table.Style {
	style := table.StyleDefault
	style.Box = table.StyleBoxLight
	style.Box.PaddingLeft, style.Box.PaddingRight = "", strings.Repeat(" ", gap)
	style.Box.MiddleHorizontal = rule
	style.Format.Header = text.FormatDefault
	style.Options = table.Options{SeparateHeader: true}
	return style
}

// colour marks statuses if the reader has a terminal that wants it.
func (p *page) colour(s string) string {
	if !p.Colour || p.Format == Markdown {
		return s
	}
	switch s {
	case "PASS":
		return text.FgGreen.Sprint(s)
	case "WARN":
		return text.FgYellow.Sprint(s)
	case "FAIL", "unstable":
		return text.FgRed.Sprint(s)
	}
	return s
}

// IsNumericColumn reports whether no row has a text in a column. A table without rows has none.
func IsNumericColumn(rows [][]any, column int) bool {
	for _, row := range rows {
		if !isNumber(row[column]) {
			return false
		}
	}
	return len(rows) > 0
}

// isNumber reports whether a cell is no text. Nothing counts as a number.
func isNumber(cell any) bool {
	switch cell := cell.(type) {
	case answer.Cell:
		return isNumber(cell.Exact)
	case answer.MarkedText:
		return false
	}
	return reflect.ValueOf(cell).Kind() != reflect.String
}

// PeopleText returns what people read in a cell.
func PeopleText(cell any) string {
	switch cell := cell.(type) {
	case nil:
		return "-"
	case answer.Cell:
		return cell.Text
	case *float64:
		if cell == nil {
			return "-"
		}
		return format.Fixed(*cell, 4)
	case float64:
		return format.Fixed(cell, 4)
	}
	return fmt.Sprint(cell)
}
