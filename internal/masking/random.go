package masking

import (
	"encoding/base64"
	"strings"
)

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
	return isUUIDText(value) || isGroupedKey(value)
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
	if !isRandomValue(value) || isUUIDText(value) {
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

// isBareKey reports whether letters and digits alone are random enough for a key without any prefix.
func isBareKey(text string) bool {
	v := varietyOf(text)
	switch {
	case v.hex && (v.lower == 0 || v.upper == 0), strings.HasPrefix(text, "AAAA"), strings.HasPrefix(text,
		"0x"): // a digest, a public key of SSH, an address
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
