package escape

import "strings"

// Span writes s as a span of code within a line of Markdown. It is HTML in a table, where s has a |, and next to
// another span: there, backticks alone would not do.
func Span(s string, plain bool) string {
	s = Line(s)
	if s == "" {
		return ""
	}
	if !plain {
		return "<code>" + Markdown(s) + "</code>"
	}
	ticks := strings.Repeat("`", longest(s)+1)
	if blank := strings.Trim(s, " ") == ""; !blank && strings.ContainsAny(s[:1]+s[len(s)-1:], "` ") {
		s = " " + s + " "
	}
	return ticks + s + ticks
}

// Fence returns a line of backticks that encloses s, whatever that is.
func Fence(s string) string { return strings.Repeat("`", max(3, longest(s)+1)) }

// longest returns the length of the longest run of backticks.
func longest(s string) int {
	most, run := 0, 0
	for _, r := range s {
		if r != '`' {
			run = 0
			continue
		}
		run++
		most = max(most, run)
	}
	return most
}
