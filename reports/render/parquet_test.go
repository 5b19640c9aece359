package render_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"track"
	"track/internal/dataset"
	"track/internal/property"
	"track/reports/render"
)

// The order is not that of the names.
var allTypes = []dataset.Column{
	{Name: "text"}, {Name: "number", Type: dataset.Number}, {Name: "count", Type: dataset.Count},
	{Name: "flag", Type: dataset.Flag}, {Name: "a.time", Type: dataset.Time},
}

// tableRow is a row of allTypes as the library reads it.
type tableRow struct {
	Text   *string    `parquet:"text"`
	Number *float64   `parquet:"number"`
	Count  *uint64    `parquet:"count"`
	Flag   *bool      `parquet:"flag"`
	Time   *time.Time `parquet:"a.time,timestamp(microsecond)"`
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

type failing interface {
	Helper()
	Fatal(...any)
}

func parquetTable(t failing, columns []dataset.Column, rows [][]dataset.Cell) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w := render.NewDatasetParquet(&buffer, columns)
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

func openParquet(t failing, data []byte) *parquet.File {
	t.Helper()
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

var (
	sameBits   = cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
	anyNumbers = rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 5e-324}))
)

func TestParquetRoundTrip(t *testing.T) {
	counts := rapid.OneOf(rapid.Uint64(), rapid.SampledFrom([]uint64{0, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64}))
	row := rapid.Custom(func(t *rapid.T) tableRow {
		return tableRow{
			rapid.Ptr(rapid.String(), true).Draw(t, "text"), rapid.Ptr(anyNumbers, true).Draw(t, "number"), rapid.Ptr(counts, true).Draw(t, "count"),
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
		data := parquetTable(t, allTypes, cells)
		got, err := parquet.Read[tableRow](bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, sameBits, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestParquetSchema(t *testing.T) {
	const want = `message track {
	optional binary text (STRING);
	optional double number;
	optional int64 count (INT(64,false));
	optional boolean flag;
	optional int64 a.time (TIMESTAMP(isAdjustedToUTC=true,unit=MICROS));
}`
	if got := openParquet(t, parquetTable(t, allTypes, nil)).Schema().String(); got != want {
		t.Errorf("got %s", got)
	}
}

// Row groups have dictionaries of their own.
func TestParquetGroups(t *testing.T) {
	const n = 2*(1<<16) + 7
	var rows [][]dataset.Cell
	for i := range n {
		rows = append(rows, []dataset.Cell{dataset.NewText(fmt.Sprint("t", i/2)), dataset.NewNumber(float64(i) / 7), dataset.NewCount(math.MaxUint64 - uint64(i)), dataset.NewFlag(i%3 == 0), {}})
	}
	data := parquetTable(t, allTypes, rows)
	if file := openParquet(t, data); len(file.RowGroups()) != 3 || file.NumRows() != n {
		t.Errorf("%d groups of %d rows", len(file.RowGroups()), file.NumRows())
	}
	got, err := parquet.Read[tableRow](bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range got {
		if *r.Text != fmt.Sprint("t", i/2) || *r.Number != float64(i)/7 || *r.Count != math.MaxUint64-uint64(i) || *r.Flag != (i%3 == 0) || r.Time != nil {
			t.Fatalf("row %d: %v", i, r)
		}
	}
}

// Readers skip row groups by bounds. Numbers have none, because of NaN.
func TestParquetBounds(t *testing.T) {
	label, number, count := "b", math.NaN(), uint64(1<<63)
	file := openParquet(t, parquetTable(t, allTypes, [][]dataset.Cell{tableRow{Text: &label, Number: &number, Count: &count}.cells(), tableRow{}.cells()}))
	word := []byte{0, 0, 0, 0, 0, 0, 0, 0x80}
	for i, bounds := range [][]byte{[]byte("b"), nil, word, nil, nil} {
		nulls := int64(1)
		if i > 2 {
			nulls = 2
		}
		got := file.Metadata().RowGroups[0].Columns[i].MetaData.Statistics
		if got.NullCount != nulls || !bytes.Equal(got.MinValue, bounds) || !bytes.Equal(got.MaxValue, bounds) {
			t.Errorf("%s: %+v", allTypes[i].Name, got)
		}
	}
}

// Invalid UTF-8 is replaced: readers refuse it.
func TestParquetText(t *testing.T) {
	data := parquetTable(t, allTypes[:1], [][]dataset.Cell{{dataset.NewText("a\xff")}})
	got, err := parquet.Read[struct {
		Text *string `parquet:"text"`
	}](bytes.NewReader(data), int64(len(data)))
	if err != nil || *got[0].Text != "a\ufffd" {
		t.Errorf("%v, %v", got, err)
	}
}

// A series that is shorter than others ends in nulls. Names are those of the series, whatever they are.
func TestSeriesParquet(t *testing.T) {
	names := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"a,b", "a.b", "a", "-", "1"})).Filter(func(s string) bool { return track.CheckName(s) == nil })
	property.Check(t, func(t *rapid.T) {
		var want []track.Series
		rows := 0
		for _, name := range rapid.SliceOfNDistinct(names, 1, 5, rapid.ID).Draw(t, "names") {
			s := track.Series{Name: name, Values: rapid.SliceOfN(anyNumbers, 0, 6).Draw(t, "values")}
			want, rows = append(want, s), max(rows, len(s.Values))
		}
		var b bytes.Buffer
		if err := render.SeriesParquet(&b, want); err != nil {
			t.Fatal(err)
		}
		file := openParquet(t, b.Bytes())
		if file.NumRows() != int64(rows) {
			t.Errorf("%d rows, want %d", file.NumRows(), rows)
		}
		if diff := cmp.Diff(want, seriesIn(t, file), sameBits, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	})
}

// seriesIn returns the columns of a file of one row group, without the nulls at their ends.
func seriesIn(t failing, file *parquet.File) (list []track.Series) {
	t.Helper()
	for i, column := range file.Root().Columns() {
		s := track.Series{Name: column.Name()}
		for _, group := range file.RowGroups() {
			values := make([]parquet.Value, group.NumRows())
			pages := group.ColumnChunks()[i].Pages()
			page, err := pages.ReadPage()
			if err != nil {
				t.Fatal(err)
			}
			_, _ = page.Values().ReadValues(values)
			ended := false
			for row, v := range values {
				if ended && !v.IsNull() {
					t.Fatal("row", row, "of", s.Name, "follows a null")
				}
				if ended = v.IsNull(); !ended {
					s.Values = append(s.Values, v.Double())
				}
			}
			if err := pages.Close(); err != nil {
				t.Fatal(err)
			}
		}
		list = append(list, s)
	}
	return list
}

func TestParquetFails(t *testing.T) {
	full := errors.New("full")
	if err := render.NewDatasetParquet(fullWriter{full}, allTypes).Close(); !errors.Is(err, full) {
		t.Error(err)
	}
	// More rows than the writer keeps.
	if err := render.SeriesParquet(fullWriter{full}, []track.Series{{Name: "a", Values: make([]float64, 1<<17)}}); !errors.Is(err, full) {
		t.Error(err)
	}
}

type fullWriter struct{ err error }

func (w fullWriter) Write([]byte) (int, error) { return 0, w.err }
