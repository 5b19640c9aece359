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
	case "rabbitmqctl", "mc", "wpa_passphrase", "composer", "poetry", "bundle":
		return s.lastOf(start, end, word)
	case "echo", "printf":
		return s.piped(end)
	case "sqlplus", "exp", "imp", "expdp", "impdp", "sqlldr", "target", "connect", "catalog":
		return s.oracleLogin(s.argumentAfter(end))
	case "AUTH", "LOGIN", "IDENTIFY", "identify", "obscure", "rasdial":
		return s.chosenArgument(end, 3)
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
	if k.kind == "" || k.strength >= header {
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

// keyArgument returns the first argument behind end that is no option, if it looks like a key.
func (s *scanner) keyArgument(end int, word string) span {
	at := s.argumentAfter(end)
	for range 3 {
		if at == 0 {
			return span{}
		}
		start, value := s.argumentAt(at)
		if !strings.HasPrefix(value, "-") {
			k := key{"token", strong}
			if k.isSecret(value) && looksMixed(value) && len(value) >= 12 && run(value, &isAny64) == len(value) &&
				(!strings.Contains(value, "/") || isRandom(value) && strings.IndexByte(value, '.') < 0 &&
					value[0] != '/') && (word != "apikey" || isRandom(value)) && longestPart(value) >= 8 {
				return span{start, start + len(value), k.kind}
			}
			return span{}
		}
		at = s.argumentAfter(start + len(value))
	}
	return span{}
}

// settingOf returns the value of set NAME VALUE.
func (s *scanner) settingOf(end int) span {
	at := s.argumentAfter(end)
	for range 4 {
		if at == 0 {
			return span{}
		}
		start, name := s.argumentAt(at)
		next := s.argumentAfter(start + len(name))
		if strings.HasPrefix(name, "-") || name == "set" || name == "add" || name == "--" {
			at = next
			continue
		}
		if next == 0 || strings.ContainsAny(name, "=(") {
			return span{}
		}
		name = name[strings.LastIndexByte(name, ':')+1:]
		k := s.keyNamed(name)
		if k.kind == "" || k.strength == header || s.text[next] == '=' || s.text[next] == ':' {
			return span{}
		}
		if k.strength == strong && name == lowered(name) && run(name, &isLower) == len(name) {
			k.strength = weak // "set password to" is prose
		}
		return s.value(next, k, context{})
	}
	return span{}
}

// rest returns the arguments of the command line behind end, up to a pipe or the end of the line.
func (s *scanner) rest(end int) string {
	line := s.text[end:min(len(s.text), end+200)]
	var quote byte
	for i := range len(line) {
		c := line[i]
		switch {
		case c == '\n':
			line = line[:i]
		case quote == 0 && isQuote(c):
			quote = c
			continue
		case c == quote:
			quote = 0
			continue
		case quote == 0 && strings.IndexByte("|;&>)", c) >= 0, c == '\\' && strings.HasPrefix(line[i:], "\\n") &&
			i > 0 && line[i-1] != '\\':
			line = line[:i]
		default:
			continue
		}
		break
	}
	return strings.TrimRight(line, " \"'],}")
}

// lastArgument returns the last argument of a command that has the short option.
func (s *scanner) lastArgument(end int, short string) span {
	line := s.rest(end)
	words := strings.Fields(line)
	has := false
	for _, word := range words {
		word = strings.Trim(word, "\"',[]\\")
		has = has || len(word) < 6 && len(word) > 1 && word[0] == '-' && strings.Contains(word, short)
	}
	if !has || len(words) < 2 {
		return span{}
	}
	return s.lastWord(end, line)
}

func (s *scanner) lastWord(end int, line string) span {
	n := strings.LastIndexAny(line, " \"'") + 1
	value := line[n:]
	if len(value) < 4 || !(key{kind: "password"}).isSecret(value) || value[0] == '-' || isMask(value) {
		return span{}
	}
	return span{end + n, end + len(line), "password"}
}

// lastOf returns the last argument of programs that take a secret there.
func (s *scanner) lastOf(start, end int, program string) span {
	if start > 0 && strings.IndexByte(" \t\n\"'`/(;|&$n", s.text[start-1]) < 0 {
		return span{}
	}
	if !takesLast(program, strings.TrimLeft(s.text[end:min(len(s.text), end+24)], " \"',")) {
		return span{}
	}
	line := s.rest(end)
	words := strings.FieldsFunc(line, func(c rune) bool { return c == ' ' || c == '"' || c == '\'' || c == ',' })
	least := 0
	switch {
	case len(words) < 2:
		return span{}
	case program == "rabbitmqctl" && (words[0] == "add_user" || words[0] == "change_password" ||
		words[0] == "authenticate_user"):
		least = 3
	case program == "mc" && words[0] == "alias" && words[1] == "set", program == "composer" &&
		words[0] == "config", program == "poetry" && words[0] == "config" && strings.HasPrefix(words[1], "http-basic"):
		least = 4
	case program == "bundle" && words[0] == "config" && strings.Contains(words[len(words)-1], ":"):
		return s.optionSecret(end+strings.LastIndex(line, words[len(words)-1]), afterColon)
	case program == "wpa_passphrase":
		least = 2
	}
	if least == 0 || len(words) < least {
		return span{}
	}
	return s.lastWord(end, line)
}

// takesLast reports whether a program may take a secret as its last argument, with the arguments that follow it.
func takesLast(program, arguments string) bool {
	switch program {
	case "rabbitmqctl":
		return strings.HasPrefix(arguments, "add_user") || strings.HasPrefix(arguments, "change_p") ||
			strings.HasPrefix(arguments, "authent")
	case "mc":
		return strings.HasPrefix(arguments, "alias")
	case "composer", "poetry", "bundle":
		return strings.HasPrefix(arguments, "config")
	}
	return true
}

// piped returns what echo gives to a program that reads a password: echo SECRET | docker login --password-stdin.
func (s *scanner) piped(end int) span {
	line := s.text[end:min(len(s.text), end+400)]
	if n := strings.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	told, reader, found := strings.Cut(line, "|")
	if !found {
		return span{}
	}
	colon, decodes := strings.Contains(reader, "chpasswd"), containsOneOf(reader, "base64 -d", "base64 --d", "base64 -D")
	if !colon && !decodes && !containsOneOf(reader, "--password-stdin", "-stdin", "--with-token", "sudo -S", "sudo --stdin", "passwd --stdin",
		" passwd ", "passphrase-fd", "secret put", "secret set", "secrets versions add", "login --", "from-stdin", "kinit", "cryptsetup", "su -c",
		"--token-stdin") {
		return span{}
	}
	for n := 0; n < len(told) && strings.IndexByte(" -\"'\\", told[n]) >= 0; {
		if told[n] == '-' {
			n += run(told[n:], &isURL64)
			continue
		}
		n++
		if n < len(told) && strings.IndexByte(" -\"'\\", told[n]) < 0 {
			told = told[n:]
			end += n
			break
		}
	}
	if rest := strings.TrimLeft(told, "%sn\\"); rest != told && told[0] == '%' { // the format of printf
		rest = strings.TrimLeft(rest, " \"'\\")
		end, told = end+len(told)-len(rest), rest
	}
	value := strings.TrimRight(told, " \"'\\")
	if colon {
		n := strings.IndexByte(value, ':') + 1
		end, value = end+n, value[n:]
	}
	if !(key{kind: "password"}).isSecret(value) || strings.ContainsAny(value, "\"'`") ||
		decodes && (len(value) < 12 || isEncodedProse(value)) {
		return span{}
	}
	return span{end, end + len(value), "password"}
}

// oracleLogin returns the password of USER/PASSWORD@DATABASE, or of USER/PASSWORD alone, in the argument at i.
func (s *scanner) oracleLogin(i int) span {
	for n := 0; i > 0 && s.text[i] == '-' && n < 4; n++ {
		start, value := s.argumentAt(i)
		i = s.argumentAfter(start + len(value))
	}
	if i == 0 {
		return span{}
	}
	start, value := s.argumentAt(i)
	if name, rest, found := strings.Cut(value, "="); found && name == "userid" {
		start, value = start+len("userid="), rest
	}
	user, rest, found := strings.Cut(value, "/")
	if !found || user == "" || run(user, &isName) < len(user) {
		return span{}
	}
	password, _, found := strings.Cut(rest, "@")
	if !found && !looksMixed(password) || !(key{kind: "password"}).isSecret(password) ||
		strings.Contains(password, "/") {
		return span{}
	}
	from := start + len(user) + 1
	return span{from, from + len(password), "password"}
}

// secureString returns the string that PowerShell is to convert.
func (s *scanner) secureString(end int) span {
	at := s.argumentAfter(end)
	if at == 0 || !isQuote(s.text[at]) {
		return span{}
	}
	return s.quotedValue(at, s.text[at:at+1], key{"password", strong})
}

// chosenArgument returns the first of so many arguments behind end that looks like a password.
func (s *scanner) chosenArgument(end, most int) span {
	at := s.argumentAfter(end)
	for range most {
		if at == 0 || strings.IndexByte(s.text[end:at], '\n') >= 0 {
			return span{}
		}
		start, value := s.argumentAt(at)
		if isChosen(value) && value[0] != '+' && strings.IndexByte(value, '@') < 0 {
			return span{start, start + len(value), "password"}
		}
		if value == "" || strings.ContainsAny(value, "(=|") {
			return span{}
		}
		end = start + len(value)
		at = s.argumentAfter(end)
	}
	return span{}
}
