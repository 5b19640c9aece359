package parquet

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// Encodings of values.
const (
	encodingPlain           = 0
	encodingPlainDictionary = 2
	encodingRLE             = 3
	encodingDelta           = 5 // DELTA_BINARY_PACKED
	encodingDictionary      = 8
	encodingSplit           = 9 // BYTE_STREAM_SPLIT
)

// Codecs of pages.
const (
	codecNone   = 0
	codecSnappy = 1
	codecGzip   = 2
	codecZstd   = 6
)

var errTruncated = errors.New("the values end too early")

// decompress returns the bytes of a page. The memory that it takes is bounded by the number of values.
func decompress(page []byte, codec int, size, values int64) ([]byte, error) {
	const perValue, fixed = 16, 1 << 12 // more than a value takes in any encoding
	if size < 0 || size > perValue*values+fixed {
		return nil, fmt.Errorf("a page of %d bytes for %d values", size, values)
	}
	if size == 0 && len(page) == 0 { // a page of nulls
		return nil, nil
	}
	var data []byte
	var err error
	switch codec {
	case codecNone:
		data = page
	case codecSnappy:
		data, err = unsnap(page, int(size))
	case codecGzip:
		data, err = gunzip(page, size)
	case codecZstd:
		data, err = unzstd(page, size)
	default:
		return nil, fmt.Errorf("the compression %s is not supported", codecName(codec))
	}
	if err != nil {
		return nil, fmt.Errorf("a page cannot be decompressed: %w", err)
	}
	if int64(len(data)) != size {
		return nil, fmt.Errorf("a page has %d bytes where %d were announced", len(data), size)
	}
	return data, nil
}

func codecName(codec int) string {
	switch codec {
	case 3:
		return "LZO"
	case 4:
		return "BROTLI"
	case 5, 7:
		return "LZ4"
	}
	return fmt.Sprint(codec)
}

func unsnap(page []byte, size int) ([]byte, error) {
	n, err := s2.DecodedLen(page)
	if err == nil && n != size {
		err = fmt.Errorf("it has %d bytes where %d were announced", n, size)
	}
	if err != nil {
		return nil, err
	}
	return s2.Decode(nil, page)
}

func gunzip(page []byte, size int64) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(page))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, size+1))
}

func unzstd(page []byte, size int64) ([]byte, error) {
	decoder := decoders.Get().(*zstd.Decoder)
	defer decoders.Put(decoder)
	if err := decoder.Reset(bytes.NewReader(page)); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(decoder, size+1)) // grows with what comes, whatever the frame announces
}

var decoders = sync.Pool{New: func() any {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic(err) // of the options alone
	}
	return decoder
}}

// decode returns the n values of a page that are not null.
func (c *columnReader) decode(data []byte, encoding int64, n int) ([]float64, error) {
	switch {
	case encoding == encodingPlain:
		return c.element.plain(nil, data, n)
	case encoding == encodingDictionary || encoding == encodingPlainDictionary:
		return c.lookUp(data, n)
	case encoding == encodingRLE && c.element.physical == typeBoolean:
		levels, _, err := prefixed(data)
		if err != nil {
			return nil, err
		}
		var values []float64
		err = hybrid(levels, 1, n, func(bit uint32, count int) error {
			for range count {
				values = append(values, float64(bit))
			}
			return nil
		})
		return values, err
	case encoding == encodingDelta && (c.element.physical == typeInt32 || c.element.physical == typeInt64):
		return c.element.delta(data, n)
	case encoding == encodingSplit && c.element.physical != typeBoolean:
		return c.element.split(data, n)
	}
	return nil, fmt.Errorf("the encoding %d is not supported", encoding)
}

// width is the number of bytes of a plain value.
func (e element) width() int {
	switch e.physical {
	case typeInt32, typeFloat:
		return 4
	}
	return 8
}

// number is the number whose bytes are the lowest of raw.
func (e element) number(raw uint64) float64 {
	switch {
	case e.physical == typeFloat:
		return float64(math.Float32frombits(uint32(raw)))
	case e.physical == typeDouble:
		return math.Float64frombits(raw)
	case e.physical == typeInt32 && e.meaning == unsignedNumber:
		return float64(uint32(raw))
	case e.physical == typeInt32:
		return float64(int32(raw))
	case e.meaning == unsignedNumber:
		return float64(raw)
	}
	return float64(int64(raw))
}

// plain appends n values that stand one after the other.
func (e element) plain(values []float64, data []byte, n int) ([]float64, error) {
	if e.physical == typeBoolean {
		if n > 8*len(data) {
			return nil, errTruncated
		}
		for i := range n {
			values = append(values, float64(data[i/8]>>(i%8)&1))
		}
		return values, nil
	}
	width := e.width()
	if n > len(data)/width {
		return nil, errTruncated
	}
	if values == nil {
		values = make([]float64, 0, n)
	}
	for i := range n {
		if width == 4 {
			values = append(values, e.number(uint64(binary.LittleEndian.Uint32(data[4*i:]))))
		} else {
			values = append(values, e.number(binary.LittleEndian.Uint64(data[8*i:])))
		}
	}
	return values, nil
}

// split reads n values: the first bytes of all values, then the second bytes, and so on.
func (e element) split(data []byte, n int) ([]float64, error) {
	width := e.width()
	if n > len(data)/width {
		return nil, errTruncated
	}
	values := make([]float64, n)
	for i := range values {
		raw := uint64(0)
		for k := range width {
			raw |= uint64(data[k*n+i]) << (8 * k)
		}
		values[i] = e.number(raw)
	}
	return values, nil
}

// lookUp reads n indices and returns what the dictionary has for them.
func (c *columnReader) lookUp(data []byte, n int) ([]float64, error) {
	if n == 0 {
		return nil, nil
	}
	if len(data) == 0 {
		return nil, errTruncated
	}
	var values []float64
	err := hybrid(data[1:], int(data[0]), n, func(index uint32, count int) error {
		if int64(index) >= int64(len(c.dictionary)) {
			return errors.New("an index is not in the dictionary")
		}
		for range count {
			values = append(values, c.dictionary[index])
		}
		return nil
	})
	return values, err
}

// hybrid reads n unsigned integers of the given width in bits, in the hybrid of run lengths and bit packing.
func hybrid(data []byte, width, n int, emit func(value uint32, count int) error) error {
	if width > 32 {
		return fmt.Errorf("integers of %d bits", width)
	}
	for n > 0 {
		header, size := binary.Uvarint(data)
		if size <= 0 {
			return errTruncated
		}
		data = data[size:]
		count := header >> 1
		var err error
		if header&1 == 0 {
			run := int(min(count, uint64(n)))
			n -= run
			data, err = runLength(data, width, run, emit)
		} else {
			if count > uint64(len(data)) && width > 0 {
				return errTruncated
			}
			packed := int(min(8*min(count, 1<<28), uint64(n)))
			n -= packed
			data, err = bitPacked(data, width, packed, int(min(count, 1<<28)), emit)
		}
		if err != nil {
			return err
		}
		if count == 0 {
			return errors.New("a run of no values")
		}
	}
	return nil
}

func runLength(data []byte, width, count int, emit func(uint32, int) error) ([]byte, error) {
	size := (width + 7) / 8
	if size > len(data) {
		return nil, errTruncated
	}
	value := uint32(0)
	for k := range size {
		value |= uint32(data[k]) << (8 * k)
	}
	if width < 32 && value>>width != 0 {
		return nil, fmt.Errorf("%d does not fit in %d bits", value, width)
	}
	return data[size:], emit(value, count)
}

// bitPacked reads count values of groups of eight.
func bitPacked(data []byte, width, count, groups int, emit func(uint32, int) error) ([]byte, error) {
	size := groups * width
	if size > len(data) { // the last group may be cut off
		if (count*width+7)/8 > len(data) {
			return nil, errTruncated
		}
		size = len(data)
	}
	bits := bitReader{data: data[:size]}
	for range count {
		if err := emit(uint32(bits.read(width)), 1); err != nil {
			return nil, err
		}
	}
	return data[size:], nil
}

// bitReader reads integers from their lowest bit on. Beyond the end it reads zeros.
type bitReader struct {
	data []byte
	at   int // in bits
}

func (b *bitReader) read(width int) uint64 {
	value := uint64(0)
	for got := 0; got < width; {
		if b.at/8 >= len(b.data) {
			break
		}
		shift := b.at % 8
		n := min(8-shift, width-got)
		value |= uint64(b.data[b.at/8]>>shift&(1<<n-1)) << got
		got += n
		b.at += n
	}
	return value
}

// delta reads n integers in the encoding DELTA_BINARY_PACKED.
func (e element) delta(data []byte, n int) ([]float64, error) {
	d := deltaReader{rest: data}
	blockSize, miniblocks, count := d.uvarint(), d.uvarint(), d.uvarint()
	value := uint64(d.varint())
	if d.failed || count != uint64(n) || miniblocks == 0 || miniblocks > 512 || blockSize > 1<<20 || blockSize%miniblocks != 0 {
		return nil, errors.New("the header of its integers is damaged")
	}
	if n == 0 {
		return nil, nil
	}
	values := []float64{e.number(value)}
	perMiniblock := int(blockSize / miniblocks)
	for len(values) < n {
		least := uint64(d.varint())
		widths := d.take(int(miniblocks))
		if d.failed || perMiniblock == 0 {
			return nil, errTruncated
		}
		for _, width := range widths {
			if len(values) == n {
				break
			}
			packed := d.take((perMiniblock*int(width) + 7) / 8)
			if d.failed || width > 64 {
				return nil, errTruncated
			}
			bits := bitReader{data: packed}
			for range min(perMiniblock, n-len(values)) {
				value += least + bits.read(int(width))
				values = append(values, e.number(value))
			}
		}
	}
	return values, nil
}

// deltaReader reads numbers and bytes; once it has failed it returns zeros.
type deltaReader struct {
	rest   []byte
	failed bool
}

func (d *deltaReader) uvarint() uint64 {
	x, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.failed = true
		return 0
	}
	d.rest = d.rest[n:]
	return x
}

func (d *deltaReader) varint() int64 {
	x := d.uvarint()
	return int64(x>>1) ^ -int64(x&1)
}

func (d *deltaReader) take(n int) []byte {
	if n > len(d.rest) {
		d.failed = true
		return nil
	}
	taken := d.rest[:n]
	d.rest = d.rest[n:]
	return taken
}
