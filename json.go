package track

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// NonFinite writes the numbers that JSON cannot say as the strings "NaN", "Infinity" and "-Infinity".
func NonFinite() *json.Marshalers {
	return json.MarshalToFunc(func(enc *jsontext.Encoder, x float64) error {
		switch {
		case math.IsNaN(x):
			return enc.WriteToken(jsontext.String("NaN"))
		case math.IsInf(x, 1):
			return enc.WriteToken(jsontext.String("Infinity"))
		case math.IsInf(x, -1):
			return enc.WriteToken(jsontext.String("-Infinity"))
		}
		return enc.WriteToken(jsontext.Float(x))
	})
}

// NewJSONError puts an error of the JSON package into the words of a user, with the path of the field.
func NewJSONError(err error) *FieldError {
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.As(err, &semantic):
		return &FieldError{Field: jsonPath(semantic.JSONPointer), Message: semanticMessage(semantic)}
	case errors.As(err, &syntactic):
		message := "not JSON: " + strings.TrimPrefix(syntactic.Err.Error(), "jsontext: ")
		if errors.Is(err, jsontext.ErrDuplicateName) {
			message = "stands here a second time"
		}
		return &FieldError{Field: jsonPath(syntactic.JSONPointer), Message: message}
	}
	return &FieldError{Message: err.Error()}
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
