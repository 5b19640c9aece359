package jsonio

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// QuoteNonFinite returns a reader that puts quotes around the bare NaN, Infinity and -Infinity that Python's json
// module writes. They are not JSON, so JSON keeps its meaning. Text within strings stays as it is.
func QuoteNonFinite(r io.Reader) io.Reader {
	return &quoter{source: bufio.NewReaderSize(r, 1<<16)}
}

// QuoteNonFiniteIn is [QuoteNonFinite] for a text; found reports whether there were such numbers.
func QuoteNonFiniteIn(text []byte) (quoted []byte, found bool) {
	if !bytes.Contains(text, []byte("NaN")) && !bytes.Contains(text, []byte("Infinity")) {
		return text, false
	}
	quoted, _ = io.ReadAll(QuoteNonFinite(bytes.NewReader(text))) // reading from memory cannot fail
	return quoted, len(quoted) > len(text)
}

type quoter struct {
	source   *bufio.Reader
	inString bool
	escaped  bool   // the next byte of the string is escaped
	waiting  string // still to be read
}

func (q *quoter) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if q.waiting != "" {
			copied := copy(p[n:], q.waiting)
			n, q.waiting = n+copied, q.waiting[copied:]
			continue
		}
		b, err := q.source.ReadByte()
		if errors.Is(err, io.EOF) && n > 0 {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		p[n] = b
		if q.waiting = q.step(b); q.waiting == "" {
			n++
		}
	}
	return n, nil
}

// step takes the next byte. It returns the replacement of the word that begins there, or nothing if the byte stays.
func (q *quoter) step(b byte) string {
	switch {
	case q.escaped:
		q.escaped = false
	case q.inString:
		q.escaped, q.inString = b == '\\', b != '"'
	case b == '"':
		q.inString = true
	case b == 'N' && q.skip("aN"):
		return `"NaN"`
	case b == 'I' && q.skip("nfinity"):
		return `"Infinity"`
	case b == '-' && q.skip("Infinity"):
		return `"-Infinity"`
	}
	return ""
}

// skip skips text if it comes next, and reports whether it did.
func (q *quoter) skip(text string) bool {
	if next, _ := q.source.Peek(len(text)); string(next) != text {
		return false
	}
	_, err := q.source.Discard(len(text))
	return err == nil
}
