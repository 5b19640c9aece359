package store

import (
	"encoding/binary"
	"fmt"
	"math"

	"track"
)

// pageRow decodes the columns of a row, one after the other.
type pageRow struct {
	types, data []byte
	err         error // the first that was met
}

// unpack begins with the row in a cell. Rows of the tables that are read like this fit on their page.
func (r *pageRow) unpack(cell []byte) error {
	size, n := varint(cell)
	if n == 0 || size > uint64(len(cell)-n) {
		return errOutside
	}
	return r.open(cell[n : n+int(size)])
}

// open begins with a row.
func (r *pageRow) open(payload []byte) error {
	header, n := varint(payload)
	if n == 0 || header > uint64(len(payload)) || header < uint64(n) {
		return errOutside
	}
	*r = pageRow{types: payload[n:header], data: payload[header:]}
	return nil
}

func (r *pageRow) failure() error { return r.err }

// sizes are how many bytes columns of the first types take; the last two are of no column.
var sizes = [...]uint64{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0}

// next returns the type of the next column and its bytes.
func (r *pageRow) next() (kind uint64, data []byte) {
	if len(r.types) > 0 && r.types[0] < 0x80 { // mostly
		kind, r.types = uint64(r.types[0]), r.types[1:]
	} else {
		n := 0
		if kind, n = varint(r.types); n == 0 {
			r.err = errOutside
			return 0, nil
		}
		r.types = r.types[n:]
	}
	length := (kind - 12) / 2
	if kind < uint64(len(sizes)) {
		length = sizes[kind]
	}
	if length > uint64(len(r.data)) {
		r.err = errOutside
		return 0, nil
	}
	data, r.data = r.data[:length], r.data[length:]
	return kind, data
}

func (r *pageRow) skip() { _, _ = r.next() }

// The types of columns of a row.
const (
	typeNull   = 0
	typeFloat  = 7
	typeZero   = 8
	typeOne    = 9
	lastNumber = 9
)

// integer returns the next column, which holds a whole number.
func (r *pageRow) integer() int64 {
	kind, data := r.next()
	if kind == typeNull || kind == typeFloat || kind > lastNumber {
		r.err = errNotNumber
		return 0
	}
	return wholeNumber(kind, data)
}

// number returns the next column, which holds a number or NULL.
func (r *pageRow) number() (x float64, isNull bool) {
	kind, data := r.next()
	switch {
	case kind == typeNull:
		return math.NaN(), true
	case kind == typeFloat:
		return math.Float64frombits(binary.BigEndian.Uint64(data)), false
	case kind > lastNumber:
		r.err = errNotNumber
		return 0, false
	}
	return float64(wholeNumber(kind, data)), false
}

var errNotNumber = fmt.Errorf("%w: a text stands where a number belongs", track.ErrDamaged)

func wholeNumber(kind uint64, data []byte) int64 {
	switch kind {
	case typeZero:
		return 0
	case typeOne:
		return 1
	}
	switch len(data) {
	case 1:
		return int64(int8(data[0]))
	case 2:
		return int64(int16(binary.BigEndian.Uint16(data)))
	case 8:
		return int64(binary.BigEndian.Uint64(data))
	}
	n := int64(int8(data[0]))
	for _, b := range data[1:] {
		n = n<<8 | int64(b)
	}
	return n
}

// varint decodes a number of SQLite's variable length and returns how many bytes it takes; 0 if it is cut off.
func varint(data []byte) (value uint64, n int) {
	const longest = 9
	for n < len(data) && n < longest-1 {
		b := data[n]
		n++
		value = value<<7 | uint64(b&0x7f)
		if b < 0x80 {
			return value, n
		}
	}
	if n == longest-1 && n < len(data) {
		return value<<8 | uint64(data[n]), longest
	}
	return 0, 0
}
