package series

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"track/internal/sizes"

	"github.com/google/go-cmp/cmp"

	"track"
)

// array is a .npy file: the prefix of a version of the format, the header and the data.
func array(version byte, header string, data ...byte) []byte {
	out := []byte{0x93, 'N', 'U', 'M', 'P', 'Y', version, 0}
	if version == 1 {
		out = binary.LittleEndian.AppendUint16(out, uint16(len(header)))
	} else {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(header)))
	}
	return append(append(out, header...), data...)
}

func header(descr, order, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }          \n", descr, order, shape)
}

func encoded(order binary.ByteOrder, numbers any) []byte {
	var buffer bytes.Buffer
	if err := binary.Write(&buffer, order, numbers); err != nil {
		panic(err)
	}
	return buffer.Bytes()
}

func readNPYBytes(data []byte) ([]track.Series, error) {
	return readNPY(bytes.NewReader(data), int64(len(data)), "x", limits{values: 1 << 20, bytes: 8 << 20, columns: 1000})
}

func TestReadNPYTypes(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		code    string
		numbers any
		want    []float64
	}{
		{"f8", []float64{0.1, nan, -inf}, []float64{0.1, nan, -inf}},
		{"f4", []float32{0.5, float32(nan), float32(inf)}, []float64{0.5, nan, inf}},
		{"i8", []int64{-1, math.MaxInt64}, []float64{-1, 0x1p63}},
		{"i4", []int32{-1, math.MaxInt32}, []float64{-1, math.MaxInt32}},
		{"i2", []int16{-1, 300}, []float64{-1, 300}},
		{"i1", []int8{-1, 100}, []float64{-1, 100}},
		{"u8", []uint64{1, math.MaxUint64}, []float64{1, 0x1p64}},
		{"u4", []uint32{1, math.MaxUint32}, []float64{1, math.MaxUint32}},
		{"u2", []uint16{1, math.MaxUint16}, []float64{1, math.MaxUint16}},
		{"u1", []uint8{1, 255}, []float64{1, 255}},
		{"b1", []bool{true, false}, []float64{1, 0}},
	} {
		for _, version := range []byte{1, 2, 3} {
			for prefix, order := range map[string]binary.ByteOrder{"<": binary.LittleEndian, ">": binary.BigEndian, "": binary.LittleEndian} {
				data := array(version, header(prefix+c.code, "False", fmt.Sprintf("(%d,)", len(c.want))), encoded(order, c.numbers)...)
				got, err := readNPYBytes(data)
				if err != nil {
					t.Fatalf("%s%s: %v", prefix, c.code, err)
				}
				if diff := cmp.Diff([]track.Series{{Name: "x", Values: c.want}}, got, bitsOrNaN); diff != "" {
					t.Errorf("%s%s: %s", prefix, c.code, diff)
				}
			}
		}
	}
}

func TestReadNPYShapes(t *testing.T) {
	for _, c := range []struct {
		shape, order string
		data         []byte
		want         []track.Series
	}{
		{"()", "False", []byte{7}, []track.Series{{Name: "x", Values: []float64{7}}}},
		{"(0,)", "False", nil, []track.Series{{Name: "x", Values: []float64{}}}},
		{"(3,)", "True", []byte{1, 2, 3}, []track.Series{{Name: "x", Values: []float64{1, 2, 3}}}},
		{"(3L,)", "False", []byte{1, 2, 3}, []track.Series{{Name: "x", Values: []float64{1, 2, 3}}}},
		{"(3, 2)", "False", []byte{1, 2, 3, 4, 5, 6}, []track.Series{{Name: "x_0", Values: []float64{1, 3, 5}}, {Name: "x_1", Values: []float64{2, 4, 6}}}},
		{"(3, 2)", "True", []byte{1, 2, 3, 4, 5, 6}, []track.Series{{Name: "x_0", Values: []float64{1, 2, 3}}, {Name: "x_1", Values: []float64{4, 5, 6}}}},
		{"(1, 2)", "True", []byte{1, 2}, []track.Series{{Name: "x_0", Values: []float64{1}}, {Name: "x_1", Values: []float64{2}}}},
		{"(2, 1)", "False", []byte{1, 2}, []track.Series{{Name: "x_0", Values: []float64{1, 2}}}},
	} {
		got, err := readNPYBytes(array(1, header("|u1", c.order, c.shape), c.data...))
		if err != nil {
			t.Errorf("%s: %v", c.shape, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s, Fortran order %s: %s", c.shape, c.order, diff)
		}
	}
}

// A long array comes in several pieces.
func TestReadNPYLong(t *testing.T) {
	want := make([]float64, 100_000)
	for i := range want {
		want[i] = float64(i) / 3
	}
	got, err := readNPYBytes(array(1, header("<f8", "False", "(100000,)"), encoded(binary.LittleEndian, want)...))
	if err != nil || !sameBits(got[0].Values, want) {
		t.Error(err)
	}
	got, err = readNPYBytes(array(1, header("<f8", "True", "(50000, 2)"), encoded(binary.LittleEndian, want)...))
	if err != nil || !sameBits(got[1].Values, want[50_000:]) {
		t.Error(err)
	}
}

func TestReadNPYRefuses(t *testing.T) {
	eight := make([]byte, 8)
	good := array(1, header("<f8", "False", "(1,)"), eight...)
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, "not a NumPy array"},
		{"text", []byte("a,b\n1,2\n3,4\n"), "not a NumPy array"},
		{"prefix cut off", good[:8], "not a NumPy array"},
		{"header cut off", good[:30], "the header ends too early"},
		{"header of version 2 cut off", array(2, "")[:11], "the header ends too early"},
		{"data cut off", good[:len(good)-1], "the header announces 8 bytes of data, but there are 7"},
		{"data too long", append(bytes.Clone(good), 0), "the header announces 8 bytes of data, but there are 9"},
		{"version", array(4, header("<f8", "False", "(1,)"), eight...), "version 4 of the format is not known"},
		{"long header", array(2, strings.Repeat(" ", 1<<16+1)), "a header of 65537 bytes is too long"},
		{"lying length of the header", []byte("\x93NUMPY\x02\x00\xff\xff\xff\x7f{"), "a header of 2147483647 bytes is too long"},
		{"lying shape", array(1, header("<f8", "False", "(1000000,)"), eight...), "the header announces 8000000 bytes of data, but there are 8"},
		{"shape beyond the limit", array(1, header("<f8", "False", "(100000000000,)"), eight...), "holds more than 8MiB when it is unpacked, which is the limit"},
		{"shape beyond integers", array(1, header("<f8", "False", "(99999999999999999999,)")), "the header has no usable shape"},
		{"shape that overflows", array(1, header("<f8", "False", "(140737488355327, 900)")), "holds more than 8MiB when it is unpacked, which is the limit"},
		{"wide shape", array(1, header("<f8", "False", "(1, 1001)")), "more than 1000 columns, which is the limit for a file"},
		{"negative shape", array(1, header("<f8", "False", "(-1,)")), "the header has no usable shape"},
		{"empty table", array(1, header("<f8", "False", "(0, 100)")), "a table of 0 rows and 100 columns holds nothing"},
		{"three dimensions", array(1, header("<f8", "False", "(1, 1, 1)"), eight...), "3 dimensions; a series has one, a table of series two"},
		{"objects", array(1, header("|O", "False", "(1,)"), eight...), `its type "|O" is not a number of 1 to 8 bytes`},
		{"half precision", array(1, header("<f2", "False", "(4,)"), eight...), `its type "<f2" is not a number of 1 to 8 bytes`},
		{"complex", array(1, header("<c16", "False", "(1,)"), append(eight, eight...)...), `its type "<c16" is not a number of 1 to 8 bytes`},
		{"text of numbers", array(1, header("<U8", "False", "(1,)"), eight...), `its type "<U8" is not a number of 1 to 8 bytes`},
		{"structured", array(1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}", eight...), "a structured array: save one array for each column"},
		{"no dictionary", array(1, "[1, 2]"), "the header has no { where one belongs"},
		{"field missing", array(1, "{'descr': '<f8', 'shape': (1,)}", eight...), "the header is not one of a NumPy array"},
		{"field twice", array(1, "{'descr': '<f8', 'descr': '<f8', 'shape': (1,)}", eight...), "the header has descr twice"},
		{"unknown field", array(1, "{'evil': '<f8'}", eight...), `the header has an unknown field "evil"`},
		{"text behind", array(1, header("<f8", "False", "(1,)")+"x", eight...), "the header is not one of a NumPy array"},
		{"order", array(1, header("<f8", "Maybe", "(1,)"), eight...), "the header has no False where one belongs"},
		{"open quote", array(1, "{'descr: 1}"), "the header has a quote that is not closed"},
		{"not closed", array(1, "{'descr': '<f8'"), "the header has no } where one belongs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := readNPYBytes(c.data)
			if got := refusal(t, err); got != c.want {
				t.Errorf("got %q, want %q: %v", got, c.want, list)
			}
		})
	}
}

type entry struct {
	name string
	data []byte
}

func archive(t testing.TB, method uint16, entries ...entry) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w := zip.NewWriter(&buffer)
	for _, e := range entries {
		out, err := w.CreateHeader(&zip.FileHeader{Name: e.name, Method: method})
		if err == nil {
			_, err = out.Write(e.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

func readNPZBytes(data []byte, l limits) ([]track.Series, error) {
	return readNPZ(bytes.NewReader(data), int64(len(data)), l)
}

func TestReadNPZ(t *testing.T) {
	one := array(1, header("|u1", "False", "(2,)"), 1, 2)
	two := array(1, header("|u1", "False", "(1, 2)"), 3, 4)
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		got, err := readNPZBytes(archive(t, method, entry{"b.npy", one}, entry{"a.npy", two}), limitsOf(sizes.Unpacked))
		if err != nil {
			t.Fatal(err)
		}
		want := []track.Series{{Name: "b", Values: []float64{1, 2}}, {Name: "a_0", Values: []float64{3}}, {Name: "a_1", Values: []float64{4}}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestReadNPZRefuses(t *testing.T) {
	good := array(1, header("|u1", "False", "(2,)"), 1, 2)
	stored := archive(t, zip.Store, entry{"a.npy", good})
	damaged := bytes.Clone(stored)
	damaged[bytes.IndexByte(damaged, '\n')+1]++ // the first number
	lying := bytes.Clone(stored)
	directory := bytes.LastIndex(lying, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(lying[directory+24:], 0x7FFFFFFF) // the size, uncompressed
	bomb := archive(t, zip.Deflate, entry{"a.npy", array(1, header("|u1", "False", "(3000000,)"), make([]byte, 3_000_000)...)})
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"no archive", good, "not a zip archive: zip: not a valid zip file"},
		{"cut off", stored[:len(stored)-10], "not a zip archive: zip: not a valid zip file"},
		{"other entry", archive(t, zip.Store, entry{"read.me", nil}), "read.me: not a .npy file"},
		{"bad entry", archive(t, zip.Store, entry{"a.npy", []byte("hello")}), "a: not a NumPy array"},
		{"damaged", damaged, "a: zip: checksum error"},
		{"lying size", lying, "a: the header announces 2 bytes of data, but there are 2147483569"},
		{"bomb", bomb, "a: holds more than 8000000B when it is unpacked, which is the limit"},
		{"too many values together", archive(t, zip.Store, entry{"a.npy", good}, entry{"b.npy", array(1, header("|u1", "False", "(999999,)"))}),
			"b: holds more than 8000000B when it is unpacked, which is the limit"},
		{"compression", func() []byte {
			data := bytes.Clone(stored)
			data[bytes.LastIndex(data, []byte("PK\x01\x02"))+10] = 12 // bzip2
			return data
		}(), "a: cannot be read: zip: unsupported compression algorithm"},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := readNPZBytes(c.data, limits{values: 1_000_000, bytes: 8_000_000, columns: 10})
			if got := refusal(t, err); got != c.want {
				t.Errorf("got %q, want %q: %v", got, c.want, list)
			}
		})
	}
}

// What a header announces takes no memory before it is there.
func TestReadNPYLies(t *testing.T) {
	data := array(1, header("<f8", "False", "(100000000,)"))
	bytes := allocated(func() {
		_, err := readNPY(io.MultiReader(strings.NewReader(string(data)), strings.NewReader("12345678")), int64(len(data))+800_000_000, "x", limitsOf(sizes.Unpacked))
		if got := refusal(t, err); got != "the data end too early: unexpected EOF" {
			t.Error(got)
		}
	})
	if bytes > 2<<20 {
		t.Errorf("refusing it took %d bytes", bytes)
	}
}

func FuzzReadNPY(f *testing.F) {
	f.Add(array(1, header("<f8", "False", "(2,)"), make([]byte, 16)...))
	f.Add(array(2, header(">i2", "True", "(2, 2)"), make([]byte, 8)...))
	f.Add(array(3, header("|b1", "False", "()"), 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := readNPYBytes(data)
		if refusal(t, err) != "" {
			return
		}
		n := 0
		for _, s := range list {
			n += len(s.Values)
		}
		if n > len(data) {
			t.Fatalf("%d values in %d bytes", n, len(data))
		}
	})
}

func FuzzReadNPZ(f *testing.F) {
	one := array(1, header("|u1", "False", "(2,)"), 1, 2)
	f.Add(archive(f, zip.Store, entry{"a.npy", one}, entry{"b.npy", one}))
	f.Add(archive(f, zip.Deflate, entry{"a.npy", array(1, header("<f8", "False", "(20,)"), make([]byte, 160)...)}))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := readNPZBytes(data, limits{values: 1 << 16, columns: 100})
		refusal(t, err)
	})
}
