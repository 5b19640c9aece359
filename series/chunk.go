package series

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"sync"
)

// chunkSize is the largest number of values in a chunk.
const chunkSize = 16384

// Chunk is a part of a series, compressed. Chunks decode by themselves, in any order.
type Chunk struct {
	N    int    // number of values, 1 to chunkSize
	Data []byte // the number of a coder, a checksum of the values, and what the coder wrote
}

// A coder turns words, the bits of values, into bytes and back.
type coder struct {
	// append appends the encoded words to dst; false if the coder is not made for them.
	append func(e *encoding, dst []byte) ([]byte, bool)
	// decode fills words with what append wrote. It must accept any input.
	decode func(in *input, words []uint64) error
}

// coders are listed by their numbers, which are in databases and must not change.
func coders() []coder {
	return []coder{
		coderConstant:   {(*encoding).constant, (*input).constant},
		coderDecimal:    {(*encoding).decimal, (*input).decimal},
		coderFloat32:    {(*encoding).float32, (*input).float32},
		coderDictionary: {(*encoding).dictionary, (*input).dictionary},
		coderPlain:      {(*encoding).plain, (*input).plain},
		coderShuffled:   {(*encoding).shuffled, (*input).shuffled},
		coderDelta:      {(*encoding).delta, (*input).delta},
	}
}

const (
	coderConstant = iota
	coderDecimal
	coderFloat32
	coderDictionary
	coderPlain
	coderShuffled
	coderDelta
)

// headerSize is the coder and the checksum.
const headerSize = 1 + 4

// castagnoli is the table of CRC-32C, which processors compute themselves.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// checksum is the CRC-32C of the words in little-endian order.
func checksum(words []uint64) uint32 {
	var buffer [8 * 512]byte
	table, sum := castagnoli(), uint32(0)
	for part := range slices.Chunk(words, len(buffer)/8) {
		for i, word := range part {
			binary.LittleEndian.PutUint64(buffer[8*i:], word)
		}
		sum = crc32.Update(sum, table, buffer[:8*len(part)])
	}
	return sum
}

// Encode compresses all values. The chunks of equal values are equal.
func Encode(values []float64) []Chunk {
	var chunks []Chunk
	for part := range slices.Chunk(values, chunkSize) {
		chunks = append(chunks, encodeChunk(part))
	}
	return chunks
}

// encoding is a chunk on its way, and the memory that the way takes.
type encoding struct {
	words      []uint64
	scratch    []uint64
	section    []byte
	best, next []byte // the shortest form so far, and room for another
}

var encodings = sync.Pool{New: func() any { return new(encoding) }}

// encodeChunk takes the shortest result of the coders that suit the values. If none does, it takes a coder for noise.
func encodeChunk(values []float64) Chunk {
	e := encodings.Get().(*encoding)
	defer encodings.Put(e)
	e.words, e.best = appendWords(e.words[:0], values), e.best[:0]
	if !e.try(coderConstant) {
		decimal := e.try(coderDecimal)
		switch {
		case e.try(coderDictionary), decimal, e.try(coderFloat32), e.try(coderPlain):
		default:
			e.try(e.noiseCoder())
		}
	}
	binary.LittleEndian.PutUint32(e.best[1:], checksum(e.words))
	return Chunk{N: len(values), Data: slices.Clone(e.best)}
}

// try reports whether the coder suits the words. It keeps the result if it is the shortest so far.
func (e *encoding) try(number byte) bool {
	encoded, ok := coders()[number].append(e, append(e.next[:0], number, 0, 0, 0, 0))
	e.next = encoded
	if ok && (len(e.best) == 0 || len(encoded) < len(e.best)) {
		e.best, e.next = encoded, e.best
	}
	return ok
}

// errCorrupt says that a chunk is not what [Encode] wrote.
var errCorrupt = errors.New("corrupt chunk")

// AppendDecoded appends the values of a chunk to dst: the chunks of a series, one after the other, are the series. They
// have the bits that were encoded, except that every NaN has the bits of [math.NaN].
func AppendDecoded(dst []float64, c Chunk) ([]float64, error) {
	if c.N < 1 || c.N > chunkSize || len(c.Data) < headerSize {
		return dst, fmt.Errorf("%w: %d values in %d bytes", errCorrupt, c.N, len(c.Data))
	}
	words, err := decodeWords(c)
	if err != nil {
		return dst, fmt.Errorf("%w: %w", errCorrupt, err)
	}
	dst = slices.Grow(dst, len(words))
	for _, word := range words {
		dst = append(dst, math.Float64frombits(word))
	}
	return dst, nil
}

func decodeWords(c Chunk) ([]uint64, error) {
	list, number := coders(), int(c.Data[0])
	if number >= len(list) {
		return nil, fmt.Errorf("unknown coder %d", number)
	}
	words := make([]uint64, c.N)
	in := &input{c.Data[headerSize:]}
	if err := list[number].decode(in, words); err != nil {
		return nil, err
	}
	if len(in.rest) > 0 {
		return nil, fmt.Errorf("%d bytes too many", len(in.rest))
	}
	if checksum(words) != binary.LittleEndian.Uint32(c.Data[1:]) {
		return nil, errors.New("the checksum is wrong")
	}
	return words, nil
}
