package masking

import "strings"

const (
	longestName  = 80 // of a key, looking back from its separator
	longestSpace = 8  // between a key, its separator and its value
	longestQuote = 2048
)

// assigned returns the secret that is the value of a key. i is the position of the separator between them.
func (m masker) assigned(i int) span {
	if m[i] == ':' && strings.HasPrefix(string(m[i:]), "://") {
		return m.urlPassword(i)
	}
	after, ok := m.separator(i)
	if !ok {
		return span{}
	}
	name, start, spaced := m.nameBefore(i)
	k := keyNamed(name)
	if k.kind == "" {
		return span{}
	}
	value := after
	for value < len(m) && value < after+longestSpace && (m[value] == ' ' || m[value] == '\t') {
		value++
	}
	spaced = spaced || value > after
	return m.value(value, k, context{spaced: spaced, lineStart: m.beginsLine(start)})
}

// beginsLine reports whether only space, or the dash of a list, precedes i on its line.
func (m masker) beginsLine(i int) bool {
	const most = 40
	for n := 0; i > 0 && n < most && strings.IndexByte(" \t-", m[i-1]) >= 0; n++ {
		i--
	}
	return i == 0 || m[i-1] == '\n'
}

// separator reports whether the character at i separates a key from its value, and where the value begins.
func (m masker) separator(i int) (after int, ok bool) {
	next, before := byte(0), byte(0)
	if i+1 < len(m) {
		next = m[i+1]
	}
	if i > 0 {
		before = m[i-1]
	}
	switch {
	case m[i] == ':' && (before == ':' || strings.IndexByte("=:-+?", next) >= 0 && next != 0):
		return 0, false // := is seen at its second character; ${NAME:-x} is an expansion of a shell
	case m[i] == '=' && (next == '=' || strings.IndexByte("=!<>+*/~", before) >= 0 && before != 0):
		return 0, false
	case m[i] == '=' && next == '>':
		return i + 2, true
	}
	return i + 1, true
}

// nameBefore returns the key that ends before i: a word, in quotes or not, in brackets or not.
func (m masker) nameBefore(i int) (name string, start int, spaced bool) {
	end := i
	if end > 0 && m[end-1] == ':' { // :=
		end--
	}
	for n := 0; end > 0 && n < longestSpace && (m[end-1] == ' ' || m[end-1] == '\t'); n++ {
		end--
		spaced = true
	}
	if end > 1 && m[end-1] == ']' && isQuote(m[end-2]) {
		end--
	}
	quoted := false
	if end > 0 && isQuote(m[end-1]) {
		end--
		quoted = true
		for end > 0 && m[end-1] == '\\' {
			end--
		}
	}
	start = end
	for start > 0 && end-start < longestName && isName[m[start-1]] {
		start--
	}
	return string(m[start:end]), start, spaced && !quoted
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// flag returns the value of an option such as --password VALUE that begins at i.
func (m masker) flag(i int) span {
	start := i + 2
	end := start + run(string(m[start:min(len(m), start+longestName)]), &isName)
	k := keyNamed(string(m[start:end]))
	if k.kind == "" || end >= len(m) || m[end] != ' ' || end+1 >= len(m) || m[end+1] == '-' {
		return span{}
	}
	return m.value(end+1, k, context{})
}

// context is what surrounds a value.
type context struct {
	spaced    bool // there is space around the separator, as in code and in prose
	lineStart bool // the key is the first thing of a line, as in a file of settings
}

// element returns the text of an element such as <password>, whose tag ends at i.
func (m masker) element(i int) span {
	name, start, _ := m.nameBefore(i)
	if start == 0 || m[start-1] != '<' {
		return span{}
	}
	k := keyNamed(name)
	rest := string(m[i+1 : min(len(m), i+1+longestQuote)])
	end := strings.IndexByte(rest, '<')
	if k.kind == "" || end < 0 || !k.isSecret(rest[:end]) || k.weak && !looksSecret(rest[:end], k, context{}) {
		return span{}
	}
	return span{i + 1, i + 1 + end, k.kind}
}

// value returns the secret that begins at i.
func (m masker) value(i int, k key, c context) span {
	if i >= len(m) {
		return span{}
	}
	if k.header {
		return m.headerValue(i, k)
	}
	quote := i
	for quote < len(m) && quote < i+8 && m[quote] == '\\' {
		quote++
	}
	if quote < len(m) && isQuote(m[quote]) {
		return m.quotedValue(quote, string(m[i:quote+1]), k)
	}
	end := m.until(&endsValue, i, min(len(m), i+longestQuote))
	value := string(m[i:end])
	if !k.isSecret(value) || isCode(value) || (k.weak || c.spaced) && !looksSecret(value, k, c) {
		return span{}
	}
	return span{i, m.until(&endsValue, end, len(m)), k.kind}
}

// until returns the position of the first byte of a set, or the limit. The decision whether a text is a secret looks
// at a bounded part of it, since the same part may be looked at again. A masked text is not looked at again.
func (m masker) until(ends *set, i, limit int) int {
	for i < limit && !ends[m[i]] {
		i++
	}
	return i
}

// quotedValue returns the secret in a string that begins behind the quote at i. terminator is the quote, as it is
// escaped.
func (m masker) quotedValue(i int, terminator string, k key) span {
	rest := string(m[i+1:])
	limit := rest[:min(len(rest), longestQuote)]
	end := 0
	for {
		n := strings.Index(limit[end:], terminator)
		if n < 0 {
			end = strings.IndexAny(limit, " \t\r\n")
			if end < 0 {
				end = len(limit)
			}
			break
		}
		end += n
		if len(terminator) > 1 || end == 0 || limit[end-1] != '\\' || end > 1 && limit[end-2] == '\\' {
			break
		}
		end += len(terminator)
	}
	value := limit[:end]
	if !k.isSecret(value) || k.weak && (len(value) < 8 || !hasDigit(value)) || k.weak && strings.ContainsAny(value, " \n") {
		return span{}
	}
	return span{i + 1, i + 1 + end, k.kind}
}

// headerValue returns the credentials of an Authorization header, without its scheme, or the value of a cookie.
func (m masker) headerValue(i int, k key) span {
	for i < len(m) && (m[i] == '\\' || isQuote(m[i])) {
		i++
	}
	start := i
	value := strings.TrimRight(string(m[i:m.until(&endsHeader, i, min(len(m), i+longestQuote))]), " \t")
	if k.kind == "cookie" && !strings.Contains(value, "=") {
		return span{}
	}
	if scheme, credentials, found := strings.Cut(value, " "); found && len(scheme) < 20 && k.kind != "cookie" {
		i += len(scheme) + 1
		value = credentials
	}
	if !k.isSecret(value) || len(value) < 8 || strings.Contains(value, "(") {
		return span{}
	}
	end := i + len(value)
	if end == min(len(m), start+longestQuote) {
		end = m.until(&endsHeader, end, len(m))
	}
	return span{i, end, k.kind}
}

// urlPassword returns the password of scheme://user:password@host. i is the position of ://.
func (m masker) urlPassword(i int) span {
	const longest = 512
	start := i + len("://")
	authority := string(m[start:min(len(m), start+longest)])
	if end := strings.IndexAny(authority, "/?# \t\r\n\"'`<>\\"); end >= 0 {
		authority = authority[:end]
	}
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return span{}
	}
	colon := strings.IndexByte(authority[:at], ':')
	if colon < 0 {
		return span{}
	}
	if !(key{kind: "url-password"}).isSecret(authority[colon+1 : at]) {
		return span{}
	}
	return span{start + colon + 1, start + at, "url-password"}
}

// privateKey returns the block of a private key that begins at i.
func (m masker) privateKey(i int) span {
	const begin, longest = "-----BEGIN ", 60
	const longestKey = 32 << 10
	text := string(m[i:])
	if !strings.HasPrefix(text, begin) {
		return span{}
	}
	label, _, ok := strings.Cut(text[len(begin):min(len(text), longest)], "-----")
	if !ok || !strings.Contains(label, "PRIVATE KEY") {
		return span{}
	}
	ending := "-----END " + label + "-----"
	if n := strings.Index(text[:min(len(text), longestKey)], ending); n >= 0 {
		return span{i, i + n + len(ending), "private-key"}
	}
	n := len(begin) + len(label) + len("-----")
	for n < len(text) && (isAlnum[text[n]] || strings.IndexByte("+/=\\\r\n", text[n]) >= 0) {
		n++ // it is cut off
	}
	return span{i, i + n, "private-key"}
}

var (
	endsValue  = newSet("\\\\\x00 \"\"''``,,;;&&<<>>))}}||")
	endsHeader = newSet("\x00\x08\x0a\x1f\"\"''``\\\\<<>>,,")
)
