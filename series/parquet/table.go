package parquet

import (
	"encoding/binary"
	"io"
	"math/bits"
	"strings"

	"track/internal/dataset"
)

// rowsPerTableGroup bounds what a [TableWriter] keeps. A column of a group is one page, of at most 512 KiB of numbers.
const rowsPerTableGroup = 1 << 16

// TableWriter writes a table of typed columns in row groups. All columns are optional. Texts have dictionaries.
type TableWriter struct {
	file    fileWriter
	columns []tableColumn
	pending int // rows that are not yet written
	rows    int
	groups  []tableGroup
}

// tableColumn is a column of the row group that is gathered.
type tableColumn struct {
	dataset.Column
	isSet   []bool
	words   []uint64 // of the cells that are set; of a text its number in the dictionary
	texts   []string // the dictionary
	numbers map[string]uint64
}

type tableGroup struct {
	rows   int
	chunks []tableChunk
}

type tableChunk struct {
	writtenChunk
	dictionary int64 // its offset; 0 for none
	statistics statistics
}

// NewTableWriter begins a table.
func NewTableWriter(w io.Writer, columns []dataset.Column) *TableWriter {
	t := &TableWriter{file: fileWriter{out: w}}
	for _, c := range columns {
		t.columns = append(t.columns, tableColumn{Column: c, numbers: map[string]uint64{}})
	}
	t.file.write([]byte(magic))
	return t
}

// Write implements [dataset.Writer].
func (t *TableWriter) Write(row []dataset.Cell) error {
	for i := range t.columns {
		t.columns[i].add(row[i])
	}
	if t.pending++; t.pending == rowsPerTableGroup {
		t.writeGroup()
	}
	return t.file.err
}

// Close implements [dataset.Writer]. It does not close what the table is written to.
func (t *TableWriter) Close() error {
	if t.pending > 0 {
		t.writeGroup()
	}
	footer := t.footer()
	t.file.write(footer)
	t.file.write(binary.LittleEndian.AppendUint32(nil, uint32(len(footer))))
	t.file.write([]byte(magic))
	return t.file.err
}

func (c *tableColumn) add(cell dataset.Cell) {
	c.isSet = append(c.isSet, cell.IsSet)
	switch {
	case !cell.IsSet:
	case c.Type == dataset.Text:
		c.words = append(c.words, c.number(cell.Text))
	default:
		c.words = append(c.words, cell.Bits)
	}
}

// number returns the number of a text in the dictionary. Rows that follow each other mostly have the same text.
func (c *tableColumn) number(s string) uint64 {
	if n := len(c.words); n > 0 && c.texts[c.words[n-1]] == s {
		return c.words[n-1]
	}
	number, known := c.numbers[s]
	if !known {
		number = uint64(len(c.texts))
		c.texts, c.numbers[s] = append(c.texts, s), number
	}
	return number
}

func (c *tableColumn) reset() {
	c.isSet, c.words, c.texts = c.isSet[:0], c.words[:0], c.texts[:0]
	clear(c.numbers)
}

func (t *TableWriter) writeGroup() {
	group := tableGroup{rows: t.pending}
	for i := range t.columns {
		c := &t.columns[i]
		chunk := tableChunk{writtenChunk: writtenChunk{offset: t.file.offset}, statistics: c.statistics()}
		start := t.file.offset
		if len(c.texts) > 0 {
			chunk.dictionary = start
			chunk.uncompressed += t.writePage(c.dictionary(), func(uncompressed, compressed int) []byte {
				return dictionaryHeader(len(c.texts), uncompressed, compressed)
			})
			chunk.offset = t.file.offset
		}
		chunk.uncompressed += t.writePage(append(c.levels(), c.values()...), func(uncompressed, compressed int) []byte {
			return dataHeader(t.pending, c.encoding(), uncompressed, compressed)
		})
		chunk.size = t.file.offset - start
		group.chunks = append(group.chunks, chunk)
		c.reset()
	}
	t.groups = append(t.groups, group)
	t.rows, t.pending = t.rows+t.pending, 0
}

// writePage writes a page, and returns what it takes uncompressed with its header.
func (t *TableWriter) writePage(data []byte, header func(uncompressed, compressed int) []byte) int64 {
	page := encoder().EncodeAll(data, nil)
	head := header(len(data), len(page))
	t.file.write(head)
	t.file.write(page)
	return int64(len(head) + len(data))
}

func (c *tableColumn) encoding() int {
	if len(c.texts) > 0 {
		return encodingDictionary
	}
	return encodingPlain
}

// dictionary returns the texts, each after its length.
func (c *tableColumn) dictionary() (data []byte) {
	for _, s := range c.texts {
		s = strings.ToValidUTF8(s, "\ufffd")
		data = append(binary.LittleEndian.AppendUint32(data, uint32(len(s))), s...)
	}
	return data
}

// levels returns which cells are set, after the length of that.
func (c *tableColumn) levels() []byte {
	words := make([]uint64, len(c.isSet))
	for i, is := range c.isSet {
		if is {
			words[i] = 1
		}
	}
	levels := appendHybrid(nil, words, 1)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(levels))), levels...)
}

// values returns the cells that are set.
func (c *tableColumn) values() (data []byte) {
	switch {
	case len(c.texts) > 0:
		width := max(1, bits.Len(uint(len(c.texts)-1)))
		return appendHybrid([]byte{byte(width)}, c.words, width)
	case c.Type == dataset.Flag:
		return appendPacked(nil, c.words, 1)
	}
	for _, word := range c.words {
		data = binary.LittleEndian.AppendUint64(data, word)
	}
	return data
}

// appendHybrid appends words in the encoding RLE: as one run if all are the same, else packed.
func appendHybrid(data []byte, words []uint64, width int) []byte {
	isRun := true
	for _, word := range words {
		isRun = isRun && word == words[0]
	}
	if !isRun {
		groups := (len(words) + 7) / 8
		data = binary.AppendUvarint(data, uint64(groups)<<1|1)
		before := len(data)
		data = appendPacked(data, words, width)
		return append(data, make([]byte, groups*width-(len(data)-before))...)
	}
	if len(words) == 0 {
		return data
	}
	data = binary.AppendUvarint(data, uint64(len(words))<<1)
	for i := range (width + 7) / 8 {
		data = append(data, byte(words[0]>>(8*i)))
	}
	return data
}

// appendPacked appends words of a width in bits of at most 32, the lowest bits first.
func appendPacked(data []byte, words []uint64, width int) []byte {
	var rest uint64
	n := 0
	for _, word := range words {
		rest |= word << n
		for n += width; n >= 8; n -= 8 {
			data, rest = append(data, byte(rest)), rest>>8
		}
	}
	if n > 0 {
		data = append(data, byte(rest))
	}
	return data
}
