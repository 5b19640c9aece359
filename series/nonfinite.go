package series

import (
	"bufio"
	"errors"
	"io"
)

// quoteNonFinite puts quotes around the bare NaN, Infinity and -Infinity that Python's json module prints. They are no JSON, so
// nothing that is changes its meaning. Text within strings stays.
func quoteNonFinite(r io.Reader) io.Reader {
	return &quoter{source: bufio.NewReaderSize(r, 1<<16)}
}

type quoter struct {
	source   *bufio.Reader
	inString bool
	escaped  bool   // the next byte of the string means nothing
	waiting  string // to be read
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

// step takes the next byte and returns what stands for it and what follows; nothing where it stands for itself.
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

// skip skips text if that comes next.
func (q *quoter) skip(text string) bool {
	if next, _ := q.source.Peek(len(text)); string(next) != text {
		return false
	}
	_, err := q.source.Discard(len(text))
	return err == nil
}
