package masking

import (
	"bytes"
	"strings"
)

// key is what the name before a value says of it.
type key struct {
	kind   string // empty: nothing
	weak   bool   // the name is one of harmless things too
	header bool   // the value belongs to a header
}

type ending struct {
	ending string
	key    key
}

// endings are how names of secrets end, without the marks between words, in lower case; the longer ones first.
var endings = []ending{
	{"proxyauthorization", key{kind: "authorization", header: true}},
	{"authorization", key{kind: "authorization", header: true}},
	{"setcookie", key{kind: "cookie", header: true}},
	{"cookie", key{kind: "cookie", header: true}},
	{"password", key{kind: "password"}},
	{"passwort", key{kind: "password"}},
	{"passphrase", key{kind: "password"}},
	{"passwd", key{kind: "password"}},
	{"dbpass", key{kind: "password"}},
	{"pwd", key{kind: "password", weak: true}},
	{"pass", key{kind: "password", weak: true}},
	{"clientsecret", key{kind: "secret"}},
	{"secretkey", key{kind: "secret"}},
	{"secret", key{kind: "secret"}},
	{"apikey", key{kind: "api-key"}},
	{"accesskey", key{kind: "access-key"}},
	{"accountkey", key{kind: "access-key"}},
	{"privatekey", key{kind: "private-key"}},
	{"signingkey", key{kind: "private-key"}},
	{"encryptionkey", key{kind: "private-key"}},
	{"accesstoken", key{kind: "token"}},
	{"authtoken", key{kind: "token"}},
	{"refreshtoken", key{kind: "token"}},
	{"bearertoken", key{kind: "token"}},
	{"sessiontoken", key{kind: "token"}},
	{"token", key{kind: "token", weak: true}},
	{"credential", key{kind: "credential", weak: true}},
	{"credentials", key{kind: "credential", weak: true}},
}

// byLast are the endings by their last letter.
var byLast = func() (table [256][]ending) {
	for _, e := range endings {
		last := e.ending[len(e.ending)-1]
		table[last] = append(table[last], e)
	}
	return table
}()

// keyNamed returns what a name says.
func keyNamed(name string) key {
	if len(name) < len("pwd") {
		return key{}
	}
	candidates := byLast[name[len(name)-1]|0x20]
	if len(candidates) == 0 {
		return key{}
	}
	buffer := [longestName]byte{}
	plain := buffer[:0]
	for i := range min(len(name), longestName) {
		c := name[i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if isAlnum[c] {
			plain = append(plain, c)
		}
	}
	for _, e := range candidates {
		if bytes.HasSuffix(plain, []byte(e.ending)) {
			if e.key.weak && e.ending != "token" && !boundary(name, len(e.ending)) {
				return key{}
			}
			return e.key
		}
	}
	return key{}
}

// boundary reports whether the last so many letters of a name are a word of their own: bypass ends in pass, DB_PASS in
// PASS.
func boundary(name string, letters int) bool {
	start := len(name) - letters
	if start <= 0 {
		return true
	}
	before, first := name[start-1], name[start]
	return !isAlnum[before] || first >= 'A' && first <= 'Z' && before >= 'a' && before <= 'z'
}

// harmless are values that stand for a secret, or for its type.
var harmless = func() map[string]bool {
	words := map[string]bool{}
	for _, word := range strings.Fields(`string str bytes number int integer bool boolean any object undefined null none nil true false void unknown never
		required optional text varchar char password passwd secret token redacted hidden masked changeme example placeholder todo empty
		your_password your_api_key your-api-key your_token your_secret secretstr literal self this input prompt read yes no`) {
		words[word] = true
	}
	return words
}()

// isSecret reports whether a value may be the secret itself, not a placeholder.
func (k key) isSecret(value string) bool {
	if value == "" || isMask(value) {
		return false
	}
	switch value[0] {
	case '$', '%', '<', '{', '*', '(', '?':
		return false
	case '/', '~':
		if k.weak { // PWD is a folder
			return false
		}
	}
	if strings.Contains(value, "{{") || strings.Contains(value, "${") || strings.Contains(value, "$(") || strings.Trim(value, value[:1]) == "" && len(value) > 2 {
		return false
	}
	if len(value) <= 20 && harmless[strings.ToLower(strings.TrimRight(value, "?!.;:]|"))] {
		return false
	}
	for _, reference := range [...]string{"process.env", "os.environ", "os.getenv", "System.getenv", "ENV[", "env.", "env:", "secrets.", "vault:", "file:"} {
		if strings.HasPrefix(value, reference) {
			return false
		}
	}
	return true
}

// isCode reports whether a value without quotes is an expression: a call, an index, a member.
func isCode(value string) bool {
	if strings.ContainsAny(value, "([{") {
		return true
	}
	dot := strings.IndexByte(value, '.')
	return dot > 0 && dot+1 < len(value) && !hasDigit(value) && strings.Trim(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.") == ""
}

// looksSecret reports whether a value without quotes and with space before it is more than a word of a sentence or a
// name in code.
func looksSecret(value string, k key, c context) bool {
	if k.weak || len(value) < 6 {
		return len(value) >= 8 && hasDigit(value) && strings.ContainsAny(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	}
	if hasDigit(value) || strings.ContainsAny(value, "!@#$%^*+/~") {
		return true
	}
	return c.lineStart && strings.Trim(value, "abcdefghijklmnopqrstuvwxyz-") == ""
}

func hasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }
