package evolution

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestCanonicalize(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{` { "b" : 1.0 , "a" : [ ] } `, `{"a":[],"b":1}`},
		{`{"n":{}, "t":true, "z":null}`, `{"n":{},"t":true,"z":null}`},
		{`[1e21, 1e-7, 0.000001, 123456789012345680000, 1E2, -0, -0.0]`, `[1e+21,1e-7,0.000001,123456789012345680000,100,0,0]`},
		{`[333333333.33333329, 4.50, 2e-3, 0.000000000000000000000000001]`, `[333333333.3333333,4.5,0.002,1e-27]`}, // RFC 8785, section 3.2.2
		{`"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/"`, `"€$\u000f\nA'B\"\\\\\"/"`},                            // RFC 8785, section 3.2.2
		// RFC 8785, section 3.2.3: the order is that of UTF-16, where the emoji comes before U+FB33.
		{`{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`, "{\"\\r\":2,\"1\":4,\"\u0080\":6,\"\u00f6\":7,\"\u20ac\":1,\"\U0001f600\":5,\"\ufb33\":3}"},
		{`"<&>\u2028"`, "\"<&>\u2028\""},
		{`1.7976931348623157e308`, `1.7976931348623157e+308`},
	} {
		got, err := canonicalize([]byte(c.in))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s, want\n%s", c.in, err, got, c.want)
		}
	}
	for _, bad := range []string{``, `{`, `[1,]`, `{"a":1,"a":2}`, `{"a":{"b":1,"b":1}}`, `1 2`, `1e999`, `[1.7976931348623157e+308,-1e400]`, "\"\xff\"", `nul`, `{"a"}`, `]`, `[}`, strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)} {
		if got, err := canonicalize([]byte(bad)); err == nil {
			t.Errorf("%s becomes %s", bad, got)
		}
	}
}

func FuzzCanonicalize(f *testing.F) {
	for _, seed := range []string{`{"b":[1,2.50,{"x":null}],"a":"\u00e9"}`, `-0`, `1e-400`, `"\ud800"`, `{"a":0.1,"b":{"c":[-7,1234567890123456789]}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		once, err := canonicalize(text)
		if err != nil {
			return
		}
		if !json.Valid(once) {
			t.Fatalf("%q becomes %q", text, once)
		}
		if twice, err := canonicalize(once); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%v: %q becomes %q becomes %q", err, text, once, twice)
		}
	})
}
