package masking

import "strings"

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
