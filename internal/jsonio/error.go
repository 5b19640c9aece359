// Package jsonio has what all readers and writers of JSON in this project share: numbers that JSON does not have, and
// errors in the words of a user.
package jsonio

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
)

// FieldError puts an error of the JSON package into the words of a user, with the path of the field.
func FieldError(err error) *track.FieldError {
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.As(err, &semantic):
		return &track.FieldError{Field: jsonPath(semantic.JSONPointer), Message: semanticMessage(semantic)}
	case errors.As(err, &syntactic):
		message := "not JSON: " + strings.TrimPrefix(syntactic.Err.Error(), "jsontext: ")
		if errors.Is(err, jsontext.ErrDuplicateName) {
			message = "is duplicated"
		}
		return &track.FieldError{Field: jsonPath(syntactic.JSONPointer), Message: message}
	}
	return &track.FieldError{Message: err.Error()}
}

func semanticMessage(e *json.SemanticError) string {
	switch {
	case errors.Is(e, json.ErrUnknownName):
		return "unknown field"
	case e.JSONKind == '0' && e.GoType != nil && isInteger(e.GoType):
		return fmt.Sprintf("%s is not a whole number", e.JSONValue)
	case e.Err == nil || strings.HasPrefix(e.Err.Error(), "json: "):
		return fmt.Sprintf("must be %s, not %s", wantedJSON(e.GoType), kindName(e.JSONKind))
	}
	return e.Err.Error()
}

func isInteger(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Int || t.Kind() == reflect.Int64
}

// wantedJSON names the JSON that goes into a Go type.
func wantedJSON(t reflect.Type) string {
	if t == nil {
		return "something else"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return wantedJSON(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "an array"
	}
	return "an object"
}

func jsonPath(pointer jsontext.Pointer) string {
	var parts []string
	for token := range pointer.Tokens() {
		parts = append(parts, token)
	}
	return strings.Join(parts, ".")
}

func kindName(kind jsontext.Kind) string {
	switch kind {
	case '0':
		return "a number"
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "invalid JSON"
}
