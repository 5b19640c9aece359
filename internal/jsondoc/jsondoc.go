// Package jsondoc describes the JSON of Go types in Markdown, with the comments of their source.
// docs/reference/json.md is made by it.
package jsondoc

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	module = "track"
	orNull = " or null"
)

// Named is a type with the name that readers know it by, such as that of a question.
type Named struct {
	Name, Help string
	Value      any // of the type
}

// Write describes each of the types, and then every type that they refer to. root is the folder of the module; encode
// writes a value as JSON.
func Write(root string, types []Named, encode func(any) ([]byte, error)) (string, error) {
	w := &writer{source: source{root, map[string]*packageSource{}}, encode: encode, titles: map[string]reflect.Type{}}
	for _, n := range types {
		t := reflect.TypeOf(n.Value)
		doc, err := w.doc(t)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&w.text, "### %s\n\n%s\n\n", n.Name, doc)
		if err := w.writeFields(t); err != nil {
			return "", err
		}
	}
	parts, err := w.parts()
	if err != nil {
		return "", err
	}
	return w.text.String() + "## Parts of answers\n\n" + parts, nil
}

// parts describes all types that were referred to, in the order of their names.
func (w *writer) parts() (string, error) {
	sections := map[string]string{}
	for len(w.waiting) > 0 {
		t := w.waiting[0]
		w.waiting = w.waiting[1:]
		doc, err := w.doc(t)
		if err != nil {
			return "", err
		}
		part := &writer{source: w.source, encode: w.encode, titles: w.titles}
		title := w.title(t)
		fmt.Fprintf(&part.text, "### %s\n\n%s\n\n", title, doc)
		if err := part.writeFields(t); err != nil {
			return "", err
		}
		sections[title] = part.text.String()
		w.waiting = append(w.waiting, part.waiting...)
	}
	var text strings.Builder
	for _, title := range slices.Sorted(maps.Keys(sections)) {
		text.WriteString(sections[title])
	}
	return text.String(), nil
}

type writer struct {
	text    bytes.Buffer
	source  source
	encode  func(any) ([]byte, error)
	titles  map[string]reflect.Type
	waiting []reflect.Type // types that were referred to and are not described yet
}

// title returns the heading of a type, and remembers to describe it.
func (w *writer) title(t reflect.Type) string {
	title := name(t)
	if other, taken := w.titles[title]; taken && other != t {
		title = t.PkgPath()[strings.LastIndex(t.PkgPath(), "/")+1:] + "." + title
	}
	if _, known := w.titles[title]; !known {
		w.titles[title] = t
		w.waiting = append(w.waiting, t)
	}
	return title
}

func (w *writer) doc(t reflect.Type) (string, error) {
	p, err := w.source.of(t.PkgPath())
	if err != nil {
		return "", err
	}
	return p.types[name(t)], nil
}

// field is a member of a JSON object.
type field struct {
	name, kind, doc string
	optional        bool
}

func (w *writer) writeFields(t reflect.Type) error {
	fields, err := w.fields(t)
	if err != nil || len(fields) == 0 {
		return err
	}
	fmt.Fprint(&w.text, "| field | type | |\n|---|---|---|\n")
	for _, f := range fields {
		if f.optional {
			f.kind = strings.TrimSuffix(f.kind, orNull) + ", may be missing"
		}
		fmt.Fprintf(&w.text, "| `%s` | %s | %s |\n", f.name, f.kind, strings.ReplaceAll(f.doc, "|", `\|`))
	}
	fmt.Fprintln(&w.text)
	return nil
}

// fields returns the members of the object that a struct is in JSON; those of embedded structs are its own.
func (w *writer) fields(t reflect.Type) (list []field, err error) {
	p, err := w.source.of(t.PkgPath())
	if err != nil {
		return nil, err
	}
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("json")
		jsonName, options, _ := strings.Cut(tag, ",")
		switch {
		case jsonName == "-" || !f.IsExported():
		case f.Anonymous && !tagged, slices.Contains(strings.Split(options, ","), "embed"):
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			embedded, err := w.fields(inner)
			if err != nil {
				return nil, err
			}
			list = append(list, embedded...)
		default:
			if jsonName == "" {
				jsonName = f.Name
			}
			kind, err := w.kind(f.Type, strings.Contains(options, "string"))
			if err != nil {
				return nil, err
			}
			list = append(list, field{jsonName, kind, p.fields[name(t)][f.Name], strings.Contains(options, "omit")})
		}
	}
	return list, nil
}

// kind says in a few words what a type is in JSON.
func (w *writer) kind(t reflect.Type, quoted bool) (string, error) {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "time", nil
	case t == reflect.TypeFor[time.Duration]():
		return "seconds", nil
	case t == reflect.TypeFor[jsontext.Value]():
		return "JSON", nil
	case t.Kind() == reflect.Pointer:
		kind, err := w.kind(t.Elem(), quoted)
		return strings.TrimSuffix(kind, orNull) + orNull, err
	case hasOwnJSON(t):
		return w.encoded(t)
	}
	switch t.Kind() {
	case reflect.Bool:
		return "boolean", nil
	case reflect.String:
		return w.strings(t)
	case reflect.Float64:
		return "number" + orNull, nil
	case reflect.Slice, reflect.Array:
		kind, err := w.kind(t.Elem(), quoted)
		return "list of " + plural(kind), err
	case reflect.Map:
		key, err := w.kind(t.Key(), false)
		if err != nil {
			return "", err
		}
		kind, err := w.kind(t.Elem(), false)
		if t.Elem().Kind() == reflect.Float64 {
			kind = "number"
		}
		return "object: " + kind + " by " + key, err
	case reflect.Struct:
		title := w.title(t)
		return fmt.Sprintf("[%s](#%s)", title, strings.ToLower(strings.ReplaceAll(title, ".", ""))), nil
	}
	if t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64 {
		if quoted {
			return "string of digits", nil
		}
		return "integer", nil
	}
	return "", fmt.Errorf("%s has no description in JSON", t)
}

// plural returns the name of several values of a kind that is named by one word.
func plural(kind string) string {
	if kind == "string" || kind == "integer" || kind == "number" {
		return kind + "s"
	}
	return strings.TrimSuffix(kind, orNull)
}

// strings lists the values that a type of strings can have, if its package declares them.
func (w *writer) strings(t reflect.Type) (string, error) {
	p, err := w.source.of(t.PkgPath())
	if err != nil || len(p.values[t.Name()]) == 0 {
		return "string", err
	}
	words := make([]string, len(p.values[t.Name()]))
	for i, value := range p.values[t.Name()] {
		words[i] = "`\"" + value + "\"`"
	}
	return strings.Join(words, ", "), nil
}

// hasOwnJSON reports whether a type writes its JSON itself.
func hasOwnJSON(t reflect.Type) bool {
	for _, method := range []string{"MarshalJSON", "MarshalJSONTo", "MarshalText"} {
		if _, ok := t.MethodByName(method); ok {
			return true
		}
	}
	return false
}

// encoded says what a type that writes its JSON itself is, by its zero value.
func (w *writer) encoded(t reflect.Type) (string, error) {
	text, err := w.encode(reflect.Zero(t).Interface())
	if err != nil {
		return "", fmt.Errorf("%s: %w", t, err)
	}
	if t.Kind() == reflect.Float64 {
		return `number, "NaN", "Infinity" or "-Infinity"`, nil
	}
	switch jsontext.Value(text).Kind() {
	case '"':
		return "string", nil
	case '0':
		return "number", nil
	case '[':
		return "list of strings", nil
	case '{':
		return "object", nil
	case 't', 'f':
		return "boolean", nil
	}
	return "JSON", nil
}
