package series

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"track/internal/property"

	"track"
)

// sameBits compares values as they are stored: bit by bit, each NaN the same.
func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return canonicalBits(x) == canonicalBits(y) })
}

// generated returns n values of a kind that one of the forms is made for.
func generated(kind string, n int, random *rand.Rand) []float64 {
	values := make([]float64, n)
	level := 1.0
	for i := range values {
		level += random.NormFloat64() / 100
		switch kind {
		case "constant":
			values[i] = math.Copysign(0, -1)
		case "index":
			values[i] = float64(i)
		case "decimals":
			values[i] = math.Round(level*1e4) / 1e4
		case "decimals and NaN":
			values[i] = math.Round(level*1e4) / 1e4
			if i%20 == 0 {
				values[i] = math.NaN()
			}
		case "float32":
			values[i] = float64(float32(level))
		case "shares":
			values[i] = 1 - float64(random.IntN(100))/500
		case "repeated":
			values[i] = level
			if i >= n/3 {
				values[i] = values[i-n/3]
			}
		case "noise":
			values[i] = random.Float64()
		case "walk":
			values[i] = level
		case "any bits":
			values[i] = math.Float64frombits(random.Uint64())
		}
	}
	return values
}

// kinds says which form is the shortest for each kind of values, and in how many bytes a value it fits.
var kinds = []struct {
	name  string
	form  int // -1 where it does not matter
	bytes float64
}{
	{"constant", -1, 0.1},
	{"index", 3, 0.1},
	{"decimals", 3, 1.5},
	{"decimals and NaN", 3, 2},
	{"float32", 2, 3.5},
	{"shares", -1, 1.8},
	{"repeated", -1, 8},
	{"noise", 0, 8},
	{"walk", 1, 7.5},
	{"any bits", -1, 8.1},
}

func decode(c Chunk) ([]float64, error) { return AppendDecoded(nil, c) }

// Every kind of values goes to the form that is made for it, and comes back bit by bit.
func TestEncode(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, kind := range kinds {
		for _, n := range []int{1000, chunkSize, 2*chunkSize + 1} {
			values := generated(kind.name, n, random)
			chunks := Encode(values)
			if got := int(chunks[0].Data[0]); got != kind.form && kind.form >= 0 {
				t.Errorf("%d values, %s: form %d, want %d", n, kind.name, got, kind.form)
			}
			var decoded []float64
			size := 0
			for _, c := range chunks {
				var err error
				if decoded, err = AppendDecoded(decoded, c); err != nil {
					t.Fatalf("%s: %v", kind.name, err)
				}
				size += len(c.Data)
			}
			if !sameBits(decoded, values) {
				t.Errorf("%d values, %s: others come back", n, kind.name)
			}
			if size > int(kind.bytes*float64(n))+64 {
				t.Errorf("%d values, %s: %d bytes, want at most %v a value", n, kind.name, size, kind.bytes)
			}
		}
	}
}

// special draws values that coders might trip over.
var special = rapid.SampledFrom([]float64{
	0, math.Copysign(0, -1), 1, -1, 0.1, 0.07, -0.02, 1e15, 1e16, 1e22, 1e300, math.NaN(), math.Float64frombits(0xFFF8000000000123),
	math.Inf(1), math.Inf(-1), math.MaxFloat64, 5e-324, 0x1p-1022, 1 << 53, 1<<53 + 2, -(1 << 62), 0.1 + 0.2, float64(float32(0.1)),
})

func values() *rapid.Generator[[]float64] {
	return rapid.OneOf(
		rapid.SliceOfN(special, 1, 50),
		rapid.SliceOfN(rapid.Float64(), 1, 50),
		rapid.SliceOfN(rapid.Map(rapid.IntRange(-1000, 1000), func(k int) float64 { return float64(k) / 100 }), 1, 300),
		rapid.SliceOfN(rapid.Map(rapid.Float32(), func(x float32) float64 { return float64(x) }), 1, 300),
		rapid.Custom(func(t *rapid.T) []float64 {
			random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
			return generated(rapid.SampledFrom(kinds).Draw(t, "kind").name, rapid.IntRange(1, 3000).Draw(t, "n"), random)
		}),
	)
}

func TestEncodeAnything(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		want := values().Draw(t, "values")
		chunks := Encode(want)
		got, err := decode(chunks[0])
		if err != nil || len(chunks) != 1 || !sameBits(got, want) {
			t.Fatalf("%v, %v, want %v", got, err, want)
		}
		for i, x := range got {
			if math.IsNaN(x) && math.Float64bits(x) != math.Float64bits(math.NaN()) {
				t.Fatalf("%d: NaN with the bits %x", i, math.Float64bits(x))
			}
		}
	})
}

// Every form that suits the values gives them back, also those that were not the shortest.
func TestForms(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		words := appendWords(nil, values().Draw(t, "values"))
		for number, f := range forms {
			prepared, extra, ok := f.prepare(words)
			if !ok {
				continue
			}
			data := append(binary.AppendUvarint(nil, uint64(len(extra))), extra...)
			for k := range f.planes {
				data = appendPlane(data, prepared, k)
			}
			if decoded, err := decodeWords(f, data, len(words)); err != nil || !slices.Equal(decoded, words) {
				t.Fatalf("form %d: %v, %x, want %x", number, err, decoded, words)
			}
		}
	})
}

// Chunks are in databases: whatever becomes of the encoder, those of testdata must decode to the values of their hash.
// Each line is a name, the number of values, their hash and the data.
func TestDecodeOldChunks(t *testing.T) {
	text, err := os.ReadFile("testdata/chunks.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[byte]bool{}
	for line := range strings.Lines(string(text)) {
		var c Chunk
		var name, hash string
		if _, err := fmt.Sscanf(line, "%s %d %s %x", &name, &c.N, &hash, &c.Data); err != nil {
			t.Fatal(err)
		}
		got, err := decode(c)
		if err != nil || fmt.Sprintf("%x", (track.Series{Values: got}).Hash()) != hash {
			t.Errorf("%s: %v: %v", name, err, got)
		}
		seen[c.Data[0]] = true
	}
	if len(seen) != len(forms) {
		t.Errorf("of the forms only %v are in the file", seen)
	}
}

// A chunk that somebody changed is refused, or the change made no difference, as in the bits that fill the last byte.
func TestDecodeCorrupt(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, kind := range kinds {
		want := generated(kind.name, 300, random)
		chunk := Encode(want)[0]
		for i := range chunk.Data {
			for _, flip := range []byte{1, 0x80, 0xFF} {
				data := bytes.Clone(chunk.Data)
				data[i] ^= flip
				checkCorrupt(t, Chunk{chunk.N, data}, want)
			}
			checkCorrupt(t, Chunk{chunk.N, chunk.Data[:i]}, nil)
		}
		checkCorrupt(t, Chunk{chunk.N, append(bytes.Clone(chunk.Data), 0)}, nil)
		for _, n := range []int{-1, 0, 1, 299, 301, chunkSize, chunkSize + 1, math.MaxInt} {
			checkCorrupt(t, Chunk{n, chunk.Data}, nil)
		}
	}
}

func checkCorrupt(t *testing.T, c Chunk, want []float64) {
	t.Helper()
	got, err := decode(c)
	if err == nil && (want == nil || !sameBits(got, want)) {
		t.Errorf("%d values in %x are taken for %v", c.N, c.Data, got)
	}
	if err != nil && !errors.Is(err, errCorrupt) {
		t.Errorf("%v", err)
	}
}

func FuzzDecode(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, kind := range kinds {
		c := Encode(generated(kind.name, 100, random))[0]
		f.Add(c.N, c.Data)
	}
	f.Fuzz(func(t *testing.T, n int, data []byte) {
		got, err := decode(Chunk{n, data})
		if err != nil {
			if !errors.Is(err, errCorrupt) {
				t.Fatal(err)
			}
			return
		}
		again, err := decode(Encode(got)[0])
		if err != nil || len(got) != n || !sameBits(again, got) {
			t.Fatalf("%v, %v, want %v", again, err, got)
		}
	})
}

// FuzzForm feeds the forms behind the checksum, which keeps nearly everything from them.
func FuzzForm(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, kind := range kinds {
		c := Encode(generated(kind.name, 100, random))[0]
		f.Add(c.Data[0], uint16(c.N), c.Data[headerSize:])
	}
	f.Fuzz(func(t *testing.T, number byte, n uint16, data []byte) {
		if int(number) < len(forms) && 0 < n && n <= chunkSize {
			_, _ = decodeWords(forms[number], data, int(n))
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, kind := range kinds {
		b.Run(kind.name, func(b *testing.B) {
			values := generated(kind.name, 1000, random)
			b.SetBytes(8 * int64(len(values)))
			for b.Loop() {
				Encode(values)
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, kind := range kinds {
		b.Run(kind.name, func(b *testing.B) {
			chunk := Encode(generated(kind.name, 1000, random))[0]
			b.SetBytes(8 * int64(chunk.N))
			for b.Loop() {
				if _, err := decode(chunk); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
