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
	address          // the value is an address whose path is the secret
	login            // the value is USER/PASSWORD
	lines            // the value is the number of lines of a key that follow
	phrase           // the value is a list of words
)

// key is what the name before a value says of it.
type key struct {
	kind     string // empty: nothing
	strength strength
}

type ending struct {
	ending string
	key    key
	word   bool // it must be a word of its own: bypass ends in pass, DB_PASS in PASS
}

// endings are how names of secrets end, without the marks between words, in lower case; the longer ones first.
var endings = []ending{
	{ending: "authorization", key: key{"authorization", header}},
	{ending: "setcookie", key: key{"cookie", header}},
	{ending: "cookie", key: key{"cookie", header}},

	{ending: "password", key: key{"password", strong}},
	{ending: "passwort", key: key{"password", strong}},
	{ending: "kennwort", key: key{"password", strong}},
	{ending: "motdepasse", key: key{"password", strong}},
	{ending: "contrasena", key: key{"password", strong}},
	{ending: "passphrase", key: key{"password", strong}},
	{ending: "passwd", key: key{"password", strong}},
	{ending: "passwrd", key: key{"password", strong}},
	{ending: "passcode", key: key{"password", weak}},
	{ending: "dbpass", key: key{"password", strong}},
	{ending: "sshpass", key: key{"password", strong}},
	{ending: "pgpass", key: key{"password", strong}},
	{ending: "rootpass", key: key{"password", strong}},
	{ending: "userpass", key: key{"password", strong}},
	{ending: "adminpass", key: key{"password", strong}},
	{ending: "rootpw", key: key{"password", strong}},
	{ending: "passe", key: key{"password", weak}, word: true},
	{ending: "requirepass", key: key{"password", strong}},
	{ending: "masterauth", key: key{"password", strong}},
	{ending: "bindpw", key: key{"password", strong}},
	{ending: "storepass", key: key{"password", strong}},
	{ending: "keypass", key: key{"password", strong}},
	{ending: "presharedkey", key: key{"password", strong}},
	{ending: "mnemonic", key: key{"password", phrase}},
	{ending: "mnemonics", key: key{"password", phrase}},
	{ending: "phrase", key: key{"password", phrase}},
	{ending: "paperkey", key: key{"password", phrase}},
	{ending: "seedwords", key: key{"password", phrase}},
	{ending: "seed", key: key{"password", phrase}, word: true},
	{ending: "passord", key: key{"password", strong}},
	{ending: "adgangskode", key: key{"password", strong}},
	{ending: "wachtwoord", key: key{"password", strong}},
	{ending: "losenord", key: key{"password", strong}},
	{ending: "salasana", key: key{"password", strong}},
	{ending: "salasona", key: key{"password", strong}},
	{ending: "jelszo", key: key{"password", strong}},
	{ending: "lozinka", key: key{"password", strong}},
	{ending: "slaptazodis", key: key{"password", strong}},
	{ending: "katasandi", key: key{"password", strong}},
	{ending: "matkhau", key: key{"password", strong}},
	{ending: "senha", key: key{"password", strong}, word: true},
	{ending: "haslo", key: key{"password", strong}, word: true},
	{ending: "heslo", key: key{"password", strong}, word: true},
	{ending: "geslo", key: key{"password", strong}, word: true},
	{ending: "parola", key: key{"password", strong}, word: true},
	{ending: "parool", key: key{"password", strong}, word: true},
	{ending: "parol", key: key{"password", strong}, word: true},
	{ending: "sifre", key: key{"password", strong}, word: true},
	{ending: "clave", key: key{"password", weak}, word: true},
	{ending: "mdp", key: key{"password", weak}, word: true},
	{ending: "kode", key: key{"password", random}, word: true},
	{ending: "otp", key: key{"password", strong}, word: true},
	{ending: "community", key: key{"password", weak}, word: true},
	{ending: "psk", key: key{"password", strong}, word: true},
	{ending: "pwd", key: key{"password", weak}, word: true},
	{ending: "pass", key: key{"password", weak}, word: true},
	{ending: "pw", key: key{"password", weak}, word: true},

	{ending: "secretkey", key: key{"secret", strong}},
	{ending: "secret", key: key{"secret", strong}},
	{ending: "secrets", key: key{"secret", random}},
	{ending: "salt", key: key{"secret", random}, word: true},
	{ending: "signature", key: key{"secret", random}},
	{ending: "sig", key: key{"secret", random}, word: true},
	{ending: "pepper", key: key{"secret", random}, word: true},
	{ending: "signing", key: key{"secret", random}, word: true},
	{ending: "geheimnis", key: key{"secret", strong}},
	{ending: "hmac", key: key{"secret", random}, word: true},

	{ending: "primarykey", key: key{}},
	{ending: "foreignkey", key: key{}},
	{ending: "publickey", key: key{}},
	{ending: "pubkey", key: key{}},
	{ending: "cachekey", key: key{}},
	{ending: "sortkey", key: key{}},
	{ending: "partitionkey", key: key{}},
	{ending: "idempotencykey", key: key{}},
	{ending: "objectkey", key: key{}},
	{ending: "hashkey", key: key{}},
	{ending: "rowkey", key: key{}},
	{ending: "hostkey", key: key{}},
	{ending: "websocketkey", key: key{}},
	{ending: "filekey", key: key{}},
	{ending: "rootkey", key: key{}},
	{ending: "groupkey", key: key{}},
	{ending: "apikey", key: key{"api-key", strong}},
	{ending: "accesskey", key: key{"access-key", strong}},
	{ending: "accesskeyid", key: key{"access-key", random}},
	{ending: "accountkey", key: key{"access-key", strong}},
	{ending: "privatekey", key: key{"private-key", strong}},
	{ending: "signingkey", key: key{"private-key", strong}},
	{ending: "encryptionkey", key: key{"private-key", strong}},
	{ending: "masterkey", key: key{"private-key", weak}},
	{ending: "keydata", key: key{"private-key", random}},
	{ending: "authkey", key: key{"api-key", weak}},
	{ending: "key", key: key{"api-key", random}, word: true},
	{ending: "keys", key: key{"api-key", random}, word: true},
	{ending: "appid", key: key{"api-key", random}},
	{ending: "license", key: key{"api-key", random}},

	{ending: "tokens", key: key{}},
	{ending: "pagetoken", key: key{}},
	{ending: "accesstoken", key: key{"token", strong}},
	{ending: "authtoken", key: key{"token", strong}},
	{ending: "refreshtoken", key: key{"token", strong}},
	{ending: "bearertoken", key: key{"token", strong}},
	{ending: "sessiontoken", key: key{"token", strong}},
	{ending: "token", key: key{"token", weak}},
	{ending: "bearer", key: key{"token", weak}, word: true},
	{ending: "jwt", key: key{"token", weak}, word: true},
	{ending: "pat", key: key{"token", random}, word: true},
	{ending: "sas", key: key{"token", random}, word: true},
	{ending: "sessionid", key: key{"token", opaque}},
	{ending: "sessid", key: key{"token", opaque}},
	{ending: "sid", key: key{"token", opaque}, word: true},
	{ending: "code", key: key{"token", opaque}, word: true},
	{ending: "csrf", key: key{"token", random}, word: true},
	{ending: "auth", key: key{"credential", basic}, word: true},
	{ending: "credential", key: key{"credential", weak}},
	{ending: "credentials", key: key{"credential", weak}},
	{ending: "creds", key: key{"credential", weak}, word: true},
	{ending: "dsn", key: key{"url-password", address}, word: true},
	{ending: "webhook", key: key{"webhook", address}},
	{ending: "webhookurl", key: key{"webhook", address}},
	{ending: "webhookuri", key: key{"webhook", address}},
}

// inside are parts of names whose values are masked if they are random, wherever the part stands.
var inside = []ending{
	{ending: "password", key: key{"password", random}},
	{ending: "passwd", key: key{"password", random}},
	{ending: "secret", key: key{"secret", random}},
	{ending: "apikey", key: key{"api-key", random}},
	{ending: "credential", key: key{"credential", random}},
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
	if k := r.keyBefore(name); k.kind != "" {
		return k
	}
	return keyInside(plain)
}

// keyBefore returns what the word says that comes before the last word of a name: SENHA_BANCO, password_main.
func (r *rules) keyBefore(name string) key {
	n := len(name) - 1
	for n >= 4 && isAlnum.has(name[n]) {
		n--
	}
	if n < 4 || len(r.endingsByEnd[hash(name[n-2]|0x20, name[n-1]|0x20)]) == 0 {
		return key{}
	}
	switch last := lowered(name[n+1:]); last {
	case "file", "path", "length", "len", "min", "max", "policy", "hash", "field", "id", "name", "type", "hint",
		"url", "uri", "ref", "arn",
		"reset", "strength", "rules", "expiry", "ttl", "age", "count", "label", "prompt", "regex", "pattern",
		"input", "version", "arg",
		"command", "cmd", "format", "encoding", "algorithm", "provider", "manager", "store", "rotation", "changed",
		"digest", "class", "html", "py", "js", "go", "txt", "md":
		return key{}
	}
	buffer := [longestName]byte{}
	plain := plainName(buffer[:0], name[:n])
	if len(plain) < 5 {
		return key{}
	}
	if k, ok := r.ended(name[:n], plain); ok && k.kind == "password" && k.strength == strong {
		return key{k.kind, weak}
	}
	return key{}
}

// keyInside returns what a part of a name says.
func keyInside(plain []byte) key {
	for i := 0; i+6 <= len(plain); i++ {
		if c := plain[i]; c == 'p' || c == 's' || c == 'a' || c == 'c' {
			for n := range inside {
				if e := inside[n].ending; e[0] == c && len(plain)-i >= len(e) && string(plain[i:i+len(e)]) == e {
					return inside[n].key
				}
			}
		}
	}
	return key{}
}

// ended returns what the end of a name says. The name tells where words begin; without it, plain is taken at
// its word.
func (r *rules) ended(name string, plain []byte) (key, bool) {
	for _, i := range r.endingsByEnd[hash(plain[len(plain)-2], plain[len(plain)-1])] {
		e := &endings[i]
		if len(plain) >= len(e.ending) && string(plain[len(plain)-len(e.ending):]) == e.ending {
			if e.word && !boundary(name, len(e.ending)) {
				return key{}, true
			}
			if len(plain) == len(e.ending) && (e.ending == "key" || e.ending == "keys") {
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
