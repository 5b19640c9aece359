package masking

import "strings"

// isFormat reports whether a value is the place of an argument: %s, %v or {}.
func isFormat(value string) bool {
	return strings.HasPrefix(value, "%s") || strings.HasPrefix(value, "%v") || strings.HasPrefix(value, "%q") ||
		strings.HasPrefix(value, "{}")
}

// formatArgument returns the argument that takes the place at i: printf 'password=%s\n' 'X', Sprintf("pass=%s", "X").
func (s *scanner) formatArgument(i int, k key) span {
	line := s.text[i:min(len(s.text), i+200)]
	end := strings.IndexAny(line, "\"'\n")
	if end < 0 || line[end] == '\n' || k.strength == header {
		return span{}
	}
	before := s.text[max(0, i-200):i]
	open := strings.LastIndexByte(before, line[end])
	if open < 0 || strings.IndexByte(before[open:], '\n') >= 0 {
		return span{}
	}
	skip := strings.Count(before[open:], "%") + strings.Count(before[open:], "{}")
	at := i + end + 1
	for range skip + 1 {
		gap := at
		for at < len(s.text) && at < gap+8 && (s.text[at] == ' ' || s.text[at] == ',') {
			at++
		}
		if at == gap || at >= len(s.text) {
			return span{}
		}
		start, value := s.argumentAt(at)
		if skip == 0 {
			if k.strength == weak || k.strength == strong {
				return s.value(at, key{k.kind, weak}, context{})
			}
			return s.value(at, k, context{})
		}
		skip--
		at = start + len(value)
		if at < len(s.text) && isQuote(s.text[at]) {
			at++
		}
	}
	return span{}
}

// qualified returns what a key says together with the word before it: private key, license key, openai key.
func (s *scanner) qualified(name string, start int, k key) key {
	if k.strength != opaque || len(name) != len("key") || start < 4 || s.text[start-1] != ' ' {
		return k
	}
	before := runBack(s.text[max(0, start-20):start-1], &isName)
	word := lowered(s.text[start-1-before : start-1])
	switch word {
	case "the", "this", "that", "each", "any", "new", "with", "and", "for", "from", "map", "hash", "index", "lookup",
		"one", "first", "last":
		return k
	}
	if before < 3 {
		return k
	}
	together := s.keyNamed(s.text[start-1-before : start+len(name)])
	if together.strength == strong || together.strength == weak {
		together.strength = random
	}
	return together
}

// typed returns the password that a script types: send "X\r".
func (s *scanner) typed(end int) span {
	at := s.argumentAfter(end)
	if at == 0 {
		return span{}
	}
	start, value := s.argumentAt(at)
	if value == "--" {
		if at = s.argumentAfter(start + len(value)); at == 0 {
			return span{}
		}
		start, value = s.argumentAt(at)
	}
	value, ends := strings.CutSuffix(value, `\r`)
	if !ends || !isChosen(value) || strings.Contains(value, " ") {
		return span{}
	}
	return span{start, start + len(value), "password"}
}

// readsSecret reports whether a command line reads a secret from its input.
func readsSecret(line string) bool {
	for _, mark := range [...]string{"-stdin", "passphrase-fd", "passwd", "kinit", "cryptsetup", "secret ",
		"secrets ", "--with-token",
		"password", "passphrase", "login --", "private-key", "sudo -S", "unlock", "preshared-key"} {
		if strings.Contains(line, mark) {
			return true
		}
	}
	return false
}

// hereText returns the secret that a program reads: login --password-stdin <<< X, or the only line of <<EOF;
// and the one
// of a substitution, private-key <(echo X). i is the position of the first mark.
func (s *scanner) hereText(i int) span {
	rest := s.text[i:min(len(s.text), i+400)]
	isWordGiven, isLineGiven := strings.HasPrefix(rest, "<<<"), strings.HasPrefix(rest, "<<")
	isEcho := strings.HasPrefix(rest, "<(echo ") || strings.HasPrefix(rest, "<(printf ")
	if !isLineGiven && !isEcho {
		return span{}
	}
	before := s.text[max(0, i-200):i]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	switch {
	case isEcho:
		value, from := lastGiven(rest[2+strings.IndexByte(rest[2:], ' '):], i+2+strings.IndexByte(rest[2:], ' '), ")")
		if value == "" || !readsSecret(before) && !isChosen(value) || !(key{kind: "password"}).isSecret(value) {
			return span{}
		}
		return span{from, from + len(value), "password"}
	case !readsSecret(before):
		return span{}
	case isWordGiven:
		at := i + 3 + run(rest[3:], &isBlank)
		start, value := s.argumentAt(at)
		if value == "" || !(key{kind: "password"}).isSecret(value) {
			return span{}
		}
		return span{start, start + len(value), "password"}
	}
	head, body, found := strings.Cut(rest, "\n")
	line, next, closed := strings.Cut(body, "\n")
	end := strings.Trim(head[2:], "-~'\" ")
	if !found || !closed || end == "" || !strings.HasPrefix(strings.TrimLeft(next, "\t "), end) ||
		strings.ContainsAny(line, " =") ||
		!(key{kind: "password"}).isSecret(line) {
		return span{}
	}
	from := i + len(head) + 1
	return span{from, from + len(line), "password"}
}

// lastGiven returns the last argument of echo or printf up to a closing mark, and where it begins. from is
// where the text is.
func lastGiven(text string, from int, closing string) (string, int) {
	end := strings.IndexAny(text, "\n")
	if end >= 0 {
		text = text[:end]
	}
	end = strings.Index(text, closing)
	if end < 0 {
		return "", 0
	}
	text = strings.TrimRight(text[:end], " \"'")
	start := strings.LastIndexAny(text, " \"'") + 1
	if n := strings.LastIndex(text[start:], `\n`); n >= 0 {
		start += n + 2
	}
	return text[start:], from + start
}
