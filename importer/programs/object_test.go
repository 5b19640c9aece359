package programs_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"track/importer"
	"track/importer/programs"
)

// object reads the first line of a text, and tells what was noted of it.
func object(t *testing.T, text string, use func(o programs.Object)) (notes string) {
	t.Helper()
	c := programs.NewCollector()
	err := c.Lines("", fstest.MapFS{"f": {Data: []byte(text)}}, "f", func(o programs.Object, _ string, _ int) error {
		use(o)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, s := range c.Run().Skips {
		list = append(list, strings.TrimPrefix(s.String(), "f:1: "))
	}
	return strings.Join(list, "|")
}

func TestFields(t *testing.T) {
	text := func(o programs.Object) any { return o.Text("x") }
	id := func(o programs.Object) any { return o.ID("x") }
	ids := func(o programs.Object) any { return strings.Join(o.IDs("x"), " ") }
	count := func(o programs.Object) any { return value(o.Count("x")) }
	flag := func(o programs.Object) any { return value(o.Flag("x")) }
	at := func(o programs.Object) any { return o.Time("x").Format("2006-01-02T15:04:05.999999999") }
	child := func(o programs.Object) any { return o.Child("x").Text("y") }
	metrics := func(o programs.Object) any { return o.Child("x").Metrics("score") }
	const never = "0001-01-01T00:00:00"
	for _, tt := range []struct {
		get         func(programs.Object) any
		json        string
		want        any
		wantedNotes string
	}{
		{text, `"a\nb"`, "a\nb", ""},
		{text, `null`, "", ""},
		{text, `1`, "", "x: must be a string, not a number"},
		{text, "\"a\xff\"", "", "x: not JSON: invalid UTF-8"},
		{text, `"\ud800"`, "", "x: not JSON: invalid surrogate pair `\\ud800\"` in string"},
		{id, `"a"`, "a", ""},
		{id, `7`, "7", ""},
		{id, `-0`, "0", ""},
		{id, `""`, "", ""},
		{id, `7.5`, "", "x: 7.5 is not a whole number"},
		{id, `"a\n"`, "", `x: "a\n" begins or ends with white space`},
		{id, `["a"]`, "", "x: must be a string, not an array"},
		{ids, `["a",7,null,""]`, "a 7", ""},
		{ids, `"[\"a\",7]"`, "a 7", ""},
		{ids, `["a",{}]`, "a", "x.1: must be a string, not an object"},
		{ids, `"a"`, "", "x: not JSON: invalid character 'a' at start of value"},
		{count, `3`, 3, ""},
		{count, `-1`, nil, "x: -1 is below 0"},
		{count, `1e30`, nil, "x: 1e30 is not a whole number"},
		{flag, `true`, true, ""},
		{flag, `0`, false, ""},
		{flag, `2`, nil, "x: must be true or false, not 2"},
		{at, `1754643204.3577564`, "2025-08-08T08:53:24.357756", ""},
		{at, `-1`, never, "x: -1 is not a number of seconds since 1970"},
		{at, `1e300`, never, "x: 1e+300 is not a number of seconds since 1970"},
		{at, `NaN`, never, "x: must be a number, not a string"},
		{child, `{"y":"z"}`, "z", ""},
		{child, `"{\"y\":\"z\"}"`, "z", ""},
		{child, `{"y":1}`, "", "x.y: must be a string, not a number"},
		{child, `[1]`, "", "x: must be an object, not an array"},
		{child, `{"y":"z","y":"z"}`, nil, "x.y: is duplicated; the line was left out"},
		{metrics, `{"a":1,"b":true,"c":"text","d":null,"e":[1],"score":2}`, map[string]float64{"a": 1, "b": 1}, ""},
		{metrics, `{"a":NaN,"b":-Infinity,"c":1e999,"d":0}`, map[string]float64{"d": 0}, "x.a: is NaN|x.b: is -Infinity|x.c: 1e999 is beyond what a number can be"},
		{metrics, `{" a":1}`, map[string]float64(nil), `x: the name of a measurement " a" begins or ends with white space`},
	} {
		var got any
		notes := object(t, `{"x":`+tt.json+`}`, func(o programs.Object) { got = tt.get(o) })
		if diff := cmp.Diff(tt.want, got); diff != "" || notes != tt.wantedNotes {
			t.Errorf("%s: %v, %q\n%s", tt.json, got, notes, diff)
		}
	}
}

// value returns what a pointer points to, or nil.
func value[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// Python writes numbers that JSON does not have. Texts that look like them stay texts.
func TestNonFinite(t *testing.T) {
	var got []string
	notes := object(t, `{"a":NaN,"b":[Infinity,-Infinity],"NaN":"NaN \" NaN","c":"\\"}`, func(o programs.Object) {
		for _, name := range o.Names() {
			got = append(got, name+o.Canonical(name))
		}
	})
	if want := []string{`NaN"NaN \" NaN"`, `a"NaN"`, `b["Infinity","-Infinity"]`, `c"\\"`}; !cmp.Equal(got, want) || notes != "" {
		t.Errorf("%q, %q", got, notes)
	}
}

func TestBrokenLines(t *testing.T) {
	for line, want := range map[string]string{
		`{"a":1`:         "not JSON: unexpected EOF",
		`{"a":1}{"b":2}`: "not JSON: invalid character '{' after top-level value",
		`{"a":1,"a":2}`:  "a: is duplicated",
		`[1]`:            "must be an object, not an array",
		`null`:           "must be an object, not null",
		`nonsense`:       "not JSON: invalid character 'o' in literal null (expecting 'u')",
		"  \t":           "",
		"":               "",
	} {
		if want != "" {
			want += "; the line was left out"
		}
		if notes := object(t, line, func(programs.Object) { t.Errorf("%s was used", line) }); notes != want {
			t.Errorf("%s: %q, want %q", line, notes, want)
		}
	}
}

func TestLongLine(t *testing.T) {
	text := `{"a":"` + strings.Repeat("x", importer.LongestRecord) + "\"}\n{\"b\":1}"
	used := 0
	if notes := object(t, text, func(o programs.Object) { used++ }); notes != "longer than 64 MiB; the line was left out" || used != 1 {
		t.Errorf("%q, %d used", notes, used)
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string]string{"Full Rewrite": "full_rewrite", " diff\n": "diff", "": "", "a\u2003b": "a_b"} {
		if got := programs.OperatorName(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for _, tt := range []struct {
		parts []string
		want  string
	}{
		{[]string{"name", "Title"}, "name: Title"}, {[]string{"", "Title\nmore"}, "Title"}, {[]string{"\x00", " "}, ""},
		{[]string{strings.Repeat("x", 150), strings.Repeat("y", 150)}, strings.Repeat("x", 150) + ": " + strings.Repeat("y", 45) + "…"},
	} {
		if got := programs.Title(tt.parts...); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.parts, got, tt.want)
		}
	}
}
