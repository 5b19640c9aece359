package series

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/internal/jsonio"
	"track/internal/sizes"
)

// ParseJSON reads a JSON object of arrays of numbers, as a line of a batch carries it. The error names the series and,
// from 0, the position in it.
func ParseJSON(object jsontext.Value) ([]track.Series, *track.FieldError) {
	list, err := readJSON(bytes.NewReader(object), "", limitsOf(sizes.Unpacked))
	if err == nil && len(list) > 0 {
		err = checkNames(list)
	}
	if err == nil {
		return list, nil
	}
	refused, _ := errors.AsType[*track.FieldError](err)
	return nil, refused
}

// readJSON reads an object of arrays of numbers, or one array, which is called name; without a name it is refused.
func readJSON(r io.Reader, name string, l limits) ([]track.Series, error) {
	j := &jsonReader{decoder: jsontext.NewDecoder(jsonio.QuoteNonFinite(r)), limits: l}
	list, err := j.document(name)
	if err != nil {
		return nil, err
	}
	switch _, err := j.decoder.ReadToken(); {
	case err == nil:
		return nil, failure(0, "", "a second value follows the first")
	case !errors.Is(err, io.EOF):
		return nil, j.problem("", err)
	}
	return list, nil
}

type jsonReader struct {
	decoder *jsontext.Decoder
	limits  limits
	values  int // read so far
}

func (j *jsonReader) document(name string) ([]track.Series, error) {
	switch kind := j.decoder.PeekKind(); {
	case kind == '{':
		return j.object()
	case kind == '[' && name != "":
		values, err := j.array(name)
		return []track.Series{{Name: name, Values: values}}, err
	}
	if _, err := j.decoder.ReadValue(); err != nil {
		return nil, j.problem("", err)
	}
	return nil, failure(0, "", `not an object of series: {"name": [1, 2.5, "NaN"]}`)
}

func (j *jsonReader) object() ([]track.Series, error) {
	if _, err := j.decoder.ReadToken(); err != nil {
		return nil, j.problem("", err)
	}
	var list []track.Series
	for j.decoder.PeekKind() != '}' {
		token, err := j.decoder.ReadToken()
		if err != nil {
			return nil, j.problem("", err)
		}
		name := token.String()
		if len(list) == j.limits.columns {
			return nil, tooManyColumns(j.limits)
		}
		values, err := j.array(abbreviateName(name))
		if err != nil {
			return nil, err
		}
		list = append(list, track.Series{Name: name, Values: values})
	}
	_, err := j.decoder.ReadToken()
	if err != nil {
		return nil, j.problem("", err)
	}
	return list, nil
}

func (j *jsonReader) array(name string) ([]float64, error) {
	if kind := j.decoder.PeekKind(); kind != '[' {
		value, err := j.decoder.ReadValue()
		if err != nil {
			return nil, j.problem(name, err)
		}
		return nil, failure(0, name, "%s is not an array of numbers", jsonio.Abbreviate(value))
	}
	if _, err := j.decoder.ReadToken(); err != nil {
		return nil, j.problem(name, err)
	}
	values := []float64{}
	for j.decoder.PeekKind() != ']' {
		value, err := j.decoder.ReadValue()
		if err != nil {
			return nil, j.problem(fmt.Sprintf("%s[%d]", name, len(values)), err)
		}
		x, err := jsonio.Number(value)
		if err != nil {
			return nil, failure(0, fmt.Sprintf("%s[%d]", name, len(values)), "%v", err)
		}
		if j.values++; j.values > j.limits.values {
			return nil, tooManyValues(j.limits)
		}
		values = append(values, x)
	}
	_, err := j.decoder.ReadToken()
	if err != nil {
		return nil, j.problem(name, err)
	}
	return values, nil
}

// problem puts an error of the decoder at a field into the words of a user.
func (j *jsonReader) problem(field string, err error) *track.FieldError {
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, io.EOF) && !ok:
		return failure(0, field, "empty: expected a JSON object of arrays")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return failure(0, field, "the file ends too early")
	case !ok:
		return unreadable(0, err)
	case errors.Is(err, jsontext.ErrDuplicateName):
		return failure(0, syntactic.JSONPointer.LastToken(), "is duplicated")
	}
	return failure(0, field, "not JSON: %s", strings.TrimPrefix(syntactic.Err.Error(), "jsontext: "))
}

// abbreviateName shortens a name that is too long for a series. It is refused later, but messages before that contain
// it.
func abbreviateName(name string) string {
	const longest = 1000
	if len(name) <= longest {
		return name
	}
	return strings.ToValidUTF8(name[:longest], "")
}
