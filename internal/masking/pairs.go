package masking

import "strings"

// pairedKey returns what the name says that stands before a value: "name": "DB_PASSWORD", "value": …
func (s *scanner) pairedKey(start int) key {
	before := s.text[max(0, start-longestLook):start]
	if n := strings.LastIndexByte(before, '}'); n >= 0 {
		before = before[n:]
	}
	for _, label := range [...]string{"name", "Name", "key", "Key", "variable", "field", "id"} {
		n := strings.LastIndex(before, label)
		if n < 0 {
			continue
		}
		rest := strings.TrimLeft(before[n+len(label):], " \t\\\"'")
		if label != "variable" {
			if rest == "" || rest[0] != ':' && rest[0] != '=' {
				continue
			}
			rest = strings.TrimLeft(rest[1:], " \t\\\"'")
		}
		if k := s.keyNamed(rest[:run(rest, &isName)]); k.kind != "" {
			return k
		}
	}
	return key{}
}

// keyBehind returns what the name says that stands behind a value: {"value": …, "name": "DB_PASSWORD"}. i is
// where the
// value begins.
func (s *scanner) keyBehind(i int) key {
	rest := s.text[i:min(len(s.text), i+longestLook)]
	if n := strings.IndexAny(rest, "}\n"); n >= 0 {
		rest = rest[:n]
	}
	n := strings.Index(rest, `name`)
	if n < 2 || !isQuote(rest[n-1]) {
		return key{}
	}
	rest = strings.TrimLeft(rest[n+len("name"):], " \t\\\"':")
	return s.keyNamed(rest[:run(rest, &isName)])
}

// element returns the text of an element such as <password>, <string name="api_key"> or
// <key>token</key><string>, whose tag ends at i.
func (s *scanner) element(i int) span {
	tag := s.text[max(0, i-longestLook):i]
	open := strings.LastIndexByte(tag, '<')
	if open < 0 || open+1 >= len(tag) || !isLetter.has(tag[open+1]) {
		return span{}
	}
	k := s.elementKey(tag, open)
	if k.kind == "" {
		return span{}
	}
	rest := s.text[i+1 : min(len(s.text), i+1+longestQuote)]
	end := strings.IndexByte(rest, '<')
	if end <= 0 || !k.holds(rest[:end]) {
		return span{}
	}
	return span{i + 1, i + 1 + end, k.kind}
}

// holds reports whether the text of an element that is named so is a secret.
func (k key) holds(text string) bool {
	switch k.strength {
	case weak:
		return k.isSecret(text) && looksSecret(text, k, context{})
	case random, opaque: // <code> and <key> are elements of documents too
		return k.isSecret(text) && isRandomValue(text) && (k.strength == random || isOpaque(text))
	}
	return k.isSecret(text)
}

// elementKey returns what a tag says of its text. The tag begins at open.
func (s *scanner) elementKey(tag string, open int) key {
	words := tag[open+1:]
	if n := run(words, &isName); n < len(words) && words[n] == ':' {
		words = words[n+1:]
	}
	name := words[:run(words, &isName)]
	if name == "string" {
		if before, ok := strings.CutSuffix(strings.TrimRight(tag[:open], " \t\r\n"), "</key>"); ok {
			return s.keyNamed(before[strings.LastIndexByte(before, '>')+1:])
		}
	}
	for _, label := range [...]string{"name=\"", "key=\"", "id=\""} {
		if n := strings.Index(words, label); n > 0 {
			attribute, _, _ := strings.Cut(words[n+len(label):], "\"")
			return s.keyNamed(attribute)
		}
	}
	if len(name) < len(words) && words[len(name)] != ' ' {
		return key{}
	}
	return s.keyNamed(name)
}

// listed returns the string that follows a name in a list: "--password", "…" or ('DB_PASSWORD', '…'). i is the
// position
// of the comma.
func (s *scanner) listed(i int) span {
	if i == 0 || i+1 == len(s.text) || !isQuote(s.text[i-1]) {
		return span{}
	}
	value := i + 1
	for value < len(s.text) && value < i+40 && isSpace.has(s.text[value]) {
		value++
	}
	if value >= len(s.text) || !isQuote(s.text[value]) && s.text[value] != '\\' {
		return span{}
	}
	name, start, _ := s.nameBefore(i)
	if start == 0 {
		return span{}
	}
	if start > 1 && s.text[start-2] == ':' {
		return span{} // the value of a key
	}
	k := s.keyNamed(name)
	open := start - 1
	if before := s.text[max(0, i-1-longestName) : i-1]; !isQuote(s.text[open]) {
		n := strings.LastIndexByte(before, s.text[i-1])
		if n < 0 {
			return span{}
		}
		k, open = key{}, i-1-len(before)+n
	}
	for open > 0 && s.text[open-1] == '\\' {
		open--
	}
	switch {
	case k.kind == "" || k.strength == header:
		return s.secondArgument(open, value)
	case s.listsNames(value):
		return span{}
	case name[0] == '-':
		k.strength = max(k.strength, strong)
	case open > 0 && s.text[open-1] == '(':
	case k.strength == strong:
		k.strength = weak
	}
	return s.value(value, k, context{})
}

// listsNames reports whether the string at i is a name of a secret too: the list is one of names.
func (s *scanner) listsNames(i int) bool {
	_, value := s.argumentAt(i)
	return !hasDigit(value) && s.keyNamed(value).kind != ""
}

// secondArgument returns the password of a call such as auth("user", "…"). open is where its first string
// begins, value
// where the second does.
func (s *scanner) secondArgument(open, value int) span {
	first, open := open, s.openBefore(open)
	if open == 0 {
		return span{}
	}
	end, _ := s.skipSpaceBack(open - 1)
	if end > 0 && s.text[end-1] == '=' {
		end--
	}
	name := s.text[end-runBack(s.text[max(0, end-longestName):end], &isName) : end]
	plain := lowered(name)
	for _, call := range [...]string{"connect", "authentication", "pdo", "mysqli", "signin", "logon", "createhmac",
		"jwt.sign", "jwt.encode",
		"jwt.verify", "setuser", "adduser", "createuser"} {
		if strings.Contains(plain, call) {
			return s.calledWith(value)
		}
	}
	if name == "" || strings.Contains(plain, "client") || strings.Contains(plain, "gateway") ||
		strings.Contains(plain, "api") {
		_, id := s.argumentAt(first)
		if _, secret := s.argumentAt(value); isRandom(id) && run(id, &isAlnum) == len(id) && len(secret) <= 40 {
			return s.value(value, key{"secret", random}, context{})
		}
	}
	if s.isTypedInto(first, plain) {
		return s.calledWith(value)
	}
	if first != open {
		return span{}
	}
	switch {
	case strings.HasSuffix(plain, "auth"), strings.HasSuffix(plain, "login"), strings.HasSuffix(plain, "credential"),
		strings.HasSuffix(plain, "credentials"):
		return s.value(value, key{"password", weak}, context{})
	}
	return span{}
}

// openBefore returns the position behind the bracket of the call in which the argument at i stands, 0 if there
// is none.
func (s *scanner) openBefore(i int) int {
	const far = 100
	before := s.text[max(0, i-far):i]
	n := strings.LastIndexAny(before, "()[]{};\n")
	if n < 0 || before[n] != '(' {
		return 0
	}
	return i - len(before) + n + 1
}

// calledWith returns the string at i, if it looks like a password.
func (s *scanner) calledWith(i int) span {
	if _, value := s.argumentAt(i); !isChosen(value) || strings.ContainsAny(value, " ") {
		return span{}
	}
	return s.value(i, key{"password", weak}, context{})
}

// isTypedInto reports whether a call types into the field that the string at i names: fill("#password", …).
func (s *scanner) isTypedInto(i int, call string) bool {
	switch call[strings.LastIndexByte(call, '.')+1:] {
	case "fill", "type", "send_keys", "sendkeys", "setvalue", "set_value", "input", "fill_in", "press_sequentially":
	default:
		return false
	}
	_, field := s.argumentAt(i)
	field = strings.TrimRight(field, "]\"' ")
	k := s.keyNamed(field[len(field)-runBack(field, &isName):])
	return k.kind != "" || strings.HasSuffix(lowered(field), "pass")
}

// fieldBefore reports whether a call types into a field that the call before it names: get("#pass").type("…").
// i is the
// position of the bracket.
func (s *scanner) fieldBefore(i int, name string) bool {
	before := s.text[max(0, i-len(name)-40):max(0, i-len(name))]
	n := len(before) - 1
	if n < 2 || before[n] != ')' || !isQuote(before[n-1]) {
		return false
	}
	switch lowered(strings.TrimPrefix(name, ".")) {
	case "fill", "type", "send_keys", "sendkeys", "setvalue", "set_value", "presssequentially":
	default:
		return false
	}
	field := strings.TrimRight(before[:n-1], "]\"'")
	return s.keyNamed(field[len(field)-runBack(field, &isName):]).kind != ""
}

// argument returns the string that a call such as setPassword("…") gets. i is the position of the bracket.
func (s *scanner) argument(i int) span {
	if i == 0 || i+1 >= len(s.text) || !isQuote(s.text[i+1]) {
		return span{}
	}
	name := s.text[i-runBack(s.text[max(0, i-longestName):i], &isName) : i]
	k := s.keyNamed(name)
	if k.kind == "" && s.fieldBefore(i, name) {
		return s.calledWith(i + 1)
	}
	if k.kind == "" || k.strength == header || k.strength == random || strings.HasPrefix(name, "get") ||
		s.listsNames(i+1) {
		return span{}
	}
	return s.quotedValue(i+1, s.text[i+1:i+2], key{k.kind, weak})
}
