package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"track"
)

// Limits bound what a file may hold.
type Limits struct {
	Columns int
	Values  int // of all columns together, nulls included
	// LeftOut hears which columns are left out because they hold texts, times or decimals. If it is nil, they are refused.
	LeftOut func(columns []string)
}

// ErrTooMany says that a file holds more than the limits allow.
var ErrTooMany = errors.New("more than the limit")

// Error says which column is at fault.
type Error struct {
	Column string
	Err    error
}

func (e *Error) Error() string { return e.Column + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

const magic = "PAR1"

// Read reads all columns of a file of the given size. Integers become the nearest float64, booleans 0 and 1.
func Read(r io.ReaderAt, size int64, limits Limits) ([]track.Series, error) {
	m, err := readMetadata(r, size)
	if err != nil {
		return nil, err
	}
	elements, err := m.columns()
	if err != nil {
		return nil, err
	}
	if err := limits.leaveOut(elements); err != nil {
		return nil, err
	}
	if len(elements) > limits.Columns {
		return nil, fmt.Errorf("%w: %d columns", ErrTooMany, len(elements))
	}
	f := &fileReader{source: r, unread: size, budget: int64(limits.Values)}
	var columns []track.Series
	for i, e := range elements {
		if !e.isNumber() {
			continue
		}
		column := columnReader{element: e}
		for _, g := range m.groups {
			if len(g.chunks) != len(elements) || !slices.Equal(g.chunks[i].path, []string{e.name}) {
				return nil, errThrift
			}
			if err := f.readChunk(&column, g.chunks[i], g.rows); err != nil {
				return nil, &Error{e.name, err}
			}
		}
		columns = append(columns, track.Series{Name: e.name, Values: column.values})
	}
	return columns, nil
}

// leaveOut names the columns that are no numbers, or refuses the first of them.
func (l Limits) leaveOut(elements []element) error {
	var names []string
	for _, e := range elements {
		if err := e.checkNumber(); err != nil && l.LeftOut == nil {
			return &Error{e.name, err}
		} else if err != nil {
			names = append(names, e.name)
		}
	}
	if len(names) > 0 {
		l.LeftOut(names)
	}
	return nil
}

func readMetadata(r io.ReaderAt, size int64) (metadata, error) {
	const tail = 4 + len(magic)
	var head, end [tail]byte
	if size < int64(len(magic)+tail) {
		return metadata{}, errors.New("not a Parquet file")
	}
	if _, err := r.ReadAt(head[:len(magic)], 0); err != nil {
		return metadata{}, err
	}
	if _, err := r.ReadAt(end[:], size-int64(tail)); err != nil {
		return metadata{}, err
	}
	if string(end[4:]) == "PARE" {
		return metadata{}, errors.New("the file is encrypted")
	}
	if string(head[:4]) != magic || string(end[4:]) != magic {
		return metadata{}, errors.New("not a Parquet file, or not all of it")
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if length > size-int64(len(magic)+tail) {
		return metadata{}, errThrift
	}
	data := make([]byte, length)
	if _, err := r.ReadAt(data, size-int64(tail)-length); err != nil {
		return metadata{}, err
	}
	return parseMetadata(data)
}

// fileReader reads the chunks of a file.
type fileReader struct {
	source io.ReaderAt
	unread int64 // bytes that chunks may still have: they do not overlap
	budget int64 // values that may still come
}

// columnReader gathers the values of one column.
type columnReader struct {
	element    element
	dictionary []float64
	values     []float64
	nulls      int // that came since the last value
}

func (f *fileReader) readChunk(c *columnReader, at chunk, rows int64) error {
	switch {
	case at.file != "":
		return errors.New("its values are in another file")
	case at.physical != c.element.physical || at.values != rows || rows < 0:
		return errThrift
	case at.length < 0 || at.length > f.unread || at.offset < 0:
		return fmt.Errorf("%d bytes of values are not in the file", at.length)
	}
	if f.budget -= rows; f.budget < 0 {
		return ErrTooMany
	}
	f.unread -= at.length
	data := make([]byte, at.length)
	if _, err := f.source.ReadAt(data, at.offset); err != nil {
		return fmt.Errorf("%d bytes of values are not in the file: %w", at.length, err)
	}
	c.dictionary = nil
	for rows > 0 {
		header, rest, err := parsePageHeader(data)
		if err != nil {
			return err
		}
		page := rest[:header.compressed]
		data = rest[header.compressed:]
		switch header.kind {
		case pageDictionary:
			err = c.readDictionary(page, header, at.codec, rows)
		case pageData, pageDataV2:
			if header.values > rows {
				return errThrift
			}
			rows -= header.values
			err = c.readPage(page, header, at.codec)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readDictionary reads the values that indices stand for. A dictionary is no larger than the column.
func (c *columnReader) readDictionary(page []byte, h pageHeader, codec int, rows int64) error {
	if h.values > rows || h.encoding != encodingPlain && h.encoding != encodingPlainDictionary {
		return errThrift
	}
	data, err := decompress(page, codec, h.uncompressed, h.values)
	if err != nil {
		return err
	}
	c.dictionary, err = c.element.plain(nil, data, int(h.values))
	return err
}

func (c *columnReader) readPage(page []byte, h pageHeader, codec int) error {
	levels, data, err := c.open(page, h, codec)
	if err != nil {
		return err
	}
	present := int(h.values)
	if c.element.repetition == optional {
		if present, err = countPresent(levels, int(h.values)); err != nil {
			return err
		}
	}
	values, err := c.decode(data, h.encoding, present)
	if err != nil {
		return err
	}
	if present == int(h.values) {
		c.fillNulls()
		c.values = append(c.values, values...)
		return nil
	}
	return c.place(values, levels, int(h.values))
}

// open returns the definition levels of a page and its values, decompressed.
func (c *columnReader) open(page []byte, h pageHeader, codec int) (levels, data []byte, err error) {
	isOptional := c.element.repetition == optional
	if h.kind == pageDataV2 {
		if h.levelSize < 0 || h.levelSize > int64(len(page)) || h.repeatSize != 0 {
			return nil, nil, errThrift
		}
		levels, page = page[:h.levelSize], page[h.levelSize:]
		if !h.isCompressed {
			codec = codecNone
		}
		data, err = decompress(page, codec, h.uncompressed-h.levelSize, h.values)
		return levels, data, err
	}
	data, err = decompress(page, codec, h.uncompressed, h.values)
	if err != nil || !isOptional {
		return nil, data, err
	}
	if h.levelEncoding != encodingRLE {
		return nil, nil, fmt.Errorf("levels of the encoding %d are not supported", h.levelEncoding)
	}
	return prefixed(data)
}

// prefixed cuts off bytes that their length precedes.
func prefixed(data []byte) (first, rest []byte, err error) {
	if len(data) < 4 {
		return nil, nil, errTruncated
	}
	n := binary.LittleEndian.Uint32(data)
	if int64(n) > int64(len(data)-4) {
		return nil, nil, errTruncated
	}
	return data[4 : 4+n], data[4+n:], nil
}

func countPresent(levels []byte, n int) (present int, err error) {
	err = hybrid(levels, 1, n, func(level uint32, count int) error {
		present += int(level) * count
		return nil
	})
	return present, err
}

// place puts the values of a page between its nulls.
func (c *columnReader) place(values []float64, levels []byte, n int) error {
	return hybrid(levels, 1, n, func(level uint32, count int) error {
		if level == 0 {
			c.nulls += count
			return nil
		}
		c.fillNulls()
		c.values = append(c.values, values[:count]...)
		values = values[count:]
		return nil
	})
}

// fillNulls turns the nulls before a value into NaN.
func (c *columnReader) fillNulls() {
	for ; c.nulls > 0; c.nulls-- {
		c.values = append(c.values, math.NaN())
	}
}
