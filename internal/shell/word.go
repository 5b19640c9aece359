// Package shell writes text that a POSIX shell reads.
package shell

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Word quotes a word for a POSIX shell if it must. Invisible characters, such as marks of direction, are
// written as escapes, so that the word survives being shown and copied.
func Word(s string) string {
	switch {
	case s != "" && isSafe(s):
		return s
	case strings.ContainsFunc(s, invisible) || !utf8.ValidString(s):
		return escapedWord(s)
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// isSafe reports whether no character of a word means anything to a shell.
func isSafe(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./@:=+,") == ""
}

func invisible(r rune) bool { return r != '\n' && r != '\t' && !strconv.IsGraphic(r) }

// escapedWord has printf make the word, which all shells know; not all know $'…'. It drops line ends at the end of the
// word, which no name has.
func escapedWord(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1, invisible(r), strings.ContainsRune("\n\t'\\%", r), i == 0 && r == '-': // which would begin an option
			for _, c := range []byte(s[i : i+size]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return `"$(printf '` + b.String() + `')"`
}
