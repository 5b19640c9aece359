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
	errorWord   = regexp.MustCompile(errorPattern)
)

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

// anchoredFailure returns how the output of a call shows that it failed: a line begins like a crash, or the output itself with
// "Error" or with a non-zero exit code. Empty where it does not.
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
