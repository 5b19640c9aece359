package evolution

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// repeatedKeyError is the error of an object in which this key is duplicated.
type repeatedKeyError string

func (e repeatedKeyError) Error() string { return string(e) + ": is duplicated" }

// canonical writes a value as canonical JSON (RFC 8785): keys in the order of their UTF-16 code units, numbers in the
// shortest form that reads back as the same float64, no white space. Numbers are taken as float64: larger whole numbers
// belong in strings.
func canonical(v any) ([]byte, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return canonicalize(plain)
}

// canonicalize rewrites JSON text as canonical JSON, or returns the text itself if it is canonical. It refuses an
// object with a duplicated key, and a number beyond float64.
func canonicalize(text []byte) ([]byte, error) {
	if isCanonical(text) {
		return text, nil
	}
	return rewrite(text)
}

// rewrite is canonicalize for any text.
func rewrite(text []byte) ([]byte, error) {
	value := jsontext.Value(text).Clone()
	if err := value.Canonicalize(); err != nil {
		syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
		if ok && errors.Is(err, jsontext.ErrDuplicateName) {
			return nil, repeatedKeyError(syntactic.JSONPointer.LastToken())
		}
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	if bytes.Contains(value, []byte("1.7976931348623157e+308")) { // what a number beyond float64 becomes
		return value, checkRange(text)
	}
	return value, nil
}

// checkRange returns an error if a number in a JSON text is beyond float64.
func checkRange(text []byte) error {
	decoder := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		token, err := decoder.ReadToken()
		if err != nil {
			return nil // the end: the text has been read before
		}
		if token.Kind() != '0' {
			continue
		}
		if _, err := strconv.ParseFloat(token.String(), 64); err != nil {
			path := slices.Collect(decoder.StackPointer().Tokens())
			return errors.New(strings.Join(append(path, "number "+token.String()+" is beyond float64"), ": "))
		}
	}
}
