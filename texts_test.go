package track_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"track"
)

// notTexts are the fields of facts that hold no text of anybody else, with the reason.
func notTexts() map[string]string {
	return map[string]string{
		"Seed.ID":              "a ULID made here",
		"Seed.Outcome":         "one of four words",
		"Run.Sweep":            "a ULID made here",
		"Execution.ID":         "a ULID made here",
		"Execution.Complexity": "one of a few words",
		"Execution.Status":     "one of four words",
		"Sweep.ID":             "a ULID made here",
		"Sweep.Ending":         "one of a few words",
		"Annotation.ID":        "a ULID made here",
		"Annotation.Kind":      "one of two words",
	}
}

// textsSeen collects what a fact calls its visitor with.
type textsSeen struct{ all strings.Builder }

func (s *textsSeen) see(texts ...string)                  { s.all.WriteString(strings.Join(texts, "\n") + "\n") }
func (s *textsSeen) Name(_, name string)                  { s.see(name) }
func (s *textsSeen) Names(_, document string)             { s.see(document) }
func (s *textsSeen) Free(_ string, text *string)          { s.see(*text) }
func (s *textsSeen) Setting(_, name string, text *string) { s.see(name, *text) }
func (s *textsSeen) Document(_ string, document *string)  { s.see(*document) }

// filler gives every string of a value a text of its own.
type filler struct{ fields map[string]string } // by the text

func (f filler) text(field string) string {
	text := fmt.Sprintf("text-%d-end", len(f.fields))
	f.fields[text] = field
	return text
}

func (f filler) fill(v reflect.Value, field string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.text(field))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), field)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		f.fill(v.Index(0), field)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, element := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key, field)
		f.fill(element, field)
		v.SetMapIndex(key, element)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			if name := v.Type().Field(i); name.IsExported() {
				f.fill(v.Field(i), v.Type().Name()+"."+name.Name)
			}
		}
	}
}

// A new field of a fact cannot be forgotten: its text is visited, or the list above says why not.
func TestEveryTextIsVisited(t *testing.T) {
	exceptions := notTexts()
	for _, fact := range []track.Fact{
		&track.Configuration{}, &track.Seed{}, &track.Execution{}, &track.ToolCall{}, &track.Version{}, &track.Sweep{}, &track.Annotation{},
	} {
		f := filler{map[string]string{}}
		f.fill(reflect.ValueOf(fact).Elem(), "")
		var seen textsSeen
		fact.EachText(&seen)
		for text, field := range f.fields {
			_, excepted := exceptions[field]
			if visited := strings.Contains(seen.all.String(), text); visited == excepted {
				t.Errorf("%T: %s: visited %t, declared as no text %t", fact, field, visited, excepted)
			}
		}
	}
}
