package parquet

import (
	"encoding/binary"
	"math"
	"slices"

	"track/internal/dataset"
)

// Types and annotations that only a [TableWriter] writes.
const (
	typeByteArray           = 6
	convertedUTF8           = 0
	convertedMicros         = 10
	convertedUint64         = 14
	noConversion            = -1
	longestTextOfAStatistic = 64
)

// statistics are what readers skip a chunk by. There are no bounds if a number is NaN, or a text is long.
type statistics struct {
	nulls    int
	min, max []byte // nil for none
}

func (c *tableColumn) statistics() statistics {
	s := statistics{nulls: len(c.isSet) - len(c.words)}
	if len(c.words) == 0 {
		return s
	}
	switch c.Type {
	case dataset.Text:
		if least, most := slices.Min(c.texts), slices.Max(c.texts); max(len(least), len(most)) <= longestTextOfAStatistic {
			s.min, s.max = []byte(least), []byte(most)
		}
	case dataset.Number:
		s.min, s.max = numberBounds(c.words)
	case dataset.Flag:
		s.min, s.max = []byte{byte(slices.Min(c.words))}, []byte{byte(slices.Max(c.words))}
	case dataset.Count:
		s.min, s.max = wordBytes(slices.Min(c.words)), wordBytes(slices.Max(c.words))
	case dataset.Time:
		signed := func(a, b uint64) int { return int(max(-1, min(1, int64(a)-int64(b)))) }
		s.min, s.max = wordBytes(slices.MinFunc(c.words, signed)), wordBytes(slices.MaxFunc(c.words, signed))
	}
	return s
}

// numberBounds returns the smallest and the largest number. As the format asks, a least zero is -0 and a largest is +0.
func numberBounds(words []uint64) (least, most []byte) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, word := range words {
		x := math.Float64frombits(word)
		if math.IsNaN(x) {
			return nil, nil
		}
		low, high = min(low, x), max(high, x)
	}
	if low == 0 {
		low = math.Copysign(0, -1)
	}
	if high == 0 {
		high = 0
	}
	return wordBytes(math.Float64bits(low)), wordBytes(math.Float64bits(high))
}

func wordBytes(word uint64) []byte { return binary.LittleEndian.AppendUint64(nil, word) }

func dataHeader(rows, encoding, uncompressed, compressed int) []byte {
	return pageHead(pageData, uncompressed, compressed, 5, func(t *thriftWriter) {
		t.i32(1, rows)
		t.i32(2, encoding)
		t.i32(3, encodingRLE)
		t.i32(4, encodingRLE)
	})
}

func dictionaryHeader(texts, uncompressed, compressed int) []byte {
	return pageHead(pageDictionary, uncompressed, compressed, 7, func(t *thriftWriter) {
		t.i32(1, texts)
		t.i32(2, encodingPlain)
	})
}

func pageHead(kind, uncompressed, compressed, field int, body func(*thriftWriter)) []byte {
	t := &thriftWriter{}
	t.begin()
	t.i32(1, kind)
	t.i32(2, uncompressed)
	t.i32(3, compressed)
	t.field(field, thriftStruct)
	t.begin()
	body(t)
	t.end()
	t.end()
	return t.out
}

// physical returns the type of the cells of a column, and its annotation.
func (c *tableColumn) physical() (kind, converted int) {
	switch c.Type {
	case dataset.Text:
		return typeByteArray, convertedUTF8
	case dataset.Count:
		return typeInt64, convertedUint64
	case dataset.Time:
		return typeInt64, convertedMicros
	case dataset.Flag:
		return typeBoolean, noConversion
	}
	return typeDouble, noConversion
}

func (t *TableWriter) footer() []byte {
	w := &thriftWriter{}
	w.begin()
	w.i32(1, 1) // version of the format
	w.list(2, thriftStruct, 1+len(t.columns))
	w.begin()
	w.text(4, "schema")
	w.i32(5, len(t.columns))
	w.end()
	for i := range t.columns {
		kind, converted := t.columns[i].physical()
		w.begin()
		w.i32(1, kind)
		w.i32(3, optional)
		w.text(4, t.columns[i].Name)
		if converted != noConversion {
			w.i32(6, converted)
		}
		if t.columns[i].Type == dataset.Time {
			w.utcMicros()
		}
		w.end()
	}
	w.i64(3, int64(t.rows))
	w.list(4, thriftStruct, len(t.groups))
	for _, g := range t.groups {
		t.footerGroup(w, g)
	}
	w.text(6, "track")
	w.list(7, thriftStruct, len(t.columns)) // the order of each column is that of its type
	for range t.columns {
		w.begin()
		w.field(1, thriftStruct)
		w.begin()
		w.end()
		w.end()
	}
	w.end()
	return w.out
}

// utcMicros writes the newer annotation of times, which says that they are in UTC: some readers need it.
func (t *thriftWriter) utcMicros() {
	const timestamp, micros = 8, 2
	t.field(10, thriftStruct)
	t.begin()
	t.field(timestamp, thriftStruct)
	t.begin()
	t.field(1, thriftTrue)
	t.field(2, thriftStruct)
	t.begin()
	t.field(micros, thriftStruct)
	t.begin()
	for range 4 {
		t.end()
	}
}

func (t *TableWriter) footerGroup(w *thriftWriter, g tableGroup) {
	total := int64(0)
	w.begin()
	w.list(1, thriftStruct, len(g.chunks))
	for i, c := range g.chunks {
		total += c.uncompressed
		w.begin()
		w.i64(2, c.offset)
		w.field(3, thriftStruct)
		w.begin()
		kind, _ := t.columns[i].physical()
		w.i32(1, kind)
		w.list(2, thriftI32, 3)
		w.integer(encodingPlain)
		w.integer(encodingRLE)
		w.integer(encodingDictionary)
		w.list(3, thriftBinary, 1)
		w.element(t.columns[i].Name)
		w.i32(4, codecZstd)
		w.i64(5, int64(g.rows))
		w.i64(6, c.uncompressed)
		w.i64(7, c.size)
		w.i64(9, c.offset)
		if c.dictionary > 0 {
			w.i64(11, c.dictionary)
		}
		w.field(12, thriftStruct)
		c.statistics.write(w)
		w.end()
		w.end()
	}
	w.i64(2, total)
	w.i64(3, int64(g.rows))
	w.end()
}

func (s statistics) write(w *thriftWriter) {
	w.begin()
	w.i64(3, int64(s.nulls))
	if s.max != nil {
		w.text(5, string(s.max))
		w.text(6, string(s.min))
	}
	w.end()
}
