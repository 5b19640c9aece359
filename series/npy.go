package series

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"track"
	"track/internal/jsonio"
)

// readNPY reads an array of one or two dimensions as NumPy saves it. size is the length of r, at least as far as
// somebody says.
func readNPY(r io.Reader, size int64, name string, l limits) ([]track.Series, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	h, headerSize, err := readNPYHeader(buffered)
	if err != nil {
		return nil, failure(0, "", "%v", err)
	}
	switch {
	case h.columns > l.columns:
		return nil, tooManyColumns(l)
	case h.columns > 0 && h.rows > l.values/h.columns:
		return nil, tooManyValues(l)
	}
	need := int64(h.rows) * int64(h.columns) * int64(h.item.size)
	if size-headerSize != need {
		return nil, failure(0, "", "the header announces %d bytes of data, but there are %d", need, size-headerSize)
	}
	list, err := readNPYData(buffered, name, h)
	if err != nil {
		return nil, failure(0, "", "%v", err)
	}
	return list, nil
}

// npyHeader is what the header of an array says. An array of one dimension has one column.
type npyHeader struct {
	item          npyItem
	rows, columns int
	isTable       bool // has two dimensions
	byColumn      bool // Fortran order: one column after the other
}

// npyItem is the type of the numbers.
type npyItem struct {
	size  int
	value func(raw []byte) float64
}

// longestNPYHeader is more than NumPy itself reads.
const longestNPYHeader = 1 << 16

func readNPYHeader(r io.Reader) (h npyHeader, size int64, err error) {
	var prefix [12]byte
	const magic = "\x93NUMPY"
	if _, err := io.ReadFull(r, prefix[:10]); err != nil || string(prefix[:6]) != magic {
		return h, 0, errors.New("not a NumPy array")
	}
	size = 10
	length := int64(binary.LittleEndian.Uint16(prefix[8:]))
	switch prefix[6] {
	case 1:
	case 2, 3:
		if _, err := io.ReadFull(r, prefix[10:]); err != nil {
			return h, 0, errors.New("the header ends too early")
		}
		size = 12
		length = int64(binary.LittleEndian.Uint32(prefix[8:]))
	default:
		return h, 0, fmt.Errorf("version %d of the format is not known", prefix[6])
	}
	if length > longestNPYHeader {
		return h, 0, fmt.Errorf("a header of %d bytes is too long", length)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return h, 0, errors.New("the header ends too early")
	}
	h, err = parseNPYHeader(string(text))
	return h, size + length, err
}

func readNPYData(r io.Reader, name string, h npyHeader) ([]track.Series, error) {
	list := make([]track.Series, h.columns)
	for i := range list {
		list[i].Name = name
		if h.isTable {
			list[i].Name = fmt.Sprintf("%s_%d", name, i)
		}
		list[i].Values = make([]float64, 0, min(h.rows, 1+1<<16/h.columns)) // the rest when the data turn out to be there
	}
	buffer := make([]byte, 1<<13*h.item.size)
	column, row, left := 0, 0, h.rows*h.columns
	for left > 0 {
		part := buffer[:min(len(buffer), left*h.item.size)]
		if _, err := io.ReadFull(r, part); err != nil {
			return nil, fmt.Errorf("the data end too early: %w", err)
		}
		for ; len(part) > 0; part = part[h.item.size:] {
			list[column].Values = append(list[column].Values, h.item.value(part))
			left--
			switch {
			case !h.byColumn:
				column = (column + 1) % h.columns
			case row == h.rows-1:
				column, row = column+1, 0
			default:
				row++
			}
		}
	}
	switch n, err := r.Read(buffer[:1]); {
	case n > 0:
		return nil, errors.New("the data go on after the end")
	case !errors.Is(err, io.EOF): // such as a wrong checksum
		return nil, err
	}
	return list, nil
}

// readNPZ reads the arrays of a zip archive, each named after its entry.
func readNPZ(r io.ReaderAt, size int64, l limits) ([]track.Series, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return nil, failure(0, "", "not a zip archive: %v", err)
	}
	var list []track.Series
	for _, entry := range archive.File {
		arrays, err := readNPZEntry(entry, l)
		if err != nil {
			return nil, err
		}
		list = append(list, arrays...)
		l.columns -= len(arrays)
		for _, s := range arrays {
			l.values -= len(s.Values)
		}
	}
	return list, nil
}

func readNPZEntry(entry *zip.File, l limits) ([]track.Series, error) {
	name, ok := strings.CutSuffix(entry.Name, ".npy")
	if !ok {
		return nil, failure(0, jsonio.Abbreviate([]byte(entry.Name)), "not a .npy file")
	}
	name = abbreviateName(name)
	if entry.UncompressedSize64 > math.MaxInt64 {
		return nil, failure(0, name, "has an impossible size")
	}
	opened, err := entry.Open()
	if err != nil {
		return nil, failure(0, name, "cannot be read: %v", err)
	}
	defer func() { _ = opened.Close() }()
	list, err := readNPY(opened, int64(entry.UncompressedSize64), name, l)
	if refused, ok := errors.AsType[*track.FieldError](err); ok {
		refused.Field = name
	}
	return list, err
}

// parseNPYHeader reads the Python dictionary that an array begins with, such as
// {'descr': '<f8', 'fortran_order': False, 'shape': (1000, 3), }.
func parseNPYHeader(text string) (npyHeader, error) {
	p := &pythonParser{rest: text}
	var h npyHeader
	seen := map[string]bool{}
	p.expect("{")
	for !p.accept("}") && p.err == nil {
		key := p.text()
		p.expect(":")
		switch key {
		case "descr":
			h.item = p.item()
		case "fortran_order":
			h.byColumn = p.bool()
		case "shape":
			p.shape(&h)
		default:
			p.fail("the header has an unknown field %q", jsonio.Abbreviate([]byte(key)))
		}
		if seen[key] {
			p.fail("the header has %s twice", key)
		}
		seen[key] = true
		if !p.accept(",") {
			p.expect("}")
			break
		}
	}
	if p.err == nil && (len(seen) < 3 || strings.TrimSpace(p.rest) != "") {
		p.fail("the header is not one of a NumPy array")
	}
	return h, p.err
}

// pythonParser reads the few literals of Python that a header has. After an error it does nothing.
type pythonParser struct {
	rest string
	err  error
}

func (p *pythonParser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

func (p *pythonParser) accept(token string) bool {
	p.rest = strings.TrimLeft(p.rest, " \n")
	after, ok := strings.CutPrefix(p.rest, token)
	if ok {
		p.rest = after
	}
	return ok
}

func (p *pythonParser) expect(token string) {
	if !p.accept(token) {
		p.fail("the header has no %s where one belongs", token)
	}
}

func (p *pythonParser) text() string {
	quote := `'`
	if !p.accept(quote) {
		quote = `"`
		p.expect(quote)
	}
	text, rest, ok := strings.Cut(p.rest, quote)
	if !ok {
		p.fail("the header has a quote that is not closed")
	}
	p.rest = rest
	return text
}

func (p *pythonParser) bool() bool {
	if p.accept("True") {
		return true
	}
	p.expect("False")
	return false
}

// item reads the type of the numbers.
func (p *pythonParser) item() npyItem {
	if p.accept("[") {
		p.fail("a structured array: save one array for each column")
	}
	descr := p.text()
	item, ok := npyItemOf(descr)
	if !ok {
		p.fail("its type %q is not a number of 1 to 8 bytes", jsonio.Abbreviate([]byte(descr)))
	}
	return item
}

// shape reads the lengths of up to two dimensions; none is one number.
func (p *pythonParser) shape(h *npyHeader) {
	var lengths []int
	p.expect("(")
	for !p.accept(")") && p.err == nil {
		digits := p.rest[:len(p.rest)-len(strings.TrimLeft(p.rest, "0123456789"))]
		p.rest = p.rest[len(digits):]
		p.accept("L") // Python 2
		n, err := strconv.ParseInt(digits, 10, 48)
		if err != nil {
			p.fail("the header has no usable shape")
		}
		lengths = append(lengths, int(n))
		if !p.accept(",") {
			p.expect(")")
			break
		}
	}
	h.rows, h.columns = 1, 1
	switch len(lengths) {
	case 0:
	case 1:
		h.rows = lengths[0]
	case 2:
		h.rows, h.columns, h.isTable = lengths[0], lengths[1], true
		if h.rows == 0 || h.columns == 0 {
			p.fail("a table of %d rows and %d columns holds nothing", h.rows, h.columns)
		}
	default:
		p.fail("%d dimensions; a series has one, a table of series two", len(lengths))
	}
}

// npyItemOf understands types such as <f8: the order of the bytes, what they are, and how many.
func npyItemOf(descr string) (npyItem, bool) {
	var order binary.ByteOrder = binary.LittleEndian
	if descr != "" && strings.Contains("<>|=", descr[:1]) {
		if descr[0] == '>' {
			order = binary.BigEndian
		}
		descr = descr[1:]
	}
	switch descr {
	case "f8":
		return npyItem{8, func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) }}, true
	case "f4":
		return npyItem{4, func(b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) }}, true
	case "i8":
		return npyItem{8, func(b []byte) float64 { return float64(int64(order.Uint64(b))) }}, true
	case "i4":
		return npyItem{4, func(b []byte) float64 { return float64(int32(order.Uint32(b))) }}, true
	case "i2":
		return npyItem{2, func(b []byte) float64 { return float64(int16(order.Uint16(b))) }}, true
	case "i1":
		return npyItem{1, func(b []byte) float64 { return float64(int8(b[0])) }}, true
	case "u8":
		return npyItem{8, func(b []byte) float64 { return float64(order.Uint64(b)) }}, true
	case "u4":
		return npyItem{4, func(b []byte) float64 { return float64(order.Uint32(b)) }}, true
	case "u2":
		return npyItem{2, func(b []byte) float64 { return float64(order.Uint16(b)) }}, true
	case "u1":
		return npyItem{1, func(b []byte) float64 { return float64(b[0]) }}, true
	case "b1":
		return npyItem{1, func(b []byte) float64 { return min(1, float64(b[0])) }}, true
	}
	return npyItem{}, false
}
