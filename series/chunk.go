package series

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// chunkSize is the largest number of values in a chunk.
const chunkSize = 16384

// Chunk is a part of a series, compressed. Chunks decode by themselves, in any order.
type Chunk struct {
	N    int    // number of values, 1 to chunkSize
	Data []byte // the number of a form, the CRC-32C of the values, and the values in that form
}

// A form turns words, the bits of values, into others that compress better, and back. Each is written as sections: the
// lowest byte of all words, then the next. The exponents of a series compress where the low bits of its mantissas do
// not.
type form struct {
	planes  int                                                             // bytes of a word that are written
	prepare func(words []uint64) (prepared []uint64, extra []byte, ok bool) // ok is false if the form does not suit the words
	restore func(words []uint64, extra []byte) error                        // in place
}

// forms are listed by their numbers, which are in databases.
var forms = []form{
	{8, func(words []uint64) ([]uint64, []byte, bool) { return words, nil, true }, func([]uint64, []byte) error { return nil }}, // for noise
	{8, func(words []uint64) ([]uint64, []byte, bool) { return differences(words), nil, true }, integrate},                      // for smooth series
	{5, asFloat32, fromFloat32},
	{8, asDecimals, fromDecimals},
	{1, asPlaces, fromPlaces},
}

const headerSize = 1 + 4 // the form and the checksum

// Encode compresses all values. The chunks of equal values are equal.
func Encode(values []float64) []Chunk {
	var chunks []Chunk
	for part := range slices.Chunk(values, chunkSize) {
		chunks = append(chunks, encodeChunk(part))
	}
	return chunks
}

// encodeChunk takes the shortest of the forms that suit the values.
func encodeChunk(values []float64) Chunk {
	words := appendWords(nil, values)
	var best []byte
	for number, f := range forms {
		prepared, extra, ok := f.prepare(words)
		if !ok {
			continue
		}
		data := binary.AppendUvarint([]byte{byte(number), 0, 0, 0, 0}, uint64(len(extra)))
		data = append(data, extra...)
		for k := range f.planes {
			data = appendPlane(data, prepared, k)
		}
		if best == nil || len(data) < len(best) {
			best = data
		}
	}
	binary.LittleEndian.PutUint32(best[1:], checksum(words))
	return Chunk{N: len(values), Data: best}
}

// errCorrupt says that a chunk is not what [Encode] wrote.
var errCorrupt = errors.New("corrupt chunk")

// AppendDecoded appends the values of a chunk to dst: the chunks of a series, one after the other, are the series. They
// have the bits that were encoded, except that every NaN has the bits of [math.NaN].
func AppendDecoded(dst []float64, c Chunk) ([]float64, error) {
	if c.N < 1 || c.N > chunkSize || len(c.Data) < headerSize || int(c.Data[0]) >= len(forms) {
		return dst, fmt.Errorf("%w: %d values in %d bytes", errCorrupt, c.N, len(c.Data))
	}
	words, err := decodeWords(forms[c.Data[0]], c.Data[headerSize:], c.N)
	if err == nil && checksum(words) != binary.LittleEndian.Uint32(c.Data[1:]) {
		err = errors.New("the checksum is wrong")
	}
	if err != nil {
		return dst, fmt.Errorf("%w: %w", errCorrupt, err)
	}
	dst = slices.Grow(dst, len(words))
	for _, word := range words {
		dst = append(dst, math.Float64frombits(word))
	}
	return dst, nil
}

var errTruncated = errors.New("the data end too early")

func decodeWords(f form, rest []byte, n int) ([]uint64, error) {
	length, size := binary.Uvarint(rest)
	if size <= 0 || length > uint64(len(rest)-size) {
		return nil, errTruncated
	}
	extra, rest := rest[size:size+int(length)], rest[size+int(length):]
	words := make([]uint64, n)
	for k := range f.planes {
		var err error
		if rest, err = readPlane(words, rest, k); err != nil {
			return nil, err
		}
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("%d bytes too many", len(rest))
	}
	return words, f.restore(words, extra)
}

// A section begins with a length: of a zstd frame, [storedSection], or [uniformSection] and the byte that repeats.
const (
	storedSection  = 0
	uniformSection = 1
)

// appendPlane appends a section with byte k of the words.
func appendPlane(dst []byte, words []uint64, k int) []byte {
	section := make([]byte, len(words))
	uniform := true
	for i, word := range words {
		section[i] = byte(word >> (8 * k))
		uniform = uniform && section[i] == section[0]
	}
	if uniform {
		return append(dst, uniformSection, section[0])
	}
	if frame := zstdEncoder().EncodeAll(section, nil); len(frame) < len(section) {
		return append(binary.AppendUvarint(dst, uint64(len(frame))), frame...)
	}
	return append(append(dst, storedSection), section...)
}

// readPlane reads byte k of the words, and returns what follows.
func readPlane(words []uint64, rest []byte, k int) ([]byte, error) {
	kind, size := binary.Uvarint(rest)
	if size <= 0 {
		return nil, errTruncated
	}
	rest = rest[size:]
	length := int(min(kind, math.MaxInt32))
	if kind == storedSection {
		length = len(words)
	}
	if length > len(rest) {
		return nil, errTruncated
	}
	section := rest[:length]
	switch kind {
	case storedSection:
	case uniformSection:
		section = slices.Repeat(section, len(words))
	default:
		var err error
		if section, err = zstdDecoder().DecodeAll(section, make([]byte, 0, len(words))); err != nil {
			return nil, err
		}
		if len(section) != len(words) {
			return nil, fmt.Errorf("a section has %d bytes, not %d", len(section), len(words))
		}
	}
	for i, b := range section {
		words[i] |= uint64(b) << (8 * k)
	}
	return rest[length:], nil
}

// differences returns the successive differences modulo 2⁶⁴, signs in the lowest bit, so that small ones have zeros
// above.
func differences(words []uint64) []uint64 {
	list := make([]uint64, len(words))
	previous := uint64(0)
	for i, word := range words {
		d := int64(word - previous)
		list[i] = uint64(d<<1) ^ uint64(d>>63)
		previous = word
	}
	return list
}

// integrate undoes differences, in place.
func integrate(deltas []uint64, _ []byte) error {
	previous := uint64(0)
	for i, d := range deltas {
		previous += d>>1 ^ -(d & 1)
		deltas[i] = previous
	}
	return nil
}

// asFloat32 halves the width of values that a program of single precision computed.
func asFloat32(words []uint64) ([]uint64, []byte, bool) {
	narrow := make([]uint64, len(words))
	for i, word := range words {
		x := float32(math.Float64frombits(word))
		if canonicalBits(float64(x)) != word {
			return nil, nil, false
		}
		narrow[i] = uint64(math.Float32bits(x))
	}
	return differences(narrow), nil, true
}

func fromFloat32(words []uint64, _ []byte) error {
	err := integrate(words, nil)
	for i, word := range words {
		words[i] = canonicalBits(float64(math.Float32frombits(uint32(word))))
	}
	return err
}

// asPlaces numbers up to 256 distinct words, in ascending order: shares of few have no others.
func asPlaces(words []uint64) ([]uint64, []byte, bool) {
	place := map[uint64]uint64{}
	for _, word := range words {
		if place[word] = 0; len(place) > 256 {
			return nil, nil, false
		}
	}
	var distinct []byte
	for i, word := range slices.Sorted(maps.Keys(place)) {
		place[word] = uint64(i)
		distinct = binary.LittleEndian.AppendUint64(distinct, word)
	}
	places := make([]uint64, len(words))
	for i, word := range words {
		places[i] = place[word]
	}
	return places, distinct, true
}

func fromPlaces(words []uint64, distinct []byte) error {
	for i, place := range words {
		if int(8*place+8) > len(distinct) {
			return errors.New("a word is not among the distinct ones")
		}
		words[i] = binary.LittleEndian.Uint64(distinct[8*place:])
	}
	return nil
}

// Values that are an integer over a power of ten, as measurements and shares are, become that integer. NaN becomes
// [decimalNaN], which no such integer is.
const (
	maxDecimals = 15
	decimalNaN  = 1 << 54
)

var powersOfTen = [maxDecimals + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15} // exact

// asDecimal returns the integer that, divided by 10^decimals, is the value of word to the last bit.
func asDecimal(word uint64, decimals int) (int64, bool) {
	x := math.Float64frombits(word)
	if math.IsNaN(x) {
		return decimalNaN, true
	}
	k := math.RoundToEven(x * powersOfTen[decimals])
	if !(math.Abs(k) <= 1<<53) || math.Float64bits(k/powersOfTen[decimals]) != word {
		return 0, false
	}
	return int64(k), word != 1<<63 // an integer has no -0
}

func asDecimals(words []uint64) ([]uint64, []byte, bool) {
	decimals := 0
	for _, word := range words {
		for {
			if _, exact := asDecimal(word, decimals); exact {
				break
			}
			if decimals++; decimals > maxDecimals {
				return nil, nil, false
			}
		}
	}
	integers := make([]uint64, len(words))
	for i, word := range words {
		k, exact := asDecimal(word, decimals)
		if !exact {
			return nil, nil, false
		}
		integers[i] = uint64(k)
	}
	return differences(integers), []byte{byte(decimals)}, true
}

func fromDecimals(words []uint64, decimals []byte) error {
	if len(decimals) != 1 || decimals[0] > maxDecimals {
		return errors.New("unknown decimals")
	}
	err := integrate(words, nil)
	for i, k := range words {
		x := float64(int64(k)) / powersOfTen[decimals[0]]
		if k == decimalNaN {
			x = math.NaN()
		}
		words[i] = math.Float64bits(x)
	}
	return err
}

// castagnoli is the table of CRC-32C, which processors compute themselves.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// checksum is the CRC-32C of the words in little-endian order.
func checksum(words []uint64) uint32 {
	data := make([]byte, 0, 8*len(words))
	for _, word := range words {
		data = binary.LittleEndian.AppendUint64(data, word)
	}
	return crc32.Checksum(data, castagnoli())
}

// zstdEncoder and zstdDecoder are for single frames, and safe to use at once. Nothing is built before it is needed.
var zstdEncoder = sync.OnceValue(func() *zstd.Encoder {
	encoder, err := zstd.NewWriter(nil,
		zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(chunkSize))
	if err != nil {
		panic(err) // of the options alone
	}
	return encoder
})

var zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic(err) // of the options alone
	}
	return decoder
})
