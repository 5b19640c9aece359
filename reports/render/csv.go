package render

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"track/answer"
	"track/reports/escape"
)

func writeCSV(w io.Writer, t answer.Table, o Options) error {
	columns := ShownColumns(t, answer.ForData)
	record := make([]string, len(columns))
	for i, k := range columns {
		record[i] = csvText(t.Columns[k].Name, o)
	}
	writer := csv.NewWriter(w)
	if !o.Continued {
		if err := writer.Write(record); err != nil {
			return err
		}
	}
	for _, row := range slices.Concat(t.Rows, t.DataRows) {
		for i, k := range columns {
			if record[i] = ExactText(row[k]); !isNumber(row[k]) {
				record[i] = csvText(record[i], o)
			}
		}
		if err := writer.Write(record); err != nil {
			return err
		}
	}
	writer.Flush()
	return writer.Error()
}

// csvText returns a text as a cell. With [Options.SafeCSV] one that begins like a formula gets an apostrophe before it.
func csvText(s string, o Options) string {
	safe := escape.Code(s)
	if o.SafeCSV && isFormula(s) {
		return "'" + safe
	}
	return safe
}

// isFormula reports whether a spreadsheet may take a text for a formula, which a number is not. Some skip white space
// before it, and some read the wide forms of its signs.
func isFormula(s string) bool {
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return false
	}
	const breaks, signs = "\t\r\n", "=+-@\uff1d\uff0b\uff0d\uff20"
	first, _ := utf8.DecodeRuneInString(strings.TrimSpace(s))
	return s != "" && (strings.ContainsRune(breaks, rune(s[0])) || first != utf8.RuneError && strings.ContainsRune(signs, first))
}

// ShownColumns returns the indices of the columns that a reader gets to see.
func ShownColumns(t answer.Table, reader answer.Reader) (indices []int) {
	for i, c := range t.Columns {
		if c.For == answer.ForAll || c.For == reader {
			indices = append(indices, i)
		}
	}
	return indices
}

// ExactText returns what programs read in a cell.
func ExactText(cell any) string {
	switch cell := cell.(type) {
	case nil:
		return ""
	case answer.Cell:
		return ExactText(cell.Exact)
	case *float64:
		if cell == nil {
			return ""
		}
		return ExactText(*cell)
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
