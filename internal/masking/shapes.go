package masking

import "strings"

const (
	// longestToken bounds how far a key is followed before it is clear that it is one: within a long word each part of it
	// might be taken as the beginning of another.
	longestToken   = 1024
	shortestKey    = 20
	longestKeyText = 255
	shortestWord   = 16 // a key that is shorter than this up to the first mark has one of the marks below behind it
)

// token returns the key that begins with the word from start to end.
func (s *scanner) token(start, end int) span {
	after := s.escape(start, end)
	if after > start && after < end-1 {
		if found := s.known(after, end); found.kind != "" {
			return found
		}
	}
	if found := s.known(start, end); found.kind != "" {
		return found
	}
	if after > start && after < end-1 {
		if found := s.prefixed(after); found.kind != "" {
			return found
		}
	}
	return s.prefixed(start)
}

// isToken reports whether the word from start to end may begin a key: it is long, or a mark joins it to more.
func (s *scanner) isToken(start, end int) bool {
	return end-start >= shortestWord || end < len(s.text) && joins.has(s.text[end])
}

// known returns the key of a known shape that begins with the word from start to end.
func (s *scanner) known(start, end int) span {
	text := s.text[start:]
	if len(text) < 3 {
		return span{}
	}
	for _, shape := range s.shapes[hash(text[0], text[1])] {
		if !strings.HasPrefix(text, shape.prefix) {
			continue
		}
		if size := s.lengthOf(shape, start); size > 0 {
			if shape.flags&keepPrefix != 0 {
				return span{start + len(shape.prefix), start + size, shape.kind}
			}
			return span{start, start + size, shape.kind}
		}
	}
	return s.joined(start, end-start)
}

// prefixed returns the key at i that begins with a short name of a service.
func (s *scanner) prefixed(i int) span {
	if i > 0 && continues.has(s.text[i-1]) {
		return span{} // in the midst of a name or of a longer key
	}
	total := s.jointRun(i)
	if total < shortestKey || total > longestKeyText {
		return span{}
	}
	text := s.text[i : i+total]
	if next := i + total; next+1 < len(s.text) && strings.IndexByte("./@", s.text[next]) >= 0 &&
		isAlnum.has(s.text[next+1]) {
		return span{} // part of a path or of a name
	}
	if isPrefixedKey(text) || s.isBare(i, text) || s.isAnnounced(i, text) {
		return span{i, i + total, "api-key"}
	}
	return span{}
}

// isWithinData reports whether so many characters at i are a part of base64 or of an address.
func (s *scanner) isWithinData(i, n int) bool {
	return i > 0 && strings.IndexByte("/+=:,", s.text[i-1]) >= 0 || i+n < len(s.text) &&
		strings.IndexByte("/+=:", s.text[i+n]) >= 0
}

// isAnnounced reports whether a word such as token or secret stands shortly before a random text on its line.
func (s *scanner) isAnnounced(i int, text string) bool {
	const near = 28
	if !hasDigit(text) || run(text, &isAlnum) < len(text) || !isRandom(text) || strings.HasPrefix(text, "0x") ||
		s.isWithinData(i, len(text)) {
		return false
	}
	before := lowered(s.text[max(0, i-near):i])
	before = before[strings.LastIndexAny(before, "\n{}")+1:]
	return containsOneOf(before, "token", "secret", "passw", "api key", "apikey", "api_key", "credential", "access key", "auth key") &&
		!containsOneOf(before, "sha", "commit", "digest", "hash", "public", " id", "cache", "md5", "tokens")
}

// isBare reports whether a text of letters and digits alone is random enough for a key without any prefix: not a part
// of base64, and not a line of it.
func (s *scanner) isBare(i int, text string) bool {
	const shortest, longest, lineOfBase64 = 30, 100, 64
	if len(text) < shortest || len(text) > longest || run(text, &isAlnum) < len(text) || len(text) >= lineOfBase64 && s.beginsLine(i) {
		return false
	}
	if i > 0 && s.text[i-1] == '\n' && runBack(s.text[max(0, i-1-lineOfBase64):i-1], &isBase64) >= lineOfBase64-4 {
		return false // the last line of a block
	}
	if s.isWithinData(i, len(text)) {
		return false
	}
	return isBareKey(text)
}

// lengthOf returns how long the key of a shape is whose prefix is at i; 0 if there is none.
func (s *scanner) lengthOf(shape prefixedShape, i int) int {
	const longestMixed = 256
	text := s.text[i:]
	rest := text[len(shape.prefix):]
	var size int
	if shape.set == &isURL64 {
		size = s.jointRun(i + len(shape.prefix))
	} else if size = run(rest[:min(len(rest), longestToken)], shape.set); size == longestToken &&
		shape.flags&mixed == 0 {
		size += run(rest[size:], shape.set) // it is masked to its end, so that nobody looks at it again
	}
	for size > 0 && (rest[size-1] == '.' || shape.set == &isUUID && rest[size-1] == '-') {
		size-- // the end of a sentence
	}
	if size < shape.least || shape.most > 0 && size > shape.most || size < len(rest) && isWord.has(rest[size]) {
		return 0
	}
	if shape.set == &isUUID {
		if v := varietyOf(rest[:size]); v.lower+v.upper == 0 {
			return 0
		}
	}
	if shape.flags&mixed != 0 {
		if size >= longestMixed {
			return 0
		}
		if v := varietyOf(text[:len(shape.prefix)+size]); v.digit == 0 || v.upper == 0 || v.digit == 1 && size > 40 {
			return 0
		}
	}
	return len(shape.prefix) + size
}

// joined returns the key that is made of parts, of which the word is the first.
func (s *scanner) joined(start, word int) span {
	text := s.text[start:]
	if word >= len(text) {
		return span{}
	}
	switch text[word] {
	case '.':
		return s.dotted(start, word)
	case '-':
		if n := s.jointRun(start); n < longestToken && n < len(text) && text[n] == '.' {
			return s.dotted(start, n)
		}
		return mailchimp(text, start, word)
	case ':':
		return telegram(text, start, word)
	}
	return span{}
}

// dotted returns JSON web tokens and other keys whose parts are joined by dots. n is the length of the first part.
func (s *scanner) dotted(start, n int) span {
	text := s.text[start:]
	if n < 12 {
		if size := s.jointRun(start + n + 1); size >= 30 && size <= longestKeyText && n <= 6 &&
			isOneCase(text[:n]) && n+1+size <= len(text) && isBareKey(strings.Map(dropMarks, text[n+1:n+1+size])) &&
			!s.continuesName(start+n+1+size) {
			return span{start, start + n + 1 + size, "api-key"}
		}
		if n == 2 && strings.HasPrefix(text, "SG.") {
			return sendgrid(text, start)
		}
		return span{}
	}
	second := run(text[n+1:min(len(text), n+1+longestToken)], &isURL64)
	switch {
	case strings.HasPrefix(text, "eyJ"):
		return jsonWebToken(text, start, n)
	case n == 14 && text[n+1:n+1+second] == "atlasv1" && len(text) > n+9:
		if third := run(text[n+9:min(len(text), n+9+longestToken)], &isDotted); third >= 40 {
			return span{start, start + n + 9 + third, "token"}
		}
	case second == 0:
		return span{}
	}
	total := n + 1 + second
	last := second
	for total < len(text) && total < longestToken && text[total] == '.' {
		last = run(text[total+1:min(len(text), total+longestToken)], &isURL64)
		if last == 0 {
			last = second
			break
		}
		total += 1 + last
	}
	if last < 20 || total < 44 || !isRandom(text[:n]) || !isRandom(text[total-last:total]) {
		return span{}
	}
	return span{start, start + total, "token"}
}

// dropMarks keeps letters and digits.
func dropMarks(c rune) rune {
	if c == '-' || c == '_' {
		return -1
	}
	return c
}

// continuesName reports whether a path or a call goes on at i.
func (s *scanner) continuesName(i int) bool {
	return i < len(s.text) && strings.IndexByte("./(=", s.text[i]) >= 0
}

// jsonWebToken returns a token by its first two parts, which are JSON objects in base64.
func jsonWebToken(text string, i, n int) span {
	if !strings.HasPrefix(text[n:], ".eyJ") && !strings.HasPrefix(text[n:], "..") {
		return span{}
	}
	for n < len(text) && text[n] == '.' {
		n += 1 + run(text[n+1:], &isURL64)
	}
	if text[n-1] == '.' {
		n-- // the end of a sentence
	}
	return span{i, i + n, "jwt"}
}

func sendgrid(text string, i int) span {
	n := 3 + run(text[3:min(len(text), longestToken)], &isURL64)
	if n < 3+16 || n >= len(text) || text[n] != '.' {
		return span{}
	}
	rest := run(text[n+1:], &isURL64)
	if rest < 16 {
		return span{}
	}
	return span{i, i + n + 1 + rest, "sendgrid-key"}
}

// mailchimp knows keys by the name of a data centre at their end.
func mailchimp(text string, i, word int) span {
	if word != 32 || !strings.HasPrefix(text[word:], "-us") || run(text, &isHex) != word {
		return span{}
	}
	digits := run(text[word+3:], &isDigit)
	if digits == 0 || digits > 2 {
		return span{}
	}
	return span{i, i + word + 3 + digits, "api-key"}
}

// telegram knows keys of bots: a number, a colon and 35 characters.
func telegram(text string, i, word int) span {
	digits := runBack(text[:word], &isDigit)
	if digits < 6 || digits > 12 || digits < word && !strings.HasPrefix(text, "bot") {
		return span{}
	}
	n := run(text[word+1:min(len(text), word+100)], &isURL64)
	if n < 30 || n > 45 || !isRandom(text[word+1:word+1+n]) || isUUIDText(text[word+1:word+1+n]) {
		return span{}
	}
	return span{i + word - digits, i + word + 1 + n, "token"}
}

// bearer recognises a token by the scheme of an Authorization header before it.
func bearer(text string, i int) span {
	const scheme = "bearer "
	if len(text) < len(scheme) || !strings.EqualFold(text[:len(scheme)], scheme) {
		return span{}
	}
	value := text[len(scheme):]
	n := run(value, &isAny64)
	if n < 16 || !hasDigit(value[:n]) {
		return span{}
	}
	start := i + len(scheme)
	return span{start, start + n, "bearer-token"}
}

// azureSecret returns a secret of Entra ID: three characters, a digit, Q~ and 31 to 34 more. i is the position of the
// ~.
func (s *scanner) azureSecret(i int) span {
	start := i - 5
	if start < 0 || start > 0 && isAny64.has(s.text[start-1]) && s.text[start-1] != '=' || s.text[i-1] != 'Q' ||
		!isDigit.has(s.text[i-2]) || run(s.text[start:i], &isAny64) != 5 {
		return span{}
	}
	n := run(s.text[i+1:min(len(s.text), i+1+45)], &isAny64)
	if n < 28 || n > 40 {
		return span{}
	}
	return span{start, i + 1 + n, "secret"}
}

// passwordHash returns the hash of a password such as $2b$12$…, which lets it be guessed. i is the position of the
// first $.
func (s *scanner) passwordHash(i int) span {
	text := s.text[i+1:]
	if i > 0 && isWord.has(s.text[i-1]) {
		return span{}
	}
	scheme, rest, found := strings.Cut(text[:min(len(text), 12)], "$")
	if !found || rest == "" {
		return span{}
	}
	switch scheme {
	case "1", "5", "6", "2a", "2b", "2y", "y", "7", "apr1", "argon2i", "argon2d", "argon2id", "scrypt":
	default:
		return span{}
	}
	n := 0
	for n < len(text) && n < longestToken && (isAny64.has(text[n]) || text[n] == '$' || text[n] == ',') {
		n++
	}
	if n < 28 {
		return span{}
	}
	return span{i, i + 1 + n, "password"}
}
