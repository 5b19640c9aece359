package programs

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
	"track/internal/jsonio"
)

// Object is a JSON object of a source. Its fields are read one by one: what is wrong with one is noted, and does not
// take the others with it. A field that is missing and one that is null are the same.
type Object struct {
	fields map[string]jsontext.Value
	path   string // of the object, with a dot behind it; empty at the top
	note   func(field, reason string)
}

// parseObject reads an object of which note is told what is wrong with its fields.
func parseObject(text []byte, note func(field, reason string)) (Object, *track.FieldError) {
	var fields map[string]jsontext.Value
	// Texts may hold what is no UTF-8 where nobody looks; a name that stands twice makes all of them doubtful.
	quoted, _ := jsonio.QuoteNonFiniteIn(text)
	if err := json.Unmarshal(quoted, &fields, jsontext.AllowInvalidUTF8(true)); err != nil {
		return Object{}, jsonio.FieldError(err).Shorten()
	}
	if fields == nil {
		return Object{}, &track.FieldError{Message: "must be an object, not null"}
	}
	return Object{fields: fields, note: note}, nil
}

// Note says what is wrong with a field; with the object where none is named.
func (o Object) Note(field, reason string) { o.note(strings.TrimSuffix(o.path+field, "."), reason) }

// Has says whether all of the fields are there, whatever they hold.
func (o Object) Has(names ...string) bool {
	for _, name := range names {
		if _, is := o.fields[name]; !is {
			return false
		}
	}
	return true
}

// Or returns the one of two objects that has a field: the other only where this has it not.
func (o Object) Or(other Object, name string) Object {
	if o.Kind(name) == 'n' && other.Kind(name) != 'n' {
		return other
	}
	return o
}

// Names returns the names of the fields, sorted.
func (o Object) Names() []string { return slices.Sorted(maps.Keys(o.fields)) }

// Kind returns what a field holds, as [jsontext.Value.Kind] does; 'n' where it is missing.
func (o Object) Kind(name string) jsontext.Kind {
	if value, is := o.fields[name]; is {
		return value.Kind()
	}
	return 'n'
}

// Canonical returns a field in one form for all ways to write it; the empty string where there is none.
func (o Object) Canonical(name string) string {
	if o.Kind(name) == 'n' {
		return ""
	}
	return importer.Canonical(o.fields[name])
}

// read returns a field; nil where there is none, or something else.
func read[T any](o Object, name string) *T {
	if o.Kind(name) == 'n' {
		return nil
	}
	var value T
	if err := json.Unmarshal(o.fields[name], &value); err != nil {
		failure := jsonio.FieldError(err).Shorten()
		if failure.Field != "" {
			name += "." + failure.Field
		}
		o.Note(name, failure.Message)
		return nil
	}
	return &value
}

// Text returns a text; the empty string where there is none.
func (o Object) Text(name string) string {
	if text := read[string](o, name); text != nil {
		return *text
	}
	return ""
}

// Needs says whether a text or id that a program cannot be without is there, and notes where it is not.
func (o Object) Needs(name, value string) bool {
	switch {
	case value != "":
		return true
	case o.Kind(name) == 'n':
		o.Note(name, "missing: the program was left out")
	case o.Canonical(name) == `""`:
		o.Note(name, "empty: the program was left out")
	} // else it was noted what is wrong with it
	return false
}

// NeedsCode says whether a program has code, or does not say any, and notes where it says none that can be used.
func (o Object) NeedsCode(name, value string) bool {
	return o.Kind(name) == 'n' || o.Needs(name, value)
}

// Digest returns a SHA-256 in hexadecimal; the empty string where there is none.
func (o Object) Digest(name string) string {
	text := strings.ToLower(o.Text(name))
	if len(text) != 64 || strings.Trim(text, "0123456789abcdef") != "" {
		return ""
	}
	return text
}

// Count returns a whole number from 0.
func (o Object) Count(name string) *int {
	count := read[int](o, name)
	if count != nil && *count < 0 {
		o.Note(name, fmt.Sprintf("%d is below 0", *count))
		return nil
	}
	return count
}

// Flag returns a boolean, which may be written as 0 or 1; nil where there is none.
func (o Object) Flag(name string) *bool {
	if o.Kind(name) != '0' {
		return read[bool](o, name)
	}
	number := read[float64](o, name)
	if number == nil {
		return nil
	}
	if *number != 0 && *number != 1 {
		o.Note(name, fmt.Sprintf("must be true or false, not %v", *number))
		return nil
	}
	flag := *number == 1
	return &flag
}

// Time reads seconds since 1970, in UTC, to the microsecond; the zero time of what is no time until 9999.
func (o Object) Time(name string) time.Time {
	const year9999 = 253402300799
	seconds := read[float64](o, name)
	if seconds == nil {
		return time.Time{}
	}
	if !(*seconds >= 0 && *seconds <= year9999) {
		o.Note(name, fmt.Sprintf("%v is not a number of seconds since 1970", *seconds))
		return time.Time{}
	}
	whole, part := math.Modf(*seconds)
	return time.Unix(int64(whole), int64(math.Round(part*1e6))*1000).UTC()
}

// Objects returns the objects of a list within the object; none where there is no such list.
func (o Object) Objects(name string) (list []Object) {
	if o.Kind(name) != '[' {
		return nil
	}
	var values []jsontext.Value
	if err := json.Unmarshal(o.fields[name], &values); err != nil {
		return nil
	}
	for i, value := range values {
		if parsed, failure := parseObject(value, o.note); failure == nil {
			parsed.path = fmt.Sprintf("%s%s[%d].", o.path, name, i)
			list = append(list, parsed)
		}
	}
	return list
}

// Child returns an object within the object, which may stand as JSON in a text, as databases keep it. Where there is
// none it is empty.
func (o Object) Child(name string) Object {
	child := Object{path: o.path + name + ".", note: o.note}
	value := o.fields[name]
	switch o.Kind(name) {
	case 'n':
		return child
	case '"':
		if value = jsontext.Value(o.Text(name)); len(value) == 0 {
			return child
		}
	}
	parsed, failure := parseObject(value, o.note)
	if failure != nil {
		o.Note(name, failure.Message)
		return child
	}
	child.fields = parsed.fields
	return child
}
