package masking

import "strings"

// strength is how much the name before a value says of it.
type strength uint8

const (
	unknown strength = iota
	opaque           // the value is a secret if it is random, and neither a UUID nor a digest
	random           // the value is a secret if it is random
	weak             // the value is a secret if it holds letters and digits: the name is one of harmless things too
	strong           // the value is a secret, unless it is a placeholder or an expression
	header           // the value belongs to a header
	basic            // the value is a name and a password in base64, or random
	login            // the value is USER/PASSWORD
	lines            // the value is the number of lines of a key that follow
	phrase           // the value is a list of words
)

// key is what the name before a value says of it.
type key struct {
	kind     string // empty: nothing
	strength strength
}

// naming is what names say that end in one of its words. To add a name, add a word.
type naming struct {
	words string // without the marks between words, in lower case
	key   key
	alone bool // the word must be one of its own: bypass ends in pass, DB_PASS in PASS
}

// endings are how names of secrets end, and of harmless things that end alike. The longest word that fits counts.
var endings = []naming{
	{"authorization", key{"authorization", header}, false},
	{"setcookie cookie", key{"cookie", header}, false},
	{"password passwort kennwort motdepasse contrasena passphrase passwd passwrd dbpass sshpass pgpass", key{"password", strong}, false},
	{"rootpass userpass adminpass rootpw requirepass masterauth bindpw storepass keypass presharedkey", key{"password", strong}, false},
	{"passord adgangskode wachtwoord losenord salasana salasona jelszo lozinka slaptazodis katasandi", key{"password", strong}, false},
	{"matkhau", key{"password", strong}, false},
	{"passcode", key{"password", weak}, false},
	{"passe clave mdp community pwd pass pw", key{"password", weak}, true},
	{"mnemonic mnemonics phrase paperkey seedwords", key{"password", phrase}, false},
	{"seed", key{"password", phrase}, true},
	{"senha haslo heslo geslo parola parool parol sifre otp psk", key{"password", strong}, true},
	{"kode", key{"password", random}, true},
	{"secretkey secret geheimnis", key{"secret", strong}, false},
	{"secrets signature", key{"secret", random}, false},
	{"salt sig pepper signing hmac", key{"secret", random}, true},
	{"primarykey foreignkey publickey pubkey cachekey sortkey partitionkey idempotencykey objectkey", key{}, false},
	{"hashkey rowkey hostkey websocketkey filekey rootkey groupkey", key{}, false},
	{"apikey", key{"api-key", strong}, false},
	{"accesskey accountkey", key{"access-key", strong}, false},
	{"accesskeyid", key{"access-key", random}, false},
	{"privatekey signingkey encryptionkey", key{"private-key", strong}, false},
	{"masterkey", key{"private-key", weak}, false},
	{"keydata", key{"private-key", random}, false},
	{"authkey", key{"api-key", weak}, false},
	{"key keys", key{"api-key", random}, true},
	{"appid license", key{"api-key", random}, false},
	{"tokens pagetoken", key{}, false},
	{"accesstoken authtoken refreshtoken bearertoken sessiontoken", key{"token", strong}, false},
	{"token", key{"token", weak}, false},
	{"bearer jwt", key{"token", weak}, true},
	{"pat sas csrf", key{"token", random}, true},
	{"sessionid sessid", key{"token", opaque}, false},
	{"sid code", key{"token", opaque}, true},
	{"auth", key{"credential", basic}, true},
	{"credential credentials", key{"credential", weak}, false},
	{"creds", key{"credential", weak}, true},
}

// inside are parts of names whose values are masked if they are random, wherever the part stands.
var inside = []naming{
	{"password passwd", key{"password", random}, false},
	{"secret", key{"secret", random}, false},
	{"apikey", key{"api-key", random}, false},
	{"credential", key{"credential", random}, false},
}

// keyNamed returns what a name says.
func (r *rules) keyNamed(name string) key {
	if len(name) < 2 {
		return key{}
	}
	buffer := [longestName]byte{}
	plain := plainName(buffer[:0], name)
	if len(plain) < 2 {
		return key{}
	}
	if k, ok := r.ended(name, plain); ok {
		return k
	}
	if short := unqualified(plain); len(short) < len(plain) && len(short) > 1 {
		if k, ok := r.ended("", short); ok && k.strength != header {
			return k
		}
	}
	return r.keyInside(plain)
}

// keyInside returns what a part of a name says.
func (r *rules) keyInside(plain []byte) key {
	for i := range plain {
		for _, e := range r.inside {
			if e.word[0] == plain[i] && strings.HasPrefix(string(plain[i:]), e.word) {
				return e.key
			}
		}
	}
	return key{}
}

// ended returns what the end of a name says. The name tells where words begin; without it, plain is taken at its word.
func (r *rules) ended(name string, plain []byte) (key, bool) {
	for _, e := range r.endings[hash(plain[len(plain)-2], plain[len(plain)-1])] {
		if strings.HasSuffix(string(plain), e.word) {
			if e.alone && !boundary(name, len(e.word)) {
				return key{}, true
			}
			if len(plain) == len(e.word) && (e.word == "key" || e.word == "keys") {
				return key{e.key.kind, opaque}, true // key alone is the one of a cache or a map too
			}
			return e.key, true
		}
	}
	return key{}, false
}

// plainName appends the letters and digits of a name in lower case.
func plainName(plain []byte, name string) []byte {
	for i := range min(len(name), longestName) {
		c := name[i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if isAlnum.has(c) {
			plain = append(plain, c)
		}
	}
	return plain
}

// unqualified returns a plain name without what is added to tell secrets of the same sort from each other.
func unqualified(plain []byte) []byte {
	for len(plain) > 0 && isDigit.has(plain[len(plain)-1]) {
		plain = plain[:len(plain)-1]
	}
	if len(plain) == 0 || !endsQualifier.has(plain[len(plain)-1]) {
		return plain
	}
	for _, n := range [...]int{3, 4, 5, 6, 7, 10} {
		if len(plain) > n && isQualifier(plain[len(plain)-n:]) {
			return plain[:len(plain)-n]
		}
	}
	return plain
}

func isQualifier(word []byte) bool {
	switch string(word) {
	case "production", "staging", "prod", "live", "test", "dev", "old", "new", "value", "base64", "b64", "plain",
		"raw", "text", "string", "env", "var":
		return true
	}
	return false
}

var endsQualifier = set{1 << '4', 1<<('n'-64) | 1<<('g'-64) | 1<<('d'-64) | 1<<('e'-64) | 1<<('t'-64) | 1<<('v'-64) | 1<<('w'-64) | 1<<('r'-64)}

// boundary reports whether the last so many letters of a name are a word of their own. Without a name they are.
func boundary(name string, letters int) bool {
	name = strings.TrimRight(name, "_-.")
	start := len(name) - letters
	if start <= 0 {
		return true
	}
	before, first := name[start-1], name[start]
	return !isAlnum.has(before) || first >= 'A' && first <= 'Z' && before >= 'a' && before <= 'z'
}

// separator reports whether the character at i separates a key from its value, and where the value begins.
func (s *scanner) separator(i int) (after int, ok bool) {
	next, before := byte(0), byte(0)
	if i+1 < len(s.text) {
		next = s.text[i+1]
	}
	if i > 0 {
		before = s.text[i-1]
	}
	switch {
	case s.text[i] == ':' && (before == ':' || next != 0 && strings.IndexByte("=:-+?", next) >= 0):
		return 0, false // := is seen at its second character; ${NAME:-x} is an expansion of a shell
	case s.text[i] == '=' && (next == '=' || before != 0 && strings.IndexByte("=!<>*/~", before) >= 0):
		return 0, false
	case s.text[i] == '=' && next == '>':
		return i + 2, true
	}
	return i + 1, true
}

// nameBefore returns the key that ends before i: a word, in quotes or not, in brackets or not, with a type or not.
func (s *scanner) nameBefore(i int) (name string, start int, spaced bool) {
	end := i
	if end > 0 && (s.text[end-1] == ':' || s.text[end-1] == '+' || s.text[end-1] == '?') { // := += ?=
		end--
	}
	end, spaced = s.skipSpaceBack(end)
	if end > 0 && s.text[end-1] == 'm' {
		end -= colourBefore(s.text[:end])
	}
	if end > 1 && s.text[end-1] == ']' {
		switch {
		case isQuote(s.text[end-2]):
			end--
		case s.text[end-2] == '[': // char password[]
			end -= 2
		}
	}
	quoted := end > 0 && isQuote(s.text[end-1])
	if quoted {
		end--
		for end > 0 && s.text[end-1] == '\\' {
			end--
		}
	}
	start = end
	for start > 0 && end-start < longestName && isName.has(s.text[start-1]) {
		start--
	}
	name = s.text[start:end]
	if (len(name) == 1 && isDigit.has(name[0]) || name == "is" || name == "ist") && start > 0 &&
		s.text[start-1] == ' ' && !quoted { // Unseal Key 1
		return s.nameBefore(start - 1)
	}
	if spaced && isType(name) {
		if colon, _ := s.skipSpaceBack(start); colon > 0 && s.text[colon-1] == ':' {
			return s.nameBefore(colon - 1)
		}
	}
	return name, start, spaced && !quoted
}

func (s *scanner) skipSpaceBack(end int) (int, bool) {
	before := end
	for n := 0; end > 0 && n < longestSpace && (s.text[end-1] == ' ' || s.text[end-1] == '\t'); n++ {
		end--
	}
	return end, end < before
}

func isType(name string) bool {
	return name == "string" || name == "str" || name == "String" || name == "SecretStr" || name == "bytes"
}

func isSignature(name string) bool {
	plain := lowered(name)
	return strings.HasSuffix(plain, "signature") && !strings.Contains(plain, "amz")
}

// namesItself reports whether the value at i is the name of a secret, perhaps the one before it.
func (s *scanner) namesItself(name string, i int) bool {
	for i < len(s.text) && (isQuote(s.text[i]) || s.text[i] == '\\') {
		i++
	}
	value := s.text[i:min(len(s.text), i+longestName)]
	value = value[:run(value, &isName)]
	if value == "" || hasDigit(value) || i+len(value) < len(s.text) &&
		strings.IndexByte("!@#$%^&*+~=/", s.text[i+len(value)]) >= 0 {
		return false
	}
	if len(value) >= 4 && strings.HasSuffix(name, value) {
		return true
	}
	return strings.ContainsAny(value, "_.") && s.keyNamed(value).kind != ""
}

// isDeliberate reports whether a name that may be one of harmless things is that of an option or of a part of a
// connection string.
func (s *scanner) isDeliberate(name string, start int) bool {
	return strings.HasPrefix(name, "-") || start > 1 && (s.text[start-1] == ';' || s.text[start-1] == '/' &&
		s.text[start-2] == ' ')
}

// beginsLine reports whether only space, or the dash of a list, precedes i on its line.
func (s *scanner) beginsLine(i int) bool {
	const most = 40
	for n := 0; i > 0 && n < most && (s.text[i-1] == ' ' || s.text[i-1] == '\t' || s.text[i-1] == '-'); n++ {
		i--
	}
	return i == 0 || s.text[i-1] == '\n'
}

// colour returns the length of the escape sequence of a terminal at the beginning of a text.
func colour(text string) int {
	if !strings.HasPrefix(text, "\x1b[") {
		return 0
	}
	n := 2
	for n < len(text) && n < 20 && (isDigit.has(text[n]) || text[n] == ';') {
		n++
	}
	if n < len(text) && text[n] == 'm' {
		return n + 1
	}
	return 0
}

// colourBefore returns the length of the escape sequence of a terminal at the end of a text.
func colourBefore(text string) int {
	n := strings.LastIndexByte(text[max(0, len(text)-20):], '\x1b')
	if n < 0 {
		return 0
	}
	if n += max(0, len(text)-20); n+colour(text[n:]) == len(text) {
		return len(text) - n
	}
	return 0
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
