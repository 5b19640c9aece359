// Package escape escapes text from outside for Markdown, HTML and blocks of code, so that it stays text.
package escape

import (
	"html"
	"strconv"
	"strings"
	"unicode"
)

// Line makes one line of visible text of anything: line ends and tabs become spaces; control characters, marks that
// turn the direction of writing, what has no width, and bytes that are not UTF-8 become U+FFFD.
func Line(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case strconv.IsGraphic(r):
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

// Lines is [Line] for a text of several lines.
func Lines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = Line(line)
	}
	return strings.Join(lines, "\n")
}

// HTML makes a line of s that stands in the text or in an attribute of HTML and XML.
func HTML(s string) string { return html.EscapeString(Line(s)) }

// Code keeps s to the byte, save what has no place in a file of text: control characters other than tab and newline
// become the pictures of them, so that a carriage return is ␍; marks that turn the direction of writing, and bytes
// that are not UTF-8, become U+FFFD.
func Code(s string) string {
	return strings.Map(func(r rune) rune {
		const pictures = '\u2400' // of the control characters, in their order
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ':
			return pictures + r
		case r == '\x7f':
			return '\u2421'
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029', r == '\ufffe', r == '\uffff':
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
