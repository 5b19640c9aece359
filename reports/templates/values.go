package templates

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"track/reports/escape"
)

// The values of a JSON document, as templates see them. NaN and infinities are texts, as in JSON: "NaN", "Infinity".
type (
	object map[string]any
	list   []any
	null   map[string]any // false, without items, and written as "-"
	number float64
)

// trusted is Markdown that needs no escaping.
type trusted string

// section and picture are parts of a report.
type section struct {
	Section
	text any
}

type picture struct {
	Picture
	file string
}

func (o object) String() string   { return jsonText(o) }
func (l list) String() string     { return jsonText(l) }
func (null) String() string       { return "-" }
func (n number) String() string   { return exact(float64(n)) }
func (s *section) String() string { return s.Title }
func (p *picture) String() string { return p.Name }

// In scripts of a page, values are written as JSON.

func (o object) MarshalJSON() ([]byte, error) { return []byte(jsonText(map[string]any(o))), nil }
func (l list) MarshalJSON() ([]byte, error)   { return []byte(jsonText([]any(l))), nil }
func (null) MarshalJSON() ([]byte, error)     { return []byte("null"), nil }
func (n number) MarshalJSON() ([]byte, error) { return []byte(n.String()), nil }

// Format prints a number under the verbs of integers and of floats.
func (n number) Format(f fmt.State, verb rune) {
	switch x := float64(n); {
	case verb == 'v' || verb == 's':
		_, _ = io.WriteString(f, exact(x)) // to memory
	case verb == 'd' && x == math.Trunc(x) && math.Abs(x) < 1<<63:
		fmt.Fprintf(f, fmt.FormatString(f, verb), int64(x))
	default:
		fmt.Fprintf(f, fmt.FormatString(f, verb), x)
	}
}

// exact writes a number with all its digits.
func exact(x float64) string {
	if abs := math.Abs(x); x != 0 && (abs < 1e-6 || abs >= 1e21) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// decode reads a JSON document; no document is null.
func decode(document []byte) (any, error) {
	if len(document) == 0 {
		return null(nil), nil
	}
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	return value(v), nil
}

func value(v any) any {
	switch v := v.(type) {
	case nil:
		return null(nil)
	case string:
		return escape.Code(v)
	case json.Number:
		return numeral(v.String())
	case []any:
		l := make(list, len(v))
		for i := range v {
			l[i] = value(v[i])
		}
		return l
	case map[string]any:
		o := object{}
		for name := range v {
			o[name] = value(v[name])
		}
		return o
	}
	return v
}

// numeral returns a number, or the text of a whole number that float64 cannot hold.
func numeral(text string) any {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !strings.ContainsAny(text, ".eE") && math.Abs(x) >= 1<<53 && exact(x) != text {
		return text
	}
	return number(x)
}

// field returns the field of a value; problem says why there is none.
func field(v any, name string) (result any, problem string) {
	var fields object
	switch v := v.(type) {
	case object:
		fields = v
	case *section:
		fields = object{"Title": v.Title, "Anchor": v.Anchor, "Text": v.text}
	case *picture:
		fields = object{"Name": v.Name, "Alt": v.Alt, "File": v.file}
	default:
		return nil, kind(v) + ", which has no fields"
	}
	if result, ok := fields[name]; ok {
		return result, ""
	}
	return nil, fmt.Sprintf("there is no field %q; there are %s", name, listed(slices.Sorted(maps.Keys(fields))))
}

// listed joins names in an error.
func listed(names []string) string {
	const most = 60
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > most:
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// kind names the type of a value.
func kind(v any) string {
	switch v.(type) {
	case nil, null:
		return "it is null here"
	case object:
		return "it is an object"
	case list:
		return "it is a list"
	case bool:
		return "it is true or false"
	case *section, *picture:
		return "it is a part of the report"
	}
	if _, ok := numeric(v); ok {
		return "it is a number"
	}
	return "it is a text"
}

func jsonText(v any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return "null" // impossible: values come from JSON
	}
	return strings.TrimSuffix(b.String(), "\n")
}
