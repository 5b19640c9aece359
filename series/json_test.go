package series

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"track/internal/sizes"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"track"
)

func TestReadJSON(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []track.Series
	}{
		{"object", `{"b": [1, -2.5e3], "a": []}`, []track.Series{{Name: "b", Values: []float64{1, -2500}}, {Name: "a", Values: nil}}},
		{"array", ` [1, 2] `, []track.Series{{Name: "file", Values: []float64{1, 2}}}},
		{"no numbers", `{"a": ["NaN", "Infinity", "-Infinity", -0]}`, []track.Series{{Name: "a", Values: []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)}}}},
		{"NaN of Python", `{"a": [NaN, Infinity,-Infinity, -1], "NaN \" NaN": [NaN]}`, []track.Series{
			{Name: "a", Values: []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1}}, {Name: `NaN " NaN`, Values: []float64{math.NaN()}},
		}},
		{"escaped name", `{"\u00e4": [0.1]}`, []track.Series{{Name: "ä", Values: []float64{0.1}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(c.text), iotest.OneByteReader(strings.NewReader(c.text))} {
				got, err := readJSON(r, "file", limitsOf(sizes.Unpacked))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.want, got, bitsOrNaN, cmpopts.EquateEmpty()); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func TestReadJSONRefuses(t *testing.T) {
	const example = `not an object of series: {"name": [1, 2.5, "NaN"]}`
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "empty: expected a JSON object of arrays"},
		{"number", "1", example},
		{"null", "null", example},
		{"two values", "{} []", "a second value follows the first"},
		{"text behind", `{"a": []} x`, "not JSON: invalid character 'x' at start of value"},
		{"cut off", `{"a": [1, 2`, "a[2]: the file ends too early"},
		{"cut off in the name", `{"a`, "the file ends too early"},
		{"name twice", `{"a": [1], "a": [2]}`, "a: is duplicated"},
		{"null in a series", `{"a": [1, null]}`, `a[1]: null is not a number: write "NaN" for a missing value`},
		{"text in a series", `{"a": [1, 2, "3"]}`, `a[2]: "3" is not a number, nor "NaN", "Infinity" or "-Infinity"`},
		{"list in a series", `{"a": [[1]]}`, `a[0]: [1] is not a number, nor "NaN", "Infinity" or "-Infinity"`},
		{"beyond float64", `{"a": [1e400]}`, "a[0]: 1e400 is beyond float64; write \"Infinity\" if that is meant"},
		{"no number", `{"a": [1, NaNs]}`, "a[1]: not JSON: invalid character 'N' at start of value"},
		{"object in an object", `{"a": {"b": [1]}}`, `a: {"b": [1]} is not an array of numbers`},
		{"list of objects", `[{"a": 1}]`, `file[0]: {"a": 1} is not a number, nor "NaN", "Infinity" or "-Infinity"`},
		{"too many", `{"a": [1,2,3], "b": [4,5]}`, "holds more than 32B when it is unpacked, which is the limit"},
		{"too many columns", `{"a": [], "b": [], "c": []}`, "more than 2 columns, which is the limit for a file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := readJSON(strings.NewReader(c.text), "file", limits{values: 4, bytes: 32, columns: 2})
			if got := refusal(t, err); got != c.want {
				t.Errorf("got %q, want %q: %v", got, c.want, list)
			}
		})
	}
}

func TestParseJSON(t *testing.T) {
	got, refused := ParseJSON(jsontext.Value(`{"a": [1, "NaN"]}`))
	if refused != nil {
		t.Fatal(refused)
	}
	if diff := cmp.Diff([]track.Series{{Name: "a", Values: []float64{1, math.NaN()}}}, got, bitsOrNaN); diff != "" {
		t.Error(diff)
	}
	if got, refused := ParseJSON(jsontext.Value(`{}`)); refused != nil || len(got) > 0 {
		t.Errorf("an empty object: %v, %v", got, refused)
	}
	for text, want := range map[string]string{
		`[1]`:          `not an object of series: {"name": [1, 2.5, "NaN"]}`,
		`{"": [1]}`:    "the name of a series is empty",
		`{" a": [1]}`:  `the name of a series " a" begins or ends with white space`,
		`{"a": [1, 0x`: "a[2]: not JSON: invalid character 'x' after array element (expecting ',' or ']')",
	} {
		if got, refused := ParseJSON(jsontext.Value(text)); refused == nil || refused.Error() != want {
			t.Errorf("%s: %v, %v, want %s", text, got, refused, want)
		}
	}
}

func FuzzReadJSON(f *testing.F) {
	f.Add([]byte(`{"a": [1, -0, 1e-400, "NaN"], "b": []}`))
	f.Add([]byte(` [ 1.5 , "Infinity" ] `))
	f.Add([]byte(`{"a": [null, [], {}, "x"]}`))
	small := limits{values: 1 << 12, columns: 1 << 6}
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := readJSON(bytes.NewReader(data), "x", small)
		if refusal(t, err) != "" || checkNames(list) != nil {
			return
		}
		var buffer bytes.Buffer
		if err := WriteJSON(&buffer, list); err != nil {
			t.Fatal(err)
		}
		again, err := readJSON(&buffer, "x", small)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(list, again, bitsOrNaN, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}
