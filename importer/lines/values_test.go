package lines_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/importer/lines"
)

func TestParseValues(t *testing.T) {
	one := map[string]float64{"m": 0.07}
	for _, tt := range []struct {
		name, text string
		want       map[string]float64
	}{
		{"JSON", `{"m": 0.07}`, one},
		{"JSON on lines", "\n {\n\t\"m\":\r\n 0.07\n}\n", one},
		{"JSON after a byte order mark", "\ufeff{\"m\":0.07}", one},
		{"empty JSON", `{}`, map[string]float64{}},
		{"JSON of all kinds", `{"a":1e-5,"b":"NaN","c":"Infinity","d":"-Infinity","e":-1}`, map[string]float64{"a": 1e-5, "b": math.NaN(), "c": math.Inf(1), "d": math.Inf(-1), "e": -1}},
		{"CSV", "m,0.07", one},
		{"CSV with a header", "name,value\nm,0.07\n", one},
		{"CSV with a header of another name", "Metric, VALUE \nm,0.07\n", one},
		{"a metric that is named as the header is", "name,1\nm,0.07\n", map[string]float64{"name": 1, "m": 0.07}},
		{"CSV of Windows", "\ufeffname,value\r\nm,0.07\r\n", one},
		{"CSV with spaces, comments and blank lines", "# from run 7\n\n m , 0.07 \n\n# end", one},
		{"CSV with quotes", "\"name\",\"value\"\n\"m\",\"0.07\"\n", one},
		{"CSV with a comma in a name", `"a, b",1`, map[string]float64{"a, b": 1}},
		{"CSV of all kinds", "a,NaN\nb,Infinity\nc,-Infinity\nd,inf\ne,nan\nf,+Inf\ng,1e-5\nh,-0\ni,1e-400\n", map[string]float64{
			"a": math.NaN(), "b": math.Inf(1), "c": math.Inf(-1), "d": math.Inf(1), "e": math.NaN(), "f": math.Inf(1), "g": 1e-5, "h": math.Copysign(0, -1), "i": 0,
		}},
		{"semicolons", "name;value\nm;0.07\n", one},
		{"semicolons and decimal commas", "m;0,07\n", one},
		{"tabs", "m\t0,07\n", one},
		{"a semicolon in a name", "m;x,0.07\n", map[string]float64{"m;x": 0.07}},
		{"only a header", "name,value\n", map[string]float64{}},
		{"only comments", "# nothing\n", map[string]float64{}},
	} {
		got, err := lines.ParseValues("f", []byte(tt.text))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if diff := cmp.Diff(tt.want, got, sameNumbers); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestParseValuesRefuses(t *testing.T) {
	for _, tt := range []struct {
		text  string
		line  int
		field string
		want  string
	}{
		{"", 0, "", `empty: expected a JSON object {"metric": 0.07} or CSV lines metric,0.07`},
		{" \n\ufeff"[:2], 0, "", `empty: expected`},
		{`{"a":1`, 1, "", "not JSON: unexpected EOF"},
		{"{\"a\":1,\n\"b\":x}", 2, "b", "not JSON: invalid character 'x'"},
		{"{\"a\":1,\n\n\"b\":\"x\"}", 3, "b", `"x" is not a number`},
		{"{\"a\":1,\n\"a\":2}", 2, "a", "is duplicated"},
		{`{"a":{"b":1}}`, 1, "a", `{"b":1} is not a number`},
		{`{"a":1e309}`, 1, "a", "1e309 is beyond float64"},
		{`{"a":1}{}`, 1, "", "not JSON"},
		{`[1,2]`, 1, "", "[1,2] is not an object of numbers by metric"},
		{"{\"a\xff\":1}", 1, "", "not JSON: invalid UTF-8"},
		{strings.Repeat(`{"a":`, 20_000), 1, "", "not JSON: exceeded max depth"},

		{"m", 1, "", "1 columns; a line of values has two: name,value"},
		{"m,0,07", 1, "", "3 columns; a line of values has two: name,value"},
		{"a,1\n\nb,2,3\n", 3, "", "3 columns; a line of values has two: name,value"},
		{"a,1\nb,x\n", 2, "b", `"x" is not a number`},
		{"a,\n", 1, "a", `"" is not a number`},
		{"a,1\nname,value\n", 2, "name", `"value" is not a number`},
		{"a,1e400\n", 1, "a", `1e400 is beyond float64; write "Infinity" if that is meant`},
		{"a,1\na,1\n", 2, "a", "is duplicated"},
		{",1\n", 1, "", "the name of a metric is empty"},
		{"a\xff,1\n", 1, "", `the name of a metric "a\xff" is not valid UTF-8`},
		{"a,1\n\"b,2\n", 2, "", `extraneous or missing " in quoted-field`},
		{`a"b,1`, 1, "", `bare " in non-quoted-field`},
		{"0.07\n0.08\n", 1, "", "1 columns; a line of values has two: name,value"},
	} {
		got, err := lines.ParseValues("some.txt", []byte(tt.text))
		var failure *track.FieldError
		if !errors.As(err, &failure) || got != nil {
			t.Errorf("%.40q: %v and %v, want a FieldError", tt.text, got, err)
			continue
		}
		if failure.File != "some.txt" || failure.Line != tt.line || failure.Field != tt.field && tt.field != "" || !strings.HasPrefix(failure.Message, tt.want) {
			t.Errorf("%.40q: got %+v, want line %d, %q: %s", tt.text, *failure, tt.line, tt.field, tt.want)
		}
	}
}
