package masking

import "strings"

const (
	longestName  = 80 // of a key, looking back from its separator
	longestSpace = 8  // between a key, its separator and its value
	longestQuote = 2048
)

// context is what surrounds a value.
type context struct {
	spaced    bool // there is space around the separator, as in code and in prose
	lineStart bool // the key is the first thing of a line, as in a file of settings
}

// assigned returns the secret that is the value of a key. i is the position of the separator between them.
func (s *scanner) assigned(i int) span {
	if s.text[i] == ':' && i+1 < len(s.text) {
		switch next := s.text[i+1]; {
		case next == '/' && strings.HasPrefix(s.text[i:], "://"):
			return s.address(i)
		case next == '*' || isDigit.has(next):
			if found := s.passwordFile(i); found.kind != "" {
				return found
			}
		}
	}
	after, ok := s.separator(i)
	if !ok {
		return span{}
	}
	return s.assignment(i, after)
}

// assignment returns the secret that begins behind a separator, which begins at i and ends at after.
func (s *scanner) assignment(i, after int) span {
	name, start, spaced := s.nameBefore(i)
	value := after
	for value < len(s.text) && value < after+longestSpace && (s.text[value] == ' ' || s.text[value] == '\t') {
		value++
	}
	k := s.keyNamed(name)
	if k.kind == "" || start < s.block {
		k = s.keyAround(name, start, value, k)
		if k.kind == "" {
			return span{}
		}
	}
	k = s.qualified(name, start, k)
	switch {
	case k.strength == weak && s.isDeliberate(name, start):
		k.strength = strong
	case k.strength == header && strings.HasPrefix(name, "-"):
		k.strength = weak
	case k.strength == opaque && start > 0 && strings.IndexByte("?&(", s.text[start-1]) >= 0:
		k.strength = random
	case isSignature(name) && (start == 0 || strings.IndexByte("?&;-", s.text[start-1]) < 0):
		return span{} // signatures are secrets in addresses, where they let others in
	}
	if s.namesItself(name, value) {
		return span{}
	}
	return s.value(value, k, context{spaced: spaced || value > after, lineStart: s.beginsLine(start)})
}

// percentEqual returns the secret that is assigned with %3D, as within an address.
func (s *scanner) percentEqual(i int) span {
	if i+3 >= len(s.text) || s.text[i+1] != '3' || s.text[i+2]|0x20 != 'd' && s.text[i+2]|0x20 != 'a' {
		return span{}
	}
	found := s.assignment(i, i+3)
	if found.kind != "" && found.start == i+3 {
		if n := strings.Index(s.text[found.start:found.end], "%26"); n > 0 {
			found.end = found.start + n
		}
	}
	return found
}

// value returns the secret that begins at i.
func (s *scanner) value(i int, k key, c context) span {
	if i >= len(s.text) {
		return span{}
	}
	if k.strength == header {
		return s.headerValue(i, k)
	}
	switch k.strength {
	case login:
		return s.oracleLogin(i)
	case lines:
		return s.keyLines(i)
	case phrase:
		return s.wordList(i)
	}
	if n := colour(s.text[i:]); n > 0 {
		i += n
		if found := s.quotedValue(i-1, "\x1b", k); found.kind != "" && found.end < len(s.text) {
			return found
		}
	}
	if strings.HasPrefix(s.text[i:], `"""`) {
		i += 2
	}
	quote := i
	for quote < len(s.text) && quote < i+8 && s.text[quote] == '\\' {
		quote++
	}
	if quote+1 < len(s.text) && quote == i && strings.IndexByte("brfuNL@", s.text[quote]) >= 0 &&
		isQuote(s.text[quote+1]) {
		quote++ // of Python, SQL and C#
		i = quote
	}
	if quote < len(s.text) && isQuote(s.text[quote]) {
		if strings.HasPrefix(s.text[quote+1:], "-----BEGIN ") {
			return s.privateKey(quote + 1)
		}
		return s.quotedValue(quote, s.text[i:quote+1], k)
	}
	if i >= len(s.text) {
		return span{}
	}
	if strings.IndexByte("|>", s.text[i]) >= 0 {
		return s.blockValue(i, k)
	}
	return s.plainValue(i, k, c)
}

// plainValue returns the secret without quotes that begins at i.
func (s *scanner) plainValue(i int, k key, c context) span {
	limit := min(len(s.text), i+longestQuote)
	end := s.untilValueEnds(i, limit)
	value := s.text[i:end]
	if value == "" || k.strength == weak && strings.IndexByte(strings.TrimRight(value, "="), '=') >= 0 {
		return span{}
	}
	if isPlaceholder(value) {
		return span{}
	}
	if end < limit && k.strength == strong && strings.IndexByte("&;>)}|,", s.text[end]) >= 0 {
		if more := s.until(&endsWord, end, limit); looksChosen(s.text[i:more]) && s.endsSetting(more) && c.lineStart {
			end = more // a mark within the password
			value = s.text[i:end]
		}
	}
	if !k.isSecret(value) {
		return span{}
	}
	switch k.strength {
	case basic:
		if v := varietyOf(value); !isBasic(value) && !isRandomValue(value) && (len(value) < 8 || v.digit == 0 ||
			v.lower == 0 || v.upper+v.mark == 0 || isCode(value)) {
			return span{}
		}
	case random, opaque:
		if found := s.token(i, i+run(value, &isWord)); found.end >= end {
			return found
		}
		if !isRandomValue(value) || k.strength == opaque && !isOpaque(value) {
			return span{}
		}
	default:
		if k.kind == "token" && k.strength == weak && isNumbered(value) {
			return span{}
		}
		if isCode(value) && !isRandomValue(value) && !(c.lineStart && s.endsSetting(end) && isUnbalanced(value)) || (k.strength == weak || c.spaced) && !looksSecret(value, k, c) {
			return span{}
		}
	}
	return span{i, s.until(&endsValue, end, len(s.text)), k.kind}
}

// isNumbered reports whether a text is a word with a short number, such as identifier12.
func isNumbered(value string) bool {
	word := strings.TrimRight(value, "0123456789")
	return len(value)-len(word) <= 2 && run(word, &isLower) == len(word) && !hasDigit(word)
}

// endsSetting reports whether i is the end of a line.
func (s *scanner) endsSetting(i int) bool {
	return i == len(s.text) || s.text[i] == '\n' || s.text[i] == '\r'
}

// until returns the position of the first byte of a set, or the limit. The decision whether a text is a secret looks at
// a bounded part of it, since the same part may be looked at again. A masked text is not looked at again.
func (s *scanner) until(ends *set, i, limit int) int {
	for i < limit && !ends.has(s.text[i]) {
		i++
	}
	return i
}

// untilValueEnds returns the end of a value without quotes. A bracket that closes within a word is part of it.
func (s *scanner) untilValueEnds(i, limit int) int {
	for end := i; ; end++ {
		end = s.until(&endsValue, end, limit)
		if end+1 >= limit || !isAlnum.has(s.text[end+1]) {
			return end
		}
		if open := openingOf(s.text[end]); open == 0 || strings.IndexByte(s.text[i:end], open) < 0 {
			return end
		}
	}
}

// quotedValue returns the secret in a string that begins behind the quote at i. terminator is the quote, as it is
// escaped.
func (s *scanner) quotedValue(i int, terminator string, k key) span {
	value := quoted(s.text[i+1:], terminator)
	if value == "" || !k.isSecret(value) || strings.IndexByte(") ,;]}+", value[0]) >= 0 &&
		!strings.HasPrefix(s.text[i+1+len(value):], terminator) {
		return span{}
	}
	if terminator == "`" && strings.Contains(value, " ") {
		return span{} // a command of a shell
	}
	found := span{i + 1, i + 1 + len(value), k.kind}
	spaces := strings.ContainsAny(value, " \n")
	switch k.strength {
	case basic:
		if isBasic(value) || isRandomValue(value) {
			return found
		}
	case random, opaque:
		if token := s.token(i+1, i+1+run(value, &isWord)); token.end >= found.end {
			return token
		}
		if isRandomValue(value) && (k.strength == random || isOpaque(value)) {
			return found
		}
	case weak:
		if len(value) >= 8 && hasDigit(value) && !spaces && !isConstant(value) {
			return found
		}
	default:
		if !spaces || !isSentence(value) {
			return found
		}
	}
	return span{}
}

// quoted returns the rest of a string up to its quote. Without one, it ends at the first space.
func quoted(rest, terminator string) string {
	limit := rest[:min(len(rest), longestQuote)]
	end := 0
	for {
		n := strings.Index(limit[end:], terminator)
		if n < 0 {
			if end = strings.IndexAny(limit, " \t\r\n"); end < 0 {
				end = len(limit)
			}
			return limit[:end]
		}
		end += n
		if len(terminator) > 1 || end == 0 || limit[end-1] != '\\' || end > 1 && limit[end-2] == '\\' {
			return limit[:end]
		}
		end += len(terminator)
	}
}

// isSentence reports whether a text is one for readers: a label, a message, a description.
func isSentence(value string) bool {
	words := strings.Fields(value)
	if len(words) < 2 {
		return false
	}
	for _, word := range words {
		switch lowered(strings.Trim(word, ".,:;!?\"'")) {
		case "password", "passwort", "passphrase", "secret", "token", "key", "your", "please", "enter", "the",
			"must", "is", "are", "be", "for", "to", "of", "not", "invalid", "required", "with", "an", "and":
			return true
		}
	}
	return false
}

// isConstant reports whether a text is the name of a constant, a variable of the environment or a resource.
func isConstant(value string) bool {
	return strings.Trim(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == "" && strings.Contains(value, "_") ||
		strings.HasPrefix(value, "arn:")
}

// headerValue returns the credentials of an Authorization header, without its scheme, or the value of a cookie.
func (s *scanner) headerValue(i int, k key) span {
	i += run(s.text[i:min(len(s.text), i+longestSpace)], &isBlank)
	for i < len(s.text) && (s.text[i] == '\\' || isQuote(s.text[i])) {
		i++
	}
	start := i
	value := strings.TrimRight(s.text[i:s.until(&endsHeader, i, min(len(s.text), i+longestQuote))], " \t")
	if k.kind == "cookie" && !holdsSession(value) || value != "" && value[0] == '(' {
		return span{}
	}
	if scheme, _, found := strings.Cut(value, " "); found && (scheme == "Digest" || scheme == "OAuth" ||
		scheme == "Hawk" || strings.HasPrefix(scheme, "AWS4")) {
		end := s.until(&endsLine, i, min(len(s.text), i+longestQuote))
		return span{i + len(scheme) + 1, end, k.kind}
	}
	if scheme, credentials, found := strings.Cut(value, " "); found && len(scheme) < 20 && k.kind != "cookie" {
		i += len(scheme) + 1
		value = credentials
	}
	if !k.isSecret(value) || len(value) < 8 || strings.Contains(value, "(") {
		return span{}
	}
	end := i + len(value)
	if end == min(len(s.text), start+longestQuote) {
		end = s.until(&endsHeader, end, len(s.text))
	}
	return span{i, end, k.kind}
}

// holdsSession reports whether a cookie has a value that is more than a setting.
func holdsSession(cookie string) bool {
	for pair := range strings.SplitSeq(cookie, ";") {
		name, value, found := strings.Cut(strings.TrimSpace(pair), "=")
		if found && name != "" && (len(value) >= 8 && hasDigit(value) || len(value) >= 16) &&
			!strings.EqualFold(name, "expires") {
			return true
		}
	}
	return false
}
