package series

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"track/internal/separated"
	"track/internal/sizes"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"track"
)

// refusal is the text of an error that must be a [*track.FieldError].
func refusal(t testing.TB, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	refused, ok := errors.AsType[*track.FieldError](err)
	if !ok || !errors.Is(err, track.ErrInvalid) || refused.Message == "" {
		t.Fatalf("%#v is no FieldError", err)
	}
	return refused.Error()
}

// allocated returns how many bytes f takes, whether it keeps them or not.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestReadCSV(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name, text string
		want       []track.Series
	}{
		{"one column", "a\n1\n2\n", []track.Series{{Name: "a", Values: []float64{1, 2}}}},
		{"several columns", "a,b\n1,2\n3,4\n", []track.Series{{Name: "a", Values: []float64{1, 3}}, {Name: "b", Values: []float64{2, 4}}}},
		{"no line end at the end", "a\n1\n2", []track.Series{{Name: "a", Values: []float64{1, 2}}}},
		{"line ends of Windows", "a,b\r\n1,2\r\n", []track.Series{{Name: "a", Values: []float64{1}}, {Name: "b", Values: []float64{2}}}},
		{"byte order mark", "\xef\xbb\xbfa\n1\n", []track.Series{{Name: "a", Values: []float64{1}}}},
		{"white space", " a ,\tb\n 1 ,\t2 \n", []track.Series{{Name: "a", Values: []float64{1}}, {Name: "b", Values: []float64{2}}}},
		{"quotes", "\"a,\"\"b\"\"\", \"c\" \n\"1\",2\n", []track.Series{{Name: `a,"b"`, Values: []float64{1}}, {Name: "c", Values: []float64{2}}}},
		{"only a header", "a,b\n", []track.Series{{Name: "a", Values: nil}, {Name: "b", Values: nil}}},
		{"columns end early", "a,b,c\n1,2,\n3,,\n5,,\n", []track.Series{{Name: "a", Values: []float64{1, 3, 5}}, {Name: "b", Values: []float64{2}}, {Name: "c", Values: nil}}},
		{"columns begin late", "a,b\n1,\n2, \n3,4\n", []track.Series{{Name: "a", Values: []float64{1, 2, 3}}, {Name: "b", Values: []float64{nan, nan, 4}}}},
		{"blank lines at the end", "a,b\n1,2\n\n \n", []track.Series{{Name: "a", Values: []float64{1}}, {Name: "b", Values: []float64{2}}}},
		{"blank lines at the beginning of one column", "a\n\n1\n", []track.Series{{Name: "a", Values: []float64{nan, 1}}}},
		{"comments", "# from R\n#\na,b\n1,2\n# more\n3,4\n#end", []track.Series{{Name: "a", Values: []float64{1, 3}}, {Name: "b", Values: []float64{2, 4}}}},
		{"byte order mark and comment", "\xef\xbb\xbf# from R\na\n1\n", []track.Series{{Name: "a", Values: []float64{1}}}},
		{"header of NumPy", "# run 7\n# a,b\n1,2\n3,4\n", []track.Series{{Name: "a", Values: []float64{1, 3}}, {Name: "b", Values: []float64{2, 4}}}},
		{"missing values of R", "\"a\",\"b\"\n0.5,NA\nNA,1\n", []track.Series{{Name: "a", Values: []float64{0.5, nan}}, {Name: "b", Values: []float64{nan, 1}}}},
		{"no numbers", "a\nNaN\nnan\n-nan\nInf\n-inf\nInfinity\n-INFINITY\n", []track.Series{{Name: "a", Values: []float64{nan, nan, nan, inf, -inf, inf, -inf}}}},
		{"exact numbers", "a\n0.1\n1e-7\n-0\n+5\n.5\n5.\n4.9e-324\n1e-400\n0.30000000000000004\n9007199254740993\n1.7976931348623157e308\n", []track.Series{{Name: "a", Values: []float64{
			0.1, 1e-7, math.Copysign(0, -1), 5, 0.5, 5, 5e-324, 0, 0.30000000000000004, 9007199254740992, math.MaxFloat64,
		}}}},
		{"index of a data frame", ",a\n0,5\n1,6\n", []track.Series{{Name: "index", Values: []float64{0, 1}}, {Name: "a", Values: []float64{5, 6}}}},
		{"counted columns", "0,1,2\n5,6,7\n", []track.Series{{Name: "0", Values: []float64{5}}, {Name: "1", Values: []float64{6}}, {Name: "2", Values: []float64{7}}}},
		{"a number for a name", "a,1990\n5,6\n", []track.Series{{Name: "a", Values: []float64{5}}, {Name: "1990", Values: []float64{6}}}},
		{"quoted number for a name", "\"1990\"\n5\n", []track.Series{{Name: "1990", Values: []float64{5}}}},
		{"semicolons", "a;b\n1;2\n3;\n", []track.Series{{Name: "a", Values: []float64{1, 3}}, {Name: "b", Values: []float64{2}}}},
		{"semicolons and decimal commas", "a;b\r\n1,5;-2,25e3\r\n3;0,065\r\n", []track.Series{{Name: "a", Values: []float64{1.5, 3}}, {Name: "b", Values: []float64{-2250, 0.065}}}},
		{"three decimals", "a;b\n1,234;0\n0,5;1\n", []track.Series{{Name: "a", Values: []float64{1.234, 0.5}}, {Name: "b", Values: []float64{0, 1}}}},
		{"semicolons and decimal points", "a;b\n1.5;2\n", []track.Series{{Name: "a", Values: []float64{1.5}}, {Name: "b", Values: []float64{2}}}},
		{"tabs", "a\tb\n1,5\t2\n\t3\n", []track.Series{{Name: "a", Values: []float64{1.5}}, {Name: "b", Values: []float64{2, 3}}}},
		{"tabs after commas", "a,\tb\n1,\t2\n", []track.Series{{Name: "a", Values: []float64{1}}, {Name: "b", Values: []float64{2}}}},
		{"a comma in a name", "x, y;b\n1;2\n", []track.Series{{Name: "x, y", Values: []float64{1}}, {Name: "b", Values: []float64{2}}}},
		{"a semicolon in a name", "x; y,b\n1,2\n", []track.Series{{Name: "x; y", Values: []float64{1}}, {Name: "b", Values: []float64{2}}}},
		{"quoted decimal commas", "a,b\n\"1,5\",2\n", []track.Series{{Name: "a", Values: []float64{1.5}}, {Name: "b", Values: []float64{2}}}},
		{"a quoted semicolon behind a comma", "a,\"b;c\"\n", []track.Series{{Name: "a"}, {Name: "b;c"}}},
		{"quoted semicolon", "\"a;b\"\n5\n", []track.Series{{Name: "a;b", Values: []float64{5}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(c.text), iotest.OneByteReader(strings.NewReader(c.text))} {
				got, err := readCSV(r, limitsOf(sizes.Unpacked))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.want, got, bitsOrNaN, cmpopts.EquateEmpty()); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// bitsOrNaN compares values as they are stored.
var bitsOrNaN = cmp.Comparer(func(a, b float64) bool { return canonicalBits(a) == canonicalBits(b) })

func TestReadCSVRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "empty: expected a header of names, then rows of numbers"},
		{"no header", "0.1,0.2\n0.3,0.4\n", "line 1: the header has numbers where the names of the columns belong"},
		{"no header but a comment", "# from R\n5\n6\n", "line 2: the header has numbers where the names of the columns belong"},
		{"no header, one column", "5\n6\n", "line 1: the header has numbers where the names of the columns belong"},
		{"no name", "a,,b\n1,2,3\n", "line 1: column 2 has no name"},
		{"blank header", "\n1\n", "line 1: column 1 has no name"},
		{"semicolons or commas", "a,b;c\n", "line 1: it is not clear whether commas, semicolons or tabs separate the columns: say --delimiter ',' or ';' or tab"},
		{"decimal commas between commas", "a\n1,5\n", "line 2: more cells than the header has, which are 1"},
		{"thousands or decimals", "a;b\n1,234;2\n12,345;3\n", `line 2: "1,234": the comma may be a decimal sign or separate thousands: say --decimal comma, or leave separators out`},
		{"both signs", "a;b\n1,5;2\n1.5;3\n", `line 3: a: "1.5": numbers with a comma and with a point are mixed (line 2): say --decimal comma or --decimal point`},
		{"both signs in doubt", "a;b\n1,234;2.5\n", `line 2: b: "2.5": numbers with a comma and with a point are mixed (line 2): say --decimal comma or --decimal point`},
		{"both signs in a number", "a;b\n1.234,5;2\n", `line 2: a: "1.234,5" is not a number`},
		{"thousands", "a;b\n1,234,567;2\n", `line 2: a: "1,234,567" is not a number`},
		{"no number", "a,b\n1,2\n3,x\n", `line 3: b: "x" is not a number`},
		{"a long one", "a\n" + strings.Repeat("ä", 50) + "\n", `line 2: a: "` + strings.Repeat("ä", 20) + `…" is not a number`},
		{"a date", "day,a\n2020-01-01,1\n", `line 2: day: "2020-01-01" is not a number`},
		{"beyond float64", "a\n1e400\n", "line 2: a: 1e400 is beyond float64; write \"Infinity\" if that is meant"},
		{"too few cells", "a,b,c\n1,2,3\n4,5\n", "line 3: 2 cells, but the header has 3"},
		{"too many cells", "a,b\n1,2\n4,5,6\n", "line 3: more cells than the header has, which are 2"},
		{"gap", "a,b\n1,2\n3,\n5,\n7,8\n", "line 3: b: an empty cell, but line 5 has a value again: write NaN where there is no number"},
		{"blank line between", "a,b\n1,2\n\n3,4\n", "line 3: a: an empty cell, but line 4 has a value again: write NaN where there is no number"},
		{"open quote", "a\n\"1\n", "line 2: a quote is not closed"},
		{"text behind a quote", "a,b\n\"1\"2,3\n", `line 2: "2" follows a closing quote`},
		{"quote in the header", "\"a\n1\n", "line 1: a quote is not closed"},
		{"binary", "a\n\x00\xff\xfe\n", `line 2: a: "\x00�" is not a number`},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := readCSV(strings.NewReader(c.text), limitsOf(sizes.Unpacked))
			if got := refusal(t, err); got != c.want {
				t.Errorf("got %q, want %q: %v", got, c.want, list)
			}
		})
	}
}

// Flags win over what the file seems to be.
func TestReadCSVFormat(t *testing.T) {
	for _, c := range []struct {
		text   string
		format separated.Format
		want   []track.Series
		refuse string
	}{
		{"a;b\n1,234;2\n", separated.Format{Decimal: ','}, []track.Series{{Name: "a", Values: []float64{1.234}}, {Name: "b", Values: []float64{2}}}, ""},
		{"a;b\n1,234;2\n", separated.Format{Decimal: '.'}, nil, `line 2: a: "1,234" is not a number`},
		{"a;b\n1.5;2\n", separated.Format{Decimal: ','}, nil, `line 2: a: "1.5" has a decimal point, and --decimal says comma`},
		{"a,b;c\n1,5;2\n", separated.Format{Delimiter: ';'}, []track.Series{{Name: "a,b", Values: []float64{1.5}}, {Name: "c", Values: []float64{2}}}, ""},
		{"a\n1,5\n", separated.Format{Delimiter: ';'}, []track.Series{{Name: "a", Values: []float64{1.5}}}, ""},
	} {
		l := limitsOf(sizes.Unpacked)
		l.format = c.format
		got, err := readCSV(strings.NewReader(c.text), l)
		if diff := cmp.Diff(c.want, got, bitsOrNaN, cmpopts.EquateEmpty()); refusal(t, err) != c.refuse || diff != "" {
			t.Errorf("%q as %v: %v %s", c.text, c.format, err, diff)
		}
	}
}

// Columns of texts are left out by name; what is a broken number is still refused.
func TestReadCSVLeavesOut(t *testing.T) {
	for text, want := range map[string]struct {
		leftOut, kept []string
		refuse        string
	}{
		"day,a,note\n2020-01-01,1,\n2020-01-02,2,x\n": {[]string{"day", "note"}, []string{"a"}, ""},
		"t;a\n01.02.2020;1,5\n02.02.2020;2\n":         {[]string{"t"}, []string{"a"}, ""},
		"t,a\n2020-01-01T10:00:00Z,1\n":               {[]string{"t"}, []string{"a"}, ""},
		"a,b\n1,x\n2,3\n":                             {[]string{"b"}, []string{"a"}, ""},
		"a,b\nNA,1\nlow,2\n":                          {[]string{"a"}, []string{"b"}, ""},
		"a,b\n1,2\n3,x\n":                             {nil, nil, `line 3: b: "x" is not a number`},
		"a,b\n1,$2\n":                                 {nil, nil, `line 2: b: "$2" is not a number`},
		"day\n2020-01-01\n":                           {nil, nil, `line 2: day: "2020-01-01" is not a number`},
	} {
		var leftOut, kept []string
		l := limitsOf(sizes.Unpacked)
		l.leftOut = func(columns []string) { leftOut = columns }
		list, err := readCSV(strings.NewReader(text), l)
		for _, s := range list {
			kept = append(kept, s.Name)
		}
		if refusal(t, err) != want.refuse || !slices.Equal(leftOut, want.leftOut) || !slices.Equal(kept, want.kept) {
			t.Errorf("%q: left out %q, kept %q, %v", text, leftOut, kept, err)
		}
	}
}

// A file of a million columns is refused before they take memory.
func TestReadCSVWide(t *testing.T) {
	header := "a" + strings.Repeat(",a", 999_999)
	var err error
	bytes := allocated(func() {
		_, err = readCSV(strings.NewReader(header+"\n"+strings.Repeat("1,", 999_999)+"1\n"), limitsOf(sizes.Unpacked))
	})
	if got := refusal(t, err); got != "more than 100000 columns, which is the limit for a file" {
		t.Error(got)
	}
	if bytes > 16<<20 {
		t.Errorf("refusing it took %d bytes", bytes)
	}
	wide := "a" + strings.Repeat(",", 1_000_000) + "\n"
	if _, err := readCSV(strings.NewReader("a\n"+wide), limitsOf(sizes.Unpacked)); refusal(t, err) != "line 2: more cells than the header has, which are 1" {
		t.Error(err)
	}
}

func TestReadCSVLimits(t *testing.T) {
	for text, want := range map[string]string{
		"a,b\n1,2\n3,4\n":   "",
		"a,b\n1,2\n3,4\n5,": "holds more than 32B when it is unpacked, which is the limit",
		"a,b,c\n1,2,3\n":    "more than 2 columns, which is the limit for a file",
		"a\n\n\n\n\n1\n":    "holds more than 32B when it is unpacked, which is the limit", // each of them would be NaN
		"a\n\n\n\n\n\n\n":   "",
	} {
		_, err := readCSV(strings.NewReader(text), limits{values: 4, bytes: 32, columns: 2})
		if got := refusal(t, err); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// zeros yields zero bytes for ever.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestReadCSVLongLine(t *testing.T) {
	var err error
	bytes := allocated(func() { _, err = readCSV(io.MultiReader(strings.NewReader("a\n"), zeros{}), limitsOf(sizes.Unpacked)) })
	if got := refusal(t, err); got != "line 2: the line is longer than 64 MiB" {
		t.Error(got)
	}
	if bytes > 8*longestLine {
		t.Errorf("refusing it took %d bytes", bytes)
	}
}

func TestReadCSVErrors(t *testing.T) {
	_, err := readCSV(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("a\n1\n"))), limitsOf(sizes.Unpacked))
	if got := refusal(t, err); got != "line 1: cannot be read: timeout" {
		t.Error(got)
	}
}

func zipped(t testing.TB, text string) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w := gzip.NewWriter(&buffer)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

// FuzzReadCSV accepts nothing that does not come back from WriteCSV.
func FuzzReadCSV(f *testing.F) {
	f.Add([]byte("a,b\n1,\n2,nan\n,0x1p-2\n"))
	f.Add([]byte("\xef\xbb\xbf\"a\"\"\" ,b\r\n-Infinity, \"1e5\"\r\n\r\n"))
	f.Add([]byte("a;b;day\n1,5;2;2020-01-01\n1,234;;x\n"))
	f.Add([]byte("a\tb\n1.5\t2\n\t3\n"))
	f.Add([]byte(",0,1\n0,1,2\n"))
	f.Add([]byte("a,\"b;c\"\n"))
	small := limits{values: 1 << 12, columns: 1 << 6}
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := readCSV(bytes.NewReader(data), small)
		if refusal(t, err) != "" || checkNames(list) != nil {
			return
		}
		var buffer bytes.Buffer
		if err := WriteCSV(&buffer, list); err != nil {
			t.Fatal(err)
		}
		again, err := readCSV(&buffer, small)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(list, again, bitsOrNaN, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}
