package ask_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"track"
	"track/answer"
	"track/ask"
	"track/internal/property"
	"track/reports/render"
	"track/scoring"
)

// TestAnswersSurviveJSON holds what clients of a server stand on: an answer that was sent as JSON reads as the answer
// itself, in every format, whatever numbers and texts it contains.
func TestAnswersSurviveJSON(t *testing.T) {
	concludes := map[string][]answer.Conclusion{}
	for _, q := range ask.All() {
		concludes[q.Name] = append(q.Concludes, answer.Done)
	}
	for _, named := range allAnswers() {
		t.Run(named.Name, func(t *testing.T) {
			property.Check(t, func(rt *rapid.T) {
				sent, received := reflect.New(reflect.TypeOf(named.Value)), reflect.New(reflect.TypeOf(named.Value))
				drawInto(rt, sent.Elem(), 0)
				sendAsJSON(rt, sent.Interface(), received.Interface())
				a := sent.Elem().Interface().(answer.Answer)
				compareFaces(rt, a, received.Elem().Interface().(answer.Answer))
				if list, ok := concludes[named.Name]; ok && !slices.Contains(list, answer.ConclusionOf(a)) {
					rt.Fatalf("concludes %q, which %v does not list", answer.ConclusionOf(a), list)
				}
			})
		})
	}
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func sendAsJSON(t failer, sent, received any) {
	t.Helper()
	var b bytes.Buffer
	if err := answer.Encode(&b, sent); err != nil {
		t.Fatalf("encode %T: %v", sent, err)
	}
	if err := answer.Decode(&b, received); err != nil {
		t.Fatalf("decode: %v", err)
	}
}

// compareFaces fails the test unless both answers look alike wherever they are shown.
func compareFaces(t failer, sent, received answer.Answer) {
	t.Helper()
	for _, format := range []render.Format{render.Table, render.Markdown, render.CSV, render.JSON, render.JSONL} {
		want, got := written(t, sent, format), written(t, received, format)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("as %s (-sent +received):\n%s\nof %T", format, diff, sent)
		}
	}
	if want, got := answer.ConclusionOf(sent), answer.ConclusionOf(received); got != want {
		t.Fatalf("concludes %q, not %q", got, want)
	}
}

func written(t failer, a answer.Answer, format render.Format) string {
	t.Helper()
	var b bytes.Buffer
	err := render.Write(&b, a, render.Options{Format: format, Hint: func(h track.Hint) string { return fmt.Sprint(h) }})
	if err != nil {
		t.Fatalf("write as %s: %v", format, err)
	}
	return b.String()
}

// drawInto fills v with anything that its type can hold.
func drawInto(t *rapid.T, v reflect.Value, depth int) {
	if drawNamed(t, v) {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				drawInto(t, v.Field(i), depth+1)
			}
		}
	case reflect.Pointer:
		if drawPresence(t, depth) {
			v.Set(reflect.New(v.Type().Elem()))
			drawInto(t, v.Elem(), depth+1)
			if x, ok := v.Interface().(*float64); ok && math.IsNaN(*x) {
				*x = 0.5 // an undefined number is a NaN or no number, not a pointer to NaN
			}
		}
	case reflect.Slice:
		for range drawLength(t, depth) {
			element := reflect.New(v.Type().Elem()).Elem()
			drawInto(t, element, depth+1)
			v.Set(reflect.Append(v, element))
		}
	case reflect.Array:
		for i := range v.Len() {
			drawInto(t, v.Index(i), depth+1)
		}
	case reflect.Map:
		drawMap(t, v, depth)
	default:
		drawScalar(t, v)
	}
}

func drawMap(t *rapid.T, v reflect.Value, depth int) {
	v.Set(reflect.MakeMap(v.Type()))
	for range drawLength(t, depth) {
		key, element := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		drawInto(t, key, depth+1)
		drawInto(t, element, depth+1)
		v.SetMapIndex(key, element)
	}
}

func drawPresence(t *rapid.T, depth int) bool { return depth < 12 && rapid.Bool().Draw(t, "present") }

func drawLength(t *rapid.T, depth int) int {
	if depth > 8 {
		return 0
	}
	return rapid.IntRange(0, 2).Draw(t, "length")
}

func drawScalar(t *rapid.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(drawText(t))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int, reflect.Int64, reflect.Int32, reflect.Int16, reflect.Int8:
		v.SetInt(rapid.Int64Range(-3, 1<<30).Draw(t, "int") >> (8 * (4 - min(4, v.Type().Size()))))
	case reflect.Uint, reflect.Uint64, reflect.Uint32, reflect.Uint8:
		v.SetUint(uint64(rapid.IntRange(0, 200).Draw(t, "uint")))
	case reflect.Float64:
		v.SetFloat(drawFloat(t))
	default:
		t.Fatalf("no value can be drawn for %s", v.Type())
	}
}

func drawText(t *rapid.T) string {
	return rapid.OneOf(rapid.SampledFrom([]string{
		"", "demo", "a|b", "zwei\nZeilen", "\x1b[31mred", "`code`", `"quoted", again`, "PASS", "σ ± 1", "=1+1", "NaN",
	}), rapid.StringN(0, 8, -1)).Draw(t, "text")
}

func drawFloat(t *rapid.T) float64 {
	return rapid.OneOf(rapid.SampledFrom([]float64{
		math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, 1, 0.05, -3.25, 1e-300, math.MaxFloat64, math.SmallestNonzeroFloat64,
	}), rapid.Float64()).Draw(t, "float")
}

// drawNamed fills types that hold less than their kind could.
func drawNamed(t *rapid.T, v reflect.Value) bool {
	switch p := v.Addr().Interface().(type) {
	case *time.Time:
		*p = time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds")).UTC()
	case *time.Duration:
		*p = time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "duration"))
	case *jsontext.Value:
		*p = jsontext.Value(drawJSON(t))
	case *track.Params:
		*p = track.Params(rapid.SampledFrom([]string{"", `{"name":"x|y","theta":0.3}`}).Draw(t, "params"))
	case *json.RawMessage:
		*p = json.RawMessage(drawJSON(t))
	case *scoring.Status:
		*p = rapid.SampledFrom([]scoring.Status{"", scoring.Pass, scoring.Warn, scoring.Fail}).Draw(t, "status")
	case *track.Outcome:
		*p = rapid.SampledFrom([]track.Outcome{"", track.OutcomeOK, track.OutcomeError, track.OutcomeTimeout, track.OutcomeCollapsed}).Draw(t, "outcome")
	default:
		return false
	}
	return true
}

func drawJSON(t *rapid.T) string {
	return rapid.SampledFrom([]string{`null`, `0.10`, `-0`, `{"a":1,"b":"x"}`, `{}`, `[1,"two",null]`, `"text"`, strings.Repeat("9", 30)}).Draw(t, "json")
}
