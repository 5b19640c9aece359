package server

import (
	"encoding"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track/answer"
)

// schemas makes JSON Schemas of Go types as package answer encodes them.
type schemas struct{ defined object } // by the name of the type

// of returns the schema of a value's type.
func (s *schemas) of(v any) object { return s.ofType(reflect.TypeOf(v)) }

func (s *schemas) ofType(t reflect.Type) object {
	switch t {
	case reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case reflect.TypeFor[time.Duration]():
		return object{"type": "number", "description": "seconds"}
	case reflect.TypeFor[jsontext.Value]():
		return object{}
	case reflect.TypeFor[answer.Measured]():
		return s.number()
	case reflect.TypeFor[[]byte]():
		return object{"type": "string", "contentEncoding": "base64"}
	}
	if schema, ok := ofMarshaler(t); ok {
		return schema
	}
	switch t.Kind() {
	case reflect.Pointer:
		if t.Elem().Kind() == reflect.Float64 {
			return s.ofType(t.Elem())
		}
		return nullable(s.ofType(t.Elem()))
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return object{"type": "integer"}
	case reflect.Float64, reflect.Float32:
		return s.number()
	case reflect.Slice, reflect.Array:
		return object{"type": "array", "items": s.ofType(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": s.ofType(t.Elem())}
	case reflect.Struct:
		return s.reference(t)
	}
	return object{} // anything
}

// ofMarshaler returns the schema of a type that encodes itself.
func ofMarshaler(t reflect.Type) (object, bool) {
	for _, t := range []reflect.Type{t, reflect.PointerTo(t)} {
		switch {
		case t.Implements(reflect.TypeFor[json.MarshalerTo]()) || t.Implements(reflect.TypeFor[json.Marshaler]()):
			return object{}, true
		case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
			return object{"type": "string"}, true
		}
	}
	return nil, false
}

// number returns a reference to the schema of a number, which it defines.
func (s *schemas) number() object {
	s.defined["number"] = object{
		"description": "null if it is undefined, as the mean of nothing; a string if JSON has no such number",
		"anyOf":       []any{object{"type": []string{"number", "null"}}, object{"enum": []string{"NaN", "Infinity", "-Infinity"}}},
	}
	return object{"$ref": "#/components/schemas/number"}
}

func nullable(schema object) object {
	return object{"anyOf": []any{schema, object{"type": "null"}}}
}

// reference returns a reference to the schema of a struct, which it defines.
func (s *schemas) reference(t reflect.Type) object {
	name := schemaName(t)
	if _, ok := s.defined[name]; !ok {
		s.defined[name] = object{} // of types that hold themselves
		properties, required := object{}, []string{}
		s.fields(t, properties, &required)
		s.defined[name] = object{"type": "object", "properties": properties, "required": required}
	}
	return object{"$ref": "#/components/schemas/" + name}
}

// schemaName returns the name of a type with its package, as far as a reference may have it.
func schemaName(t reflect.Type) string {
	path := t.PkgPath()
	name := path[strings.LastIndexByte(path, '/')+1:] + "." + t.Name()
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune("[]/,*", c) {
			return '_'
		}
		return c
	}, name)
}

func (s *schemas) fields(t reflect.Type, properties object, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		isEmbedded := strings.Contains(options, "embed") || strings.Contains(options, "inline") || f.Anonymous && name == ""
		switch {
		case name == "-" || !f.IsExported() && !isEmbedded:
			continue
		case isEmbedded:
			embedded := f.Type
			if embedded.Kind() == reflect.Pointer {
				embedded = embedded.Elem()
			}
			if embedded.Kind() == reflect.Struct {
				s.fields(embedded, properties, required)
			}
			continue
		case name == "":
			name = f.Name
		}
		properties[name] = s.ofType(f.Type)
		if slices.Contains(strings.Split(options, ","), "string") {
			properties[name] = object{"type": "string", "description": "a number, as text: it may have more digits than others read"}
		}
		if !strings.Contains(options, "omit") {
			*required = append(*required, name)
		}
	}
}
