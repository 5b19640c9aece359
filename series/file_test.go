package series

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"track"
	"track/internal/property"
	"track/internal/sizes"
)

func saved(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadFile(t *testing.T) {
	two := array(1, header("|u1", "False", "(2,)"), 1, 2)
	for name, data := range map[string][]byte{
		"run.csv":    []byte("a\n1\n2\n"),
		"RUN.CSV":    []byte("a\n1\n2\n"),
		"run.csv.gz": zipped(t, "a\n1\n2\n"),
		"a.npy":      two,
		"run.npz":    archive(t, zip.Deflate, entry{"a.npy", two}),
		"run.json":   []byte(`{"a": [1, 2]}`),
		"a.json":     []byte(`[1, 2]`),
	} {
		got, err := ReadFile(saved(t, name, data), sizes.Unpacked)
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]track.Series{{Name: "a", Values: []float64{1, 2}}}, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestReadFileRefuses(t *testing.T) {
	long := strings.Repeat("a", 201)
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"run.txt", nil, ": the suffix says no known format: use .csv, .csv.gz, .npy, .npz, .json"},
		{"csv", nil, ": the suffix says no known format: use .csv, .csv.gz, .npy, .npz, .json"},
		{"run.csv", []byte("a,b\n1,2\n3,x\n"), `:3: b: "x" is not a number`},
		{"run.csv", []byte("a,b,a\n1,2,3\n"), ": a: is duplicated"},
		{"run.csv", []byte("a\x00\n1\n"), `: the name of a series "a\x00" contains a control character: U+0000 at byte 2`},
		{"run.csv", []byte(long + "\n1\n"), ": the name of a series is 201 bytes long; at most 200 are allowed"},
		{"run.csv.gz", []byte("a\n1\n"), ": not gzip"},
		{"run.csv.gz", zipped(t, "a\n1\n")[:20], ":3: the file ends too early"},
		{"run.csv.gz", append(zipped(t, "a\n1\n"), "text that is no gzip"...), ":3: something that is not gzip follows what is compressed"},
		{"run.npy", []byte("hello"), ": not a NumPy array"},
		{"run.npz", []byte("hello"), ": not a zip archive: zip: not a valid zip file"},
		{"run.npz", archive(t, zip.Store), ": no series in it"},
		{"run.parquet", nil, ": Parquet is not read: convert the file to CSV (read are .csv, .csv.gz, .npy, .npz, .json)"},
		{"run.json", []byte("{}"), ": no series in it"},
		{"run.json", []byte(`{"a": [1, true]}`), `: a[1]: true is not a number, nor "NaN", "Infinity" or "-Infinity"`},
	} {
		path := saved(t, c.name, c.data)
		_, err := ReadFile(path, sizes.Unpacked)
		if got := refusal(t, err); got != path+c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, path+c.want)
		}
	}
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none.csv"), sizes.Unpacked); !errors.Is(err, track.ErrNotFound) {
		t.Error(err)
	}
	folder := filepath.Join(t.TempDir(), "folder.csv")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(folder, sizes.Unpacked); refusal(t, err) != folder+": is a directory" {
		t.Error(err)
	}
}

// all draws the series of a seed.
func all() *rapid.Generator[[]track.Series] {
	names := rapid.OneOf(rapid.StringMatching(`[a-z][a-z0-9_ ]{0,5}[a-z]`), rapid.String(), rapid.SampledFrom([]string{
		"0", "1e5", "nan", "a;b", "a\tb", `"`, `a"b`, "#a", "ä", "\ufeffa", "a,b", "-",
	})).Filter(func(s string) bool { return track.CheckName(s) == nil })
	floats := rapid.OneOf(rapid.Float64(), special)
	return rapid.Custom(func(t *rapid.T) []track.Series {
		var list []track.Series
		for _, name := range rapid.SliceOfNDistinct(names, 1, 5, rapid.ID).Draw(t, "names") {
			list = append(list, track.Series{Name: name, Values: rapid.SliceOfN(floats, 0, 6).Draw(t, "values")})
		}
		return list
	})
}

// What is written comes back, name by name and bit by bit.
func TestWriteRoundTrip(t *testing.T) {
	folder := t.TempDir()
	for suffix, write := range map[string]func(io.Writer, []track.Series) error{"csv": WriteCSV, "json": WriteJSON} {
		path := filepath.Join(folder, "x."+suffix)
		t.Run(suffix, func(t *testing.T) {
			property.Check(t, func(t *rapid.T) {
				want := all().Draw(t, "series")
				var buffer bytes.Buffer
				if err := write(&buffer, want); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, buffer.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
				got, err := ReadFile(path, sizes.Unpacked)
				if err != nil {
					t.Fatalf("%v\n%s", err, buffer.Bytes())
				}
				if diff := cmp.Diff(want, got, bitsOrNaN, cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("%s\n%s", diff, buffer.Bytes())
				}
			})
		})
	}
}

func TestWriteCSV(t *testing.T) {
	var buffer bytes.Buffer
	list := []track.Series{{Name: "a b", Values: []float64{0.05, 1e-7, 1e21, math.NaN()}}, {Name: `c,"d"`, Values: []float64{math.Inf(-1), math.Copysign(0, -1)}}, {Name: "1", Values: nil}}
	if err := WriteCSV(&buffer, list); err != nil {
		t.Fatal(err)
	}
	const want = `a b,"c,""d""","1"` + "\n0.05,-Infinity,\n1e-07,-0,\n1e+21,,\nNaN,,\n"
	if got := buffer.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWriteJSON(t *testing.T) {
	var buffer bytes.Buffer
	if err := WriteJSON(&buffer, []track.Series{{Name: "a", Values: []float64{0.05, math.NaN(), math.Inf(1), math.Inf(-1)}}, {Name: `"b"`, Values: nil}}); err != nil {
		t.Fatal(err)
	}
	const want = `{"a":[0.05,"NaN","Infinity","-Infinity"],` + "\n" + `"\"b\"":[]}` + "\n"
	if got := buffer.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// full is a writer that fails after some bytes.
type full struct{ left int }

func (w *full) Write(data []byte) (int, error) {
	if w.left -= len(data); w.left < 0 {
		return 0, errors.New("full")
	}
	return len(data), nil
}

func TestWriteFails(t *testing.T) {
	list := []track.Series{{Name: "a", Values: make([]float64, 100_000)}}
	for name, write := range map[string]func(io.Writer, []track.Series) error{"csv": WriteCSV, "json": WriteJSON} {
		for _, left := range []int{0, 100_000} {
			if err := write(&full{left}, list); err == nil || err.Error() != "full" {
				t.Errorf("%s after %d bytes: %v", name, left, err)
			}
		}
	}
}

// A file of a few kilobytes that holds gigabytes is refused with little memory.
func TestReadFileBomb(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bomb.csv.gz")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := gzip.NewWriter(file)
	for _, text := range []string{"a\n", strings.Repeat("0\n", 16<<20)} {
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	const largest = sizes.Size(1 << 20)
	taken := allocated(func() { _, err = ReadFile(path, largest) })
	if !errors.Is(err, sizes.ErrTooLarge) || !errors.Is(err, track.ErrInvalid) || !strings.HasPrefix(err.Error(), path+": ") {
		t.Error(err)
	}
	if taken > 8*uint64(largest) { // columns grow by copying
		t.Errorf("refusing it took %d bytes", taken)
	}
}
