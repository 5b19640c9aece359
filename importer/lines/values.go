package lines

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
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
