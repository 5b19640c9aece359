package pickle

import (
	"encoding/binary"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// longestInteger is how many bytes an integer may have: parsing longer ones from digits takes time that grows with
// the square.
const longestInteger = 1 << 10

// step runs one instruction. The letters are those of Lib/pickletools.py.
func (m *machine) step(code byte) {
	switch code {
	case '\x80': // PROTO
		if version := m.take(1)[0]; version > 5 {
			m.fail("protocol %d, of which only 0 to 5 are read", version)
		}
	case '\x95': // FRAME: how many bytes may be read ahead
		m.take(8)
	case '(':
		m.marks = append(m.marks, len(m.stack))
		m.values++
	case '0':
		m.drop()
	case '1':
		m.group()
	case '2':
		m.push(m.top())
	default:
		if !m.memorize(code) && !m.plain(code) && !m.text(code) && !m.container(code) && !m.call(code) {
			m.fail("the instruction 0x%02x is not read", code)
		}
	}
}

// drop takes the value on top away, or the mark.
func (m *machine) drop() {
	if len(m.marks) > 0 && m.floor() == len(m.stack) {
		m.marks = m.marks[:len(m.marks)-1]
		return
	}
	m.pop()
}

func (m *machine) memorize(code byte) bool {
	switch code {
	case 'p':
		m.remember(m.index())
	case 'q':
		m.remember(m.number(1))
	case 'r':
		m.remember(m.number(4))
	case '\x94':
		m.remember(len(m.memo))
	case 'g':
		m.recall(m.index())
	case 'h':
		m.recall(m.number(1))
	case 'j':
		m.recall(m.number(4))
	default:
		return false
	}
	return true
}

// plain runs the instructions that push None, booleans and numbers.
func (m *machine) plain(code byte) bool {
	switch code {
	case 'N':
		m.push(nil)
	case '\x88':
		m.push(true)
	case '\x89':
		m.push(false)
	case 'J':
		m.push(int64(int32(binary.LittleEndian.Uint32(m.take(4)))))
	case 'K':
		m.push(int64(m.number(1)))
	case 'M':
		m.push(int64(m.number(2)))
	case 'G':
		m.push(math.Float64frombits(binary.BigEndian.Uint64(m.take(8))))
	case '\x8a':
		m.push(long(m.take(m.number(1))))
	case '\x8b':
		length := m.number(4)
		if length > longestInteger {
			m.fail("an integer of %d bytes", length)
		}
		m.push(long(m.take(length)))
	case 'I':
		m.integer()
	case 'L':
		m.push(m.digits(strings.TrimSuffix(m.line(), "L")))
	case 'F':
		value, err := strconv.ParseFloat(m.line(), 64)
		if err != nil {
			m.fail("a number that is none")
		}
		m.push(value)
	default:
		return false
	}
	return true
}

// integer reads an integer of protocol 0, which writes booleans as 00 and 01.
func (m *machine) integer() {
	switch text := m.line(); text {
	case "00":
		m.push(false)
	case "01":
		m.push(true)
	default:
		m.push(m.digits(text))
	}
}

func (m *machine) digits(text string) any {
	value, ok := new(big.Int), len(text) <= longestInteger
	if ok {
		value, ok = value.SetString(text, 10)
	}
	if !ok {
		m.fail("an integer that is none, or is too long")
	}
	return small(value)
}

// text runs the instructions that push texts and bytes.
func (m *machine) text(code byte) bool {
	switch code {
	case '\x8c':
		m.unicode(m.take(m.number(1)))
	case 'X':
		m.unicode(m.take(m.number(4)))
	case '\x8d':
		m.unicode(m.take(m.number(8)))
	case 'V':
		m.push(rawUnicode(m.line()))
	case 'S':
		m.push(m.unquote(m.line()))
	case 'U', 'C':
		m.bytes(m.take(m.number(1)), code == 'U')
	case 'T', 'B':
		m.bytes(m.take(m.number(4)), code == 'T')
	case '\x8e', '\x96':
		m.bytes(m.take(m.number(8)), false)
	default:
		return false
	}
	return true
}

// unicode pushes a text. Python writes halves of surrogate pairs, which are no UTF-8.
func (m *machine) unicode(text []byte) { m.push(strings.ToValidUTF8(string(text), "\uFFFD")) }

// bytes pushes bytes; those of Python 2 may be a text.
func (m *machine) bytes(value []byte, maybeText bool) {
	if maybeText && utf8.Valid(value) {
		m.push(string(value))
		return
	}
	m.push(append([]byte{}, value...))
}

// rawUnicode reads a text in Python's raw-unicode-escape: a byte for each character up to U+00FF, \uXXXX and
// \UXXXXXXXX for others.
func rawUnicode(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		size := 0
		if text[i] == '\\' && i+1 < len(text) {
			size = map[byte]int{'u': 4, 'U': 8}[text[i+1]]
		}
		if size > 0 && i+2+size <= len(text) {
			if code, err := strconv.ParseUint(text[i+2:i+2+size], 16, 32); err == nil {
				out.WriteRune(rune(code))
				i += 1 + size
				continue
			}
		}
		out.WriteRune(rune(text[i]))
	}
	return out.String()
}

// unquote reads a text of protocol 0, in quotes and with escapes.
func (m *machine) unquote(text string) string {
	if len(text) < 2 || text[0] != text[len(text)-1] || text[0] != '"' && text[0] != '\'' {
		m.fail("a text without its quotes")
	}
	quote, rest := text[0], text[1:len(text)-1]
	var out strings.Builder
	for rest != "" {
		r, multibyte, after, err := strconv.UnquoteChar(rest, quote)
		switch {
		case err != nil: // what Go does not know as an escape Python leaves as it stands
			out.WriteByte(rest[0])
			rest = rest[1:]
			continue
		case r < utf8.RuneSelf || multibyte:
			out.WriteRune(r)
		default:
			out.WriteByte(byte(r))
		}
		rest = after
	}
	return strings.ToValidUTF8(out.String(), "\uFFFD")
}
