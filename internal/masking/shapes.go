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
	for _, candidate := range s.shapesByStart[hash(text[0], text[1])] {
		if candidate.third != text[2] && candidate.third != 0 {
			continue
		}
		shape := &shapes[candidate.shape]
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
	if isPrefixedKey(text) || isGroupedKey(text) || s.isBare(i, text) || s.isAnnounced(i, text) {
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
	for _, word := range [...]string{"sha", "commit", "digest", "hash", "public", " id", "cache", "md5", "tokens"} {
		if strings.Contains(before, word) {
			return false
		}
	}
	for _, word := range [...]string{"token", "secret", "passw", "api key", "apikey", "api_key", "credential",
		"access key", "auth key"} {
		if strings.Contains(before, word) {
			return true
		}
	}
	return false
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
func (s *scanner) lengthOf(shape *shape, i int) int {
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
