package series

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"track"
	"track/internal/jsonio"
	"track/internal/separated"
	"track/internal/sizes"
)

// longestLine bounds the memory that a line of a CSV file takes.
const longestLine = 64 << 20

// readCSV reads a header of names and rows of numbers. It does not use [encoding/csv], which keeps every row as
// strings, and the line is wanted in errors.
//
// A column that begins with a text, as dates and names do, is left out.
func readCSV(r io.Reader, l limits) ([]track.Series, error) {
	c := &csvReader{source: bufio.NewReaderSize(r, 1<<16), limits: l, numbers: separated.NewNumbers(l.format)}
	if err := c.header(); err != nil {
		return nil, err
	}
	for {
		text, err := c.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = c.row(text)
		}
		if err != nil {
			return nil, err
		}
	}
	if line, err := c.numbers.Doubt(); err != nil {
		return nil, failure(line, "", "%v", err)
	}
	return c.list()
}

// list returns the columns of numbers, and reports the others. If there are only others, the first one is at fault.
func (c *csvReader) list() (list []track.Series, err error) {
	var leftOut []string
	for _, column := range c.columns {
		if column.text == nil {
			list = append(list, track.Series{Name: column.name, Values: column.values})
			continue
		}
		leftOut = append(leftOut, column.name)
		if err == nil {
			err = column.text
		}
	}
	if err != nil && (len(list) == 0 || c.limits.leftOut == nil) {
		return nil, err
	}
	if len(leftOut) > 0 {
		c.limits.leftOut(leftOut)
	}
	return list, nil
}

type csvReader struct {
	source  *bufio.Reader
	long    []byte // room for lines longer than the buffer of source
	line    int    // of the text last returned by next
	columns []csvColumn
	limits  limits
	values  int // read so far
	numbers *separated.Numbers

	delimiter byte
}

type csvColumn struct {
	name   string
	values []float64
	before int   // empty cells before the first value
	gap    int   // line of the first empty cell after a value; 0 while there is none
	text   error // why the first value is not a number; nil if it is
}

// next returns the next line that is no comment, without its end, valid until the next call.
func (c *csvReader) next() ([]byte, error) {
	for {
		text, err := c.nextLine()
		if c.line == 1 {
			text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
		}
		name, isComment := bytes.CutPrefix(text, []byte{'#'})
		switch {
		case err != nil || !isComment:
			return text, err
		case len(c.columns) > 0:
			continue
		}
		name = bytes.TrimSpace(bytes.Clone(name)) // a look at what follows would move it
		if c.namesColumns(name) {
			return name, nil
		}
	}
}

// namesColumns reports whether a comment is the header, as NumPy writes it: as many words as the next row has numbers.
func (c *csvReader) namesColumns(comment []byte) bool {
	separators := func(r rune) bool { return strings.ContainsRune(separated.Candidates, r) }
	names, rows := bytes.FieldsFunc(comment, separators), c.sample()
	if len(rows) == 0 || slices.ContainsFunc(names, func(name []byte) bool { return len(bytes.Fields(name)) != 1 }) {
		return false
	}
	cells := bytes.FieldsFunc(rows[0], separators)
	return len(cells) == len(names) && !slices.ContainsFunc(cells, func(cell []byte) bool { return !isNumber(string(bytes.TrimSpace(cell))) })
}

func (c *csvReader) nextLine() ([]byte, error) {
	c.line++
	text, err := c.source.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		text, err = c.longLine(text)
	}
	switch {
	case errors.Is(err, io.EOF) && len(text) > 0: // the last line has no end
	case errors.Is(err, io.EOF):
		return nil, err
	case errors.Is(err, sizes.ErrTooLarge):
		return nil, err
	case errors.Is(err, errLongLine):
		return nil, failure(c.line, "", "%v", err)
	case err != nil:
		return nil, unreadable(c.line, err)
	}
	return bytes.TrimRight(text, "\r\n"), nil
}

var errLongLine = errors.New("the line is longer than 64 MiB")

func (c *csvReader) longLine(text []byte) ([]byte, error) {
	c.long = append(c.long[:0], text...)
	for {
		text, err := c.source.ReadSlice('\n')
		if len(c.long)+len(text) > longestLine {
			return nil, errLongLine
		}
		c.long = append(c.long, text...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return c.long, err
		}
	}
}

func (c *csvReader) header() error {
	text, err := c.next()
	if errors.Is(err, io.EOF) {
		return failure(0, "", "empty: expected a header of names, then rows of numbers")
	}
	if err != nil {
		return err
	}
	if len(text) < c.source.Size() {
		text = bytes.Clone(text) // a look at what follows would move it
	}
	if err := c.findDelimiter(text); err != nil {
		return err
	}
	if bytes.Count(text, []byte{c.delimiter}) >= c.limits.columns {
		return tooManyColumns(c.limits)
	}
	rest, numbers := text, 0
	for more := true; more; {
		var cell []byte
		isQuoted := bytes.HasPrefix(bytes.TrimLeft(rest, c.space()), []byte{'"'})
		if cell, rest, more, err = c.cell(rest); err != nil {
			return err
		}
		name := string(cell)
		switch {
		case name == "" && len(c.columns) == 0 && more:
			name = "index" // data frames write their index under no name
		case name == "":
			return failure(c.line, "", "column %d has no name", len(c.columns)+1)
		case !isQuoted && isNumber(name) && name != strconv.Itoa(len(c.columns)): // they may also be counted
			numbers++
		}
		c.columns = append(c.columns, csvColumn{name: name})
	}
	if numbers == len(c.columns) {
		return failure(c.line, "", "the header has numbers where the names of the columns belong")
	}
	return nil
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// cell cuts the first cell off a row and takes its white space and quotes away.
func (c *csvReader) cell(row []byte) (cell, rest []byte, more bool, err error) {
	row = bytes.TrimLeft(row, c.space())
	if len(row) > 0 && row[0] == '"' {
		return c.quoted(row[1:])
	}
	cell, rest, more = bytes.Cut(row, []byte{c.delimiter})
	return bytes.TrimRight(cell, " \t"), rest, more, nil
}

// space is what may surround a cell.
func (c *csvReader) space() string {
	if c.delimiter == '\t' {
		return " "
	}
	return " \t"
}

// quoted is [csvReader.cell] after an opening quote. A quoted cell ends on its line: no name and no number has a line
// break.
func (c *csvReader) quoted(row []byte) (cell, rest []byte, more bool, err error) {
	for {
		end := bytes.IndexByte(row, '"')
		if end < 0 {
			return nil, nil, false, failure(c.line, "", "a quote is not closed")
		}
		cell, row = append(cell, row[:end]...), row[end+1:]
		if len(row) == 0 || row[0] != '"' {
			break
		}
		cell, row = append(cell, '"'), row[1:] // two quotes stand for one
	}
	after, rest, more := bytes.Cut(row, []byte{c.delimiter})
	if after = bytes.TrimSpace(after); len(after) > 0 {
		return nil, nil, false, failure(c.line, "", "%q follows a closing quote", jsonio.Abbreviate(after))
	}
	return bytes.TrimSpace(cell), rest, more, nil
}

func (c *csvReader) row(text []byte) error {
	if len(bytes.TrimSpace(text)) == 0 && (c.delimiter != '\t' || len(c.columns) == 1 || bytes.IndexByte(text, '\t') < 0) {
		return c.blank()
	}
	i := 0
	for more := true; more; i++ {
		var cell []byte
		var err error
		if cell, text, more, err = c.cell(text); err != nil {
			return err
		}
		if i == len(c.columns) {
			return failure(c.line, "", "more cells than the header has, which are %d", len(c.columns))
		}
		if err := c.add(&c.columns[i], cell); err != nil {
			return err
		}
	}
	if i < len(c.columns) {
		return failure(c.line, "", "%d cells, but the header has %d", i, len(c.columns))
	}
	return nil
}

// blank takes an empty line as a row of empty cells, which at the end of a file is nothing.
func (c *csvReader) blank() error {
	for i := range c.columns {
		if err := c.add(&c.columns[i], nil); err != nil {
			return err
		}
	}
	return nil
}

func (c *csvReader) add(column *csvColumn, cell []byte) error {
	if column.text != nil {
		return nil
	}
	if len(cell) == 0 {
		switch {
		case len(column.values) == 0:
			column.before++
		case column.gap == 0:
			column.gap = c.line
		}
		return nil
	}
	if column.gap > 0 {
		return failure(column.gap, column.name, "an empty cell, but line %d has a value again: write NaN where there is no number", c.line)
	}
	x, err := c.numbers.Parse(cell, c.line)
	if err != nil {
		err = failure(c.line, column.name, "%v", err)
		if isText(cell) && !slices.ContainsFunc(column.values, func(x float64) bool { return !math.IsNaN(x) }) { // NA may be a text
			column.text, err = err, nil
		}
		return err
	}
	if c.values += 1 + column.before; c.values > c.limits.values {
		return tooManyValues(c.limits)
	}
	for ; column.before > 0; column.before-- {
		column.values = append(column.values, math.NaN())
	}
	column.values = append(column.values, x)
	return nil
}

// parseNumber reads the nearest float64; NaN with any sign, and infinities, in any case.

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
