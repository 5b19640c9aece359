package spec

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"track"
	"track/internal/near"
)

// Problem is one thing wrong with a spec file.
type Problem struct {
	File    string
	Line    int    // from 1; 0 if no line is known
	Metric  string // name of the metric, or "#3" for the third if it has none; empty outside of metrics
	Field   string // as in the file, "improvement.baseline" for a nested one; empty if the problem is the file itself
	Message string
	Hint    string // the way out, if there is an obvious one
}

// String is "file:line: metric name: field: message (hint)", without the parts that are empty.
func (p Problem) String() string {
	var b strings.Builder
	switch {
	case p.File != "" && p.Line > 0:
		fmt.Fprintf(&b, "%s:%d: ", p.File, p.Line)
	case p.File != "":
		b.WriteString(p.File + ": ")
	case p.Line > 0:
		fmt.Fprintf(&b, "line %d: ", p.Line)
	}
	if p.Metric != "" {
		b.WriteString("metric " + printable(p.Metric) + ": ")
	}
	if p.Field != "" {
		b.WriteString(printable(p.Field) + ": ")
	}
	b.WriteString(p.Message)
	if p.Hint != "" {
		b.WriteString(" (" + p.Hint + ")")
	}
	return b.String()
}

// Error is why a file was refused: every problem found in it, in the order of its lines. It has at least one.
type Error struct{ Problems []Problem }

// Unwrap makes every Error a [track.ErrInvalid].
func (e *Error) Unwrap() error { return track.ErrInvalid }

// Error lists the problems, one a line.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// printable is a text of a file as it may stand in a message: on one line, without control characters, not too long,
// and in quotes if it differs from the text itself.
func printable(s string) string {
	hidden := strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
	if hidden || !utf8.ValidString(s) || strings.TrimSpace(s) != s {
		return quote(s)
	}
	return shorten(s)
}

// quote is a text of a file in quotes.
func quote(s string) string { return strconv.Quote(shorten(s)) }

func shorten(s string) string {
	const limit = 100 // bytes
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

// suggest asks for the valid name that was probably meant. Failing that it lists them all after intro.
func suggest(name string, known []string, intro string) string {
	if best := near.Nearest(name, known); best != "" {
		return "did you mean " + best + "?"
	}
	return intro + strings.Join(known, ", ")
}
