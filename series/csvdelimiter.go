package series

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"track/internal/separated"
)

// findDelimiter finds what separates the cells: a sign in the header that divides the first rows into as many cells. If
// several do, the one with more numbers.
func (c *csvReader) findDelimiter(header []byte) error {
	if c.delimiter = c.limits.format.Delimiter; c.delimiter != 0 {
		return nil
	}
	sample := c.sample()
	best, most, isTied := byte(','), -1, false
	inHeader := 0
	for _, candidate := range []byte(separated.Candidates) {
		trial := &csvReader{delimiter: candidate, limits: c.limits}
		width, _ := trial.count(header)
		if width < 2 {
			continue
		}
		inHeader++
		total := 0
		for _, row := range sample {
			cells, numbers := trial.count(row)
			if cells != width {
				total = -1
				break
			}
			total += numbers
		}
		switch {
		case total > most:
			best, most, isTied = candidate, total, false
		case total == most && total >= 0:
			isTied = true
		case inHeader == 1 && most < 0:
			best = candidate
		}
	}
	if inHeader > 1 && (isTied || most < 0) {
		return failure(1, "", "it is not clear whether commas, semicolons or tabs separate the columns: say --delimiter ',' or ';' or tab")
	}
	c.delimiter = best
	return nil
}

// sample returns the first rows that follow, as far as they are in the buffer.
func (c *csvReader) sample() (rows [][]byte) {
	const most = 5
	text, err := c.source.Peek(c.source.Size() / 2)
	for line := range bytes.Lines(text) {
		if len(rows) == most || err == nil && !bytes.HasSuffix(line, []byte{'\n'}) {
			break
		}
		if line = bytes.TrimRight(line, "\r\n"); len(bytes.TrimSpace(line)) > 0 && line[0] != '#' {
			rows = append(rows, line)
		}
	}
	return rows
}

// count returns how many cells a row has, and how many of them are numbers; no cells if it cannot be divided.
func (c *csvReader) count(row []byte) (cells, numbers int) {
	n := separated.NewNumbers(c.limits.format)
	for more := true; more; cells++ {
		if cells > c.limits.columns {
			return 0, 0
		}
		var cell []byte
		var err error
		isQuoted := bytes.HasPrefix(bytes.TrimLeft(row, c.space()), []byte{'"'})
		if cell, row, more, err = c.cell(row); err != nil {
			return 0, 0
		}
		if !isQuoted && bytes.Count(cell, []byte{'"'})%2 == 1 {
			return 0, 0 // the delimiter stands within quotes
		}
		if len(cell) == 0 || unicode.IsLetter(rune(cell[0])) {
			continue // to ask costs memory
		}
		if _, err := n.Parse(cell, 0); err == nil {
			numbers++
		}
	}
	return cells, numbers
}

// isText reports whether a cell that is no number is a text or a date, and not a number that is written wrongly.
func isText(cell []byte) bool {
	s := string(cell)
	if !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(first) || isDate(s)
}

// isDate reports whether a text is a date or a time of day, such as 2020-01-31, 31.01.2020 or 10:30.
func isDate(s string) bool {
	day, _, _ := strings.Cut(strings.ReplaceAll(s, " ", "T"), "T")
	for _, sign := range []string{"-", "/", ".", ":"} {
		groups := strings.Split(day, sign)
		least := 3
		if sign == ":" {
			least = 2
		}
		if len(groups) == least || len(groups) == 3 {
			return !slices.ContainsFunc(groups, isNoPartOfDate)
		}
	}
	return false
}

// isNoPartOfDate reports whether a text is not one or two digits, or the four of a year.
func isNoPartOfDate(s string) bool {
	return strings.Trim(s, "0123456789") != "" || len(s) != 1 && len(s) != 2 && len(s) != 4
}
