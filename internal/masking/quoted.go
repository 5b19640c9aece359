package masking

import "strings"

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
	case address:
		return s.secretAddress(i+1, value, k)
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

// wrappedValue returns the string within a call such as SecretString("…"). i is the position of its quote.
func (s *scanner) wrappedValue(i int, call string, k key) span {
	name := lowered(call)
	for _, reads := range [...]string{"get", "env", "read", "load", "input", "prompt", "find", "select", "lookup",
		"require", "open", "exec", "run", "format", "printf", "config"} {
		if strings.Contains(name, reads) {
			return span{}
		}
	}
	found := s.quotedValue(i, s.text[i:i+1], key{k.kind, weak})
	return found
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
