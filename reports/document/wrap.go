package document

import (
	"strings"

	"track/reports/chart"
	"track/reports/escape"
)

// wrap breaks a line into as many as fit into room, between words where it can. Of more than most, the last ends in an ellipsis.
func wrap(s string, size, room float64, most int) (lines []string, cut bool) {
	line := ""
	for _, word := range strings.Fields(escape.Line(s)) {
		if joined := strings.TrimLeft(line+" "+word, " "); chart.TextWidth(joined, size) <= room {
			line = joined
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for chart.TextWidth(word, size) > room {
			n := fitting(word, size, room)
			lines, word = append(lines, word[:n]), word[n:]
		}
		line = word
	}
	if line != "" {
		lines = append(lines, line)
	}
	if len(lines) <= most {
		return lines, false
	}
	last := lines[most-1]
	for chart.TextWidth(last+"…", size) > room && last != "" {
		last = last[:len(last)-len(lastRune(last))]
	}
	return append(lines[:most-1], last+"…"), true
}

// fitting is how many bytes of a word fit into room, at least those of its first letter.
func fitting(word string, size, room float64) int {
	for n := range word {
		if n > 0 && chart.TextWidth(word[:n], size)+chart.TextWidth(firstRune(word[n:]), size) > room {
			return n
		}
	}
	return len(word)
}

func firstRune(s string) string {
	for _, r := range s {
		return string(r)
	}
	return ""
}

func lastRune(s string) string {
	runes := []rune(s)
	return string(runes[len(runes)-1])
}
