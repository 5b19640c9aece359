package masking

import (
	"encoding/base64"
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
	case '<', '*', '?':
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
	if k.strength != address && (strings.HasPrefix(value, "http://") || strings.HasPrefix(value, "https://")) ||
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

// isCode reports whether a value without quotes is an expression: a call, an index, a member.
func isCode(value string) bool {
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
