package lines

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/internal/jsonio"
	"track/internal/separated"
)

// ParseValues reads the values of one seed: a JSON object {"metric": 0.07, …} where the first byte that is no space
// is a brace, else CSV of name,value, with or without a header, or with semicolons or tabs between. file names the
// source in errors, which are [*track.FieldError].
func ParseValues(file string, data []byte) (map[string]float64, error) {
	return ParseValuesAs(file, data, separated.Format{})
}

// ParseValuesAs is [ParseValues] for CSV of a known format.
func ParseValuesAs(file string, data []byte, format separated.Format) (map[string]float64, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if trimmed := bytes.TrimSpace(data); len(trimmed) == 0 {
		return nil, &track.FieldError{File: file, Message: `empty: expected a JSON object {"metric": 0.07} or CSV lines metric,0.07`}
	} else if trimmed[0] == '{' || trimmed[0] == '[' {
		return parseJSONValues(file, data)
	}
	return parseCSVValues(file, data, format)
}

func parseJSONValues(file string, data []byte) (map[string]float64, error) {
	var parsed values
	err := unmarshal(data, func(text []byte) error { return json.Unmarshal(text, &parsed) })
	if err == nil {
		return parsed, nil
	}
	failure := fieldError(err)
	failure.File, failure.Line = file, 1+bytes.Count(data[:min(errorOffset(err), len(data))], []byte("\n"))
	return nil, failure
}

func parseCSVValues(file string, data []byte, format separated.Format) (map[string]float64, error) {
	numbers := separated.NewNumbers(format)
	reader := csv.NewReader(bytes.NewReader(data))
	reader.Comma = rune(cmp.Or(format.Delimiter, delimiterOfValues(data)))
	reader.FieldsPerRecord = -1
	reader.TrimLeadingSpace = true
	reader.Comment = '#'
	parsed := map[string]float64{}
	for first := true; ; first = false {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var syntax *csv.ParseError
		if errors.As(err, &syntax) {
			return nil, &track.FieldError{File: file, Line: syntax.Line, Message: syntax.Err.Error()}
		}
		line, _ := reader.FieldPos(0)
		fail := func(field, format string, args ...any) error {
			return (&track.FieldError{File: file, Line: line, Field: field, Message: fmt.Sprintf(format, args...)}).Shorten()
		}
		if len(record) != 2 {
			return nil, fail("", "%d columns; a line of values has two: name,value", len(record))
		}
		name, text := strings.TrimSpace(record[0]), strings.TrimSpace(record[1])
		value, err := numbers.Parse([]byte(text), line)
		if err != nil && first && strings.EqualFold(text, "value") {
			continue
		}
		if err != nil {
			return nil, fail(name, "%v", err)
		}
		if err := track.CheckName(name); err != nil {
			return nil, fail("", "the name of a metric %v", err)
		}
		if _, duplicate := parsed[name]; duplicate {
			return nil, fail(name, "is duplicated")
		}
		parsed[name] = value
	}
	if line, err := numbers.Doubt(); err != nil {
		return nil, &track.FieldError{File: file, Line: line, Message: err.Error()}
	}
	return parsed, nil
}

// delimiterOfValues returns what divides the first line of values in two: a semicolon or a tab, if a number or the
// header follows the only one, else a comma.
func delimiterOfValues(data []byte) byte {
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' || line[0] == '"' && bytes.Count(line, []byte{'"'}) < 2 {
			continue
		}
		for _, delimiter := range []byte{';', '\t'} {
			name, value, found := bytes.Cut(line, []byte{delimiter})
			value = bytes.Trim(value, "\" \t")
			_, err := separated.NewNumbers(separated.Format{}).Parse(value, 0)
			isHeader := strings.EqualFold(string(value), "value")
			if found && bytes.Count(name, []byte{'"'})%2 == 0 && (err == nil || isHeader) && !bytes.HasSuffix(bytes.TrimSpace(name), []byte{','}) {
				return delimiter
			}
		}
		break
	}
	return ','
}

// values is a JSON object of numbers.
type values map[string]float64

// UnmarshalJSONFrom implements [json.UnmarshalerFrom]. The decoder refuses duplicate names.
func (v *values) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if kind := dec.PeekKind(); kind != '{' {
		value, err := dec.ReadValue()
		if err != nil {
			return err
		}
		return fmt.Errorf("%s is not an object of numbers by metric", jsonio.Abbreviate(value))
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	parsed := make(values, 64)
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		raw, err := dec.ReadValue()
		if err != nil {
			return err
		}
		value, err := jsonio.Number(raw)
		if err != nil {
			return &memberError{key, err}
		}
		parsed[key] = value
	}
	*v = parsed
	_, err := dec.ReadToken()
	return err
}

// memberError is an error in a member of an object that is read by hand.
type memberError struct {
	name string
	error
}

// unmarshal calls decode with text, and again with bare non-finite numbers quoted if that may help.
func unmarshal(text []byte, decode func([]byte) error) error {
	err := decode(text)
	if err == nil {
		return nil
	}
	quoted, found := jsonio.QuoteNonFiniteIn(text)
	if !found {
		return err
	}
	return decode(quoted)
}

// quickReader reads lines of kind seed as programs write them. It reads the values itself: package json compares each
// name with all before it.
type quickReader struct {
	names map[string]string // of metrics, which lines share
	n     int               // values of the last line
	rest  []byte            // of the last line
}

const (
	mostNames = 1 << 12 // that are kept
	mostRest  = 1 << 20
)

// seed reads a line. ok is false for all but lines of kind seed, for what is no JSON, and for JSON that is written in
// an unusual way. Then package json reads it, and says what is wrong.
func (q *quickReader) seed(text []byte, from outside) (seed track.Seed, problem *track.FieldError, ok bool) {
	numbers, at, ok := q.find(text)
	if !ok {
		return seed, nil, false
	}
	q.rest = append(append(append(q.rest[:0], text[:at.start]...), "{}"...), text[at.end:]...)
	var l seedLine
	err := json.Unmarshal(q.rest, &l, json.RejectUnknownMembers(true))
	if cap(q.rest) > mostRest {
		q.rest = nil
	}
	if err != nil {
		return seed, nil, false
	}
	l.Values = numbers
	seed, problem = l.seed(from)
	return seed, problem.Shorten(), true
}

// place is a part of a line.
type place struct{ start, end int }

// find returns the values of a line of kind seed, and where they stand.
func (q *quickReader) find(text []byte) (numbers values, at place, ok bool) {
	s := scanner{text: text}
	isSeed := false
	for isFirst := true; ; isFirst = false {
		if isFirst && !s.take('{') || !isFirst && !s.take(',') {
			return numbers, at, isSeed && numbers != nil && s.take('}') && s.isAtEnd()
		}
		name, ok := s.word()
		if !ok || !s.take(':') {
			return nil, at, false
		}
		switch string(name) {
		case "kind":
			kind, ok := s.word()
			if isSeed = ok && string(kind) == kindSeed; !isSeed {
				return nil, at, false
			}
		case "values":
			if numbers != nil {
				return nil, at, false
			}
			s.space()
			at.start = s.at
			if numbers = q.values(&s); numbers == nil {
				return nil, at, false
			}
			at.end = s.at
		default:
			s.skip()
		}
	}
}

// values reads an object of numbers; nil if it is not one, or a name is duplicated.
func (q *quickReader) values(s *scanner) values {
	if !s.take('{') {
		return nil
	}
	numbers, n := make(values, q.n), 0
	for ; n == 0 && !s.take('}') || n > 0 && s.take(','); n++ {
		name, ok := s.word()
		if !ok || !s.take(':') {
			return nil
		}
		number, ok := s.number()
		if !ok {
			return nil
		}
		numbers[q.name(name)] = number
	}
	if n > 0 && !s.take('}') || len(numbers) < n {
		return nil
	}
	q.n = n
	return numbers
}

// name returns a name as a string, which it keeps for the next lines.
func (q *quickReader) name(text []byte) string {
	if name, known := q.names[string(text)]; known {
		return name
	}
	if q.names == nil || len(q.names) == mostNames {
		q.names = map[string]string{}
	}
	name := string(text)
	q.names[name] = name
	return name
}

// scanner reads JSON. What it skips may be wrong: package json reads that too.
type scanner struct {
	text []byte
	at   int
}

func (s *scanner) space() {
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\n' || s.text[s.at] == '\r' || s.text[s.at] == '\t') {
		s.at++
	}
}

func (s *scanner) isAtEnd() bool {
	s.space()
	return s.at == len(s.text)
}

// next moves behind a byte if it comes next, and reports whether it does.
func (s *scanner) next(c byte) bool {
	if s.at >= len(s.text) || s.text[s.at] != c {
		return false
	}
	s.at++
	return true
}

// take is next behind white space.
func (s *scanner) take(c byte) bool {
	s.space()
	return s.next(c)
}

// word returns a string of ASCII without escapes.
func (s *scanner) word() (word []byte, ok bool) {
	if !s.take('"') {
		return nil, false
	}
	start := s.at
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '"':
			s.at++
			return s.text[start : s.at-1], true
		case c == '\\' || c < ' ' || c > '~':
			return nil, false
		}
	}
	return nil, false
}

// number reads a number, or one of the strings that [jsonio.Number] takes.
func (s *scanner) number() (x float64, ok bool) {
	s.space()
	start := s.at
	if s.at < len(s.text) && s.text[s.at] == '"' {
		if _, ok := s.word(); !ok {
			return 0, false
		}
		x, err := jsonio.Number(s.text[start:s.at])
		return x, err == nil
	}
	s.next('-')
	if !s.next('0') && !s.digits() || s.next('.') && !s.digits() {
		return 0, false
	}
	if s.next('e') || s.next('E') {
		if !s.next('+') {
			s.next('-')
		}
		if !s.digits() {
			return 0, false
		}
	}
	x, err := strconv.ParseFloat(string(s.text[start:s.at]), 64)
	return x, err == nil
}

// digits moves behind digits, and reports whether there are any.
func (s *scanner) digits() bool {
	start := s.at
	for s.at < len(s.text) && s.text[s.at] >= '0' && s.text[s.at] <= '9' {
		s.at++
	}
	return s.at > start
}

// skip moves to the end of a value in an object.
func (s *scanner) skip() {
	for depth := 0; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '"':
			s.skipString()
		case '{', '[':
			depth++
		case '}', ']', ',':
			if depth == 0 {
				return
			}
			if s.text[s.at] != ',' {
				depth--
			}
		}
	}
}

// skipString moves to the end of a string.
func (s *scanner) skipString() {
	for s.at++; s.at < len(s.text) && s.text[s.at] != '"'; s.at++ {
		if s.text[s.at] == '\\' {
			s.at++
		}
	}
}
