package series

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/huff0"
	"github.com/klauspost/compress/zstd"
)

// Sections are strings of bytes of a known length, each written in the shortest way. Coders put bytes of one kind into
// one section: the exponents of a series compress where the low bits of its mantissas, noise, do not.
const (
	sectionZero     = 0 // nothing follows: all bytes are 0
	sectionConstant = 1 // one byte follows: all bytes are equal to it
	sectionStored   = 2 // the bytes follow
	sectionHuffman  = 3 // a length, and as many bytes of a Huffman table and codes as zstd has them for literals (RFC 8878, 4.2)
	sectionZstd     = 4 // a length, and a zstd frame of that length (RFC 8878, 3.1)
)

// appendSection expects a section in which, if anything, some bytes are more frequent than others.
func appendSection(dst, section []byte) []byte {
	if first, ok := uniform(section); ok {
		if first == 0 {
			return append(dst, sectionZero)
		}
		return append(dst, sectionConstant, first)
	}
	if noise(section) {
		return appendStored(dst, section)
	}
	coded := appendHuffman(dst, section)
	switch size := len(coded) - len(dst); {
	case size == 0 || size > len(section):
		return appendStored(dst, section)
	case size > len(section)*5/8:
		return coded
	default: // so few different bytes may well repeat in patterns
		if frame := appendZstd(nil, section); len(frame) < size {
			return append(dst, frame...)
		}
		return coded
	}
}

// appendRepetitive expects a section in which patterns repeat.
func appendRepetitive(dst, section []byte) []byte {
	if frame := appendZstd(nil, section); len(frame) <= len(section) {
		return append(dst, frame...)
	}
	return appendStored(dst, section)
}

func appendStored(dst, section []byte) []byte { return append(append(dst, sectionStored), section...) }

func appendZstd(dst, section []byte) []byte {
	frame := zstdEncoder().EncodeAll(section, nil)
	dst = binary.AppendUvarint(append(dst, sectionZstd), uint64(len(frame)))
	return append(dst, frame...)
}

// appendHuffman appends nothing if that would not be shorter.
func appendHuffman(dst, section []byte) []byte {
	scratch := huffman.Get().(*huff0.Scratch)
	defer huffman.Put(scratch)
	scratch.Reuse = huff0.ReusePolicyNone // of the table of the last section
	coded, _, err := huff0.Compress1X(section, scratch)
	if err != nil {
		return dst
	}
	dst = binary.AppendUvarint(append(dst, sectionHuffman), uint64(len(coded)))
	return append(dst, coded...)
}

// uniform reports whether all bytes are the same, and which byte it is.
func uniform(section []byte) (byte, bool) {
	for _, b := range section {
		if b != section[0] {
			return 0, false
		}
	}
	return section[0], true
}

// noise reports whether bytes look uniformly random, so that there is no use in trying to compress them. It compares
// the sum of squared counts with the one expected, by the chi-squared test: random bytes pass in 999 of 1000 cases.
func noise(section []byte) bool {
	n := float64(len(section))
	const limit = 330.5 // of 255 degrees of freedom, at 0.999
	return squaredCounts(section)*256/n-n < limit
}

// squaredCounts is the sum over all bytes of the square of how often each occurs.
func squaredCounts(section []byte) float64 {
	var counts [256]uint32
	for _, b := range section {
		counts[b]++
	}
	sum := uint64(0)
	for _, c := range counts {
		sum += uint64(c) * uint64(c)
	}
	return float64(sum)
}

// input is the rest of the data of a chunk.
type input struct{ rest []byte }

var errTruncated = errors.New("the data end too early")

func (in *input) take(n int) ([]byte, error) {
	if n < 0 || n > len(in.rest) {
		return nil, errTruncated
	}
	taken := in.rest[:n]
	in.rest = in.rest[n:]
	return taken, nil
}

func (in *input) byte() (byte, error) {
	taken, err := in.take(1)
	if err != nil {
		return 0, err
	}
	return taken[0], nil
}

// uvarint reads a number of at most limit.
func (in *input) uvarint(limit int) (int, error) {
	x, size := binary.Uvarint(in.rest)
	if size <= 0 || x > uint64(limit) {
		return 0, fmt.Errorf("a number is not from 0 to %d", limit)
	}
	in.rest = in.rest[size:]
	return int(x), nil
}

// section reads what [appendSection] wrote of n bytes.
func (in *input) section(n int) ([]byte, error) {
	kind, err := in.byte()
	if err != nil {
		return nil, err
	}
	switch kind {
	case sectionZero:
		return make([]byte, n), nil
	case sectionConstant:
		b, err := in.byte()
		if err != nil {
			return nil, err
		}
		section := make([]byte, n)
		for i := range section {
			section[i] = b
		}
		return section, nil
	case sectionStored:
		return in.take(n)
	case sectionHuffman:
		return in.coded(n, decodeHuffman)
	case sectionZstd:
		return in.coded(n, zstdDecoder().DecodeAll)
	}
	return nil, fmt.Errorf("unknown section %d", kind)
}

// coded reads a length and as many bytes, which decode must turn into n. decode appends to dst, never beyond its
// capacity.
func (in *input) coded(n int, decode func(coded, dst []byte) ([]byte, error)) ([]byte, error) {
	length, err := in.uvarint(len(in.rest))
	if err != nil {
		return nil, err
	}
	coded, err := in.take(length)
	if err != nil {
		return nil, err
	}
	section, err := decode(coded, make([]byte, 0, n))
	if err == nil && len(section) != n {
		err = fmt.Errorf("a section has %d bytes, not %d", len(section), n)
	}
	return section, err
}

func decodeHuffman(coded, dst []byte) ([]byte, error) {
	scratch := huffman.Get().(*huff0.Scratch)
	defer huffman.Put(scratch)
	scratch, coded, err := huff0.ReadTable(coded, scratch)
	if err != nil {
		return nil, err
	}
	return scratch.Decoder().Decompress1X(dst, coded)
}

// huffman holds tables to be used again.
var huffman = sync.Pool{New: func() any { return new(huff0.Scratch) }}

// zstdEncoder and zstdDecoder are for single frames, and safe to use at once. Nothing is built before it is needed.
var zstdEncoder = sync.OnceValue(func() *zstd.Encoder {
	encoder, err := zstd.NewWriter(nil,
		zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(8*chunkSize))
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
