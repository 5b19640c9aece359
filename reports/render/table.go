package render

import (
	"fmt"
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
		fmt.Fprintln(p, t.Empty)
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
	t := table.NewWriter()
	header, configs := make(table.Row, len(columns)), make([]table.ColumnConfig, len(columns))
	for i, k := range columns {
		if header[i] = strings.TrimSpace(all[k].Head); all[k].Head == "" {
			header[i] = all[k].Name
		}
		align := text.AlignRight
		if !isNumericColumn(rows, k) {
			align = text.AlignLeft
		}
		configs[i] = table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align}
	}
	t.AppendHeader(header)
	t.SetColumnConfigs(configs)
	for _, row := range rows {
		texts := make(table.Row, len(columns))
		for i, k := range columns {
			texts[i] = p.colour(peopleText(row[k]))
		}
		t.AppendRow(texts)
	}
	p.finish(title, t)
}

func (p *page) finish(title string, t table.Writer) {
	if p.Format == Markdown {
		if title != "" {
			fmt.Fprintf(p, "### %s\n\n", escapeMarkdown(title))
		}
		fmt.Fprintln(p, t.RenderMarkdown())
		return
	}
	if title != "" {
		fmt.Fprintln(p, title)
	}
	t.SetStyle(plainStyle())
	for line := range strings.Lines(t.Render() + "\n") {
		fmt.Fprintln(p, strings.TrimRight(line, " \n"))
	}
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
		if !isNumeric(row[column]) {
			return false
		}
	}
	return len(rows) > 0
}

func isNumeric(cell any) bool {
	switch cell := cell.(type) {
	case answer.Cell:
		return isNumeric(cell.Exact)
	case string:
		return false
	}
	return true
}

func peopleText(cell any) string {
	switch cell := cell.(type) {
	case nil:
		return "-"
	case answer.Cell:
		return printableLine(cell.Text)
	case *float64:
		if cell == nil {
			return "-"
		}
		return format.Fixed(*cell, 4)
	case float64:
		return format.Fixed(cell, 4)
	case string:
		return printableLine(cell)
	}
	return fmt.Sprint(cell)
}
