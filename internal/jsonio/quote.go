package jsonio

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
)

// QuoteNonFinite returns a reader that puts quotes around bare words of [IsNonFinite], which Python's json module and
// other programs write, in the spelling of [NonFinite]. They are not JSON, so JSON keeps its meaning. Text within
// strings stays as it is.
func QuoteNonFinite(r io.Reader) io.Reader {
	return &quoter{source: bufio.NewReaderSize(r, 1<<16)}
}

// QuoteNonFiniteIn is [QuoteNonFinite] for a text; found reports whether there were such numbers.
func QuoteNonFiniteIn(text []byte) (quoted []byte, found bool) { return replaceNonFinite(text, "") }

// NullNonFiniteIn puts null in the place of such numbers.
func NullNonFiniteIn(text []byte) (nulled []byte, found bool) { return replaceNonFinite(text, "null") }

var mayBeNonFinite = regexp.MustCompile(`(?i:nan|inf)|\bNA\b`)

func replaceNonFinite(text []byte, by string) (replaced []byte, found bool) {
	if !mayBeNonFinite.Match(text) {
		return text, false
	}
	q := &quoter{source: bufio.NewReaderSize(bytes.NewReader(text), 1<<16), by: by}
	replaced, _ = io.ReadAll(q) // reading from memory cannot fail
	return replaced, q.found
}

type quoter struct {
	source   *bufio.Reader
	inString bool
	escaped  bool   // the next byte of the string is escaped
	waiting  string // still to be read
	by       string // what stands for a word; empty for its spelling in quotes
	found    bool
	inWord   bool // the last byte belongs to a word or a number
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
	default:
		begins := !q.inWord && strings.IndexByte("nNiI+-", b) >= 0
		q.inWord = isWord(b)
		if begins {
			return q.word(b)
		}
	}
	return ""
}

func isWord(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '.' || b == '+' || b == '-'
}

// word returns the replacement of the word that begins with a byte, and skips the word; nothing if it stays.
func (q *quoter) word(first byte) string {
	const longest = len("-infinity")
	next, _ := q.source.Peek(longest)
	n := 0
	for n < len(next) && isWord(next[n]) {
		n++
	}
	word := string(first) + string(next[:n])
	if n == longest || !IsNonFinite(word) {
		return ""
	}
	_, _ = q.source.Discard(n) // it was peeked at
	q.found, q.inWord = true, true
	switch {
	case q.by != "":
		return q.by
	case !strings.HasSuffix(strings.ToLower(word), "f") && !strings.HasSuffix(strings.ToLower(word), "y"):
		return `"NaN"`
	case first == '-':
		return `"-Infinity"`
	}
	return `"Infinity"`
}
