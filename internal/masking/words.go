package masking

import "strings"

// wordLeads returns the secret to which a word leads by itself: a subcommand such as login, a statement of SQL, a
// sentence.
func (s *scanner) wordLeads(start, end int, word string) span {
	switch word {
	case "login", "auth", "authtoken", "unlock", "unseal", "secret", "secrets", "enc", "apikey":
		return s.subcommand(end, word)
	case "add-authtoken":
		return s.keyArgument(end, "")
	case "set", "setx", "SETX", "setenv", "config", "ENV", "putenv", "export":
		return s.settingOf(end)
	case "PSK", "psk", "EAP", "XAUTH":
		return s.quotedArgument(end, strong)
	case "BY", "by":
		return s.identifiedBy(start, end)
	case "passwd":
		if s.command.is("openssl") {
			return s.chosenArgument(end, 5)
		}
		return s.passwordWord(start, end)
	case "password", "PASSWORD", "Password", "passphrase", "Passwort", "secret_key":
		return s.passwordWord(start, end)
	case "htpasswd", "mosquitto_passwd":
		return s.lastArgument(end, "b")
	case "rabbitmqctl", "mc", "net", "wpa_passphrase", "composer", "poetry", "bundle":
		return s.lastOf(start, end, word)
	case "echo", "printf":
		return s.piped(end)
	case "sqlplus", "exp", "imp", "expdp", "impdp", "sqlldr", "target", "connect", "catalog":
		return s.oracleLogin(s.argumentAfter(end))
	case "AUTH", "LOGIN", "IDENTIFY", "identify", "obscure", "rasdial":
		return s.chosenArgument(end, 3)
	case "send":
		return s.typed(end)
	case "admin", "root":
		if strings.HasPrefix(s.text[end:], " / ") {
			return s.pair(end)
		}
	case "AsPlainText", "ConvertTo", "ConvertTo-SecureString":
		return s.secureString(end)
	}
	if s.beginsLine(start) && s.text[end] != '\\' {
		return s.lineSetting(end, word)
	}
	return span{}
}

// lineSetting returns the value of a line NAME VALUE of a file of settings.
func (s *scanner) lineSetting(end int, name string) span {
	k := s.keyNamed(name)
	if k.kind == "" || k.strength == header || k.strength >= address {
		return span{}
	}
	at := end + run(s.text[end:min(len(s.text), end+40)], &isBlank)
	if at == end || at == len(s.text) {
		return span{}
	}
	start, value := s.argumentAt(at)
	after := start + len(value)
	if after < len(s.text) && isQuote(s.text[after]) {
		after++
	}
	if !s.endsSetting(after) || !k.isSecret(value) || !looksMixed(value) || k.strength != strong &&
		k.kind != "password" && !isRandomValue(value) {
		return span{}
	}
	return span{start, start + len(value), k.kind}
}

// subcommand remembers a subcommand, and returns the key that is its argument: wandb login KEY.
func (s *scanner) subcommand(end int, word string) span {
	if s.command.program != "" {
		s.command.word = strings.TrimSuffix(word, "s")
		if word == "secrets" {
			s.command.word = word
		}
	}
	switch word {
	case "secret":
		return s.quotedArgument(end, weak)
	case "enc", "secrets":
		return span{}
	}
	return s.keyArgument(end, word)
}

// identifiedBy returns the password of IDENTIFIED BY '…' of SQL.
func (s *scanner) identifiedBy(start, end int) span {
	before := lowered(s.text[max(0, start-60):start])
	if n := strings.LastIndex(before, "identified"); n < 0 || strings.Count(strings.TrimSpace(before[n:]), " ") > 2 {
		return span{}
	}
	return s.quotedArgument(end, strong)
}

// passwordWord returns the password behind the word: a string as in SQL, the one of a .netrc, or "is …" of a sentence.
func (s *scanner) passwordWord(start, end int) span {
	if found := s.quotedArgument(end, strong); found.kind != "" {
		return found
	}
	at := end + run(s.text[end:min(len(s.text), end+longestSpace)], &isSpace)
	if at == end || at >= len(s.text) || s.text[at] == '=' || s.text[at] == ':' {
		return span{}
	}
	value := s.text[at:s.until(&endsWord, at, min(len(s.text), at+longestQuote))]
	if s.isNetrc(start) {
		if (key{kind: "password"}).isSecret(value) {
			return span{at, at + len(value), "password"}
		}
		return span{}
	}
	if end < len(s.text) && s.text[end] == ' ' && looksMixed(value) && !strings.ContainsAny(value, "(/=<>[") {
		return s.toldValue(at)
	}
	for _, verb := range [...]string{"is ", "was ", "ist ", "lautet "} {
		if strings.HasPrefix(s.text[at:], verb) {
			return s.toldValue(at + len(verb))
		}
	}
	return span{}
}

// isNetrc reports whether a login and its name stand before the word password at start.
func (s *scanner) isNetrc(start int) bool {
	words := strings.Fields(s.text[max(0, start-200):start])
	for n := 1; n <= 3 && len(words) >= 2*n; n++ {
		switch words[len(words)-2*n] {
		case "login", "account", "machine":
			return true
		}
	}
	return len(words) > 0 && words[len(words)-1] == "default"
}

// quotedArgument returns the string behind a word.
func (s *scanner) quotedArgument(end int, strength strength) span {
	at := end + run(s.text[end:min(len(s.text), end+longestSpace)], &isSpace)
	quote := at
	for quote < len(s.text) && quote < at+8 && s.text[quote] == '\\' {
		quote++
	}
	if at == end || quote >= len(s.text) || !isQuote(s.text[quote]) {
		return span{}
	}
	found := s.quotedValue(quote, s.text[at:quote+1], key{"password", strength})
	if found.kind != "" && (found.end-found.start < 4 || strings.ContainsAny(s.text[found.start:found.end], " \n")) {
		return span{}
	}
	return found
}

// toldValue returns a password that a sentence tells.
func (s *scanner) toldValue(at int) span {
	start, value := s.argumentAt(at)
	value = strings.TrimRight(value, ".,;:!?")
	v := varietyOf(value)
	if len(value) < 6 || v.digit == 0 || v.lower+v.upper == 0 || !(key{kind: "password"}).isSecret(value) ||
		strings.Contains(value, "(") {
		return span{}
	}
	return span{start, start + len(value), "password"}
}
