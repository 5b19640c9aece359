package masking

import "strings"

const longestLook = 160 // how far is looked back for the name that belongs to a value

// keyAround returns what a key is by what stands around it, if its own name says nothing: the data of a Kubernetes
// secret, and pairs such as {"name":"DB_PASSWORD","value":"…"}. start and value are where key and value begin.
func (s *scanner) keyAround(name string, start, value int, k key) key {
	if start < s.block && name != "" {
		return key{"secret", strong}
	}
	switch name {
	case "data", "stringData":
		if end := s.kubernetesData(start, value); end > 0 {
			s.block = end
		}
	case "value", "Value", "VALUE", "val", "default", "defaultValue", "secretString", "SecretString":
		if s.isPasswordInput(start) && !strings.HasPrefix(s.text[value:], "{") {
			return key{"password", strong}
		}
		if k := s.pairedKey(start); k.kind != "" {
			return k
		}
		return s.keyBehind(value)
	case "thin":
		if found := s.oracleLogin(value); found.kind != "" {
			return key{"password", login}
		}
	case "Private-Lines":
		return key{"private-key", lines}
	case "p", "P":
		if start > 0 && s.text[start-1] == ';' && strings.Contains(s.text[max(0, start-100):start], "WIFI:") {
			return key{"password", strong}
		}
		if start > 1 && s.text[start-1] == '/' && s.text[start-2] == ' ' && s.command.is("xfreerdp") {
			return key{"password", strong}
		}
	}
	if literal := "--from-literal="; start >= len(literal) && s.text[start-1] == '=' &&
		s.text[start-len(literal):start] == literal {
		return key{"secret", strong}
	}
	if s.command.word == "secrets" && s.command.last == "set" && start > 0 && s.text[start-1] == ' ' &&
		strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" && name != "" {
		return key{"secret", strong}
	}
	return k
}

// kubernetesData returns the end of the data of a Kubernetes secret, 0 if there is none. start and value are where data
// and what follows it begin.
func (s *scanner) kubernetesData(start, value int) int {
	const far = 4096
	if !isKubernetesSecret(s.text[max(0, start-far):start]) &&
		!isKubernetesSecret(s.text[value:min(len(s.text), value+far)]) {
		return 0
	}
	rest := s.text[value:]
	if strings.HasPrefix(rest, "{") {
		if end := strings.IndexByte(rest[:min(len(rest), 64<<10)], '}'); end > 0 {
			return value + end
		}
		return 0
	}
	indent := start - 1 - strings.LastIndexByte(s.text[max(0, start-longestLook):start], '\n') - max(0,
		start-longestLook)
	end := value
	for end < len(s.text) && end < value+64<<10 {
		line := strings.IndexByte(s.text[end:], '\n')
		if line < 0 {
			return len(s.text)
		}
		next := end + line + 1
		if deep := run(s.text[next:], &isBlank); next+deep < len(s.text) && deep <= indent &&
			s.text[next+deep] != '\n' {
			return next
		}
		end = next
	}
	return end
}

var isBlank = set{1<<' ' | 1<<'\t'}

func isKubernetesSecret(text string) bool {
	for {
		n := strings.Index(text, "kind")
		if n < 0 {
			return false
		}
		text = text[n+len("kind"):]
		value := strings.TrimLeft(text, "\\\": \t")
		if value = strings.TrimPrefix(value, "'"); strings.HasPrefix(value, "Secret") &&
			(len(value) == len("Secret") || !isWord.has(value[len("Secret")])) {
			return true
		}
	}
}

// blockValue returns the indented lines behind key: | of YAML. i is the position of the mark.
func (s *scanner) blockValue(i int, k key) span {
	const longest = 16 << 10
	n := i + 1
	if n < len(s.text) && (s.text[n] == '-' || s.text[n] == '+') {
		n++
	}
	if n >= len(s.text) || s.text[n] != '\n' || k.strength < strong || k.strength > strong {
		return span{}
	}
	line := strings.LastIndexByte(s.text[max(0, i-longestName-40):i], '\n') + 1 + max(0, i-longestName-40)
	indent := run(s.text[line:], &isBlank)
	start := n + 1 + run(s.text[n+1:], &isBlank)
	end := s.blockEnd(n, i+longest, indent)
	if end <= start || !k.isSecret(s.text[start:end]) {
		return span{}
	}
	return span{start, s.blockEnd(end, len(s.text), indent), k.kind}
}

// blockEnd returns where the lines end that begin behind end and are indented deeper; a line that begins at the limit
// or behind it does not count.
func (s *scanner) blockEnd(end, limit, indent int) int {
	for end < len(s.text) && end < limit {
		deep := run(s.text[end+1:], &isBlank)
		if deep <= indent || end+1+deep >= len(s.text) || s.text[end+1+deep] == '\n' {
			break
		}
		next := strings.IndexByte(s.text[end+1:], '\n')
		if next < 0 {
			return len(s.text)
		}
		end += 1 + next
	}
	return end
}

// passwordFile returns the password of a line such as host:5432:database:user:password. i is the position of its first
// colon.
func (s *scanner) passwordFile(i int) span {
	host := runBack(s.text[max(0, i-longestName):i], &isName)
	if host == 0 && s.text[max(0, i-1)] != '*' || host == longestName ||
		strings.Trim(s.text[i-host:i], "0123456789") == "" && host > 0 {
		return span{}
	}
	line := s.text[i+1 : min(len(s.text), i+400)]
	if end := strings.IndexAny(line, "\r\n \t\"'"); end >= 0 {
		line = line[:end]
	}
	fields := strings.SplitN(line, ":", 4)
	if len(fields) < 4 || strings.Trim(fields[0], "0123456789*") != "" || len(fields[0]) > 5 || fields[1] == "" ||
		fields[2] == "" {
		return span{}
	}
	if names := fields[1] + fields[2]; strings.Trim(names, "0123456789") == "" ||
		run(strings.ReplaceAll(names, "*", ""), &isName) < len(strings.ReplaceAll(names, "*", "")) ||
		len(fields[3]) < 4 || !(key{kind: "password"}).isSecret(fields[3]) || strings.Contains(fields[3], ":") {
		return span{}
	}
	end := i + 1 + len(line)
	return span{end - len(fields[3]), end, "password"}
}

// isPasswordInput reports whether an attribute that begins at start belongs to a field for passwords of HTML.
func (s *scanner) isPasswordInput(start int) bool {
	before := max(0, start-longestLook)
	open := strings.LastIndexByte(s.text[before:start], '<')
	if open < 0 {
		return false
	}
	tag, _, _ := strings.Cut(s.text[before+open:min(len(s.text), start+longestLook)], ">")
	_, kind, found := strings.Cut(lowered(tag), "type")
	return found && strings.HasPrefix(strings.TrimLeft(kind, " \t=\\\"'{"), "password")
}

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

// keyBehind returns what the name says that stands behind a value: {"value": …, "name": "DB_PASSWORD"}. i is where the
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

// element returns the text of an element such as <password>, <string name="api_key"> or <key>token</key><string>, whose
// tag ends at i.
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

// listed returns the string that follows a name in a list: "--password", "…" or ('DB_PASSWORD', '…'). i is the position
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

// secondArgument returns the password of a call such as auth("user", "…"). open is where its first string begins, value
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
	if containsOneOf(plain, "connect", "authentication", "pdo", "mysqli", "signin", "logon", "createhmac", "jwt.sign", "jwt.encode", "jwt.verify",
		"setuser", "adduser", "createuser") {
		return s.calledWith(value)
	}
	if name == "" || containsOneOf(plain, "client", "gateway", "api") {
		_, id := s.argumentAt(first)
		if _, secret := s.argumentAt(value); isRandom(id) && run(id, &isAlnum) == len(id) && len(secret) <= 40 {
			return s.value(value, key{"secret", random}, context{})
		}
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

// openBefore returns the position behind the bracket of the call in which the argument at i stands, 0 if there is none.
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

// argument returns the string that a call such as setPassword("…") gets. i is the position of the bracket.
func (s *scanner) argument(i int) span {
	if i == 0 || i+1 >= len(s.text) || !isQuote(s.text[i+1]) {
		return span{}
	}
	name := s.text[i-runBack(s.text[max(0, i-longestName):i], &isName) : i]
	k := s.keyNamed(name)
	if k.kind == "" || k.strength == header || k.strength == random || strings.HasPrefix(name, "get") ||
		s.listsNames(i+1) {
		return span{}
	}
	return s.quotedValue(i+1, s.text[i+1:i+2], key{k.kind, weak})
}

const (
	longestLabel = 60
	longestKey   = 16 << 10
)

// privateKey returns the block of a private key that begins or ends at the dashes at i.
func (s *scanner) privateKey(i int) span {
	if !strings.HasPrefix(s.text[i:], "-----") {
		return span{}
	}
	for strings.HasPrefix(s.text[i:], "------") {
		i++
	}
	text := s.text[i+len("-----"):]
	text = text[:min(len(text), longestKey)]
	switch {
	case strings.HasPrefix(text, "BEGIN "):
		label, ok := pemLabel(text[len("BEGIN "):])
		if !ok {
			return span{}
		}
		if next := strings.Index(text[len("BEGIN "):], "-----BEGIN "); next >= 0 {
			text = text[:len("BEGIN ")+next] // the key is cut off before the next one
		}
		ending := "-----END " + label + "-----"
		if n := strings.Index(text, ending); n >= 0 {
			return span{i, i + len("-----") + n + len(ending), "private-key"}
		}
		head := len("BEGIN ") + len(label) + len("-----")
		return span{i, i + len("-----") + head + pemLines(text[head:]), "private-key"}
	case strings.HasPrefix(text, "END "):
		label, ok := pemLabel(text[len("END "):])
		if !ok {
			return span{}
		}
		start := i - pemLinesBack(s.text[max(s.floor, i-longestKey):i])
		return span{start, i + len("-----END -----") + len(label), "private-key"}
	}
	return span{}
}

// pemLabel returns the label of a private key.
func pemLabel(text string) (string, bool) {
	label, _, ok := strings.Cut(text[:min(len(text), longestLabel)], "-----")
	return label, ok && strings.Contains(label, "PRIVATE KEY")
}

// pemLines returns how much of a text is the rest of a key that is cut off: lines of base64, indented or quoted, and
// the headers of old keys.
func pemLines(text string) int {
	n := 0
	for n < len(text) {
		line := text[n:]
		size := run(line, &isPEM)
		if size == len(line) {
			if isProse(line) {
				return n
			}
			return len(text)
		}
		switch {
		case line[size] == '\n' && !isProse(line[:size]):
			n += size + 1
		case strings.HasPrefix(line, "Proc-Type:") || strings.HasPrefix(line, "DEK-Info:"):
			end := strings.IndexByte(line, '\n')
			if end < 0 {
				return len(text)
			}
			n += end + 1
		case strings.IndexByte("\"'`", line[size]) >= 0 && !isProse(line[:size]):
			return n + size
		default:
			return n
		}
	}
	return n
}

// isProse reports whether a line has several words that are no base64.
func isProse(line string) bool {
	words := 0
	for word := range strings.FieldsSeq(line) {
		if words++; words > 1 && len(word) < 12 || words == 1 && len(word) < 16 &&
			strings.Contains(strings.TrimSpace(line), " ") {
			return true
		}
	}
	return false
}

// pemLinesBack returns how much of a text is the end of a key whose beginning is cut off.
func pemLinesBack(text string) int {
	n := runBack(text, &isPEMSpace)
	first := n
	for n < len(text) {
		rest := text[:len(text)-n]
		size := runBack(rest, &isBase64)
		if size == 0 {
			break
		}
		if strings.HasSuffix(rest[:len(rest)-size], "\\n") || size < 40 && n > first && size > 1 {
			n += size
			break
		}
		n += size
		n += runBack(rest[:len(rest)-size], &isPEMSpace)
	}
	if n < 16 {
		return 0
	}
	return n - run(text[len(text)-n:], &isPEMSpace)
}

// keyLines returns the lines of a key of PuTTY. i is where their number stands.
func (s *scanner) keyLines(i int) span {
	n := i + run(s.text[i:min(len(s.text), i+longestSpace)], &isDigit)
	rest := s.text[n:min(len(s.text), n+longestKey)]
	space := run(rest, &isPEMSpace)
	if end := strings.Index(rest, "Private-"); end > space {
		rest = rest[:end]
	}
	size := 0
	for size < len(rest) && (isBase64.has(rest[size]) || isPEMSpace.has(rest[size])) {
		size++
	}
	end := n + len(strings.TrimRight(rest[:size], " \t\r\n"))
	if end <= n+space {
		return span{}
	}
	return span{n + space, end, "private-key"}
}

var (
	isPEM      = set{digitBits | 1<<'+' | 1<<'/' | 1<<'=' | 1<<' ' | 1<<'\t' | 1<<'\r', letterBits | 1<<('\\'-64)}
	isPEMSpace = set{1<<' ' | 1<<'\t' | 1<<'\r' | 1<<'\n'}
)
