package claudehooks

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// besideCut is how much of a long text is masked on each side of a cut and then left out. A secret that the cut splits
// lies in it, and what a mask depends on lies next to its secret: a private key has at most 16 KiB. Masks can be longer
// than the secrets they replace, so it is a multiple of that.
const besideCut = 64 << 10

// longText reads the rest of a string that began at start of out, and writes what is kept of it.
func (s *shortener) longText(start int, escaped bool) error {
	raw := s.out[start:]
	outline := newOutline()
	outline.add(raw)
	keep := s.kept / 2
	tail := ring{size: keep}
	tail.add(raw[min(len(raw), keep):])
	head := string(raw[:min(len(raw), keep)])
	for ended := false; !ended; {
		chunk, err := s.chunk()
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		var n int
		n, escaped, ended = stringEnd(chunk, escaped)
		text := chunk[:n]
		if ended {
			text = chunk[:n-1]
		}
		outline.add(text)
		tail.add(text)
		_, _ = s.in.Discard(n)
	}
	text := s.shortened(head, tail.text(), outline.String(), keep)
	s.kept -= min(s.kept, len(text))
	s.out = appendQuoted(s.out[:start-1], text)
	s.leaveOut(outline, text)
	s.long += len(s.out) - start
	return nil
}

// shortened returns the masked beginning and end of a text. The beginning ends with a line, or a word, and the end
// begins behind an empty line: no table or list goes on behind it, whose masks depend on what stood before.
func (s *shortener) shortened(head, tail, outline string, most int) string {
	head, tail = s.mask(unquoted(withoutPartialEscape(head))), s.mask(unquoted(afterPartialEscape(tail)))
	head = head[:min(most, max(0, len(head)-besideCut))]
	end := strings.LastIndexByte(head, '\n')
	if end < 0 {
		end = max(0, strings.LastIndexAny(head, " \t"))
	}
	tail = afterEmptyLine(tail[min(len(tail), max(besideCut, len(tail)-most)):])
	return strings.Trim(head[:end]+"\n"+outline+"\n"+tail, "\n")
}

// afterEmptyLine returns what follows the first empty line of a text; nothing if it has none.
func afterEmptyLine(text string) string {
	for at := strings.IndexByte(text, '\n'); at >= 0 && at < len(text); {
		line, _, _ := strings.Cut(text[at+1:], "\n")
		if at += 1 + len(line); strings.TrimRight(line, "\r") == "" {
			return text[min(len(text), at+1):]
		}
	}
	return ""
}

func unquoted(raw string) string {
	text, err := jsontext.AppendUnquote(nil, "\""+raw+"\"")
	if err != nil { // invalid UTF-8, which it replaces, or no JSON
		return strings.ToValidUTF8(string(text), "\uFFFD")
	}
	return string(text)
}

func appendQuoted(out []byte, text string) []byte {
	out, _ = jsontext.AppendQuote(out, strings.ToValidUTF8(text, "\uFFFD")) // valid UTF-8 has a quoted form
	return out
}

// longestEscape is the length of \u0000.
const longestEscape = 6

// withoutPartialEscape returns the beginning of a raw string without an escape sequence that its end cuts.
func withoutPartialEscape(raw string) string {
	for end := len(raw); end > 0; {
		i := strings.LastIndexByte(raw[max(0, end-longestEscape):end], '\\')
		if i < 0 {
			return raw[:end]
		}
		end = max(0, end-longestEscape) + i
	}
	return ""
}

// afterPartialEscape returns the end of a raw string without an escape sequence that its beginning cuts.
func afterPartialEscape(raw string) string {
	plain := 0
	for i := range min(len(raw), besideCut/2) {
		if plain++; raw[i] == '\\' || raw[i] == '"' {
			plain = 0
		}
		if plain > longestEscape {
			return raw[i+1:]
		}
	}
	return ""
}

// outline is what is known of a text that is left out: its size, and a digest of the lengths of its lines. It is no
// digest of the text, from which a short secret could be guessed.
type outline struct {
	hash   hash.Hash
	buffer []byte
	bytes  int
	length uint64 // of the line
	escape bool   // a backslash precedes what comes next
	size   decodedSize
	digest string // once it is known
}

func newOutline() *outline { return &outline{hash: sha256.New()} }

// add takes a part of a raw string.
func (o *outline) add(raw []byte) {
	o.bytes += len(raw)
	o.size.add(raw)
	o.line(raw)
}

func (o *outline) line(raw []byte) {
	for len(raw) > 0 {
		if o.escape {
			if o.escape, o.length = false, o.length+1; raw[0] == 'n' {
				o.endLine()
			}
			raw = raw[1:]
		}
		n := bytes.IndexByte(raw, '\\') + 1
		if o.escape = n > 0; !o.escape {
			n = len(raw)
		}
		o.length += uint64(n)
		raw = raw[n:]
	}
}

func (o *outline) endLine() {
	const full = 4096
	o.buffer = binary.LittleEndian.AppendUint64(o.buffer, o.length)
	o.length = 0
	if len(o.buffer) >= full {
		o.hash.Write(o.buffer)
		o.buffer = o.buffer[:0]
	}
}

func (o *outline) String() string {
	if o.digest == "" {
		o.endLine()
		o.hash.Write(o.buffer)
		o.buffer, o.digest = nil, hex.EncodeToString(o.hash.Sum(nil))[:16]
	}
	return fmt.Sprintf("[left out of %d bytes of JSON, whose lines have the digest %s]", o.bytes, o.digest)
}

// ring keeps the last bytes that it is given.
type ring struct {
	size int
	data []byte // at most twice the size
}

func (r *ring) add(text []byte) {
	text = text[max(0, len(text)-r.size):]
	if len(r.data)+len(text) > 2*r.size {
		r.data = append(r.data[:0], r.data[max(0, len(r.data)-r.size):]...)
	}
	r.data = append(r.data, text...)
}

func (r *ring) text() string { return string(r.data[max(0, len(r.data)-r.size):]) }
