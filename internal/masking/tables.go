package masking

import "strings"

// table is a text of rows and columns, of which one holds secrets.
type table struct {
	separator  byte // 0: no table; a space: columns stand below their names
	separators int  // how many there are in a row
	columns    []column
}

// column holds secrets.
type column struct {
	at  int // its number, or where it begins on its line
	key key
}

const longestRow = 1024

// endLine forgets the program at the end of its line, and returns the secret of the row of a table that follows. i is
// the position of the line break.
func (s *scanner) endLine(i int) span {
	if s.command.program != "" && (i == 0 || s.text[i-1] != '\\') {
		s.command = command{}
	}
	if s.table.separator == 0 {
		return span{}
	}
	row := s.text[i+1 : min(len(s.text), i+1+longestRow)]
	if n := strings.IndexByte(row, '\n'); n >= 0 {
		row = row[:n]
	}
	s.pending = s.pending[:0]
	for _, c := range s.table.columns {
		from, to, ok := s.table.cell(row, c.at)
		if !ok {
			s.table = table{}
			break
		}
		if c.holdsSecret(row[from:to]) {
			s.pending = append(s.pending, span{i + 1 + from, i + 1 + to, c.key.kind})
		}
	}
	return s.nextPending(i)
}

// nextPending returns the next secret of a row, behind i.
func (s *scanner) nextPending(i int) span {
	for len(s.pending) > 0 {
		found := s.pending[0]
		s.pending = s.pending[1:]
		if found.start >= i {
			return found
		}
	}
	return span{}
}

func (c column) holdsSecret(value string) bool {
	return value != "" && c.key.isSecret(value) && (c.key.strength == strong || isRandomValue(value)) &&
		!strings.ContainsAny(value, " (") && looksMixed(value)
}

// cell returns where the column of secrets lies in a row; ok is false if the row is not one of the table.
func (t table) cell(row string, column int) (from, to int, ok bool) {
	row = strings.TrimRight(row, "\r")
	if t.separator == ' ' {
		if len(row) <= column || column > 0 && row[column-1] != ' ' {
			return 0, 0, false
		}
		return column, column + run(row[column:], &notSpace), true
	}
	if strings.Count(row, string(t.separator)) != t.separators {
		return 0, 0, false
	}
	for range column {
		from += strings.IndexByte(row[from:], t.separator) + 1
	}
	to = len(row)
	if n := strings.IndexByte(row[from:], t.separator); n >= 0 {
		to = from + n
	}
	for from < to && (isQuote(row[from]) || row[from] == ' ') {
		from++
	}
	for to > from && (isQuote(row[to-1]) || row[to-1] == ' ') {
		to--
	}
	return from, to, true
}

// readHeader notes the table whose header the word from start to end is a part of, if it names secrets.
func (s *scanner) readHeader(start, end int) {
	first := strings.LastIndexByte(s.text[max(0, start-longestRow):start], '\n') + 1 + max(0, start-longestRow)
	last := strings.IndexByte(s.text[end:min(len(s.text), end+longestRow)], '\n')
	if last < 0 {
		return
	}
	line := strings.TrimRight(s.text[first:end+last], "\r")
	for _, separator := range [...]byte{',', '\t', '|', ';'} {
		if strings.IndexByte(line, separator) >= 0 {
			s.table = s.tableOf(line, separator)
			return
		}
	}
	if run(line, &isHeading) == len(line) && strings.Contains(line, "  ") && (start == first ||
		s.text[start-1] == ' ') && isLetter.has(line[0]) {
		if k := s.keyNamed(s.text[start:end]); k.kind != "" && k.strength < header {
			s.table = table{' ', 0, []column{{start - first, k}}}
		}
	}
}

// tableOf returns the table whose names of columns a line holds.
func (s *scanner) tableOf(line string, separator byte) (t table) {
	n := 0
	for name := range strings.SplitSeq(line, string(separator)) {
		name = strings.Trim(name, " \"'")
		edge := separator == '|' && name == "" // of Markdown
		if run(name, &isHeading) < len(name) || strings.Count(name, " ") > 3 || name == "" && !edge {
			return table{}
		}
		if k := s.keyNamed(name); k.kind != "" && k.strength < header {
			t.separator = separator
			t.columns = append(t.columns, column{n, k})
		}
		n++
	}
	t.separators = n - 1
	return t
}

var isHeading = set{1 << ' ', letterBits | underscore}

var notSpace = set{^uint64(controlBits), 1<<63 - 1}

// endsCell reports whether the cell of a table may end at i.
func (s *scanner) endsCell(i int) bool {
	switch c := s.text[i]; c {
	case ',', ';', '\t', '|', '\n', '\r', '"':
		return true
	case ' ':
		return i+1 < len(s.text) && (s.text[i+1] == ' ' || s.text[i+1] == '|')
	}
	return false
}

// isHeaderWord reports whether a word may be, or end, the name of a column of secrets.
func isHeaderWord(word string) bool {
	switch word {
	case "password", "Password", "PASSWORD", "secret", "Secret", "key", "Key", "token", "Token", "api_key",
		"secret_key", "passwd", "passwort", "senha", "pwd", "pass", "Pass", "passphrase", "Passwort", "contrasena", "apikey", "access_token", "client_secret":
		return true
	}
	return false
}
