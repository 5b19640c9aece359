package masking

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
	isDigit  = set{digitBits}
	isLetter = set{0, letterBits}
	isAlnum  = set{digitBits, letterBits}
	isWord   = set{digitBits, letterBits | underscore}
	isURL64  = set{digitBits | 1<<'-', letterBits | underscore}
	isName   = set{digitBits | 1<<'-' | 1<<'.', letterBits | underscore} // of keys, in many languages
	isUpper  = set{digitBits, upperBits}
	isLower  = set{digitBits, lowerBits}
	isHex    = set{digitBits, 0x7e<<32 | 0x7e}
	isUUID   = set{digitBits | 1<<'-', 0x7e<<32 | 0x7e}
	isDotted = set{digitBits | 1<<'-' | 1<<'.' | 1<<'=', letterBits | underscore}
	isBase64 = set{digitBits | 1<<'+' | 1<<'/' | 1<<'=', letterBits}
	isAny64  = set{digitBits | 1<<'+' | 1<<'/' | 1<<'=' | 1<<'-' | 1<<'.', letterBits | underscore | 1<<('~'-64)}
	isPath   = set{digitBits | 1<<'-' | 1<<'.' | 1<<'/' | 1<<'%' | 1<<'+', 1 | letterBits | underscore | 1<<('~'-64)}

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
