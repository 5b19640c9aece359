package series

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"track/internal/jsonio"
)

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
