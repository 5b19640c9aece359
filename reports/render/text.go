package render

import (
	"strconv"
	"strings"
)

// printable returns a text of several lines in which nothing can steer a terminal: what is recorded may hold anything.
func printable(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = printableLine(line)
	}
	return strings.Join(lines, "\n")
}

func printableLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if !strconv.IsPrint(r) {
			return '�'
		}
		return r
	}, s)
}

func escapeMarkdown(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", "[", `\[`, "|", `\|`).Replace(s)
}
