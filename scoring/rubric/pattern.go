package rubric

import (
	"regexp"
	"strings"
)

// The patterns of rubric/1, as they are written. The first two are matched against each line alone.
const (
	headingPattern = `^#+\s`
	listPattern    = `^[\-\*\d\.]\s`
	errorPattern   = `(?i)error|exception|traceback|failed|fatal`
)

var (
	headingLine = regexp.MustCompile(headingPattern)
	listLine    = regexp.MustCompile(listPattern)
)

// findErrorWord returns what errorPattern matches first, several times faster; a property test holds the two together.
func findErrorWord(s string) string {
	for i := 0; i < len(s); i++ {
		var word string
		switch s[i] | 0x20 {
		case 'e':
			word = "error"
			if i+1 < len(s) && s[i+1]|0x20 == 'x' {
				word = "exception"
			}
		case 't':
			word = "traceback"
		case 'f':
			word = "failed"
			if i+2 < len(s) && s[i+2]|0x20 == 't' {
				word = "fatal"
			}
		default:
			continue
		}
		if n := foldedPrefix(s[i:], word); n > 0 {
			return s[i : i+n]
		}
	}
	return ""
}

// foldedPrefix is the length of the word at the start of s, without regard to case; 0 where it is not there. The sign
// for Kelvin is a k to regexp.
func foldedPrefix(s, word string) int {
	const kelvin = "\u212a"
	n := 0
	for i := range len(word) {
		switch {
		case n < len(s) && s[n]|0x20 == word[i]:
			n++
		case word[i] == 'k' && strings.HasPrefix(s[n:], kelvin):
			n += len(kelvin)
		default:
			return 0
		}
	}
	return n
}

// crashes are how a crash begins its line.
var crashes = [...]string{"Traceback (most recent call last)", "panic: ", "npm ERR!", "error[E"}

// crash returns the crash pattern that a line begins with, after white space; empty for none.
func crash(line string) string {
	line = strings.TrimLeft(line, " \t")
	for _, pattern := range crashes {
		if strings.HasPrefix(line, pattern) {
			return pattern
		}
	}
	return ""
}

// anchoredFailure returns how the output of a call shows that it failed: a line begins like a crash, or the output
// itself with "Error" or with a non-zero exit code. Empty where it does not.
func anchoredFailure(output string) string {
	start := strings.TrimLeft(output, " \t\r\n")
	for _, word := range [...]string{"Error", "error", "ERROR"} {
		if rest, ok := strings.CutPrefix(start, word); ok && (rest == "" || rest[0] == ':' || rest[0] == ' ') {
			return word
		}
	}
	if code, ok := strings.CutPrefix(start, "Exit code "); ok && code != "" && code[0] >= '1' && code[0] <= '9' {
		return "Exit code " + code[:1]
	}
	for line := range strings.Lines(output) {
		if pattern := crash(line); pattern != "" {
			return pattern
		}
	}
	return ""
}

// matchingLine returns the number, from 1, of the first line that matches, without its line end; 0 for none.
func matchingLine(text string, pattern *regexp.Regexp) int {
	n := 0
	for line := range strings.Lines(text) {
		n++
		if pattern.MatchString(strings.TrimSuffix(line, "\n")) {
			return n
		}
	}
	return 0
}
