// Package masking takes secrets out of texts: keys, tokens, passwords, private keys, connection strings.
//
// It recognises secrets by their shape (the keys of well-known services, JSON web tokens, blocks of private keys), by
// what stands before them (password=…, "api_key": "…", Authorization: Bearer …, scheme://user:…@host, mysql -p…), and
// by how random they are if a name or a prefix says that they may be keys. What it finds becomes [masked:KIND]. What
// refers to a secret without holding it, such as $PASSWORD, os.environ["TOKEN"] or a type, stays.
//
// It does not read sentences: nothing tells a password in prose from a word. docs/reference/secrets.md has the figures.
// Mask looks at each byte once, a second time at texts that held a secret, and once more at strings of JSON with
// escapes.
//
// The data are in vendors.go (keys of services), keys.go (names of secrets) and options.go (options of programs).
package masking

import "strings"

// Mask returns the text with [masked:KIND] in place of each secret, and the number of secrets. Masking again changes
// nothing.
func Mask(text string) (masked string, n int) {
	const most = 20 // a mask may show what stood next to it in another light; in practice the second round finds nothing
	for range most {
		next, found := maskJSON(text)
		if found == 0 {
			next, found = pass(text)
		}
		if found == 0 || next == text {
			return next, n
		}
		text, n = next, n+found
	}
	return text, n
}

// span is a secret within a text.
type span struct {
	start, end int
	kind       string
}

// pass goes through the text once.
func pass(text string) (string, int) {
	s := newScanner(text)
	found := s.next(0)
	if found.kind == "" {
		return text, 0
	}
	var out strings.Builder
	out.Grow(len(text))
	n, copied := 0, 0
	for ; found.kind != ""; found = s.next(max(found.end, found.start+1)) {
		out.WriteString(text[copied:found.start])
		out.WriteString("[masked:" + found.kind + "]")
		copied = found.end
		n++
	}
	out.WriteString(text[copied:])
	return out.String(), n
}

// scanner goes through a text.
type scanner struct {
	*rules
	text    string
	floor   int // where the last secret ended; the next one begins no earlier
	command command
	block   int    // where the data of a Kubernetes secret ends
	joint   [2]int // where the run of letters, digits, dashes and underscores lies that was measured last
}

// jointRun returns how many letters, digits, dashes and underscores follow i. It measures each run once.
func (s *scanner) jointRun(i int) int {
	if i < s.joint[0] || i >= s.joint[1] {
		s.joint = [2]int{i, i + run(s.text[i:], &isURL64)}
	}
	return s.joint[1] - i
}

func newScanner(text string) scanner {
	return scanner{rules: theRules(), text: text}
}

// next returns the first secret at or behind i; its kind is empty if there is none.
func (s *scanner) next(i int) span {
	s.floor = i
	for i < len(s.text) {
		c := s.classes[s.text[i]]
		if c == other {
			i++
			continue
		}
		end := i + 1
		var found span
		if c == inWord {
			for end < len(s.text) && s.classes[s.text[end]] == inWord {
				end++
			}
			found = s.word(i, end)
		} else {
			found = s.mark(i, c)
			for c == dash && end < len(s.text) && s.text[end] == '-' {
				end++
			}
		}
		if found.kind != "" && found.start >= s.floor && !strings.HasPrefix(s.text[found.start:], "[masked:") {
			return found
		}
		i = end
	}
	return span{}
}

// mark returns the secret to which the mark at i leads.
func (s *scanner) mark(i int, c class) span {
	switch c {
	case separates:
		return s.assigned(i)
	case dash:
		return s.dashes(i)
	case closes:
		return s.element(i)
	case comma:
		return s.listed(i)
	case opens:
		return s.argument(i)
	case percent:
		return s.percentEqual(i)
	case tilde:
		return s.azureSecret(i)
	case dollar:
		return s.passwordHash(i)
	case newline:
		s.endLine(i)
	}
	return span{}
}

// word returns the secret that begins with the word from start to end, or to which the word leads.
func (s *scanner) word(start, end int) span {
	if end-start < 2 && (end == len(s.text) || s.text[end] != '.' && s.text[end] != '/') {
		return span{}
	}
	if s.isToken(start, end) {
		if found := s.token(start, end); found.kind != "" {
			return found
		}
	} else if end-start == len("bearer") {
		if found := bearer(s.text[start:], start); found.kind != "" {
			return found
		}
	}
	return s.keyword(start, end)
}

// escape returns where a word begins behind what is not part of it: the letter of \n, %3D, the colour of a terminal.
func (s *scanner) escape(start, end int) int {
	if start == 0 {
		return start
	}
	word := s.text[start:end]
	switch s.text[start-1] {
	case '\\':
		switch {
		case len(word) > 5 && word[0] == 'u':
			return start + 5
		case len(word) > 3 && word[0] == 'x':
			return start + 3
		}
		return start + 1
	case '%':
		if len(word) > 2 && isHex.has(word[0]) && isHex.has(word[1]) {
			return start + 2
		}
	case '[', ';':
		if n := run(word, &isDigit); n < 4 && n < len(word) && word[n] == 'm' {
			return start + n + 1
		}
	}
	return start
}

// dashes looks at what begins with a dash or more.
func (s *scanner) dashes(i int) span {
	if found := s.privateKey(i); found.kind != "" {
		return found
	}
	if found := s.option(i); found.kind != "" {
		return found
	}
	return s.flag(i)
}

// isMask reports whether Mask wrote a text in place of a secret.
func isMask(text string) bool {
	kind, ok := strings.CutPrefix(text, "[masked:")
	if !ok {
		return false
	}
	kind = strings.TrimSuffix(kind, "]")
	return kind != "" && strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz-") == ""
}

// Rules is the version of the rules. It grows with every change of what Mask masks.
const Rules = 9

// LooksSecret returns the kind of the first secret in a name, and whether there is one. A name identifies a record, so
// it is refused instead of masked: masking would merge what differs.
func LooksSecret(name string) (kind string, ok bool) {
	s := newScanner(name)
	found := s.next(0)
	return found.kind, found.kind != ""
}

// MaskWords returns the words of a command with [masked:KIND] in place of each secret, and the number of secrets. It
// reads them as one command line: in --password VALUE, the first word makes the second a secret.
func MaskWords(words []string) (masked []string, n int) {
	masked = make([]string, len(words))
	for i, word := range words {
		clean, found := Mask(word)
		masked[i], n = clean, n+found
	}
	const most = 20 // as in Mask
	for range most {
		found := maskLine(masked)
		if found == 0 {
			break
		}
		n += found
	}
	return masked, n
}

// maskLine masks what the words show as a line, once. A secret that reaches over several words becomes a mask in each.
func maskLine(words []string) (n int) {
	var line strings.Builder
	ends := make([]span, len(words)) // of the words in the line
	for i, word := range words {
		quote := ""
		if strings.ContainsAny(word, " \t\n") && !strings.Contains(word, `"`) {
			quote = `"`
		}
		line.WriteString(quote)
		start := line.Len()
		line.WriteString(word)
		ends[i] = span{start: start, end: line.Len()}
		line.WriteString(quote + " ")
	}
	scan := newScanner(line.String())
	var secrets []span
	for found := scan.next(0); found.kind != ""; found = scan.next(max(found.end, found.start+1)) {
		if text := scan.text[found.start:found.end]; !isMask(text) {
			secrets = append(secrets, found)
		}
	}
	for i := len(secrets) - 1; i >= 0; i-- { // from behind, so that the places before stay
		secret := secrets[i]
		for w := range words {
			from, to := max(secret.start, ends[w].start), min(secret.end, ends[w].end)
			if from < to {
				words[w] = scan.text[ends[w].start:from] + "[masked:" + secret.kind + "]" + words[w][to-ends[w].start:]
				n++
			}
		}
	}
	return n
}
