package masking

import "strings"

const farTold = 100 // bytes between a word for a secret and the secret that it announces

// isLink reports whether a word or mark stands between a word for a secret and the secret.
func isLink(word string) bool {
	switch word {
	case "is", "was", "to", "now", "be", "=", ":", "->", "=>", "→", "—", "–", "-", "|", "are", "ist", "lautet", "es",
		"est", "é",
		"è", "equals", "as", "jest", "är", "er", "on", "this":
		return true
	}
	return strings.HasSuffix(word, ":")
}

// told returns the secret that a sentence, a list or the row of a table tells behind a word such as password
// that ends
// at end: "password for me: X", "the password was changed to X", "- **Password:** X", "| password | X |", or
// on a line
// of its own behind a colon.
func (s *scanner) told(end int) span {
	if end < len(s.text) && (s.text[end] == '=' || s.text[end] == '(' || isWord.has(s.text[end])) {
		return span{}
	}
	limit := min(len(s.text), end+farTold)
	linked, lines := false, 0
	for i, n := end, 0; i < limit && n < 9; n++ {
		for i < limit && (isSpace.has(s.text[i]) || strings.IndexByte("*`_\"'()", s.text[i]) >= 0) {
			if s.text[i] == '\n' {
				if lines++; lines > 2 || !linked || s.text[i-1] != ':' && s.text[i-1] != '\n' && s.text[i-1] != '*' {
					return span{}
				}
			}
			i++
		}
		stop := s.until(&endsWord, i, min(len(s.text), i+farTold))
		word := strings.TrimRight(s.text[i:stop], ".,;!?*)`")
		switch {
		case word != "" && (isLink(word) || isLink(strings.TrimRight(word, ")*_`"))) || len(word) == 1 && n == 0 &&
			isDigit.has(word[0]):
			linked = true
		case word == "", strings.ContainsAny(word, "{}=<>[]\\") && !looksChosen(word), word == "or", word == "and",
			word == "//":
			return span{}
		case hasDigit(word) && (linked || n == 0) && isChosen(word):
			if start := i; s.isAlone(start, lines) {
				return span{start, start + len(word), "password"}
			}
			return span{}
		case hasDigit(word) && !(len(word) == 1 && n == 0) || len(word) > 30, strings.IndexByte(".,;!?",
			s.text[max(i, stop-1)]) >= 0 && !strings.HasSuffix(word, ":"):
			return span{}
		default:
			linked = linked && strings.HasSuffix(word, "ly") || linked && (n < 5 && word != "the" && word != "a")
		}
		i = stop
	}
	return span{}
}

// pair returns the password of "credentials: me / X" or "creds are me:X". end is where the first word ends.
func (s *scanner) pair(end int) span {
	if strings.IndexByte(": ", s.text[end]) < 0 {
		return span{}
	}
	slash := false
	for i, n := end+1, 0; n < 6 && i < len(s.text); n++ {
		i += run(s.text[i:min(len(s.text), i+8)], &isBlank)
		stop := s.until(&endsWord, i, min(len(s.text), i+farTold))
		from := i
		word := s.text[i:stop]
		if user, password, found := strings.Cut(word, ":"); found && user != "" && run(user, &isName) == len(user) {
			from, word, slash = from+len(user)+1, password, true
		}
		word = strings.TrimRight(word, ".,;)")
		switch {
		case slash && isChosen(word):
			return span{from, from + len(word), "password"}
		case slash && word != "", word == "" && from == i, strings.ContainsAny(word, "(){}=<>"):
			return span{}
		}
		slash = word == "/"
		i = stop
	}
	return span{}
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

// isAlone reports whether the word at i may be a secret: if it stands lines below its name, nothing else is on
// its line.
func (s *scanner) isAlone(i, lines int) bool {
	if lines == 0 {
		return true
	}
	end := s.until(&endsWord, i, min(len(s.text), i+farTold))
	return end == len(s.text) || s.text[end] == '\n' || s.text[end] == '\r' || s.text[end] == '`'
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

// tellingBeginnings are how the words begin that tells knows.
const tellingBeginnings = "co cr re ba pa se cl ke id wa sa he lo ha"

// tells returns the secret that the word from start to end announces.
func (s *scanner) tells(start, end int) span {
	switch lowered(s.text[start:end]) {
	case "code", "codes", "recovery_codes", "backup_codes", "recoverycodes", "backupcodes":
		return s.codes(start, end)
	case "credentials", "creds":
		return s.pair(end)
	case "password", "passwort", "passphrase", "passwd", "passcode", "pass", "secret", "senha", "clave",
		"contrasena", "kennwort",
		"passe", "community", "identify", "wachtwoord", "parola", "salasana", "heslo", "losenord", "haslo",
		"passord", "lozinka":
		if start == 0 || s.text[start-1] != '-' && s.text[start-1] != '.' {
			return s.told(end)
		}
	}
	return span{}
}

// codes returns the codes behind a word such as recovery codes that ends at end. The further ones wait in pending.
func (s *scanner) codes(start, end int) span {
	before := lowered(s.text[max(0, start-20):start])
	before = before[strings.LastIndexByte(before, '\n')+1:]
	before = strings.TrimRight(before, " _-")
	known, own := false, false
	for _, word := range [...]string{"recovery", "backup", "scratch", "pairing", "verification", "device",
		"security", "otp", "2fa",
		"mfa", "activation", "emergency", "setup", "one-time", "login", "access", "unlock", "licence", "license",
		"product", "invite"} {
		known = known || strings.HasSuffix(before, word)
		own = own || known && (word == "recovery" || word == "backup" || word == "scratch")
	}
	if !known {
		return span{}
	}
	rest := s.text[end:min(len(s.text), end+600)]
	s.pending = s.pending[:0]
	fillers := 0
	for i := 0; i < len(rest); {
		if isSpace.has(rest[i]) || strings.IndexByte(",:;*-`\"'[]=().|", rest[i]) >= 0 {
			i++
			continue
		}
		n := run(rest[i:], &isURL64)
		if n == 0 {
			break
		}
		code := strings.TrimRight(rest[i:i+n], "-_")
		switch numbered := n <= 2 && run(code, &isDigit) == n; {
		case (isCodeGroup(code) || own && isHalved(code)) && (i+n == len(rest) || strings.IndexByte("/.=({<@",
			rest[i+n]) < 0 || rest[i+n] == '.' &&
			(i+n+1 == len(rest) || !isAlnum.has(rest[i+n+1]))):
			s.pending = append(s.pending, span{end + i, end + i + len(code), "password"})
		case numbered:
		case len(s.pending) == 0 && fillers < 3 && run(code, &isLower) == n && !hasDigit(code):
			fillers++
		default:
			return s.nextPending(end)
		}
		i += n
	}
	return s.nextPending(end)
}

// isCodeGroup reports whether a text is a code for people to type: groups of letters and digits, or six digits
// and more.
func isCodeGroup(text string) bool {
	v := varietyOf(text)
	if len(text) > 64 || len(text) < 4 || v.lower > 0 && v.upper > 0 && v.digit == 0 {
		return false
	}
	if v.mark == 0 {
		return v.digit == len(text) && len(text) <= 10 || v.digit >= 2 && len(text) >= 8
	}
	if v.digit == 0 && v.upper < 6 {
		return false
	}
	for part := range strings.SplitSeq(text, "-") {
		if len(part) < 3 || len(part) > 10 || run(part, &isAlnum) < len(part) {
			return false
		}
	}
	return v.lower+v.upper > 0 || len(text) >= 7 && v.digit >= 6 && !strings.HasPrefix(text, "20")
}

// isHalved reports whether a text has two halves of as many small letters and digits.
func isHalved(text string) bool {
	half := len(text) / 2
	return len(text) >= 9 && len(text)%2 == 1 && text[half] == '-' && run(text, &isLower) == half &&
		run(text[half+1:], &isLower) == half
}

// isGroupedKey reports whether a text is the key of a licence: four groups or more of as many capitals and digits.
func isGroupedKey(text string) bool {
	size := strings.IndexByte(text, '-')
	if size < 4 || size > 8 || len(text) < 4*size+3 || (len(text)+1)%(size+1) != 0 {
		return false
	}
	for i := range len(text) {
		if i%(size+1) == size && text[i] != '-' || i%(size+1) < size && !isUpper.has(text[i]) {
			return false
		}
	}
	v := varietyOf(text)
	return v.digit >= 2 && v.upper >= 4 && v.changes >= 4
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
