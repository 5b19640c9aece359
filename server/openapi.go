package server

import (
	"encoding"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track/access"
	"track/answer"
	"track/answer/param"
	"track/ask"
)

// object is a JSON object of the description.
type object map[string]any

// writeOpenAPI describes all routes as OpenAPI 3.1.
func (s *Server) writeOpenAPI(w http.ResponseWriter, _ *http.Request) error {
	text, err := json.Marshal(OpenAPI(Routes(ask.All()), s.config.BasePath, s.config.Version), json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // the client has gone
	return nil
}

// OpenAPI returns the description of routes below a base path.
func OpenAPI(routes []Route, basePath, version string) any {
	schemas := schemas{defined: object{}}
	problem := object{"description": "an error", "content": object{problemType: object{"schema": schemas.of(Problem{})}}}
	paths := object{}
	for _, r := range routes {
		operation := object{
			"operationId": r.operationID(), "summary": r.Summary,
			"responses": object{"200": r.response(&schemas), "default": problem},
		}
		if r.Method == http.MethodPut { // what was not there before is created
			operation["responses"].(object)["201"] = r.response(&schemas)
		}
		if r.Scope != "" {
			operation["security"] = []any{object{"token": []string{}}}
			operation["x-scope"] = string(r.Scope)
		} else {
			operation["security"] = []any{}
		}
		if len(r.parts) > 0 {
			operation["parameters"] = partsOf(r.parts)
		}
		if q := r.Question; q != nil {
			if q.About != "" {
				operation["description"] = q.About
			}
			if q.IsPosted() {
				operation["requestBody"] = requestBody(q.Params)
			} else {
				operation["parameters"] = parameters(q.Params)
			}
		}
		operations, ok := paths[r.Pattern].(object)
		if !ok {
			operations = object{}
			paths[r.Pattern] = operations
		}
		operations[strings.ToLower(r.Method)] = operation
	}
	server := basePath
	if server == "" {
		server = "/"
	}
	return object{
		"openapi": "3.1.0",
		"info":    object{"title": "track", "version": version, "description": "The questions that track answers. Times are in UTC, durations in seconds."},
		"servers": []any{object{"url": server}},
		"paths":   paths,
		"components": object{
			"schemas":         schemas.defined,
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer", "description": "a token of track token add; its scopes: " + scopeNames()}},
		},
	}
}

func scopeNames() string {
	var names []string
	for _, s := range access.Scopes() {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// operationID returns the name of a route for programs that are made from the description.
func (r Route) operationID() string {
	if q := r.Question; q != nil {
		return strings.ReplaceAll(q.Name, " ", "_")
	}
	return strings.Trim(strings.NewReplacer("/", "_", "{", "", "}", "").Replace(strings.TrimPrefix(r.Pattern, apiPath)), "_")
}

// response describes the answer of a route.
func (r Route) response(schemas *schemas) object {
	if r.stream != "" {
		return object{"description": r.Summary, "content": object{r.stream: object{"schema": object{"type": "string"}}}}
	}
	if r.bytes {
		return object{"description": r.Summary, "content": object{"application/octet-stream": object{}}}
	}
	if r.zero != nil {
		return object{"description": r.Summary, "content": object{"application/json": object{"schema": schemas.of(r.zero)}}}
	}
	if r.Question == nil {
		return object{"description": r.Summary}
	}
	content := object{}
	if r.Question.WriteFiles != nil {
		return object{"description": "the only file; or all files, and in the last part the answer as JSON or an error", "content": object{ask.Binary: object{}, ask.Multipart: object{}}}
	}
	for _, f := range formsOf(*r.Question) {
		switch f.media {
		case "application/json":
			content[f.media] = object{"schema": schemas.of(r.Question.Zero)}
		default:
			content[f.media] = object{"schema": object{"type": "string"}}
		}
	}
	if r.Question.Ask == nil {
		return object{"description": "the document", "content": content}
	}
	return object{"description": "the answer", "content": content, "headers": object{
		"Track-Conclusion": object{"description": "what the answer means to a program", "schema": object{"type": "string"}},
		"Track-Limited":    object{"description": "says that the answer has fewer rows than there are, which CSV cannot say; missing if it has all", "schema": object{"type": "string"}},
	}}
}

func partsOf(list []part) []any {
	described := []any{}
	for _, p := range list {
		described = append(described, object{"name": p.name, "in": p.in, "required": p.required, "description": p.help, "schema": object{"type": p.kind}})
	}
	return described
}

func parameters(list param.List) []any {
	described := []any{}
	for _, p := range list {
		if p.Local {
			continue
		}
		described = append(described, object{
			"name": p.Name, "in": "query", "required": p.Required, "description": helpOf(p), "schema": paramSchema(p), "style": "form", "explode": true,
		})
	}
	return described
}

func requestBody(list param.List) object {
	properties, required := object{}, []string{}
	for _, p := range list {
		if p.Local {
			continue
		}
		schema := paramSchema(p)
		schema["description"] = helpOf(p)
		properties[p.Name] = schema
		if p.Required {
			required = append(required, p.Name)
		}
	}
	body := object{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
	return object{"required": len(required) > 0, "content": object{"application/json": object{"schema": body}, "application/x-www-form-urlencoded": object{"schema": body}}}
}

func helpOf(p param.Param) string { return strings.ReplaceAll(p.Help, "`", "") }

func paramSchema(p param.Param) object {
	schema := object{"type": p.Value.Type()}
	if p.Value.Type() == "array" {
		schema["items"] = object{"type": "string"}
	}
	if len(p.Enum) > 0 {
		schema["enum"] = p.Enum
	}
	return schema
}

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
