package track_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
)

// The canonical text of each is written out: it is what other programs hash, and no release may change it.
func TestConfigurationHash(t *testing.T) {
	seen := map[string]string{}
	for _, tt := range []struct {
		configuration track.Configuration
		canonical     string
	}{
		{track.Configuration{}, `{}`},
		{track.Configuration{Params: "{}"}, `{}`},
		{track.Configuration{Label: "v1"}, `{"label":"v1"}`},
		{track.Configuration{Label: "größe \"1\""}, `{"label":"größe \"1\""}`},
		{track.Configuration{Params: `{"a":1}`}, `{"params":{"a":1}}`},
		{track.Configuration{Revision: track.Revision{Commit: "c0ffee"}}, `{"commit":"c0ffee"}`},
		{track.Configuration{Revision: track.Revision{Commit: "c0ffee", Dirty: true}}, `{"commit":"c0ffee","dirty":true}`},
		{track.Configuration{Revision: track.Revision{DiffHash: "c0ffee"}}, `{"diff_hash":"c0ffee"}`},
		{track.Configuration{Revision: track.Revision{Commit: "c0ffee", Unknown: "ab"}}, `{"commit":"c0ffee","state_unknown":"ab"}`},
		{
			track.Configuration{Label: "v1", Params: `{"a":1}`, Revision: track.Revision{Commit: "c", Dirty: true, DiffHash: "d"}},
			`{"commit":"c","diff_hash":"d","dirty":true,"label":"v1","params":{"a":1}}`,
		},
	} {
		sum := sha256.Sum256([]byte(tt.canonical))
		if got, want := tt.configuration.Hash(), hex.EncodeToString(sum[:]); got != want {
			t.Errorf("%+v: %s, want the hash of %s, %s", tt.configuration, got, tt.canonical, want)
		}
		if other, ok := seen[tt.configuration.Hash()]; ok && other != tt.canonical {
			t.Errorf("%s and %s have the same hash", other, tt.canonical)
		}
		seen[tt.configuration.Hash()] = tt.canonical
	}
}

func TestRevisionString(t *testing.T) {
	for want, r := range map[string]track.Revision{
		"":              {},
		"303e61f":       {Commit: "303e61f6d03ba1aa5dad815f679a312243bfb7a7"},
		"v1":            {Commit: "v1"},
		"303e61f+dirty": {Commit: "303e61f6d03b", Dirty: true},
		"303e61f+abcd":  {Commit: "303e61f6d03b", Dirty: true, DiffHash: "abcdef"},
		"303e61f, state of the code unknown (0123abcd)": {Commit: "303e61f6d03b", Unknown: "0123abcdef"},
		"state of the code unknown (01)":                {Unknown: "01"},
	} {
		if got := r.String(); got != want {
			t.Errorf("%+v: %q, want %q", r, got, want)
		}
	}
}

func TestNewParams(t *testing.T) {
	for object, want := range map[string]track.Params{
		`{}`:                             "",
		` { } `:                          "",
		`{"b":1,"a":2}`:                  `{"a":2,"b":1}`,
		`{"a":1.50,"b":1e2}`:             `{"a":1.5,"b":100}`,
		`{"a":-0}`:                       `{"a":0}`, // canonical JSON knows one zero
		`{"a":[1,{"c":null,"b":""}]}`:    `{"a":[1,{"b":"","c":null}]}`,
		`{"a":9007199254740992}`:         `{"a":9007199254740992}`,
		`{"a":97199399392547409.3}`:      `{"a":97199399392547410}`,
		`{"a":97199399392547410}`:        `{"a":97199399392547410}`, // as other track would hand it over
		`{"a":100000000000000000000000}`: `{"a":1e+23}`,
		`{"a":9007199254740994}`:         `{"a":9007199254740994}`,
		`{"a":0.1000000000000000055511151231257827}`: `{"a":0.1}`,
		`{"\u0061":"\u00e9\n"}`:                      `{"a":"é\n"}`,
		`{"é":1,"z":2,"\ud83d\ude00":3,"\ufb33":4}`:  "{\"z\":2,\"é\":1,\"😀\":3,\"\ufb33\":4}", // by UTF-16 units, as RFC 8785 has it
	} {
		got, err := track.NewParams([]byte(object))
		if err != nil || got != want {
			t.Errorf("%s: %s and error %v, want %s", object, got, err, want)
		}
	}
	for object, want := range map[string]string{
		``:                                      "params must be a JSON object",
		`null`:                                  "params must be a JSON object",
		`[]`:                                    "params must be a JSON object",
		`"a"`:                                   "params must be a JSON object",
		`1`:                                     "params must be a JSON object",
		`true`:                                  "params must be a JSON object",
		`{"a":1`:                                "params: ",
		`{"a":1}{}`:                             "params: ",
		`{"a":1,"a":1}`:                         "params: ",
		`{"a":{"b":1,"b":1}}`:                   "params: ",
		"{\"a\":\"\xff\"}":                      "params: ",
		`{"a":9007199254740993}`:                "params.a: 9007199254740993 is not exact in float64; write it as a string",
		`{"a":1152921504606846976}`:             "params.a: 1152921504606846976 is not exact", // 2^60: canonical JSON has …7000
		`{"a":-9007199254740993}`:               "params.a: -9007199254740993 is not exact",
		`{"a":[0,{"b":123456789012345678901}]}`: "params.a[1].b: 123456789012345678901 is not exact",
		`{"b":9007199254740993,"a":9007199254740995}`: "params.a: 9007199254740995", // always the first by name
		`{"a":1e400}`:  "params.a: 1e400 is not exact",
		`{"a":-1e400}`: "params.a: -1e400 is not exact",
		`{"a":1` + strings.Repeat("0", 400) + `}`: "params.a: 1000",
	} {
		got, err := track.NewParams([]byte(object))
		if err == nil || !strings.HasPrefix(err.Error(), want) || got != "" {
			t.Errorf("%.60s: %s and error %v, want %s", object, got, err, want)
		}
	}
	if got := string(track.Params("").JSON()); got != "{}" {
		t.Errorf("no params are %s in JSON", got)
	}
}

// Whatever NewParams accepts is canonical: it stays as it is, and it identifies a configuration.
func FuzzNewParams(f *testing.F) {
	for _, object := range []string{
		`{}`, `{"b":[1.50,-0,{"c":null}],"a":true}`, `{"a":9007199254740993}`, `{"a":1e400}`, `{"a":1e-400}`, `{"\u0061":"\ud83d\ude00","\ufb33":1}`,
		`{"a":{"a":{"a":{}}}}`, `{"a":1E2}`, ` {"a" : 1 } `, `{"n_periods":1000,"sigma_decay":-1.0}`,
	} {
		f.Add([]byte(object))
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		params, err := track.NewParams(object)
		if err != nil {
			return
		}
		if params == "{}" || !params.JSON().IsValid() || params.JSON().Kind() != '{' {
			t.Fatalf("%q is no object in canonical form", params)
		}
		again, err := track.NewParams(params.JSON())
		if err != nil || again != params {
			t.Fatalf("%s became %s, %v", params, again, err)
		}
		spaced := jsontext.Value(object).Clone()
		if err := spaced.Indent(); err != nil {
			t.Fatal(err)
		}
		if other, err := track.NewParams(spaced); err != nil || other != params {
			t.Fatalf("with other white space, %s became %s, %v", params, other, err)
		}
		if len(track.Configuration{Params: params}.Hash()) != 64 {
			t.Fatal("no hash")
		}
	})
}

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
