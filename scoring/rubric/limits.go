package rubric

import "unicode/utf8"

// Limits of what is looked at, so that no text takes more than seconds or exhausts the stack.
const (
	maxText = 1 << 20 // bytes of the final text, and of the output of a call; the beginning of what is longer
	// maxNesting is how deep blocks may nest in one line of Markdown, and brackets in code that a recursive parser gets
	// to see. People stay below ten.
	maxNesting = 64
	// maxCode is the longest code that is parsed, in bytes; maxCodeTotal that of one execution in sum.
	maxCode      = 64 << 10
	maxCodeTotal = 512 << 10
	maxBlank     = 20_000 // empty lines of the final text
	// maxListed is how many failed calls, findings or checked blocks a detail lists; it counts all.
	maxListed = 50
)

// clip returns at most n bytes of s, cut between characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// excerpt is the beginning of s for a person.
func excerpt(s string) string {
	const most = 80
	if short := clip(s, most); len(short) < len(s) {
		return short + "…"
	}
	return s
}

// deeperThan says that more than n brackets are open at once in code. Brackets in strings and comments count too: it
// is a guard, not a parser.
func deeperThan(code string, n int) bool {
	depth := 0
	for i := 0; i < len(code); i++ {
		switch code[i] {
		case '(', '[', '{':
			depth++
			if depth > n {
				return true
			}
		case ')', ']', '}':
			depth = max(0, depth-1)
		}
	}
	return false
}
