// Package masking takes secrets out of texts: keys, tokens, passwords, private keys, connection strings.
//
// It recognises secrets by their shape (the keys of well-known services, JSON web tokens, blocks of private keys) and
// by what stands before them (password=…, "api_key": "…", Authorization: Bearer …, scheme://user:…@host). What it finds
// becomes [masked:KIND]. What refers to a secret without holding it, such as $PASSWORD, os.environ["TOKEN"] or a type,
// stays.
//
// It does not know every secret: a password in the midst of prose is one that nothing tells from a word. It looks at
// each byte once, and a second time at texts that held something.
package masking

import "strings"

// Mask returns the text with [masked:KIND] in place of each secret, and the number of secrets. Masking again changes
// nothing.
func Mask(text string) (masked string, n int) {
	const most = 20 // a mask may show what stood next to it in another light; in practice the second round finds nothing
	for range most {
		next, found := pass(text)
		if found == 0 || next == text {
			return next, n
		}
		text, n = next, n+found
	}
	return text, n
}

// span is a secret within a text.
type span struct {
	start, end int
	kind       string
}

// pass goes through the text once.
func pass(text string) (string, int) {
	var out strings.Builder
	n, copied := 0, 0
	m := masker(text)
	for found := m.next(0); found.kind != ""; found = m.next(max(found.end, found.start+1)) {
		if n == 0 {
			out.Grow(len(text))
		}
		out.WriteString(text[copied:found.start])
		out.WriteString("[masked:" + found.kind + "]")
		copied = found.end
		n++
	}
	if n == 0 {
		return text, 0
	}
	out.WriteString(text[copied:])
	return out.String(), n
}

// next returns the first secret at or behind i; its kind is empty if there is none.
func (m masker) next(i int) span {
	for i < len(m) {
		if found := m.at(i); found.kind != "" {
			return found
		}
		i = behind(string(m), i)
	}
	return span{}
}

// at returns the secret to which the byte at i leads.
func (m masker) at(i int) (found span) {
	escaped := i > 0 && m[i-1] == '\\'
	switch classes[m[i]] {
	case beginsShape:
		found = m.token(i)
		if found.kind == "" && escaped {
			return m.escaped(i)
		}
	case inWord:
		if escaped {
			return m.escaped(i)
		}
	case separates:
		return m.assigned(i)
	case dash:
		return m.dashes(i)
	case closes:
		return m.element(i)
	}
	return found
}

// masker is the text that is looked at.
type masker string

// behind returns where the word at i ends, or the next byte where none is.
func behind(text string, i int) int {
	c := text[i]
	i++
	switch {
	case isWord[c]:
		for i < len(text) && isWord[text[i]] {
			i++
		}
	case c == '-':
		for i < len(text) && text[i] == '-' {
			i++
		}
	}
	return i
}

// escaped looks at a word that begins with the letter of an escape, such as the n of \n.
func (m masker) escaped(i int) span {
	if i+1 < len(m) {
		return m.token(i + 1)
	}
	return span{}
}

// dashes looks at what begins with two dashes or more.
func (m masker) dashes(i int) span {
	if !strings.HasPrefix(string(m[i:]), "--") {
		return span{}
	}
	if found := m.privateKey(i); found.kind != "" {
		return found
	}
	return m.flag(i)
}

// isMask reports whether Mask wrote a text in place of a secret.
func isMask(text string) bool {
	kind, ok := strings.CutPrefix(text, "[masked:")
	if !ok {
		return false
	}
	kind, ok = strings.CutSuffix(kind, "]")
	return ok && kind != "" && strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz-") == ""
}

// set is a set of bytes.
type set [256]bool

func newSet(ranges string) (s set) {
	for i := 0; i+1 < len(ranges); i += 2 {
		for c := int(ranges[i]); c <= int(ranges[i+1]); c++ {
			s[c] = true
		}
	}
	return s
}

var (
	isWord  = newSet("azAZ09__")
	isAlnum = newSet("azAZ09")
	isURL64 = newSet("azAZ09__--")
	isName  = newSet("azAZ09__--..") // of keys, in many languages
	isUpper = newSet("AZ09")
	isHex   = newSet("af09AF")
)

// classes say what a byte may begin.
var classes = func() (table [256]class) {
	for c := range table {
		switch {
		case len(shapes[c]) > 0 || strings.IndexByte("eSBbh", byte(c)) >= 0:
			table[c] = beginsShape
		case isWord[c]:
			table[c] = inWord
		}
	}
	table['='], table[':'], table['-'], table['>'] = separates, separates, dash, closes
	return table
}()

type class uint8

const (
	other class = iota
	inWord
	beginsShape
	separates
	dash
	closes
)
