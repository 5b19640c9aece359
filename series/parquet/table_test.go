package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	pq "github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"track/internal/dataset"
	"track/internal/property"
)

var allTypes = []dataset.Column{
	{Name: "text"}, {Name: "number", Type: dataset.Number}, {Name: "count", Type: dataset.Count},
	{Name: "flag", Type: dataset.Flag}, {Name: "time", Type: dataset.Time},
}

// tableRow is a row of allTypes as the other implementation reads it.
type tableRow struct {
	Text   *string    `parquet:"text"`
	Number *float64   `parquet:"number"`
	Count  *uint64    `parquet:"count"`
	Flag   *bool      `parquet:"flag"`
	Time   *time.Time `parquet:"time,timestamp(microsecond)"`
}

func (r tableRow) cells() []dataset.Cell {
	cells := make([]dataset.Cell, len(allTypes))
	if r.Text != nil {
		cells[0] = dataset.Cell{IsSet: true, Text: *r.Text}
	}
	if r.Number != nil {
		cells[1] = dataset.NewNumber(*r.Number)
	}
	if r.Count != nil {
		cells[2] = dataset.NewCount(*r.Count)
	}
	if r.Flag != nil {
		cells[3] = dataset.NewFlag(*r.Flag)
	}
	if r.Time != nil {
		cells[4] = dataset.NewTime(*r.Time)
	}
	return cells
}

func writeTable(t interface {
	Helper()
	Fatal(...any)
}, columns []dataset.Column, rows [][]dataset.Cell) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w := NewTableWriter(&buffer, columns)
	for _, row := range rows {
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

// What is written is what the other implementation reads: any cells, empty ones among them.
func TestTableRoundTrip(t *testing.T) {
	numbers := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 5e-324}))
	counts := rapid.OneOf(rapid.Uint64(), rapid.SampledFrom([]uint64{0, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64}))
	row := rapid.Custom(func(t *rapid.T) tableRow {
		return tableRow{
			rapid.Ptr(rapid.String(), true).Draw(t, "text"), rapid.Ptr(numbers, true).Draw(t, "number"), rapid.Ptr(counts, true).Draw(t, "count"),
			rapid.Ptr(rapid.Bool(), true).Draw(t, "flag"),
			rapid.Ptr(rapid.Map(rapid.Int64Range(-1<<50, 1<<52), func(n int64) time.Time { return time.UnixMicro(n).UTC() }), true).Draw(t, "time"),
		}
	})
	property.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(row, 0, 40).Draw(t, "rows")
		var cells [][]dataset.Cell
		for _, r := range want {
			cells = append(cells, r.cells())
		}
		data := writeTable(t, allTypes, cells)
		got, err := pq.Read[tableRow](bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, sameBits, equalEmpty); diff != "" {
			t.Error(diff)
		}
	})
}

var equalEmpty = cmp.FilterValues(func(a, b []tableRow) bool { return len(a) == 0 && len(b) == 0 }, cmp.Ignore())

// Row groups have dictionaries of their own; this package reads the columns of numbers.
func TestTableGroups(t *testing.T) {
	const n = 2*rowsPerTableGroup + 7
	numbers := []dataset.Column{{Name: "number", Type: dataset.Number}, {Name: "count", Type: dataset.Count}, {Name: "flag", Type: dataset.Flag}}
	var rows, full [][]dataset.Cell
	for i := range n {
		cells := []dataset.Cell{dataset.NewNumber(float64(i) / 7), dataset.NewCount(math.MaxUint64 - uint64(i)), dataset.NewFlag(i%3 == 0)}
		rows = append(rows, cells)
		full = append(full, append([]dataset.Cell{dataset.NewText(fmt.Sprint("t", i/2))}, append(cells, dataset.Cell{})...))
	}
	columns := mustRead(t, writeTable(t, numbers, rows))
	for i, want := range []func(int) float64{
		func(i int) float64 { return float64(i) / 7 },
		func(i int) float64 { return float64(math.MaxUint64 - uint64(i)) },
		func(i int) float64 { return map[bool]float64{true: 1}[i%3 == 0] },
	} {
		if len(columns[i].Values) != n {
			t.Fatalf("%s has %d values of %d", columns[i].Name, len(columns[i].Values), n)
		}
		for row, x := range columns[i].Values {
			if x != want(row) {
				t.Fatalf("%s, row %d: %v, want %v", columns[i].Name, row, x, want(row))
			}
		}
	}
	data := writeTable(t, allTypes, full)
	file, err := pq.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if len(file.RowGroups()) != 3 || file.NumRows() != n {
		t.Errorf("%d groups of %d rows", len(file.RowGroups()), file.NumRows())
	}
	got, err := pq.Read[tableRow](bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range got {
		if *r.Text != fmt.Sprint("t", i/2) || *r.Number != float64(i)/7 || *r.Count != math.MaxUint64-uint64(i) || r.Time != nil {
			t.Fatalf("row %d: %v", i, r)
		}
	}
}

// Readers skip row groups by these bounds: a NaN, which has no order, leaves none.
func TestTableStatistics(t *testing.T) {
	number := func(words ...float64) statistics {
		c := tableColumn{Column: dataset.Column{Type: dataset.Number}, numbers: map[string]uint64{}}
		for _, x := range words {
			c.add(dataset.NewNumber(x))
		}
		c.add(dataset.Cell{})
		return c.statistics()
	}
	word := func(x float64) []byte { return wordBytes(math.Float64bits(x)) }
	for name, tt := range map[string]struct {
		got, want statistics
	}{
		"numbers": {number(2, math.Inf(1), -1), statistics{1, word(-1), word(math.Inf(1))}},
		"zero":    {number(0), statistics{1, word(math.Copysign(0, -1)), word(0)}},
		"NaN":     {number(1, math.NaN()), statistics{nulls: 1}},
		"nothing": {number(), statistics{nulls: 1}},
	} {
		if diff := cmp.Diff(tt.want, tt.got, cmp.AllowUnexported(statistics{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestTableFails(t *testing.T) {
	full := errors.New("full")
	w := NewTableWriter(&fullWriter{full}, allTypes)
	if err := w.Close(); !errors.Is(err, full) {
		t.Error(err)
	}
}

type fullWriter struct{ err error }

func (w *fullWriter) Write([]byte) (int, error) { return 0, w.err }

var _ io.Writer = (*fullWriter)(nil)
