package shell

import (
	"strings"
	"unicode/utf8"
)

// Typed is a command line of bash that somebody is typing.
type Typed struct {
	Words []string // without their quotes; the last one, which may be empty, is to be completed
	quote byte     // that is open at the end of the line; 0 for none
	kept  string   // what bash keeps of the last word before what it replaces, without quotes
	plain bool     // the last word holds nothing that is not its own text
}

// ParseTyped reads the line up to the cursor. bash replaces only what follows the last of the characters breaks that is
// not quoted, and only what follows a quote that is open.
func ParseTyped(line, breaks string) Typed {
	t := Typed{plain: true}
	var word strings.Builder
	begun := false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case t.quote == '\'' && c == '\'', t.quote == '"' && c == '"':
			t.quote, t.plain = 0, false // what bash replaces then is not documented
		case t.quote == '\'':
			word.WriteByte(c)
		case c == '\\' && i+1 < len(line) && (t.quote == 0 || strings.IndexByte("$`\"\\\n", line[i+1]) >= 0):
			i++
			word.WriteByte(line[i])
			begun = true
		case t.quote == '"':
			t.plain = t.plain && c != '$' && c != '`'
			word.WriteByte(c)
		case c == '\'' || c == '"':
			t.quote, begun = c, true
			t.kept = word.String()
		case c == ' ' || c == '\t' || c == '\n':
			if begun {
				t.Words = append(t.Words, word.String())
			}
			word.Reset()
			begun, t.kept, t.plain = false, "", true
		default:
			t.plain = t.plain && strings.IndexByte("$`(){};&|<>*?[", c) < 0
			word.WriteByte(c)
			begun = true
			if strings.IndexByte(breaks, c) >= 0 {
				t.kept = word.String()
			}
		}
	}
	t.Words = append(t.Words, word.String())
	return t
}

// Arguments returns the words after the name of the program, which variables may precede, as in NAME=value program.
func (t Typed) Arguments() []string {
	for i, word := range t.Words[:len(t.Words)-1] {
		if !strings.Contains(word, "=") {
			return t.Words[i+1:]
		}
	}
	return nil
}

// Insert returns what bash has to put in the place of the last word, quoted, so that the word becomes the candidate. It
// returns false if that cannot be done safely: nothing in the candidate may run, vanish or be invisible.
func (t Typed) Insert(candidate string) (string, bool) {
	rest, begins := strings.CutPrefix(candidate, t.kept)
	if !t.plain || !begins || !Visible(candidate) {
		return "", false
	}
	if t.quote != 0 {
		inserted := insertQuoted(rest, t.quote)
		return inserted, !strings.HasSuffix(inserted, string(t.quote)) // or bash would not close the quote
	}
	var b strings.Builder
	for _, r := range rest {
		if r < utf8.RuneSelf && !isSafe(string(r)) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String(), true
}

func insertQuoted(s string, quote byte) string {
	if quote == '\'' {
		return strings.ReplaceAll(s, "'", `'\''`)
	}
	// An exclamation mark calls up the history even between double quotes, and even after a backslash.
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`", `!`, `"'!'"`).Replace(s)
}

// Visible reports whether a word is a line of visible characters.
func Visible(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r == '\n' || r == '\t' || invisible(r) })
}
