package render

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"track/answer"
)

func writeCSV(w io.Writer, t answer.Table, header bool) error {
	columns := shownColumns(t, answer.ForData)
	record := make([]string, len(columns))
	for i, k := range columns {
		record[i] = t.Columns[k].Name
	}
	writer := csv.NewWriter(w)
	if header {
		if err := writer.Write(record); err != nil {
			return err
		}
	}
	for _, row := range slices.Concat(t.Rows, t.DataRows) {
		for i, k := range columns {
			record[i] = exactText(row[k])
		}
		if err := writer.Write(record); err != nil {
			return err
		}
	}
	writer.Flush()
	return writer.Error()
}

// shownColumns returns the indices of the columns that a reader gets to see.
func shownColumns(t answer.Table, reader answer.Reader) (indices []int) {
	for i, c := range t.Columns {
		if c.For == answer.ForAll || c.For == reader {
			indices = append(indices, i)
		}
	}
	return indices
}

func exactText(cell any) string {
	switch cell := cell.(type) {
	case nil:
		return ""
	case answer.Cell:
		return exactText(cell.Exact)
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
