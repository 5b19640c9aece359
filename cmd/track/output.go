package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"track/internal/jsonio"
	"track/scoring/format"
)

// view is an answer in all its formats.
type view struct {
	document any   // --format json
	lines    []any // --format jsonl, one on a line; the document where nil
	rows     grid  // --format csv
	page     []any // --format table and md: strings, which are paragraphs, and grids
}

// grid is a table: a cell is a string, number, or nil for nothing. Cells of type shown look different to people and in CSV.
type grid struct {
	title   string
	columns []string
	cells   [][]any
}

// shown is a cell with a text for people and an exact value for CSV.
type shown struct {
	text  string
	exact any
}

func formatKnown(format string) bool {
	switch format {
	case "table", "json", "jsonl", "csv", "md":
		return true
	}
	return false
}

// write prints the view in the format that the user asked for.
func (p *program) write(v view) error {
	switch p.shared.format {
	case "json":
		return writeJSON(p.out, v.document, jsontext.WithIndent("  "))
	case "jsonl":
		if v.lines == nil {
			return writeJSON(p.out, v.document)
		}
		for _, line := range v.lines {
			if err := writeJSON(p.out, line); err != nil {
				return err
			}
		}
		return nil
	case "csv":
		return writeCSV(p.out, v.rows)
	}
	return p.writePage(v.page)
}

func writeJSON(w io.Writer, document any, options ...json.Options) error {
	options = append(options, json.WithMarshalers(jsonio.NonFinite()), json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err := json.MarshalWrite(w, document, options...); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func writeCSV(w io.Writer, g grid) error {
	writer := csv.NewWriter(w)
	if err := writer.Write(g.columns); err != nil {
		return err
	}
	for _, row := range g.cells {
		record := make([]string, len(row))
		for i, cell := range row {
			record[i] = exactText(cell)
		}
		if err := writer.Write(record); err != nil {
			return err
		}
	}
	writer.Flush()
	return writer.Error()
}

func exactText(cell any) string {
	switch cell := cell.(type) {
	case nil:
		return ""
	case shown:
		return exactText(cell.exact)
	case *float64:
		if cell == nil {
			return ""
		}
		return exactText(*cell)
	case float64:
		switch {
		case math.IsInf(cell, 1):
			return "Infinity"
		case math.IsInf(cell, -1):
			return "-Infinity"
		}
		return strconv.FormatFloat(cell, 'g', -1, 64)
	}
	return fmt.Sprint(cell)
}

func (p *program) writePage(page []any) error {
	var b bytes.Buffer
	for i, block := range page {
		if i > 0 {
			b.WriteByte('\n')
		}
		switch block := block.(type) {
		case grid:
			p.writeGrid(&b, block)
		case string:
			block = printableLines(block)
			if p.shared.format == "md" {
				block = escapeMarkdown(block)
			}
			fmt.Fprintln(&b, block)
		}
	}
	_, err := p.out.Write(b.Bytes())
	return err
}

func (p *program) writeGrid(b *bytes.Buffer, g grid) {
	t := table.NewWriter()
	markdown := p.shared.format == "md"
	header := make(table.Row, len(g.columns))
	numeric := make([]bool, len(g.columns))
	for i, name := range g.columns {
		header[i] = name
		numeric[i] = len(g.cells) > 0
	}
	t.AppendHeader(header)
	for _, row := range g.cells {
		texts := make(table.Row, len(row))
		for i, cell := range row {
			s := peopleText(cell)
			numeric[i] = numeric[i] && isNumeric(cell)
			if !markdown {
				s = p.colour(s)
			}
			texts[i] = s
		}
		t.AppendRow(texts)
	}
	var configs []table.ColumnConfig
	for i := range numeric {
		align := text.AlignLeft
		if numeric[i] {
			align = text.AlignRight
		}
		configs = append(configs, table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align})
	}
	t.SetColumnConfigs(configs)
	if markdown {
		if g.title != "" {
			fmt.Fprintf(b, "### %s\n\n", escapeMarkdown(g.title))
		}
		fmt.Fprintln(b, t.RenderMarkdown())
		return
	}
	if g.title != "" {
		fmt.Fprintln(b, g.title)
	}
	t.SetStyle(plainStyle())
	for line := range strings.Lines(t.Render() + "\n") {
		fmt.Fprintln(b, strings.TrimRight(line, " \n"))
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

func peopleText(cell any) string {
	switch cell := cell.(type) {
	case nil:
		return "-"
	case shown:
		return cell.text
	case *float64:
		if cell == nil {
			return "-"
		}
		return format.Fixed(*cell, 4)
	case float64:
		return format.Fixed(cell, 4)
	case string:
		return printable(cell)
	}
	return fmt.Sprint(cell)
}

func isNumeric(cell any) bool {
	switch cell := cell.(type) {
	case shown:
		return isNumeric(cell.exact)
	case string:
		return false
	}
	return true
}

// printable keeps what is recorded from steering the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if !strconv.IsPrint(r) {
			return '�'
		}
		return r
	}, s)
}

// printableLines is [printable] for a text of several lines.
func printableLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = printable(line)
	}
	return strings.Join(lines, "\n")
}

func escapeMarkdown(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", "[", `\[`, "|", `\|`).Replace(s)
}

// colour marks statuses, where standard output is a terminal that wants it.
func (p *program) colour(s string) string {
	if p.getenv("NO_COLOR") != "" || !isTerminal(p.out) {
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

func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
