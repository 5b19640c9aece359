package parquet

import (
	"encoding/binary"
	"errors"
)

// The types of fields in Thrift's compact protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// thriftReader reads Thrift's compact protocol. After an error it does nothing and returns zeros.
type thriftReader struct {
	rest  []byte
	depth int
	err   error
}

var errThrift = errors.New("the metadata are damaged")

func (t *thriftReader) fail() {
	t.err, t.rest = errThrift, nil
}

func (t *thriftReader) take(n int) []byte {
	if n < 0 || n > len(t.rest) {
		t.fail()
		return nil
	}
	taken := t.rest[:n]
	t.rest = t.rest[n:]
	return taken
}

func (t *thriftReader) byte() byte {
	if taken := t.take(1); taken != nil {
		return taken[0]
	}
	return 0
}

func (t *thriftReader) uvarint() uint64 {
	x, n := binary.Uvarint(t.rest)
	if n <= 0 {
		t.fail()
		return 0
	}
	t.rest = t.rest[n:]
	return x
}

// integer reads an integer of any width.
func (t *thriftReader) integer() int64 {
	x := t.uvarint()
	return int64(x>>1) ^ -int64(x&1)
}

func (t *thriftReader) text() string { return string(t.binary()) }

func (t *thriftReader) binary() []byte {
	n := t.uvarint()
	if n > uint64(len(t.rest)) {
		t.fail()
		return nil
	}
	return t.take(int(n))
}

// list calls element for each element, which must read or skip it.
func (t *thriftReader) list(element func(kind byte)) {
	header := t.byte()
	n, kind := uint64(header>>4), header&15
	if n == 15 {
		n = t.uvarint()
	}
	if n > uint64(len(t.rest)) { // an element takes a byte at least
		t.fail()
	}
	for i := uint64(0); i < n && t.err == nil; i++ {
		element(kind)
	}
}

// structure calls field for each field, which must read or skip its value. Of a boolean field the kind is the value.
func (t *thriftReader) structure(field func(id int, kind byte)) {
	const deepest = 32
	if t.depth++; t.depth > deepest {
		t.fail()
	}
	id := 0
	for t.err == nil {
		header := t.byte()
		if header == 0 {
			break
		}
		if delta := int(header >> 4); delta > 0 {
			id += delta
		} else {
			id = int(int16(t.integer()))
		}
		field(id, header&15)
	}
	t.depth--
}

func (t *thriftReader) skip(kind byte) {
	switch kind {
	case thriftTrue, thriftFalse:
	case thriftByte:
		t.byte()
	case thriftI16, thriftI32, thriftI64:
		t.uvarint()
	case thriftDouble:
		t.take(8)
	case thriftBinary:
		t.binary()
	case thriftList, thriftSet:
		t.list(t.skipElement)
	case thriftMap:
		t.skipMap()
	case thriftStruct:
		t.structure(func(_ int, kind byte) { t.skip(kind) })
	default:
		t.fail()
	}
}

// skipElement is [thriftReader.skip] where a boolean takes a byte of its own.
func (t *thriftReader) skipElement(kind byte) {
	const deepest = 32
	if t.depth++; t.depth > deepest {
		t.fail()
	}
	if kind == thriftTrue || kind == thriftFalse {
		kind = thriftByte
	}
	t.skip(kind)
	t.depth--
}

func (t *thriftReader) skipMap() {
	n := t.uvarint()
	if n == 0 {
		return
	}
	kinds := t.byte()
	if n > uint64(len(t.rest)) {
		t.fail()
	}
	for ; n > 0 && t.err == nil; n-- {
		t.skipElement(kinds >> 4)
		t.skipElement(kinds & 15)
	}
}

// thriftWriter writes Thrift's compact protocol. Fields come in ascending order, and structures are closed with end.
type thriftWriter struct {
	out  []byte
	last []int // id of the last field, for each structure that is open
}

func (t *thriftWriter) begin() { t.last = append(t.last, 0) }

func (t *thriftWriter) end() {
	t.last = t.last[:len(t.last)-1]
	t.out = append(t.out, 0)
}

// field begins a field of a structure; all ids are at most 15 apart.
func (t *thriftWriter) field(id int, kind byte) {
	last := &t.last[len(t.last)-1]
	t.out = append(t.out, byte(id-*last)<<4|kind)
	*last = id
}

func (t *thriftWriter) integer(x int64) {
	t.out = binary.AppendUvarint(t.out, uint64(x<<1)^uint64(x>>63))
}

func (t *thriftWriter) i32(id, x int) {
	t.field(id, thriftI32)
	t.integer(int64(x))
}

func (t *thriftWriter) i64(id int, x int64) {
	t.field(id, thriftI64)
	t.integer(x)
}

func (t *thriftWriter) text(id int, s string) {
	t.field(id, thriftBinary)
	t.element(s)
}

// element is a text in a list.
func (t *thriftWriter) element(s string) {
	t.out = append(binary.AppendUvarint(t.out, uint64(len(s))), s...)
}

func (t *thriftWriter) list(id int, kind byte, n int) {
	t.field(id, thriftList)
	if n < 15 {
		t.out = append(t.out, byte(n)<<4|kind)
		return
	}
	t.out = binary.AppendUvarint(append(t.out, 15<<4|kind), uint64(n))
}
