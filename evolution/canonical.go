package evolution

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// repeatedKeyError is for an object in which a key stands twice.
type repeatedKeyError string

func (e repeatedKeyError) Error() string { return string(e) + ": stands there twice" }

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
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return appendValue(nil, decoder)
}

func appendValue(b []byte, decoder *json.Decoder) ([]byte, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case json.Delim:
		if v == '{' {
			return appendObject(b, decoder)
		}
		return appendArray(b, decoder)
	case string:
		return appendString(b, v), nil
	case json.Number:
		return appendNumber(b, v)
	case bool:
		return strconv.AppendBool(b, v), nil
	}
	return append(b, "null"...), nil
}

func appendArray(b []byte, decoder *json.Decoder) (_ []byte, err error) {
	b = append(b, '[')
	for i := 0; decoder.More(); i++ {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendValue(b, decoder); err != nil {
			return nil, err
		}
	}
	_, err = decoder.Token()
	return append(b, ']'), err
}

// member is one key of an object with its value in canonical form.
type member struct {
	key   string
	order []uint16
	value []byte
}

func appendObject(b []byte, decoder *json.Decoder) ([]byte, error) {
	var members []member
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		key := token.(string) // the decoder allows no other
		value, err := appendValue(nil, decoder)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		members = append(members, member{key, utf16.Encode([]rune(key)), value})
	}
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(members, func(a, b member) int { return slices.Compare(a.order, b.order) })
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

// appendNumber writes a number as ECMAScript does, which is how encoding/json writes a float64, but for -0.
func appendNumber(b []byte, n json.Number) ([]byte, error) {
	f, err := n.Float64()
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
