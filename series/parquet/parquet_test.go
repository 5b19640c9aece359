package parquet

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"pgregory.net/rapid"

	"track/internal/property"

	"track"
)

// The other implementation of the format in these tests is github.com/parquet-go/parquet-go: it reads what this package
// writes, and writes what this one reads, in the many ways there are.

var limits = Limits{Columns: 1000, Values: 1 << 20}

// sameBits compares floats by what they are in memory.
var sameBits = cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })

func read(data []byte) ([]track.Series, error) {
	return Read(bytes.NewReader(data), int64(len(data)), limits)
}

func mustRead(t testing.TB, data []byte) []track.Series {
	t.Helper()
	columns, err := read(data)
	if err != nil {
		t.Fatal(err)
	}
	return columns
}

func write(t testing.TB, columns []track.Series) []byte {
	t.Helper()
	var buffer bytes.Buffer
	if err := Write(&buffer, columns); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

func TestRoundTrip(t *testing.T) {
	floats := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Copysign(0, -1), 5e-324}))
	property.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.String(), 1, 20, rapid.ID).Draw(t, "names")
		var columns []track.Series
		for _, name := range names {
			columns = append(columns, track.Series{Name: name, Values: rapid.SliceOfN(floats, 0, 10).Draw(t, "values")})
		}
		var buffer bytes.Buffer
		if err := Write(&buffer, columns); err != nil {
			t.Fatal(err)
		}
		got, err := read(buffer.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for i := range columns {
			if got[i].Name != columns[i].Name || len(got[i].Values) != len(columns[i].Values) {
				t.Fatalf("%v, want %v", got[i], columns[i])
			}
			for k, x := range columns[i].Values {
				if math.Float64bits(got[i].Values[k]) != math.Float64bits(x) {
					t.Fatalf("%s[%d] = %v, want %v", names[i], k, got[i].Values[k], x)
				}
			}
		}
	})
}

// Long columns take several pages and row groups.
func TestRoundTripLong(t *testing.T) {
	columns := []track.Series{{Name: "a", Values: make([]float64, 1<<20+70_000)}, {Name: "b", Values: make([]float64, 70_001)}, {Name: "c"}}
	for _, c := range columns {
		for i := range c.Values {
			c.Values[i] = float64(i) / 7
		}
	}
	data := write(t, columns)
	got, err := Read(bytes.NewReader(data), int64(len(data)), Limits{Columns: 3, Values: 1 << 23})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range columns {
		same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
		if got[i].Name != c.Name || !slices.EqualFunc(got[i].Values, c.Values, same) {
			t.Errorf("%s of %d values is not %s of %d values", got[i].Name, len(got[i].Values), c.Name, len(c.Values))
		}
	}
	file, err := pq.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if file.NumRows() != int64(len(columns[0].Values)) || len(file.RowGroups()) != 2 {
		t.Errorf("the other implementation sees %d rows in %d groups", file.NumRows(), len(file.RowGroups()))
	}
}

func TestOthersReadIt(t *testing.T) {
	type row struct {
		A float64
		B *float64
		C *float64
	}
	nan := math.NaN()
	data := write(t, []track.Series{{Name: "A", Values: []float64{0.1, nan, math.Inf(-1)}}, {Name: "B", Values: []float64{1, 2}}, {Name: "C", Values: nil}})
	rows, err := pq.Read[row](bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	one, two := 1.0, 2.0
	want := []row{{A: 0.1, B: &one}, {A: nan, B: &two}, {A: math.Inf(-1)}}
	if diff := cmp.Diff(want, rows, sameBits); diff != "" {
		t.Error(diff)
	}
}

// sample has every type that is read, required and optional.
type sample struct {
	Double   float64  `parquet:"double"`
	Float    float32  `parquet:"float"`
	Int      int64    `parquet:"int"`
	Short    int16    `parquet:"short"`
	Unsigned uint64   `parquet:"unsigned"`
	Word     uint32   `parquet:"word"`
	Bool     bool     `parquet:"bool"`
	Late     *float64 `parquet:"late"`
	Gap      *int32   `parquet:"gap"`
	Early    *float32 `parquet:"early"`
	Never    *float64 `parquet:"never"`
}

func samples(n int) (rows []sample, columns []track.Series) {
	names := []string{"double", "float", "int", "short", "unsigned", "word", "bool", "late", "gap", "early", "never"}
	values := map[string][]float64{}
	for i := range n {
		x := float64(i%50) / 7
		row := sample{
			Double: x, Float: float32(x), Int: int64(-i * 1000), Short: int16(-i % 100), Unsigned: math.MaxUint64 - uint64(i),
			Word: math.MaxUint32 - uint32(i%3), Bool: i%3 == 0,
		}
		numbers := []float64{row.Double, float64(row.Float), float64(row.Int), float64(row.Short), float64(row.Unsigned), float64(row.Word), 0}
		if row.Bool {
			numbers[6] = 1
		}
		for k, number := range numbers {
			values[names[k]] = append(values[names[k]], number)
		}
		if i >= n/3 {
			row.Late = &x
		}
		if gap := int32(i); i < 2*n/3 && i%4 != 1 {
			row.Gap = &gap
		}
		if early := float32(i); i < n/3 {
			row.Early = &early
		}
		rows = append(rows, row)
	}
	for _, row := range rows { // with NaN where there is none
		values["late"] = append(values["late"], orNaN(row.Late))
		values["gap"] = append(values["gap"], orNaN(row.Gap))
		values["early"] = append(values["early"], orNaN(row.Early))
	}
	for _, name := range []string{"gap", "early"} { // which end early
		x := values[name]
		for len(x) > 0 && math.IsNaN(x[len(x)-1]) {
			x = x[:len(x)-1]
		}
		values[name] = x
	}
	for _, name := range names {
		columns = append(columns, track.Series{Name: name, Values: values[name]})
	}
	return rows, columns
}

func orNaN[T int32 | float32 | float64](x *T) float64 {
	if x == nil {
		return math.NaN()
	}
	return float64(*x)
}

func otherFile[T any](t testing.TB, rows []T, options ...pq.WriterOption) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w := pq.NewGenericWriter[T](&buffer, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

func TestReadsOthers(t *testing.T) {
	codecs := map[string]compress.Codec{"uncompressed": &pq.Uncompressed, "snappy": &pq.Snappy, "gzip": &pq.Gzip, "zstd": &pq.Zstd}
	rows, want := samples(500)
	for name, codec := range codecs {
		for _, version := range []int{1, 2} {
			for _, pageSize := range []int{300, 1 << 20} {
				data := otherFile(t, rows, pq.Compression(codec), pq.DataPageVersion(version), pq.PageBufferSize(pageSize), pq.MaxRowsPerRowGroup(333))
				if diff := cmp.Diff(want, mustRead(t, data), sameBits); diff != "" {
					t.Errorf("%s, version %d, pages of %d: %s", name, version, pageSize, diff[:min(2000, len(diff))])
				}
			}
		}
	}
}

func TestReadsEncodings(t *testing.T) {
	type row struct {
		Dictionary float64  `parquet:"dictionary,dict"`
		Constant   *float64 `parquet:"constant,dict"`
		Delta      int64    `parquet:"delta,delta"`
		Short      int32    `parquet:"short,delta"`
		Split      float64  `parquet:"split,split"`
		Narrow     float32  `parquet:"narrow,split"`
	}
	for _, n := range []int{0, 1, 2, 127, 128, 129, 1000} {
		var rows []row
		want := make([]track.Series, 6)
		for i, name := range []string{"dictionary", "constant", "delta", "short", "split", "narrow"} {
			want[i].Name = name
		}
		for i := range n {
			seven, short, narrow := 7.0, int32(i*i%1000-500), float32(i)/3
			r := row{float64(i%300) / 3, &seven, int64(i)*int64(i)<<20 - 1<<62, short, math.Sin(float64(i)), narrow}
			rows = append(rows, r)
			for k, x := range []float64{r.Dictionary, seven, float64(r.Delta), float64(short), r.Split, float64(narrow)} {
				want[k].Values = append(want[k].Values, x)
			}
		}
		for _, version := range []int{1, 2} {
			data := otherFile(t, rows, pq.DataPageVersion(version))
			if diff := cmp.Diff(want, mustRead(t, data), sameBits); diff != "" {
				t.Errorf("%d rows, version %d: %s", n, version, diff[:min(2000, len(diff))])
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	type number struct{ X float64 }
	good := write(t, []track.Series{{Name: "x", Values: []float64{1, 2, 3}}})
	change := func(at int, with string) []byte {
		data := bytes.Clone(good)
		if at < 0 {
			at += len(data)
		}
		copy(data[at:], with)
		return data
	}
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, "not a Parquet file"},
		{"text", []byte("a,b\n1,2\n3,4\n5,6\n"), "not a Parquet file"},
		{"half", good[:len(good)/2], "not a Parquet file, or not all of it"},
		{"encrypted", change(-4, "PARE"), "the file is encrypted"},
		{"footer too long", change(-8, "\xff\xff\xff\x7f"), "the metadata are damaged"},
		{"footer too short", change(-8, "\x05\x00\x00\x00"), "the metadata are damaged"},
		{"page damaged", change(40, "\xff\xff\xff"), "x: "},
		{"text column", otherFile(t, []struct{ Name string }{{"a"}}), "Name: is not a number, but a text, a time or a decimal"},
		{"bytes column", otherFile(t, []struct{ Name []byte }{{nil}}), "Name: is not a number"},
		{"time column", otherFile(t, []struct{ At time.Time }{{time.Unix(0, 0)}}), "At: is not a number, but a text, a time or a decimal"},
		{"list column", otherFile(t, []struct{ List []float64 }{{[]float64{1}}}), "List: is a list in each row, not a number"},
		{"nested column", otherFile(t, []struct{ Inner number }{{number{1}}}), "Inner: has columns within it"},
		{"brotli", otherFile(t, []number{{1}}, pq.Compression(&pq.Brotli)), "X: the compression BROTLI is not supported"},
		{"LZ4", otherFile(t, []number{{1}}, pq.Compression(&pq.Lz4Raw)), "X: the compression LZ4 is not supported"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			columns, err := read(tt.data)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, %v, want %s", columns, err, tt.want)
			}
		})
	}
}

func TestLeavesOutWhatIsNoNumber(t *testing.T) {
	type row struct {
		At   time.Time
		X    float64
		Name string
		N    int64
	}
	data := otherFile(t, []row{{time.Unix(0, 0), 0.5, "a", 7}, {time.Unix(1, 0), 0.25, "b", 8}})
	var left []string
	told := limits
	told.LeftOut = func(columns []string) { left = columns }
	columns, err := Read(bytes.NewReader(data), int64(len(data)), told)
	want := []track.Series{{Name: "X", Values: []float64{0.5, 0.25}}, {Name: "N", Values: []float64{7, 8}}}
	if diff := cmp.Diff(want, columns); err != nil || diff != "" || !slices.Equal(left, []string{"At", "Name"}) {
		t.Errorf("left out %v, error %v (-want +got):\n%s", left, err, diff)
	}
}

func TestLimits(t *testing.T) {
	data := write(t, []track.Series{{Name: "x", Values: make([]float64, 1000)}, {Name: "y", Values: nil}})
	for _, tt := range []struct {
		limits Limits
		want   bool
	}{
		{Limits{Columns: 2, Values: 2000}, true},
		{Limits{Columns: 1, Values: 2000}, false},
		{Limits{Columns: 2, Values: 1999}, false}, // nulls count: they could become NaN
	} {
		_, err := Read(bytes.NewReader(data), int64(len(data)), tt.limits)
		if tt.want != (err == nil) || err != nil && !errors.Is(err, ErrTooMany) {
			t.Errorf("%v: %v", tt.limits, err)
		}
	}
}

// failingWriter fails after some bytes.
type failingWriter struct{ left int }

func (w *failingWriter) Write(data []byte) (int, error) {
	if w.left -= len(data); w.left < 0 {
		return 0, errors.New("full")
	}
	return len(data), nil
}

func TestWriteFails(t *testing.T) {
	columns := []track.Series{{Name: "x", Values: make([]float64, 1000)}}
	for left := range len(write(t, columns)) {
		if err := Write(&failingWriter{left}, columns); err == nil || err.Error() != "full" {
			t.Fatalf("after %d bytes: %v", left, err)
		}
	}
}

// FuzzRead finds no input that crashes the reader, or makes it take memory that the limits do not allow.
func FuzzRead(f *testing.F) {
	rows, _ := samples(20)
	for _, version := range []int{1, 2} {
		f.Add(otherFile(f, rows, pq.DataPageVersion(version), pq.Compression(&pq.Snappy)))
		f.Add(otherFile(f, []struct {
			X int64   `parquet:",delta"`
			Y float64 `parquet:",dict"`
			Z float32 `parquet:",split"`
		}{{1, 2, 3}, {4, 5, 6}}, pq.DataPageVersion(version), pq.Compression(&pq.Gzip)))
	}
	f.Add(write(f, []track.Series{{Name: "x", Values: []float64{1, 2}}, {Name: "y", Values: []float64{3}}, {Name: "z", Values: nil}}))
	f.Add([]byte("PAR1\x15\x00\x00\x00\x00\x00\x00\x00PAR1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		columns, err := read(data)
		if err != nil {
			return
		}
		values := 0
		for _, c := range columns {
			values += len(c.Values)
		}
		if len(columns) > limits.Columns || values > limits.Values {
			t.Fatalf("%d values in %d columns", values, len(columns))
		}
	})
}
