package masking

import "strings"

// separator reports whether the character at i separates a key from its value, and where the value begins.
func (s *scanner) separator(i int) (after int, ok bool) {
	next, before := byte(0), byte(0)
	if i+1 < len(s.text) {
		next = s.text[i+1]
	}
	if i > 0 {
		before = s.text[i-1]
	}
	switch {
	case s.text[i] == ':' && (before == ':' || next != 0 && strings.IndexByte("=:-+?", next) >= 0):
		return 0, false // := is seen at its second character; ${NAME:-x} is an expansion of a shell
	case s.text[i] == '=' && (next == '=' || before != 0 && strings.IndexByte("=!<>*/~", before) >= 0):
		return 0, false
	case s.text[i] == '=' && next == '>':
		return i + 2, true
	}
	return i + 1, true
}

// nameBefore returns the key that ends before i: a word, in quotes or not, in brackets or not, with a type or not.
func (s *scanner) nameBefore(i int) (name string, start int, spaced bool) {
	end := i
	if end > 0 && (s.text[end-1] == ':' || s.text[end-1] == '+' || s.text[end-1] == '?') { // := += ?=
		end--
	}
	end, spaced = s.skipSpaceBack(end)
	if end > 0 && s.text[end-1] == 'm' {
		end -= colourBefore(s.text[:end])
	}
	if end > 1 && s.text[end-1] == ']' {
		switch {
		case isQuote(s.text[end-2]):
			end--
		case s.text[end-2] == '[': // char password[]
			end -= 2
		}
	}
	quoted := end > 0 && isQuote(s.text[end-1])
	if quoted {
		end--
		for end > 0 && s.text[end-1] == '\\' {
			end--
		}
	}
	start = end
	for start > 0 && end-start < longestName && isName.has(s.text[start-1]) {
		start--
	}
	name = s.text[start:end]
	if (len(name) == 1 && isDigit.has(name[0]) || name == "is" || name == "ist") && start > 0 &&
		s.text[start-1] == ' ' && !quoted { // Unseal Key 1
		return s.nameBefore(start - 1)
	}
	if spaced && isType(name) {
		if colon, _ := s.skipSpaceBack(start); colon > 0 && s.text[colon-1] == ':' {
			return s.nameBefore(colon - 1)
		}
	}
	return name, start, spaced && !quoted
}

func (s *scanner) skipSpaceBack(end int) (int, bool) {
	before := end
	for n := 0; end > 0 && n < longestSpace && (s.text[end-1] == ' ' || s.text[end-1] == '\t'); n++ {
		end--
	}
	return end, end < before
}

func isType(name string) bool {
	return name == "string" || name == "str" || name == "String" || name == "SecretStr" || name == "bytes"
}

func isSignature(name string) bool {
	plain := lowered(name)
	return strings.HasSuffix(plain, "signature") && !strings.Contains(plain, "amz")
}

// namesItself reports whether the value at i is the name of a secret, perhaps the one before it.
func (s *scanner) namesItself(name string, i int) bool {
	for i < len(s.text) && (isQuote(s.text[i]) || s.text[i] == '\\') {
		i++
	}
	value := s.text[i:min(len(s.text), i+longestName)]
	value = value[:run(value, &isName)]
	if value == "" || hasDigit(value) || i+len(value) < len(s.text) &&
		strings.IndexByte("!@#$%^&*+~=/", s.text[i+len(value)]) >= 0 {
		return false
	}
	if len(value) >= 4 && strings.HasSuffix(name, value) {
		return true
	}
	return strings.ContainsAny(value, "_.") && s.keyNamed(value).kind != ""
}

// isDeliberate reports whether a name that may be one of harmless things is that of an option or of a part of a
// connection string.
func (s *scanner) isDeliberate(name string, start int) bool {
	return strings.HasPrefix(name, "-") || start > 1 && (s.text[start-1] == ';' || s.text[start-1] == '/' &&
		s.text[start-2] == ' ')
}

// beginsLine reports whether only space, or the dash of a list, precedes i on its line.
func (s *scanner) beginsLine(i int) bool {
	const most = 40
	for n := 0; i > 0 && n < most && (s.text[i-1] == ' ' || s.text[i-1] == '\t' || s.text[i-1] == '-'); n++ {
		i--
	}
	return i == 0 || s.text[i-1] == '\n'
}

// colour returns the length of the escape sequence of a terminal at the beginning of a text.
func colour(text string) int {
	if !strings.HasPrefix(text, "\x1b[") {
		return 0
	}
	n := 2
	for n < len(text) && n < 20 && (isDigit.has(text[n]) || text[n] == ';') {
		n++
	}
	if n < len(text) && text[n] == 'm' {
		return n + 1
	}
	return 0
}

// colourBefore returns the length of the escape sequence of a terminal at the end of a text.
func colourBefore(text string) int {
	n := strings.LastIndexByte(text[max(0, len(text)-20):], '\x1b')
	if n < 0 {
		return 0
	}
	if n += max(0, len(text)-20); n+colour(text[n:]) == len(text) {
		return len(text) - n
	}
	return 0
}
