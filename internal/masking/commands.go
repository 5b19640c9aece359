package masking

import "strings"

// command is the program whose command line is read.
type command struct {
	program string
	start   int
	word    string // login, secret or another subcommand that decides about options
	last    string // the last word
}

const longestCommand = 2048

// is reports whether a program is read.
func (c command) is(program string) bool { return c.program == program }

// keyword looks at a word that may be a program, or lead to a secret by itself.
func (s *scanner) keyword(start, end int) span {
	if end-start > 16 || end >= len(s.text) {
		return span{}
	}
	c := s.text[end]
	if c == '-' && s.command.program == "" { // redis-cli
		end += run(s.text[end:min(len(s.text), end+16)], &isURL64)
		if end >= len(s.text) {
			return span{}
		}
		c = s.text[end]
	}
	if c != ' ' && !isQuote(c) && c != '\\' && c != '\t' {
		return span{}
	}
	word := s.text[start:end]
	if len(word) < 2 {
		return span{}
	}
	if s.command.program != "" && start-s.command.start < longestCommand {
		s.command.last = word
	}
	if s.isProgram(start, word) {
		s.command = command{program: word, start: start}
	}
	return s.wordLeads(start, end, word)
}

// isProgram reports whether a word is a program whose options are known, where a program may stand.
func (s *scanner) isProgram(start int, word string) bool {
	return s.mayBegin[hash(word[0], word[1])] && len(s.programs[word]) > 0 && (start == 0 ||
		strings.IndexByte(" \t\n\"'`/(;|&$[\\:n=", s.text[start-1]) >= 0)
}

// option returns the value of an option of the program that is read. i is the position of its dash.
func (s *scanner) option(i int) span {
	if i == 0 || strings.IndexByte(" \t\"'", s.text[i-1]) < 0 {
		return span{}
	}
	if s.command.program == "" || i-s.command.start > longestCommand {
		return span{}
	}
	size := run(s.text[i:min(len(s.text), i+40)], &isURL64)
	if size < 2 {
		return span{}
	}
	given := s.text[i : i+size]
	for _, o := range s.programs[s.command.program] {
		if o.word != "" && o.word != s.command.word {
			continue
		}
		if found := s.optionValue(i, given, o.form, o.names); found.kind != "" {
			return found
		}
	}
	return span{}
}

// optionValue returns the secret that an option gets. given is what stands at i, names are those of the option.
func (s *scanner) optionValue(i int, given string, f form, names []string) span {
	for _, name := range names {
		short := len(name) == len(strings.TrimLeft(name, "-"))+1
		switch {
		case f != attached && (given == name || s.isCluster(given, name)):
			if at := s.argumentAfter(i + len(given)); at > 0 {
				return s.optionSecret(at, f)
			}
		case (f == attached || f == either) && short && strings.HasPrefix(s.text[i:], name):
			if at := i + len(name); at < len(s.text) && (!endsWord.has(s.text[at]) || s.text[at] == '\'') {
				return s.optionSecret(at, whole)
			}
		case f == afterColon && len(name) == 2 && strings.HasPrefix(given, name): // curl -uUSER:SECRET
			return s.optionSecret(i+len(name), f)
		}
	}
	return span{}
}

// isCluster reports whether several short options are written as one, such as -sSu.
func (s *scanner) isCluster(given, name string) bool {
	return len(name) == 2 && len(given) > 2 && len(given) <= 6 && given[1] != '-' &&
		given[len(given)-1] == name[1] && strings.Trim(given[1:],
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// argumentAfter returns where the argument behind an option begins: after space, an equal sign, or as the next string
// of a list. 0 if there is none.
func (s *scanner) argumentAfter(i int) int {
	limit := min(len(s.text), i+40)
	start := i
	if i < limit && s.text[i] == '=' {
		return i + 1
	}
	for i < limit && strings.IndexByte(" \t\"'\\,\n", s.text[i]) >= 0 {
		if s.text[i] == '\n' && !s.isListItem(i+1) && s.text[i-1] != '\\' {
			return 0
		}
		if s.text[i] == '\n' && s.isListItem(i+1) {
			i += run(s.text[i+1:limit], &isBlank) + 1 // the dash is skipped below
		}
		i++
	}
	if i == start || i >= len(s.text) || i == limit || strings.Trim(s.text[start:i], "\"'\\") == "" {
		return 0
	}
	if isQuote(s.text[i-1]) { // the quote belongs to the value
		i--
		for i > start && s.text[i-1] == '\\' {
			i--
		}
	}
	return i
}

// isListItem reports whether an item of a YAML list begins behind the spaces at i.
func (s *scanner) isListItem(i int) bool {
	i += run(s.text[i:], &isBlank)
	return strings.HasPrefix(s.text[i:], "- ")
}

// optionSecret returns the secret within the argument at i.
func (s *scanner) optionSecret(i int, f form) span {
	k := key{"password", strong}
	start, value := s.argumentAt(i)
	if value == "" {
		return span{}
	}
	mark := ""
	switch f {
	case afterColon:
		mark = ":"
	case afterPercent:
		mark = "%"
	case afterComma:
		mark = ","
	case afterPass:
		mark = "pass:"
		if !strings.HasPrefix(value, mark) {
			return span{}
		}
	case cookies:
		if !strings.Contains(value, "=") {
			return span{}
		}
		k.kind = "cookie"
	}
	if mark != "" {
		user, _, found := strings.Cut(value, mark)
		at := len(user) + len(mark)
		switch {
		case !found:
			return span{}
		case len(user) >= 16 && isRandom(user): // the token is the user
			return span{start, start + len(value), "token"}
		case at == len(value) && start+at < len(s.text) && isQuote(s.text[start+at]):
			start, value = s.argumentAt(start + at)
		default:
			start, value = start+at, value[at:]
		}
		if value == "" {
			return span{}
		}
	}
	if !k.isSecret(value) || value[0] == '-' && len(value) < 3 {
		return span{}
	}
	return span{start, start + len(value), k.kind}
}

// argumentAt returns the word or string that begins at i, without its quotes, and where it begins. A string that is
// escaped within another ends at its escaped quote.
func (s *scanner) argumentAt(i int) (int, string) {
	quote := i
	for quote < len(s.text) && quote < i+8 && s.text[quote] == '\\' {
		quote++
	}
	if quote < len(s.text) && isQuote(s.text[quote]) {
		return quote + 1, quoted(s.text[quote+1:], s.text[i:quote+1])
	}
	end := s.until(&endsWord, i, min(len(s.text), i+longestQuote))
	value := s.text[i:end]
	if n := strings.Index(value, "\\n"); n >= 0 {
		value = value[:n]
	}
	return i, strings.TrimRight(value, "\\,;)]}")
}

// flag returns the value of an option such as --password VALUE, -token VALUE or "--password", "VALUE" that begins at i.
func (s *scanner) flag(i int) span {
	if i > 0 && (isWord.has(s.text[i-1]) || s.text[i-1] == '-') {
		return span{}
	}
	end := i + run(s.text[i:min(len(s.text), i+longestName)], &isName)
	name := strings.TrimLeft(s.text[i:end], "-")
	if len(name) < 2 || end >= len(s.text) || strings.IndexByte(" \"'\\\n", s.text[end]) < 0 {
		return span{}
	}
	k := s.keyNamed(name)
	if k.kind == "" || k.strength == header || strings.HasPrefix(name, "no-") || strings.HasSuffix(name, ".") {
		return span{}
	}
	value := s.argumentAfter(end)
	if value == 0 || s.text[value] == '-' && strings.HasPrefix(s.text[value:], "--") || s.text[value] == '-' &&
		value+2 < len(s.text) && s.text[value+2] == ' ' || strings.IndexByte("|><&;", s.text[value]) >= 0 {
		return span{}
	}
	double := strings.HasPrefix(s.text[i:], "--")
	switch {
	case k.strength == basic:
		return s.optionSecret(value, afterColon)
	case k.strength == weak && double:
		k.strength = strong
		if name == "token" || k.kind == "credential" {
			k.strength = weak
		}
	case k.strength == strong && !double:
		k.strength = weak
	}
	return s.value(value, k, context{})
}

// endLine forgets the program at the end of its line. i is the position of the line break.
func (s *scanner) endLine(i int) {
	if s.command.program != "" && (i == 0 || s.text[i-1] != '\\') {
		s.command = command{}
	}
}
