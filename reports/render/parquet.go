package render

import (
	"io"
	"reflect"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"track"
	"track/internal/dataset"
)

// DatasetParquet writes a table of typed columns as Parquet. All columns are optional.
type DatasetParquet struct {
	out     *parquet.GenericWriter[any]
	columns []dataset.Column
	row     parquet.Row
}

// NewDatasetParquet begins a table.
func NewDatasetParquet(w io.Writer, columns []dataset.Column) *DatasetParquet {
	const rowsPerGroup = 1 << 16 // bounds what the writer keeps
	root := parquetRoot{}
	options := []parquet.WriterOption{
		parquet.MaxRowsPerRowGroup(rowsPerGroup), parquet.Compression(&zstd.Codec{}), parquet.CreatedBy("track", "", ""),
		parquet.DataPageStatistics(false), // row groups have them
	}
	for _, c := range columns {
		root.fields = append(root.fields, parquetField{parquet.Optional(parquetLeaf(c.Type)), c.Name})
		if c.Type == dataset.Number {
			// The library leaves NaN out of the bounds. Readers that order NaN above all numbers would skip rows by
			// them.
			options = append(options, parquet.SkipPageBounds(c.Name))
		}
	}
	options = append(options, parquet.NewSchema("track", root))
	return &DatasetParquet{out: parquet.NewGenericWriter[any](w, options...), columns: columns, row: make(parquet.Row, len(columns))}
}

// Write implements [dataset.Writer].
func (d *DatasetParquet) Write(row []dataset.Cell) error {
	for i, c := range d.columns {
		value, level := parquet.NullValue(), 0
		if row[i].IsSet {
			value, level = parquetValue(c.Type, row[i]), 1
		}
		d.row[i] = value.Level(0, level, i)
	}
	_, err := d.out.WriteRows([]parquet.Row{d.row})
	return err
}

// Close implements [dataset.Writer]. It does not close what the table is written to.
func (d *DatasetParquet) Close() error { return d.out.Close() }

func parquetLeaf(t dataset.Type) parquet.Node {
	switch t {
	case dataset.Number:
		return parquet.Leaf(parquet.DoubleType)
	case dataset.Count:
		return parquet.Uint(64)
	case dataset.Flag:
		return parquet.Leaf(parquet.BooleanType)
	case dataset.Time:
		return parquet.Timestamp(parquet.Microsecond)
	}
	return parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
}

func parquetValue(t dataset.Type, c dataset.Cell) parquet.Value {
	switch t {
	case dataset.Number:
		return parquet.DoubleValue(c.Number())
	case dataset.Flag:
		return parquet.BooleanValue(c.Bits != 0)
	case dataset.Count, dataset.Time:
		return parquet.Int64Value(int64(c.Bits))
	}
	return parquet.ByteArrayValue([]byte(strings.ToValidUTF8(c.Text, "\ufffd")))
}

// parquetRoot is a group that keeps the order of its fields. A [parquet.Group] sorts them by name.
type parquetRoot struct {
	parquet.Group
	fields []parquet.Field
}

func (r parquetRoot) Fields() []parquet.Field { return r.fields }

// parquetField is a column. Rows are written as values, so that nothing looks for the column in a Go value.
type parquetField struct {
	parquet.Node
	name string
}

func (f parquetField) Name() string                      { return f.name }
func (f parquetField) Value(reflect.Value) reflect.Value { return reflect.Value{} }

// SeriesParquet writes a column of numbers for each series. A series that is shorter than others ends in nulls.
func SeriesParquet(w io.Writer, list []track.Series) error {
	columns, row, n := make([]dataset.Column, len(list)), make([]dataset.Cell, len(list)), 0
	for i, s := range list {
		columns[i], n = dataset.Column{Name: s.Name, Type: dataset.Number}, max(n, len(s.Values))
	}
	out := NewDatasetParquet(w, columns)
	for t := range n {
		for i, s := range list {
			row[i] = dataset.Cell{}
			if t < len(s.Values) {
				row[i] = dataset.NewNumber(s.Values[t])
			}
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	return out.Close()
}
