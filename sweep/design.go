package sweep

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"regexp"
	"track"
	"track/internal/jsonio"
	"track/scoring/format"
)

// ReadDesign reads a design, one configuration a row: CSV whose header names the parameters, or JSON lines, one object
// each. In CSV a number is a number, true and false are booleans, and any other cell is text; in a file separated by
// semicolons or tabs, numbers may have decimal commas. Two equal rows are an error, and so is a mistyped number in a
// column of numbers. file stands in the errors.
func ReadDesign(file string, text []byte) ([]track.Params, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	d := designReader{file: file, lines: map[track.Params]int{}}
	read := d.readCSV
	if trimmed := bytes.TrimSpace(text); len(trimmed) == 0 {
		return nil, d.wrong(0, "", "no configurations")
	} else if trimmed[0] == '{' {
		read = d.readLines
	}
	if err := read(text); err != nil {
		return nil, err
	}
	if len(d.rows) == 0 {
		return nil, d.wrong(0, "", "a header, and no configurations")
	}
	if err := d.checkColumns(); err != nil {
		return nil, err
	}
	return d.rows, nil
}

type designReader struct {
	file  string
	names []string
	rows  []track.Params
	lines map[track.Params]int

	columns []column // of CSV
}

// column is what the cells of a column are.
type column struct {
	hasNumbers   bool
	mistyped     string // the first cell that is not a number, but looks like one
	mistypedLine int
}

func (d *designReader) wrong(line int, field, format string, args ...any) error {
	return (&track.FieldError{File: d.file, Line: line, Field: field, Message: fmt.Sprintf(format, args...)}).Shorten()
}

// add adds a row, which must not equal an earlier one.
func (d *designReader) add(line int, row map[string]jsontext.Value) error {
	text, err := json.Marshal(row, json.Deterministic(true))
	if err != nil {
		return d.wrong(line, "", "%v", err)
	}
	params, err := track.NewParams(text)
	if err != nil {
		return d.wrong(line, "", "%v", err)
	}
	if first, twice := d.lines[params]; twice {
		return d.wrong(line, "", "the same configuration as in line %d: %s", first, params.JSON())
	}
	if len(d.rows) == maxConfigurations {
		return d.wrong(line, "", "more than %d configurations", maxConfigurations)
	}
	d.lines[params] = line
	d.rows = append(d.rows, params)
	return nil
}

// readCSV reads a table with a header.
func (d *designReader) readCSV(text []byte) error {
	reader := csv.NewReader(bytes.NewReader(text))
	reader.Comma = delimiterOf(text)
	reader.FieldsPerRecord = -1
	reader.TrimLeadingSpace = true
	for header := true; ; header = false {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var syntax *csv.ParseError
		if errors.As(err, &syntax) {
			return d.wrong(syntax.Line, "column "+strconv.Itoa(syntax.Column), "%v", syntax.Err)
		}
		line, _ := reader.FieldPos(0)
		if header {
			err = d.addHeader(line, record)
		} else {
			err = d.addRecord(line, record, reader.Comma != ',')
		}
		if err != nil {
			return err
		}
	}
}

// delimiterOf returns what separates the names in the first line.
func delimiterOf(text []byte) rune {
	header, _, _ := bytes.Cut(text, []byte("\n"))
	for _, delimiter := range ",;\t" {
		if bytes.ContainsRune(header, delimiter) {
			return delimiter
		}
	}
	return ','
}

func (d *designReader) addHeader(line int, record []string) error {
	record[0] = strings.TrimSpace(strings.TrimPrefix(record[0], "#")) // numpy.savetxt writes its header as a comment
	for i, name := range record {
		name = strings.TrimSpace(name)
		field := fmt.Sprintf("column %d", i+1)
		number := isNumber(name)
		switch err := checkParameterName(name); {
		case err != nil:
			return d.wrong(line, field, "%v", err)
		case name == "":
			return d.wrong(line, field, "no name: the first line names the parameters")
		case number:
			return d.wrong(line, field, "%s is a number, and the first line names the parameters", name)
		case slices.Contains(d.names, name):
			return d.wrong(line, field, "%s is duplicated", name)
		}
		d.names = append(d.names, name)
	}
	d.columns = make([]column, len(d.names))
	return nil
}

func (d *designReader) addRecord(line int, record []string, decimalCommas bool) error {
	if len(record) != len(d.names) {
		return d.wrong(line, "", "%s, and the header has %s", format.Counted(len(record), "cell"), format.Counted(len(d.names), "name"))
	}
	row, column, err := rowOf(d.names, record, decimalCommas)
	if err != nil {
		return d.wrong(line, d.columnName(column), "%v", err)
	}
	for i, cell := range record {
		d.columns[i].see(line, strings.TrimSpace(cell), row[d.names[i]])
	}
	return d.add(line, row)
}

func (d *designReader) columnName(i int) string {
	return fmt.Sprintf("column %d (%s)", i+1, d.names[i])
}

// see notes whether a cell is a number or looks like one.
func (c *column) see(line int, cell string, value jsontext.Value) {
	switch value.Kind() {
	case '0':
		c.hasNumbers = true
	case '"':
		if c.mistyped == "" && mistypedNumber.MatchString(cell) {
			c.mistyped, c.mistypedLine = cell, line
		}
	}
}

// checkColumns returns an error for the first mistyped number in a column of numbers: as a text it would be another
// kind of parameter.
func (d *designReader) checkColumns() error {
	for i, c := range d.columns {
		if c.hasNumbers && c.mistyped != "" {
			return d.wrong(c.mistypedLine, d.columnName(i), "%s is not a number, and others in the column are; write a number such as 0.4, or the design as JSON lines, in which texts have quotation marks", c.mistyped)
		}
	}
	return nil
}

// DesignRow returns the parameters of a row of CSV with these cells.
func DesignRow(names, cells []string) (track.Params, error) {
	row, column, err := rowOf(names, cells, false)
	if err != nil {
		return "", fmt.Errorf("%s: %w", names[column], err)
	}
	for _, name := range names {
		if err := checkParameterName(name); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(row, json.Deterministic(true))
	if err != nil {
		return "", err
	}
	return track.NewParams(text)
}

// rowOf returns cells by name; of an error, the column too.
func rowOf(names, cells []string, decimalCommas bool) (row map[string]jsontext.Value, column int, err error) {
	row = make(map[string]jsontext.Value, len(cells))
	for i, cell := range cells {
		if row[names[i]], err = cellValue(strings.TrimSpace(cell), decimalCommas); err != nil {
			return nil, i, err
		}
	}
	return row, 0, nil
}

var (
	numberPattern  = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)
	mistypedNumber = regexp.MustCompile(`^[+-]?[0-9OolI.,' _]*[0-9][0-9OolI.,' _]*([eE][+-]?[0-9]+)?\s*%?$`) // O.4, 0,4, 1 000, 40 %
	leadingZero    = regexp.MustCompile(`^[+-]?0[0-9]`)
	missingPattern = regexp.MustCompile(`^(?i)(nan|na|n/a|null|[+-]?inf(inity)?)$`)
)

// isNumber reports whether text is a decimal number; 007 is a name.
func isNumber(text string) bool {
	return numberPattern.MatchString(text) && !leadingZero.MatchString(text)
}

// cellValue returns a cell as JSON.
func cellValue(cell string, decimalCommas bool) (jsontext.Value, error) {
	number := cell
	if decimalCommas && strings.Count(cell, ",") == 1 {
		number = strings.Replace(cell, ",", ".", 1)
	}
	switch {
	case cell == "":
		return nil, errors.New("empty")
	case missingPattern.MatchString(cell):
		return nil, fmt.Errorf("%s is not a finite number", cell)
	case isNumber(number):
		value, err := Word(number)
		if err == nil {
			_, err = track.NewParams([]byte(`{"x":` + string(value) + `}`))
		}
		if err != nil {
			return nil, fmt.Errorf("%s cannot be stored as a number: it is beyond what a float64 holds exactly", cell)
		}
		return value, nil
	case isBoolean(cell):
		return Word(cell)
	}
	return json.Marshal(cell)
}

// readLines reads an object a line.
func (d *designReader) readLines(text []byte) error {
	line := 0
	for object := range bytes.Lines(text) {
		line++
		object = bytes.TrimSpace(object)
		if len(object) == 0 {
			continue
		}
		var row map[string]jsontext.Value
		if err := json.Unmarshal(object, &row); err != nil {
			problem := jsonio.FieldError(err)
			problem.File, problem.Line = d.file, line
			return problem.Shorten()
		}
		names := slices.Sorted(maps.Keys(row))
		if d.names == nil {
			d.names = names
		}
		if !slices.Equal(names, d.names) {
			return d.wrong(line, "", "the parameters are %s, and those of the first configuration are %s", strings.Join(names, ", "), strings.Join(d.names, ", "))
		}
		for _, name := range names {
			if err := checkParameterName(name); err != nil {
				return d.wrong(line, name, "%v", err)
			}
		}
		if err := d.add(line, row); err != nil {
			return err
		}
	}
	return nil
}
