package render

import (
	"bufio"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"track/internal/dataset"
)

// DatasetCSV writes a table of typed columns as CSV. Empty cells are empty, and numbers are written to the last bit.
type DatasetCSV struct {
	out     *bufio.Writer
	columns []datasetColumn
	safe    Options
	line    []byte
}

// datasetColumn remembers the last text, since rows that follow each other mostly have the same.
type datasetColumn struct {
	dataset.Column
	last, written string
}

// NewDatasetCSV writes the header. With isSafe, texts and names that spreadsheets would compute get an apostrophe.
func NewDatasetCSV(w io.Writer, columns []dataset.Column, isSafe bool) *DatasetCSV {
	d := &DatasetCSV{out: bufio.NewWriterSize(w, 1<<16), safe: Options{SafeCSV: isSafe}}
	for i, c := range columns {
		d.columns = append(d.columns, datasetColumn{Column: c})
		if i > 0 {
			d.line = append(d.line, ',')
		}
		d.line = append(d.line, csvCell(c.Name, d.safe)...)
	}
	_, _ = d.out.Write(append(d.line, '\n')) // Close returns the error
	return d
}

// Write implements [dataset.Writer].
func (d *DatasetCSV) Write(row []dataset.Cell) error {
	d.line = d.line[:0]
	for i := range d.columns {
		if i > 0 {
			d.line = append(d.line, ',')
		}
		if row[i].IsSet {
			d.line = d.columns[i].append(d.line, row[i], d.safe)
		}
	}
	_, err := d.out.Write(append(d.line, '\n'))
	return err
}

// Close implements [dataset.Writer].
func (d *DatasetCSV) Close() error { return d.out.Flush() }

func (c *datasetColumn) append(line []byte, cell dataset.Cell, o Options) []byte {
	switch c.Type {
	case dataset.Number:
		return appendExact(line, cell.Number())
	case dataset.Count:
		return strconv.AppendUint(line, cell.Bits, 10)
	case dataset.Flag:
		return strconv.AppendBool(line, cell.Bits != 0)
	case dataset.Time:
		return cell.Time().AppendFormat(line, time.RFC3339Nano)
	}
	if cell.Text != c.last {
		c.last, c.written = cell.Text, csvCell(cell.Text, o)
	}
	return append(line, c.written...)
}

// appendExact appends the shortest text that reads back as x.
func appendExact(line []byte, x float64) []byte {
	switch {
	case math.IsInf(x, 1):
		return append(line, "Infinity"...)
	case math.IsInf(x, -1):
		return append(line, "-Infinity"...)
	}
	return strconv.AppendFloat(line, x, 'g', -1, 64)
}

// csvCell returns a text as a cell, in quotes if it needs them.
func csvCell(s string, o Options) string {
	s = csvText(s, o)
	if !strings.ContainsAny(s, "\",\r\n") && strings.TrimSpace(s) == s {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}
