package parquet

import (
	"errors"
	"fmt"
)

// Physical types.
const (
	typeBoolean = 0
	typeInt32   = 1
	typeInt64   = 2
	typeFloat   = 4
	typeDouble  = 5
)

// Repetition of a column.
const (
	required = 0
	optional = 1
)

// element is an element of the schema.
type element struct {
	name       string
	physical   int
	repetition int
	children   int
	meaning    meaning
}

// meaning is what the numbers of a column stand for.
type meaning int

const (
	signedNumber meaning = iota
	unsignedNumber
	otherThing // a time, a decimal, a text
)

// chunk is where the values of a column of a row group are.
type chunk struct {
	path           []string
	physical       int
	codec          int
	values         int64
	offset, length int64 // in the file, of all pages
	file           string
}

type rowGroup struct {
	chunks []chunk
	rows   int64
}

type metadata struct {
	schema []element
	groups []rowGroup
}

func parseMetadata(data []byte) (metadata, error) {
	t := &thriftReader{rest: data}
	var m metadata
	t.structure(func(id int, kind byte) {
		switch {
		case id == 2 && kind == thriftList:
			t.list(func(kind byte) { m.schema = append(m.schema, t.element(kind)) })
		case id == 4 && kind == thriftList:
			t.list(func(kind byte) { m.groups = append(m.groups, t.rowGroup(kind)) })
		default:
			t.skip(kind)
		}
	})
	return m, t.err
}

func (t *thriftReader) element(kind byte) element {
	e := element{physical: -1, repetition: required}
	if kind != thriftStruct {
		t.fail()
	}
	t.structure(func(id int, kind byte) {
		switch {
		case id == 1 && kind == thriftI32:
			e.physical = int(t.integer())
		case id == 3 && kind == thriftI32:
			e.repetition = int(t.integer())
		case id == 4 && kind == thriftBinary:
			e.name = t.text()
		case id == 5 && kind == thriftI32:
			e.children = int(t.integer())
		case id == 6 && kind == thriftI32:
			e.meaning = convertedMeaning(t.integer())
		case id == 10 && kind == thriftStruct:
			e.meaning = t.logicalMeaning()
		default:
			t.skip(kind)
		}
	})
	return e
}

// convertedMeaning understands the older annotation, ConvertedType.
func convertedMeaning(converted int64) meaning {
	switch {
	case converted >= 11 && converted <= 14: // UINT_8 to UINT_64
		return unsignedNumber
	case converted >= 15 && converted <= 18: // INT_8 to INT_64
		return signedNumber
	}
	return otherThing
}

// logicalMeaning understands the newer annotation, the union LogicalType.
func (t *thriftReader) logicalMeaning() meaning {
	result := otherThing
	t.structure(func(id int, kind byte) {
		switch {
		case id == 10 && kind == thriftStruct: // INTEGER
			t.structure(func(id int, kind byte) {
				switch {
				case id == 2 && kind == thriftTrue:
					result = signedNumber
				case id == 2 && kind == thriftFalse:
					result = unsignedNumber
				default:
					t.skip(kind)
				}
			})
		case id == 11: // UNKNOWN: a column of nulls
			result = signedNumber
			t.skip(kind)
		default:
			t.skip(kind)
		}
	})
	return result
}

func (t *thriftReader) rowGroup(kind byte) rowGroup {
	var g rowGroup
	if kind != thriftStruct {
		t.fail()
	}
	t.structure(func(id int, kind byte) {
		switch {
		case id == 1 && kind == thriftList:
			t.list(func(kind byte) { g.chunks = append(g.chunks, t.chunk(kind)) })
		case id == 3 && kind == thriftI64:
			g.rows = t.integer()
		default:
			t.skip(kind)
		}
	})
	return g
}

func (t *thriftReader) chunk(kind byte) chunk {
	var c chunk
	if kind != thriftStruct {
		t.fail()
	}
	t.structure(func(id int, kind byte) {
		switch {
		case id == 1 && kind == thriftBinary:
			c.file = t.text()
		case id == 3 && kind == thriftStruct:
			t.chunkMetadata(&c)
		default:
			t.skip(kind)
		}
	})
	return c
}

func (t *thriftReader) chunkMetadata(c *chunk) {
	data, dictionary := int64(0), int64(0)
	t.structure(func(id int, kind byte) {
		switch {
		case id == 1 && kind == thriftI32:
			c.physical = int(t.integer())
		case id == 3 && kind == thriftList:
			t.list(func(kind byte) {
				if kind != thriftBinary {
					t.fail()
				}
				c.path = append(c.path, t.text())
			})
		case id == 4 && kind == thriftI32:
			c.codec = int(t.integer())
		case id == 5 && kind == thriftI64:
			c.values = t.integer()
		case id == 7 && kind == thriftI64:
			c.length = t.integer()
		case id == 9 && kind == thriftI64:
			data = t.integer()
		case id == 11 && kind == thriftI64:
			dictionary = t.integer()
		default:
			t.skip(kind)
		}
	})
	c.offset = data
	if dictionary > 0 && dictionary < data {
		c.offset = dictionary
	}
}

// columns returns the leaves of the schema, which must be flat and of numbers.
func (m metadata) columns() ([]element, error) {
	if len(m.schema) == 0 || m.schema[0].children != len(m.schema)-1 {
		for _, e := range m.schema[min(1, len(m.schema)):] {
			if e.children > 0 {
				return nil, &Error{e.name, errors.New("has columns within it")}
			}
		}
		return nil, errThrift
	}
	columns := m.schema[1:]
	for _, e := range columns {
		if err := e.check(); err != nil {
			return nil, &Error{e.name, err}
		}
	}
	return columns, nil
}

func (e element) check() error {
	switch {
	case e.children > 0:
		return errors.New("has columns within it")
	case e.repetition != required && e.repetition != optional:
		return errors.New("is a list in each row, not a number")
	}
	return nil
}

// checkNumber returns an error if the values of a column are no numbers.
func (e element) checkNumber() error {
	if e.meaning == otherThing {
		return errors.New("is not a number, but a text, a time or a decimal")
	}
	switch e.physical {
	case typeBoolean, typeInt32, typeInt64, typeFloat, typeDouble:
		return nil
	}
	return errors.New("is not a number")
}

func (e element) isNumber() bool { return e.checkNumber() == nil }

// pageHeader is what a page says of itself.
type pageHeader struct {
	kind                     int64
	uncompressed, compressed int64
	values                   int64 // of a data page, nulls included
	encoding                 int64
	levelEncoding            int64
	levelSize, repeatSize    int64 // of version 2
	isCompressed             bool
}

// Kinds of pages.
const (
	pageData       = 0
	pageDictionary = 2
	pageDataV2     = 3
)

// parsePageHeader returns the header at the beginning of data and what follows it.
func parsePageHeader(data []byte) (pageHeader, []byte, error) {
	t := &thriftReader{rest: data}
	h := pageHeader{kind: -1, isCompressed: true}
	t.structure(func(id int, kind byte) {
		switch {
		case id == 1 && kind == thriftI32:
			h.kind = t.integer()
		case id == 2 && kind == thriftI32:
			h.uncompressed = t.integer()
		case id == 3 && kind == thriftI32:
			h.compressed = t.integer()
		case (id == 5 || id == 7) && kind == thriftStruct:
			t.integers(map[int]*int64{1: &h.values, 2: &h.encoding, 3: &h.levelEncoding})
		case id == 8 && kind == thriftStruct:
			t.pageHeaderV2(&h)
		default:
			t.skip(kind)
		}
	})
	if t.err == nil && (h.uncompressed < 0 || h.compressed < 0 || h.compressed > int64(len(t.rest)) || h.values < 0) {
		return h, nil, fmt.Errorf("a page of %d values in %d bytes, of which %d are there", h.values, h.compressed, len(t.rest))
	}
	return h, t.rest, t.err
}

// integers reads the fields that are wanted and skips the others.
func (t *thriftReader) integers(wanted map[int]*int64) {
	t.structure(func(id int, kind byte) {
		if x := wanted[id]; x != nil && kind == thriftI32 {
			*x = t.integer()
			return
		}
		t.skip(kind)
	})
}

func (t *thriftReader) pageHeaderV2(h *pageHeader) {
	t.structure(func(id int, kind byte) {
		switch {
		case id == 1 && kind == thriftI32:
			h.values = t.integer()
		case id == 4 && kind == thriftI32:
			h.encoding = t.integer()
		case id == 5 && kind == thriftI32:
			h.levelSize = t.integer()
		case id == 6 && kind == thriftI32:
			h.repeatSize = t.integer()
		case id == 7:
			h.isCompressed = kind == thriftTrue
		default:
			t.skip(kind)
		}
	})
}
