package masking

import (
	"encoding/base64"
	"slices"
	"strings"
)

// isSecret reports whether a value may be the secret itself, not a placeholder.
func (k key) isSecret(value string) bool {
	if value == "" || isMask(value) || isReference(value) {
		return false
	}
	if len(value) < 3 && k.kind != "url-password" {
		return false
	}
	switch value[0] {
	case '<':
		if strings.HasSuffix(value, ">") || !hasInnerBrackets(value) {
			return false
		}
	case '*', '?':
		return false
	case '[':
		if strings.Trim(value, "[]<>*_- abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
			return false // [redacted]
		}
	case '!':
		if strings.Trim(value[1:], "abcdefghijklmnopqrstuvwxyz") == "" {
			return false // a tag of YAML
		}
	case '.':
		if strings.HasPrefix(value, ".*") {
			return false // a pattern
		}
	case '/', '~':
		if k.strength == weak { // PWD is a folder
			return false
		}
	}
	if expands(value, "${", "}") || expands(value, "$(", ")") || expands(value, "{{", "}}") {
		return false
	}
	if k.strength != strong && isNumber(value) || len(value) < 6 && k.kind != "password" && k.kind != "secret" &&
		k.kind != "url-password" {
		return false
	}
	if strings.HasSuffix(value, "...") || strings.HasPrefix(value, "id=") {
		return false
	}
	if strings.HasPrefix(value, "http://") || strings.HasPrefix(value, "https://") ||
		k.kind == "private-key" && value[0] == '/' {
		return false
	}
	if len(value) > 2 && strings.Trim(value, value[:1]) == "" {
		return false
	}
	return !isPlaceholder(value)
}

// expands reports whether a text holds an expansion, which names what stands for the secret.
func expands(text, open, closing string) bool {
	n := strings.Index(text, open)
	if n < 0 {
		return false
	}
	inner := text[n+len(open):]
	end := strings.Index(inner, closing)
	if end < 0 {
		return n == 0
	}
	v := varietyOf(inner[:end])
	return n == 0 || v.mark*3 <= len(inner[:end])
}

// isNumber reports whether a value is a number, a version or an identifier made of numbers.
func isNumber(value string) bool {
	return strings.Trim(value, "0123456789.+-eE") == "" && strings.ContainsAny(value, ".eE+")
}

// isPlaceholder reports whether a value stands for a secret, or for its type.
func isPlaceholder(value string) bool {
	for _, reference := range [...]string{
		"process.env", "os.environ", "os.getenv", "System.getenv", "ENV[", "env.", "env:", "secrets.", "vault:",
		"file:", "var.", "local.", "data.",
	} {
		if strings.HasPrefix(value, reference) {
			return true
		}
	}
	if len(value) > 40 {
		return false
	}
	word := lowered(strings.TrimRight(value, "?!.;:]|"))
	for _, beginning := range [...]string{"your_", "your-", "my_", "my-", "example", "placeholder", "insert",
		"required|", "nullable|"} {
		if strings.HasPrefix(word, beginning) && (!hasDigit(word) || strings.HasSuffix(beginning, "|")) {
			return true
		}
	}
	return isHarmless(word)
}

// isHarmless reports whether a word is a type, a constant or a hint where a secret might be.
func isHarmless(word string) bool {
	switch word {
	case "string", "str", "bytes", "number", "int", "integer", "bool", "boolean", "any", "object", "undefined",
		"null", "none", "nil", "true", "false", "void", "unknown", "never",
		"required", "optional", "text", "varchar", "char", "password", "passwd", "secret", "token", "redacted",
		"hidden", "masked", "changeme", "example", "placeholder", "todo", "empty",
		"secretstr", "literal", "self", "this", "input", "prompt", "read", "yes", "no", "on", "off", "default",
		"value", "key", "apikey", "api_key", "not", "set", "unset", "missing", "invalid",
		"is", "the", "a", "an", "in", "for", "and", "or", "of", "to", "with", "from", "if", "field", "stdin", "-",
		"...", "plaintext", "base64", "sha256", "bcrypt", "generated", "omitted", "removed", "auto",
		"option", "options", "flag", "flags", "argument", "arguments", "parameter", "parameters", "can", "must",
		"should", "file", "login", "but", "when", "which", "that", "also", "as", "by", "it":
		return true
	}
	return false
}

// isReference reports whether a value names a variable, a format or a command that holds the secret.
func isReference(value string) bool {
	switch value[0] {
	case '$':
		return isVariable(value[1:])
	case '%':
		return len(value) <= 3 || value[1] == '(' || value[1] == '{' || strings.HasSuffix(value, "%")
	case '{':
		return len(value) == 1 || value[1] == '{' || value[1] == '%' || value[1] == '"' ||
			strings.Trim(value, "{}[]()_.: abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" ||
			len(value) <= 4
	case '(':
		return !hasDigit(value) || strings.ContainsAny(value, ".=<>") || len(value) < 8
	}
	return false
}

// isVariable reports whether what follows a dollar is the name of a variable, not the rest of a password.
func isVariable(name string) bool {
	if name == "" || !isWord.has(name[0]) {
		return name == "" || strings.IndexByte("({[$*@#?!<'", name[0]) >= 0 && !looksChosen(name)
	}
	n := run(name, &isWord)
	if n < len(name) {
		v := varietyOf(name[n:])
		if strings.IndexByte("-.[:/\\?,", name[n]) < 0 || v.digit > 0 && v.upper > 0 && v.lower > 0 {
			return false // $ecret!
		}
	}
	name = name[:n]
	letters := strings.TrimRight(name, "0123456789")
	switch {
	case letters == "": // $1
		return len(name) <= 2
	case strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "":
		return true
	}
	return !hasDigit(letters) && len(letters)+2 >= len(name)
}

// looksChosen reports whether a text holds letters, digits and a mark, as passwords do.
func looksChosen(text string) bool {
	v := varietyOf(text)
	return v.lower+v.upper >= 2 && v.digit > 0 && v.mark > 0 && len(text) >= 7
}

// hasInnerBrackets reports whether a pair of brackets is followed by a letter or a digit, as in no expression.
func hasInnerBrackets(value string) bool {
	for i := range max(len(value)-1, 0) {
		if open := openingOf(value[i]); open != 0 && isAlnum.has(value[i+1]) && strings.IndexByte(value[:i], open) >= 0 {
			return true
		}
	}
	return false
}

// isUnbalanced reports whether a bracket that a value opens is not closed, and does not open what the next lines hold.
func isUnbalanced(value string) bool {
	const opens = "([{"
	return looksChosen(value) && strings.IndexByte(opens, value[len(value)-1]) < 0 &&
		strings.Count(value, "(")+strings.Count(value, "[")+strings.Count(value, "{") > strings.Count(value, ")")+strings.Count(value, "]")+strings.Count(value, "}")
}

// openingOf returns the bracket that opens what c closes; 0 if it closes nothing.
func openingOf(c byte) byte {
	switch c {
	case ')':
		return '('
	case ']', '}', '>':
		return c - 2
	}
	return 0
}

// isCode reports whether a value without quotes is an expression: a call, an index, a member.
func isCode(value string) bool {
	if hasInnerBrackets(value) {
		return false
	}
	if value[0] != '(' && value[0] != '{' && value[0] != '[' {
		if n := strings.IndexAny(value, "([{"); n >= 0 {
			return run(value, &isDotted) == n || strings.HasPrefix(value, "&") || strings.HasPrefix(value, "*") ||
				!hasDigit(value)
		}
	} else if !hasDigit(value) {
		return true
	}
	if strings.Contains(value, "::") || strings.Contains(value, "->") {
		return true
	}
	dot := strings.IndexByte(value, '.')
	return dot > 0 && dot+1 < len(value) && !hasDigit(value) &&
		strings.Trim(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.") == ""
}

// looksSecret reports whether a value without quotes and with space before it is more than a word of a sentence or a
// name in code.
func looksSecret(value string, k key, c context) bool {
	if k.strength != strong || len(value) < 6 {
		return looksMixed(value)
	}
	if hasDigit(value) || strings.ContainsAny(value, "!@#$%^*+/~") {
		return true
	}
	return c.lineStart && strings.Trim(value, "abcdefghijklmnopqrstuvwxyz-") == ""
}

// looksMixed reports whether a value holds letters and digits.
func looksMixed(value string) bool {
	return len(value) >= 8 && hasDigit(value) && strings.ContainsAny(value,
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

func hasDigit(text string) bool {
	for i := range len(text) {
		if isDigit.has(text[i]) {
			return true
		}
	}
	return false
}

// isBasic reports whether a value is a name and a password in base64, as basic authentication sends them.
func isBasic(value string) bool {
	if len(value) < 8 || len(value) > longestQuote || run(value, &isBase64) < len(value) {
		return false
	}
	decoded, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	if err != nil {
		return false
	}
	colon := false
	for _, c := range decoded {
		if c < ' ' || c > '~' {
			return false
		}
		colon = colon || c == ':'
	}
	return colon
}

// isChosen reports whether a word is a password or a key, and no name, number, path or version.
func isChosen(word string) bool {
	v := varietyOf(word)
	if len(word) < 8 || len(word) > 128 || v.digit == 0 || v.lower+v.upper < 2 ||
		!(key{kind: "password"}).isSecret(word) ||
		strings.ContainsAny(word, "<>\"`") || strings.Contains(word, "://") || strings.Contains(word, "](") ||
		strings.IndexByte("/.-[({#&", word[0]) >= 0 {
		return false
	}
	if strings.ContainsAny(word, "(/=:[{") && !(v.lower > 0 && v.upper > 0 && v.digit > 0 && v.mark < len(word)/2) {
		return false
	}
	for _, c := range word {
		if c >= 0x80 {
			return false
		}
	}
	return !isUUIDText(word)
}

// wordList returns the words of a wallet at i: 12 to 24 of them, all of three to nine small letters.
func (s *scanner) wordList(i int) span {
	quote := byte(0)
	for i < len(s.text) && (s.text[i] == ' ' || isQuote(s.text[i])) {
		if isQuote(s.text[i]) {
			quote = s.text[i]
		}
		i++
	}
	end, words := i, 0
	for at := i; at < len(s.text) && words < 25; words++ {
		n := run(s.text[at:min(len(s.text), at+10)], &isLetter)
		if n < 3 || n > 9 || s.text[at:at+n] != lowered(s.text[at:at+n]) {
			break
		}
		end = at + n
		if end == len(s.text) || s.text[end] != ' ' && s.text[end] != ',' {
			words++
			break
		}
		at = end + run(s.text[end:min(len(s.text), end+3)], &betweenWords)
	}
	if words < 12 || words > 24 || quote != 0 && (end == len(s.text) || s.text[end] != quote) {
		return span{}
	}
	return span{i, end, "password"}
}

var betweenWords = set{1<<' ' | 1<<','}

// variety counts what a text is made of.
type variety struct {
	lower, upper, digit, mark int
	hex                       bool // all letters are of hexadecimal numbers
	changes                   int  // from one kind of character to another; the capital that begins a word counts once
}

func varietyOf(text string) (v variety) {
	const none, lower, upper, digit = 0, 1, 2, 3
	v.hex = true
	last := none
	for i := range len(text) {
		c := text[i]
		kind := none
		switch {
		case c >= 'a' && c <= 'z':
			v.lower++
			kind = lower
			v.hex = v.hex && c <= 'f'
		case c >= 'A' && c <= 'Z':
			v.upper++
			kind = upper
			v.hex = v.hex && c <= 'F'
		case c >= '0' && c <= '9':
			v.digit++
			kind = digit
		default:
			v.mark++
		}
		if last != none && kind != none && kind != last && !(last == upper && kind == lower) {
			v.changes++
		}
		last = kind
	}
	return v
}

// isRandom reports whether a text without separators is too irregular for a word, a name in code or a number. Of random
// letters and digits nearly half differ in kind from the one before, of names in code fewer than a fifth.
func isRandom(text string) bool {
	v := varietyOf(text)
	if v.digit < 2 && !(v.hex && len(text) >= 32) {
		return len(text) >= 20 && v.lower >= 4 && v.upper >= 4 && v.changes*100 >= len(text)*24 && v.mark*8 < len(text)
	}
	if v.lower+v.upper == 0 {
		return false
	}
	if v.hex && (v.lower == 0 || v.upper == 0) {
		return len(text) >= 32 && v.mark == 0
	}
	return len(text) >= 16 && v.digit >= 2 && v.changes*100 >= len(text)*20
}

// isRandomValue reports whether the value of a key is random: a key, not a name, a path or a sentence.
func isRandomValue(value string) bool {
	value = strings.TrimPrefix(value, "base64:")
	if len(value) < 16 || len(value) > longestQuote {
		return false
	}
	if n := run(value, &isAny64); n < len(value) && value[n] != '%' {
		return false
	}
	if isRandom(value) && longestPart(value) >= 8 && !isMember(value) {
		return true
	}
	return isUUIDText(value)
}

// isMember reports whether a text is a name in code such as win32api.RegEnumKey.
func isMember(value string) bool {
	if strings.IndexByte(value, '.') < 0 || run(value, &isDotted) < len(value) {
		return false
	}
	for part := range strings.SplitSeq(value, ".") {
		if part == "" || isDigit.has(part[0]) || varietyOf(part).digit > 2 {
			return false
		}
	}
	return true
}

// isUUIDText reports whether a text is a UUID, which some services hand out as keys.
func isUUIDText(text string) bool {
	return len(text) == 36 && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-' &&
		run(text, &isUUID) == 36
}

// isOpaque reports whether the value of a key is random and neither a UUID nor a digest.
func isOpaque(value string) bool {
	if !isRandomValue(value) || isUUIDText(value) || isContentID(value) {
		return false
	}
	for value != "" {
		n := run(value, &isAlnum)
		if v := varietyOf(value[:n]); n >= 16 && !(v.hex && v.upper == 0) {
			return true
		}
		value = value[min(n+1, len(value)):]
	}
	return false
}

// isContentID reports whether a text is the hash of a content or of a public key as IPFS and libp2p write it: a
// multihash in base58, or any base with its letter before it.
func isContentID(text string) bool {
	const shortest = 46
	if len(text) < shortest {
		return false
	}
	switch beginning := text[:3]; {
	case text[0] == 'z', len(text) == 46 && text[:2] == "Qm", len(text) == 52 && beginning == "12D", len(text) == 53 && beginning == "16U":
		return run(text, &isBase58) == len(text)
	case beginning == "baf", beginning == "bag", beginning == "k51", beginning == "k2k":
		return run(text, &isLowerAlnum) == len(text)
	}
	return false
}

// isBareKey reports whether letters and digits alone are random enough for a key without any prefix.
func isBareKey(text string) bool {
	v := varietyOf(text)
	switch {
	case v.hex && (v.lower == 0 || v.upper == 0), strings.HasPrefix(text, "AAAA"), strings.HasPrefix(text,
		"0x"), isContentID(text): // a digest, a public key of SSH, an address
		return false
	case v.lower > 0 && v.upper > 0:
		return len(text) >= 30 && v.lower >= 4 && v.upper >= 4 && v.digit >= 3 && v.changes*100 >= len(text)*30 &&
			!isEncodedText(text)
	case v.upper > 0:
		return len(text) >= 32 && v.upper >= 10 && v.digit >= 3 && v.changes*100 >= len(text)*15
	}
	return len(text) >= 36 && v.digit >= 4 && v.lower >= 10 && v.changes*100 >= len(text)*25
}

// isEncodedText reports whether a text is prose in base64.
func isEncodedText(text string) bool {
	decoded, err := base64.RawStdEncoding.DecodeString(text[:len(text)&^3])
	if err != nil {
		return false
	}
	printable := 0
	for _, c := range decoded {
		if c >= ' ' && c <= '~' || c == '\n' || c == '\t' {
			printable++
		}
	}
	return printable*10 >= len(decoded)*9
}

// isEncodedProse reports whether a text is base64 of words with spaces.
func isEncodedProse(text string) bool {
	decoded, err := base64.StdEncoding.DecodeString(text)
	return err == nil && isEncodedText(text) && strings.Contains(string(decoded), " ")
}

// longestPart returns the length of the longest run of letters and digits.
func longestPart(text string) int {
	longest := 0
	for len(text) > 0 {
		n := run(text, &isAlnum)
		longest = max(longest, n)
		text = text[min(n+1, len(text)):]
	}
	return longest
}

// isPrefixedKey reports whether a text is a key of the common modern shape: a short prefix of one case that names the
// service, a separator, and a long random part.
func isPrefixedKey(text string) bool {
	const longestPrefix, shortest = 12, 24
	if len(text) < shortest {
		return false
	}
	name := run(text[:longestPrefix+1], &isAlnum)
	if name < 2 || name > longestPrefix || namesID(text[:name]) {
		return false
	}
	dash, named := text[name] == '-', isOneCase(text[:name])
	for rest := text[name+1:]; rest != ""; {
		n := run(rest, &isAlnum)
		if dash && named && name <= 5 && n == len(text)-name-1 && isRandomBody(rest, false) {
			return true // after a longer name and a dash, it is the digest of a file
		}
		if (named || n >= 26) && isRandomBody(rest[:n], dash || !named) {
			return true
		}
		rest = rest[min(n+1, len(rest)):]
	}
	return false
}

// isRandomBody reports whether the long part of a key is random.
func isRandomBody(body string, dash bool) bool {
	v := varietyOf(body)
	switch {
	case v.hex && (v.lower == 0 || v.upper == 0):
		return !dash && len(body) >= 32 && v.digit >= 4 && v.lower+v.upper >= 4 // after a dash it is the hash of a file
	case v.lower > 0 && v.upper > 0 && v.digit > 0:
		return len(body) >= 18 && v.digit >= 2 && v.changes*100 >= len(body)*25
	case v.digit > 0 && v.lower+v.upper > 0:
		return len(body) >= 24 && v.digit >= 3 && v.changes*100 >= len(body)*20
	}
	return len(body) >= 28 && v.lower >= 6 && v.upper >= 6 && v.changes*100 >= len(body)*24
}

// isOneCase reports whether a text begins with a letter and holds letters of one case, and at most two digits.
func isOneCase(text string) bool {
	v := varietyOf(text)
	return isLetter.has(text[0]) && (v.lower == 0 || v.upper == 0) && v.digit <= 2 && v.mark == 0
}

// namesID reports whether a prefix is one of identifiers and digests, which are as random as keys and no secrets.
func namesID(prefix string) bool {
	switch lowered(prefix) {
	case "toolu", "srvtoolu", "tool", "msg", "call", "fc", "req", "request", "resp", "response", "rs", "run",
		"chatcmpl", "cmpl", "gen", "thread", "step", "asst", "file", "vs",
		"batch", "item", "part", "evt", "event", "session", "ses", "sess", "conv", "chat", "turn", "trace", "span",
		"task", "job", "build", "deploy", "dpl", "prj", "proj", "project", "team", "org",
		"user", "usr", "acct", "acc", "cus", "pi", "ch", "in", "sub", "price", "prod", "plan", "txn", "seti", "pm",
		"cs", "id", "uuid", "ulid", "obj", "node", "layer", "image", "img",
		"sha1", "sha224", "sha256", "sha384", "sha512", "md5", "blake2", "blake3", "h1", "crc32", "hash", "digest",
		"etag", "checksum", "commit", "rev", "ref", "blob", "tree", "tag", "git",
		"cache", "chunk", "index", "main", "page", "assets", "vendor", "module", "css", "js", "tmp", "temp", "test",
		"doc", "docs", "row", "col", "rec", "record", "snap", "vol", "pod", "ctr", "container",
		"exec", "worker", "actor", "agent", "model", "ckpt", "ft", "ftjob", "var", "data", "key", "slug", "urn",
		"ark", "doi", "svg", "fp", "inv", "sk8", "pkg", "lib", "rustc", "cargo", "nix", "py", "cp", "linux",
		"darwin", "x86":
		return true
	}
	return false
}

// lowered returns an ASCII text in lower case, without allocating if it is so already.
func lowered(text string) string {
	for i := range len(text) {
		if text[i] >= 'A' && text[i] <= 'Z' {
			lower := []byte(text)
			for j := range lower {
				if lower[j] >= 'A' && lower[j] <= 'Z' {
					lower[j] |= 0x20
				}
			}
			return string(lower)
		}
	}
	return text
}

// containsOneOf reports whether a text contains one of the parts.
func containsOneOf(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}
