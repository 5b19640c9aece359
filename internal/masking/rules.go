package masking

import (
	"slices"
	"strings"
	"sync"
)

// rules are tables that are made when they are first needed.
type rules struct {
	classes  [256]class
	shapes   [512][]prefixedShape // by the hash of the first two letters of the prefix
	endings  [512][]namingWord    // by the hash of the last two letters, the longest first
	inside   []namingWord
	programs map[string][]*namedOption // by name
	mayBegin [512]bool                 // by the hash of the first two letters of programs
}

type prefixedShape struct {
	prefix string
	*shape
}

type namingWord struct {
	word string
	*naming
}

type namedOption struct {
	names []string
	*option
}

var theRules = sync.OnceValue(func() *rules {
	r := &rules{programs: map[string][]*namedOption{}}
	for i := range shapes {
		for prefix := range strings.FieldsSeq(shapes[i].prefixes) {
			h := hash(prefix[0], prefix[1])
			r.shapes[h] = append(r.shapes[h], prefixedShape{prefix, &shapes[i]})
		}
	}
	for i := range endings {
		for word := range strings.FieldsSeq(endings[i].words) {
			h := hash(word[len(word)-2], word[len(word)-1])
			r.endings[h] = append(r.endings[h], namingWord{word, &endings[i]})
		}
	}
	for _, words := range r.endings {
		slices.SortStableFunc(words, func(a, b namingWord) int { return len(b.word) - len(a.word) })
	}
	for i := range inside {
		for word := range strings.FieldsSeq(inside[i].words) {
			r.inside = append(r.inside, namingWord{word, &inside[i]})
		}
	}
	for i := range options {
		o := &namedOption{strings.Fields(options[i].names), &options[i]}
		for name := range strings.FieldsSeq(options[i].programs) {
			r.programs[name] = append(r.programs[name], o)
			r.mayBegin[hash(name[0], name[1])] = true
		}
	}
	for c := range 128 {
		if isWord.has(byte(c)) {
			r.classes[c] = inWord
		}
	}
	for c, class := range map[byte]class{
		'=': separates, ':': separates, '-': dash, '>': closes, ',': comma, '(': opens, '%': percent, '~': tilde,
		'$': dollar, '\n': newline,
	} {
		r.classes[c] = class
	}
	return r
})

// hash is small, since it is the index of a table.
func hash(a, b byte) uint16 { return (uint16(a)*31 + uint16(b)) & 511 }

// class says what a byte may begin.
type class uint8

const (
	other class = iota
	inWord
	separates
	dash
	closes
	comma
	opens
	percent
	tilde
	dollar
	newline
)

// set is a set of bytes: one bit for each. Sets are constant data, so that they cost nothing at the start of a program.
type set [4]uint64

func (s *set) has(c byte) bool { return s[c>>6]>>(c&63)&1 != 0 }

// Bits of the first word (bytes below 64) and of the second (64 to 127).
const (
	digitBits   = 0x3ff << '0'
	lowerBits   = 0x3ffffff << ('a' - 64)
	upperBits   = 0x3ffffff << ('A' - 64)
	letterBits  = lowerBits | upperBits
	controlBits = 1<<' ' | (1<<' ' - 1)
	underscore  = 1 << ('_' - 64)
)

var (
	isDigit       = set{digitBits}
	isLetter      = set{0, letterBits}
	isAlnum       = set{digitBits, letterBits}
	isWord        = set{digitBits, letterBits | underscore}
	isURL64       = set{digitBits | 1<<'-', letterBits | underscore}
	isName        = set{digitBits | 1<<'-' | 1<<'.', letterBits | underscore} // of keys, in many languages
	isUpper       = set{digitBits, upperBits}
	isLower       = set{digitBits, lowerBits}
	isLowerAlnum  = set{digitBits, lowerBits}
	isBase58      = set{digitBits &^ (1 << '0'), letterBits &^ (1<<('O'-64) | 1<<('I'-64) | 1<<('l'-64))}
	isHex         = set{digitBits, 0x7e<<32 | 0x7e}
	isUUID        = set{digitBits | 1<<'-', 0x7e<<32 | 0x7e}
	isDotted      = set{digitBits | 1<<'-' | 1<<'.' | 1<<'=', letterBits | underscore}
	isBase64      = set{digitBits | 1<<'+' | 1<<'/' | 1<<'=', letterBits}
	isAny64       = set{digitBits | 1<<'+' | 1<<'/' | 1<<'=' | 1<<'-' | 1<<'.', letterBits | underscore | 1<<('~'-64)}
	isPath        = set{digitBits | 1<<'-' | 1<<'.' | 1<<'/' | 1<<'%' | 1<<'+', 1 | letterBits | underscore | 1<<('~'-64)}
	isEscapedPath = set{digitBits | 1<<'-' | 1<<'.' | 1<<'/', letterBits | underscore | 1<<('\\'-64)} // in JSON

	endsValue = set{
		controlBits | 1<<'"' | 1<<'\'' | 1<<',' | 1<<';' | 1<<'&' | 1<<'>' | 1<<')',
		1<<('\\'-64) | 1<<('`'-64) | 1<<('}'-64) | 1<<('|'-64),
	}
	endsHeader = set{
		1<<9 - 1 | 1<<'\n' | (1<<32 - 1<<11) | 1<<'"' | 1<<'\'' | 1<<',' | 1<<'<',
		1<<('\\'-64) | 1<<('`'-64),
	}
	endsLine = set{1<<'\n' | 1<<'\r' | 1<<'\''}
	endsWord = set{controlBits | 1<<'"' | 1<<'\'', 1 << ('`' - 64)}
	joins    = set{1<<'-' | 1<<'.' | 1<<'/' | 1<<':' | 1<<'$' | 1<<'+' | 1<<'!' | 1<<'=',
		1 | 1<<('~'-64) | 1<<('|'-64)} // parts of keys
	continues = set{1<<'-' | 1<<'.' | 1<<'+' | 1<<'#', 1 | 1<<('~'-64)}
	isSpace   = set{1<<' ' | 1<<'\t' | 1<<'\r' | 1<<'\n'}
)

// run returns how many characters of a set a text begins with.
func run(text string, s *set) int {
	n := 0
	for n < len(text) && s.has(text[n]) {
		n++
	}
	return n
}

// runBack returns how many characters of a set a text ends with.
func runBack(text string, s *set) int {
	n := 0
	for n < len(text) && s.has(text[len(text)-1-n]) {
		n++
	}
	return n
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }
