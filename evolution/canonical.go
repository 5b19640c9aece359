package evolution

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// repeatedKeyError is for an object in which a key stands twice.
type repeatedKeyError string

func (e repeatedKeyError) Error() string { return string(e) + ": is duplicated" }

// canonical writes a value as canonical JSON (RFC 8785): keys in the order of their UTF-16 code units, numbers in the shortest form
// that reads back as the same float64, no white space. Numbers are taken as float64: larger whole numbers belong in strings.
func canonical(v any) ([]byte, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return canonicalize(plain)
}

// canonicalize rewrites JSON text as canonical JSON. A key that stands twice in an object is refused.
func canonicalize(text []byte) ([]byte, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("not valid UTF-8")
	}
	if !json.Valid(text) { // also where it is nested deeper than 10,000 levels: what follows is recursive
		return nil, errors.New("not valid JSON")
	}
	r := canonicalizer{text: text}
	return r.appendValue(make([]byte, 0, len(text)))
}

// canonicalizer reads JSON text that is known to be valid, so that every byte it meets can only be what it takes it for.
type canonicalizer struct {
	text []byte
	at   int
}

// next skips white space and returns the byte behind it, which is not read yet.
func (r *canonicalizer) next() byte {
	for r.text[r.at] == ' ' || r.text[r.at] == '\t' || r.text[r.at] == '\n' || r.text[r.at] == '\r' {
		r.at++
	}
	return r.text[r.at]
}

func (r *canonicalizer) appendValue(b []byte) ([]byte, error) {
	switch r.next() {
	case '{':
		return r.appendObject(b)
	case '[':
		return r.appendArray(b)
	case '"':
		s, err := r.string()
		return appendString(b, s), err
	case 't', 'n':
		return append(b, r.skip(len("true"))...), nil
	case 'f':
		return append(b, r.skip(len("false"))...), nil
	}
	return r.appendNumber(b)
}

// skip reads n bytes as they are.
func (r *canonicalizer) skip(n int) []byte {
	r.at += n
	return r.text[r.at-n : r.at]
}

// string reads a string. What stands in it without an escape is taken as it is.
func (r *canonicalizer) string() (s string, err error) {
	begin, escaped := r.at, false
	for r.at++; r.text[r.at] != '"'; r.at++ {
		if r.text[r.at] == '\\' {
			escaped = true
			r.at++
		}
	}
	r.at++
	if !escaped {
		return string(r.text[begin+1 : r.at-1]), nil
	}
	err = json.Unmarshal(r.text[begin:r.at], &s)
	return s, err
}

func (r *canonicalizer) appendArray(b []byte) (_ []byte, err error) {
	open := byte('[')
	for r.at++; r.next() != ']'; {
		if r.text[r.at] == ',' {
			r.at++
		}
		b, open = append(b, open), ','
		if b, err = r.appendValue(b); err != nil {
			return nil, err
		}
	}
	r.at++
	if open == '[' {
		b = append(b, open)
	}
	return append(b, ']'), nil
}

// member is one key of an object with its value in canonical form.
type member struct {
	key   string
	value []byte
}

func (r *canonicalizer) appendObject(b []byte) ([]byte, error) {
	var members []member
	var values []byte
	for r.at++; r.next() != '}'; {
		if r.text[r.at] == ',' {
			r.at++
			r.next()
		}
		key, err := r.string()
		if err != nil {
			return nil, err
		}
		r.next()
		r.at++ // the colon
		begin := len(values)
		if values, err = r.appendValue(values); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		members = append(members, member{key, values[begin:len(values):len(values)]})
	}
	r.at++
	slices.SortStableFunc(members, func(a, b member) int { return compareUTF16(a.key, b.key) })
	b = append(b, '{')
	for i, m := range members {
		if i > 0 {
			if members[i-1].key == m.key {
				return nil, repeatedKeyError(m.key)
			}
			b = append(b, ',')
		}
		b = append(appendString(b, m.key), ':')
		b = append(b, m.value...)
	}
	return append(b, '}'), nil
}

// compareUTF16 compares texts by their UTF-16 code units.
func compareUTF16(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n < len(a) && n < len(b) && a[n] < utf8.RuneSelf && b[n] < utf8.RuneSelf {
		return cmp.Compare(a[n], b[n])
	}
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

// appendNumber writes a number as ECMAScript does, which is how encoding/json writes a float64, but for -0.
func (r *canonicalizer) appendNumber(b []byte) ([]byte, error) {
	begin := r.at
	for r.at < len(r.text) && strings.IndexByte("+-.0123456789Ee", r.text[r.at]) >= 0 {
		r.at++
	}
	n := string(r.text[begin:r.at])
	f, err := strconv.ParseFloat(n, 64)
	if err != nil {
		return nil, fmt.Errorf("number %s is beyond float64", n)
	}
	if f == 0 {
		return append(b, '0'), nil
	}
	text, err := json.Marshal(f)
	return append(b, text...), err
}

// appendString escapes what JSON demands and nothing else.
func appendString(b []byte, s string) []byte {
	const digits = "0123456789abcdef"
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c >= ' ':
			b = append(b, c)
		case c == '\b':
			b = append(b, `\b`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\f':
			b = append(b, `\f`...)
		case c == '\r':
			b = append(b, `\r`...)
		default:
			b = append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	return append(b, '"')
}
