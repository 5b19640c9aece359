package masking

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maskJSON masks the strings of a text as whoever decodes its JSON reads them: in p\u0061ss\u003dx lies a password.
// What is no string of JSON stays.
func maskJSON(text string) (masked string, n int) {
	if strings.IndexByte(text, '\\') < 0 {
		return text, 0
	}
	var out, plain strings.Builder // plain has no escapes that a string does not need
	copied, hasEscapes := 0, false
	for start := strings.IndexByte(text, '"'); start >= 0; {
		end := endOfString(text, start)
		if literal := text[start:end]; strings.IndexByte(literal, '\\') >= 0 {
			if decoded, err := jsontext.AppendUnquote(nil, literal); err == nil {
				clean, found := Mask(string(decoded))
				quoted, _ := jsontext.AppendQuote(nil, clean) // of text that was decoded
				plain.WriteString(text[copied:start] + string(quoted))
				if n += found; found == 0 {
					quoted, hasEscapes = []byte(literal), hasEscapes || string(quoted) != literal
				}
				out.WriteString(text[copied:start] + string(quoted))
				copied = end
			}
		}
		next := strings.IndexByte(text[end:], '"')
		if start = end + next; next < 0 {
			break
		}
	}
	switch {
	case n > 0:
		return out.String() + text[copied:], n
	case hasEscapes: // perhaps of a name, whose value is another string
		return pass(plain.String() + text[copied:])
	}
	return text, 0
}

// endOfString returns the end of the string that begins with the quote at start.
func endOfString(text string, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
