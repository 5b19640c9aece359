package jsonl

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
)

// fieldError puts an error of the JSON package into the words of a user.
func fieldError(err error) *track.FieldError {
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.As(err, &semantic):
		return bounded(&track.FieldError{Field: fieldPath(semantic.JSONPointer), Message: semanticMessage(semantic)})
	case errors.As(err, &syntactic):
		message := "not JSON: " + strings.TrimPrefix(syntactic.Err.Error(), "jsontext: ")
		if errors.Is(err, jsontext.ErrDuplicateName) {
			message = "stands here a second time"
		}
		return bounded(&track.FieldError{Field: fieldPath(syntactic.JSONPointer), Message: message})
	}
	return bounded(&track.FieldError{Message: err.Error()})
}

func semanticMessage(e *json.SemanticError) string {
	switch {
	case errors.Is(e, json.ErrUnknownName):
		return "unknown field"
	case e.JSONKind == '0' && e.GoType != nil && isInteger(e.GoType):
		return fmt.Sprintf("%s is not a whole number", e.JSONValue)
	}
	return fmt.Sprintf("must be %s, not %s", wanted(e.GoType), kindName(e.JSONKind))
}

func isInteger(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Int || t.Kind() == reflect.Int64
}

// wanted names the JSON that goes into a Go type.
func wanted(t reflect.Type) string {
	if t == nil {
		return "something else"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return wanted(t.Elem())
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
	case 'n':
		return "null"
	}
	return "a boolean"
}

func fieldPath(pointer jsontext.Pointer) string {
	var parts []string
	for token := range pointer.Tokens() {
		parts = append(parts, token)
	}
	return strings.Join(parts, ".")
}

// bounded shortens what an error quotes of its input, which may be megabytes long.
func bounded(e *track.FieldError) *track.FieldError {
	const longestField, longestMessage = 200, 500
	if e != nil {
		e.Field, e.Message = abbreviate(e.Field, longestField), abbreviate(e.Message, longestMessage)
	}
	return e
}

func abbreviate(text string, longest int) string {
	if len(text) <= longest {
		return text
	}
	for longest > 0 && !utf8.RuneStart(text[longest]) {
		longest--
	}
	return text[:longest] + "…"
}
