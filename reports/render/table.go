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
	columns := shownColumns(t, answer.ForPeople)
	switch {
	case t.ForPrograms, len(t.Rows) == 0 && t.HiddenIfEmpty:
	case len(t.Rows) == 0 && t.Empty != "":
		p.beginBlock()
		fmt.Fprintln(p, p.paragraph(t.Empty))
	case t.Grouped:
		for _, group := range groupRows(t.Rows) {
			p.writeRows(peopleText(group[0][0]), t.Columns, columns[1:], group)
		}
	default:
		rows := t.Rows
		if t.Shown > 0 && len(rows) > t.Shown {
			rows = rows[:t.Shown]
		}
		p.writeRows(t.Title, t.Columns, columns, rows)
		if left := len(t.Rows) - len(rows); left > 0 {
			fmt.Fprintf(p, "and %d more; the format json lists all\n", left)
		}
	}
	p.writeSentences(t.Notes)
}

// groupRows returns the rows by their first cell, in the order in which the groups first appear.
func groupRows(rows [][]any) (groups [][][]any) {
	index := map[string]int{}
	for _, row := range rows {
		name := peopleText(row[0])
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

func (p *page) writeRows(title string, all []answer.Column, columns []int, rows [][]any) {
	p.beginBlock()
	if p.Continued {
		title = ""
	}
	if title != "" && p.Format == Markdown {
		fmt.Fprintf(p, "### %s\n\n", p.line(title))
	} else if title != "" {
		fmt.Fprintln(p, p.line(title))
	}
	header, numeric := make([]string, len(columns)), make([]bool, len(columns))
	for i, k := range columns {
		if header[i] = strings.TrimSpace(all[k].Head); all[k].Head == "" {
			header[i] = all[k].Name
		}
		header[i], numeric[i] = p.line(header[i]), isNumericColumn(rows, k)
	}
	texts := make([][]string, len(rows))
	for i, row := range rows {
		texts[i] = make([]string, len(columns))
		for j, k := range columns {
			texts[i][j] = p.colour(p.line(peopleText(row[k])))
		}
	}
	if p.Format == Markdown {
		p.markdownTable(header, numeric, texts)
		return
	}
	p.plainTable(header, numeric, texts)
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

func (p *page) plainTable(header []string, numeric []bool, rows [][]string) {
	t := table.NewWriter()
	configs := make([]table.ColumnConfig, len(header))
	for i := range header {
		align := text.AlignLeft
		if numeric[i] {
			align = text.AlignRight
		}
		configs[i] = table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align}
	}
	if !p.Continued {
		t.AppendHeader(tableRow(header))
	}
	t.SetColumnConfigs(configs)
	for _, row := range rows {
		t.AppendRow(tableRow(row))
	}
	t.SetStyle(plainStyle())
	for line := range strings.Lines(t.Render() + "\n") {
		fmt.Fprintln(p, strings.TrimRight(line, " \n"))
	}
}

func tableRow(cells []string) table.Row {
	row := make(table.Row, len(cells))
	for i, cell := range cells {
		row[i] = cell
	}
	return row
}

func plainStyle() table.Style {
	style := table.StyleDefault
	style.Box = table.StyleBoxLight
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Box.MiddleHorizontal = "─"
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

func isNumericColumn(rows [][]any, column int) bool {
	for _, row := range rows {
		if !isNumber(row[column]) {
			return false
		}
	}
	return len(rows) > 0
}

// isNumber reports whether a cell is no text. Nothing counts as a number.
func isNumber(cell any) bool {
	if cell, ok := cell.(answer.Cell); ok {
		return isNumber(cell.Exact)
	}
	return reflect.ValueOf(cell).Kind() != reflect.String
}

func peopleText(cell any) string {
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
