package claudehooks

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Cuts are the places of a payload where something is left out.
type Cuts []cut

type cut struct {
	outline string // what stands there instead
	bytes   int    // that are left out, less what stands there
}

// Whole returns the size of a text of the payload before anything was left out of it; 0 if it is whole.
func (c Cuts) Whole(text string) int {
	whole, cut := len(text), false
	for _, place := range c {
		if n := strings.Count(text, place.outline); n > 0 {
			whole, cut = whole+n*place.bytes, true
		}
	}
	if !cut {
		return 0
	}
	return max(whole, 1)
}

// leaveOut notes that a text stands for what an outline describes.
func (s *shortener) leaveOut(o *outline, text string) {
	for _, known := range s.cuts {
		if known.outline == o.String() { // the same text again
			return
		}
	}
	size := o.bytes
	if o.size.raw > 0 {
		size = o.size.bytes()
	}
	s.cuts = append(s.cuts, cut{o.String(), size - len(text)})
}

// decodedSize counts the bytes of a string in JSON once its escape sequences are decoded.
type decodedSize struct {
	raw     int
	escapes int  // bytes of escape sequences beyond what they stand for
	escape  bool // a backslash precedes what comes next
	digits  int  // hexadecimal digits that are to come
	code    rune
}

func (d *decodedSize) bytes() int { return d.raw - d.escapes }

// add takes a part of a raw string.
func (d *decodedSize) add(raw []byte) {
	d.raw += len(raw)
	for len(raw) > 0 {
		switch {
		case d.digits > 0:
			d.digit(raw[0])
			raw = raw[1:]
		case d.escape:
			if d.escape = false; raw[0] == 'u' {
				d.digits, d.code = 4, 0
			}
			raw = raw[1:]
		default:
			n := bytes.IndexByte(raw, '\\') + 1
			if n == 0 {
				return
			}
			d.escape, d.escapes, raw = true, d.escapes+1, raw[n:]
		}
	}
}

// digit takes a digit of \u0000. Two surrogates stand for four bytes.
func (d *decodedSize) digit(c byte) {
	d.digits--
	d.code = d.code<<4 | rune(strings.IndexByte("0123456789abcdef", c|0x20)&0xf)
	if d.digits > 0 {
		return
	}
	const digits, halfOfPair = 4, 2
	n := utf8.RuneLen(d.code)
	if n < 0 {
		n = halfOfPair
	}
	d.escapes += 1 + digits - n
}
