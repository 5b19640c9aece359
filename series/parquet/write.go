package parquet

import (
	"encoding/binary"
	"io"
	"math"
	"sync"

	"github.com/klauspost/compress/zstd"

	"track"
)

// How a file is divided.
const (
	rowsPerGroup = 1 << 20
	rowsPerPage  = 1 << 16
)

// Write writes the columns as DOUBLE. A column that is shorter than the longest is optional, and null from its end on.
func Write(w io.Writer, columns []track.Series) error {
	f := &fileWriter{out: w, columns: columns}
	for _, c := range columns {
		f.rows = max(f.rows, len(c.Values))
	}
	f.write([]byte(magic))
	for start := 0; start < f.rows; start += rowsPerGroup {
		f.writeGroup(start, min(start+rowsPerGroup, f.rows))
	}
	footer := f.footer()
	f.write(footer)
	f.write(binary.LittleEndian.AppendUint32(nil, uint32(len(footer))))
	f.write([]byte(magic))
	return f.err
}

// fileWriter keeps the positions of what it wrote. After an error it writes nothing.
type fileWriter struct {
	out     io.Writer
	err     error
	offset  int64
	columns []track.Series
	rows    int
	groups  []writtenGroup
}

type writtenGroup struct {
	rows   int
	chunks []writtenChunk // of each column
}

type writtenChunk struct{ offset, size, uncompressed int64 }

func (f *fileWriter) write(data []byte) {
	if f.err == nil {
		_, f.err = f.out.Write(data)
	}
	f.offset += int64(len(data))
}

func (f *fileWriter) isOptional(c track.Series) bool { return len(c.Values) < f.rows }

func (f *fileWriter) writeGroup(start, end int) {
	group := writtenGroup{rows: end - start}
	for _, c := range f.columns {
		chunk := writtenChunk{offset: f.offset}
		for at := start; at < end; at += rowsPerPage {
			chunk.uncompressed += f.writePage(c, at, min(at+rowsPerPage, end))
		}
		chunk.size = f.offset - chunk.offset
		group.chunks = append(group.chunks, chunk)
	}
	f.groups = append(f.groups, group)
}

// writePage writes the rows from start to end and returns what they take uncompressed, with the header.
func (f *fileWriter) writePage(c track.Series, start, end int) int64 {
	values := c.Values[min(start, len(c.Values)):min(end, len(c.Values))]
	var data []byte
	if f.isOptional(c) {
		var levels []byte
		levels = appendRun(levels, len(values), 1)
		levels = appendRun(levels, end-start-len(values), 0)
		data = append(binary.LittleEndian.AppendUint32(data, uint32(len(levels))), levels...)
	}
	for _, x := range values {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
	}
	page := encoder().EncodeAll(data, nil)
	header := pageHeaderOf(end-start, len(data), len(page))
	f.write(header)
	f.write(page)
	return int64(len(header) + len(data))
}

// appendRun appends a run of levels.
func appendRun(levels []byte, count int, level byte) []byte {
	if count == 0 {
		return levels
	}
	return append(binary.AppendUvarint(levels, uint64(count)<<1), level)
}

func pageHeaderOf(rows, uncompressed, compressed int) []byte {
	t := &thriftWriter{}
	t.begin()
	t.i32(1, pageData)
	t.i32(2, uncompressed)
	t.i32(3, compressed)
	t.field(5, thriftStruct)
	t.begin()
	t.i32(1, rows)
	t.i32(2, encodingPlain)
	t.i32(3, encodingRLE)
	t.i32(4, encodingRLE)
	t.end()
	t.end()
	return t.out
}

func (f *fileWriter) footer() []byte {
	t := &thriftWriter{}
	t.begin()
	t.i32(1, 1) // version of the format
	t.list(2, thriftStruct, 1+len(f.columns))
	t.begin()
	t.text(4, "schema")
	t.i32(5, len(f.columns))
	t.end()
	for _, c := range f.columns {
		t.begin()
		t.i32(1, typeDouble)
		if f.isOptional(c) {
			t.i32(3, optional)
		} else {
			t.i32(3, required)
		}
		t.text(4, c.Name)
		t.end()
	}
	t.i64(3, int64(f.rows))
	t.list(4, thriftStruct, len(f.groups))
	for _, g := range f.groups {
		f.footerGroup(t, g)
	}
	t.text(6, "track")
	t.end()
	return t.out
}

func (f *fileWriter) footerGroup(t *thriftWriter, g writtenGroup) {
	total := int64(0)
	t.begin()
	t.list(1, thriftStruct, len(g.chunks))
	for i, c := range g.chunks {
		total += c.uncompressed
		t.begin()
		t.i64(2, c.offset)
		t.field(3, thriftStruct)
		t.begin()
		t.i32(1, typeDouble)
		t.list(2, thriftI32, 2)
		t.integer(encodingPlain)
		t.integer(encodingRLE)
		t.list(3, thriftBinary, 1)
		t.element(f.columns[i].Name)
		t.i32(4, codecZstd)
		t.i64(5, int64(g.rows))
		t.i64(6, c.uncompressed)
		t.i64(7, c.size)
		t.i64(9, c.offset)
		t.end()
		t.end()
	}
	t.i64(2, total)
	t.i64(3, int64(g.rows))
	t.end()
}

var encoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // of the options alone
	}
	return e
})
