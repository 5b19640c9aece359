package evolution

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// isCanonical reports whether a text is canonical JSON, as nearly all texts of a ledger are: to find that out takes a
// sixth of the time of rewriting them. It may report false for a canonical text with rare parts, such as keys beyond
// ASCII and numbers with an exponent.
func isCanonical(text []byte) bool {
	s := canonicalScanner{text: text}
	return s.value(0) && s.at == len(text)
}

// canonicalScanner reads a text up to the first part that may not be canonical.
type canonicalScanner struct {
	text   []byte
	at     int
	number []byte // as it would be written
}

// deepest is how deep values are read; deeper ones are left to the parser.
const deepest = 100

// next reads one byte if it is the given one.
func (s *canonicalScanner) next(c byte) bool {
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

func (s *canonicalScanner) value(depth int) bool {
	if s.at >= len(s.text) || depth > deepest {
		return false
	}
	switch s.text[s.at] {
	case '{':
		return s.object(depth)
	case '[':
		return s.array(depth)
	case '"':
		_, ok := s.quoted()
		return ok
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	}
	return s.isNumber()
}

func (s *canonicalScanner) literal(word string) bool {
	found := bytes.HasPrefix(s.text[s.at:], []byte(word))
	s.at += len(word)
	return found
}

func (s *canonicalScanner) array(depth int) bool {
	s.at++
	if s.next(']') {
		return true
	}
	for s.value(depth + 1) {
		if !s.next(',') {
			return s.next(']')
		}
	}
	return false
}

// object also compares each key with the one before: they ascend, so none is there twice.
func (s *canonicalScanner) object(depth int) bool {
	s.at++
	if s.next('}') {
		return true
	}
	var before []byte
	for first := true; ; first = false {
		if s.at >= len(s.text) || s.text[s.at] != '"' {
			return false
		}
		key, ok := s.quoted()
		if !ok || !isPlain(key) || !first && bytes.Compare(before, key) >= 0 || !s.next(':') || !s.value(depth+1) {
			return false
		}
		if before = key; !s.next(',') {
			return s.next('}')
		}
	}
}

// isPlain reports whether a key has no escape and no byte beyond ASCII, so that its bytes are in the order of UTF-16.
func isPlain(key []byte) bool {
	for _, c := range key {
		if c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// quoted reads a string and returns what is between the quotes.
func (s *canonicalScanner) quoted() (content []byte, ok bool) {
	s.at++
	begin, ascii := s.at, true
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '"':
			content = s.text[begin:s.at]
			s.at++
			return content, ascii || utf8.Valid(content)
		case c == '\\':
			s.at++
			if s.at == len(s.text) || !bytes.ContainsRune([]byte(`"\bfnrt`), rune(s.text[s.at])) {
				return nil, false
			}
		case c < ' ':
			return nil, false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return nil, false
}

// isNumber reads a number without an exponent.
func (s *canonicalScanner) isNumber() bool {
	begin, exact := s.at, true
	for ; s.at < len(s.text); s.at++ {
		c := s.text[s.at]
		if c == '.' {
			exact = false
		} else if c != '-' && (c < '0' || c > '9') {
			break
		}
	}
	digits := s.text[begin:s.at]
	if exact && len(digits) <= 15 {
		n, err := strconv.ParseInt(string(digits), 10, 64)
		s.number = strconv.AppendInt(s.number[:0], n, 10)
		return err == nil && bytes.Equal(s.number, digits)
	}
	x, err := strconv.ParseFloat(string(digits), 64)
	if size := max(x, -x); err != nil || size < 1e-6 || size >= 1e21 {
		return false
	}
	s.number = strconv.AppendFloat(s.number[:0], x, 'f', -1, 64)
	return bytes.Equal(s.number, digits)
}
