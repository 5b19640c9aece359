package escape

import (
	"fmt"
	"strings"

	"regexp"
)

// Apart is an invisible character that separates two characters to which a code host would give a meaning.
const Apart = "&#8203;"

// Markdown makes a line of s that stands in a paragraph, heading or table cell of GitHub's Markdown: no markup, no
// HTML, no formula, no link, and no mention. [Start] escapes what would begin a block at the start of a line.
func Markdown(s string) string {
	s = Line(s)
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '<' || r == '>' || r == '&' || r == '$':
			b.WriteString(entity(r))
		case strings.ContainsRune("\\`*_[]#|~", r), r == ':' && strings.HasPrefix(s[i:], "://"), r == '.' && after(s[:i], "www"),
			r == '!' && i == len(s)-1: // a link may follow
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
		if calls(s, i) {
			b.WriteString(Apart)
		}
	}
	return b.String()
}

// Alt makes a line of s that is read in the place of a picture, where tags would be read too.
func Alt(s string) string { return strings.ReplaceAll(Markdown(s), entity('$'), `\$`) }

// Summary makes a line of s that stands in HTML within Markdown.
func Summary(s string) string {
	s = Line(s)
	var b strings.Builder
	for i, r := range s {
		b.WriteString(entity(r))
		if calls(s, i) {
			b.WriteString(Apart)
		}
	}
	return b.String()
}

// entity returns how HTML within Markdown writes r. A dollar sign begins a formula even after a backslash; the span
// is what GitHub's documentation recommends.
func entity(r rune) string {
	switch r {
	case '<':
		return "&lt;"
	case '>':
		return "&gt;"
	case '&':
		return "&amp;"
	case '"':
		return "&#34;"
	case '$':
		return "<span>$</span>"
	}
	return string(r)
}

var (
	address = regexp.MustCompile(`^[\w.-]*\.[A-Za-z0-9]`)
	emoji   = regexp.MustCompile(`^:[\w+-]+:`)
	digit   = regexp.MustCompile(`^[0-9]`)
	name    = regexp.MustCompile(`^[A-Za-z0-9]`)
)

// calls reports whether a code host would take what begins at byte i for somebody's name (@name), the address of a
// mail, the number of an issue (#1, GH-1), or an emoji (:name:), were its first character not held apart from the
// rest.
func calls(s string, i int) bool {
	switch before, rest := s[:i], s[i+1:]; s[i] {
	case '@':
		return address.MatchString(rest) || name.MatchString(rest) && !inWord(before)
	case '#':
		return digit.MatchString(rest)
	case '-':
		return digit.MatchString(rest) && after(before, "gh") && !inWord(before[:i-2])
	case ':':
		return emoji.MatchString(s[i:])
	}
	return false
}

// inWord reports whether s ends in a letter, digit or underscore, after which @ calls nobody.
func inWord(s string) bool {
	return s != "" && (s[len(s)-1] == '_' || name.MatchString(s[len(s)-1:]))
}

// after reports whether s ends in the word, in letters of any case.
func after(s, wanted string) bool {
	at := len(s) - len(wanted)
	return at >= 0 && strings.EqualFold(s[at:], wanted)
}

var (
	numbered = regexp.MustCompile(`^([0-9]{1,9})([.)])`)
	ticked   = regexp.MustCompile(`^\[[ xX]\]`)
)

// Start escapes a line of Markdown that begins a block, so that it begins no list, rule, block of code or task.
func Start(line string) string {
	line = strings.TrimLeft(line, " ")
	if line != "" && strings.Contains("-+=", line[:1]) {
		return `\` + line
	}
	if ticked.MatchString(line) {
		return fmt.Sprintf("[&#%d;%s", line[1], line[2:])
	}
	return numbered.ReplaceAllString(line, `$1\$2`)
}
