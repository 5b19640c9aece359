package markdown

import "strings"

// white is what a blank line consists of.
const white = " \t\r"

// line is a line that is read from left to right. A tab ends at the next column that four divides, and may be read in
// parts.
type line struct {
	text   string
	end    string // \n, \r\n, or nothing at the end of a text
	at     int    // the byte that is read next
	column int    // of that byte, or within it if it is a tab that was read in part
	inTab  int    // columns that are left of a tab that was read in part
}

func newLine(raw string) line {
	text := strings.TrimSuffix(strings.TrimSuffix(raw, "\n"), "\r")
	return line{text: text, end: raw[len(text):]}
}

// indent returns the columns of white space that come next, and the first byte after them.
func (l *line) indent() (columns, at int) {
	column := l.column
	for at = l.at; at < len(l.text); at++ {
		switch {
		case l.text[at] == ' ':
			column++
		case l.text[at] == '\t':
			column += 4 - column%4
		default:
			return column - l.column, at
		}
	}
	return column - l.column, at
}

// rest returns what follows the white space that comes next.
func (l *line) rest() string {
	_, at := l.indent()
	return l.text[at:]
}

func (l *line) isBlank() bool { return strings.Trim(l.text[l.at:], white) == "" }

// skipColumns reads at most n columns of white space, and returns how many it read.
func (l *line) skipColumns(n int) int {
	skipped := 0
	for skipped < n && l.at < len(l.text) {
		switch l.text[l.at] {
		case ' ':
			l.skipBytes(1)
			skipped++
		case '\t':
			width := 4 - l.column%4
			part := min(width, n-skipped)
			l.column += part
			skipped += part
			if l.inTab = width - part; l.inTab == 0 {
				l.at++
			}
		default:
			return skipped
		}
	}
	return skipped
}

// skipBytes reads n bytes that are not tabs.
func (l *line) skipBytes(n int) {
	l.at += n
	l.column += n
}

// skipIndent reads all white space that comes next.
func (l *line) skipIndent() {
	columns, at := l.indent()
	l.at, l.column, l.inTab = at, l.column+columns, 0
}

// remainder returns what was not read. Columns that are left of a tab become spaces.
func (l *line) remainder() string {
	if l.inTab > 0 {
		return strings.Repeat(" ", l.inTab) + l.text[l.at+1:]
	}
	return l.text[l.at:]
}
