package lines_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track/importer/lines"
)

// TestQuickSeed reads lines, and each of them with one byte less and with another byte in each place: if the quick
// reader takes a line, package json must read the same from it.
func TestQuickSeed(t *testing.T) {
	tests := []struct {
		line string
		want bool // it is quick
	}{
		{seedLine(7), true},
		{`{"kind":"seed","scenario":"s","seed":"1","values":{}}` + "\n", true},
		{` { "values" : { "a b" : -0.5E+2 , "c":0,"d":"NaN" } , "seed":18446744073709551615,` + "\t" + `"scenario":"s", "kind":"seed" }`, true},
		{lineWith("values", `{"a":1e-400,"b":"-Infinity"}`), true},
		{lineWith("configuration", `{"label":"{\"values\":{\\","params":{"values":[{"a":"]}"}]}}`), true},
		{`{"kind":"seed","scenario":"s","seed":1,"values":{"a":1},"outcome":"no"}`, true}, // and says what is wrong
		{lineWith("message", `"é\u0000"`), true},
		{lineWith("values", `{"a":1,"a":2}`), false},
		{lineWith("values", `{"a":1e400}`), false},
		{lineWith("values", `{"a\u0041":1}`), false},
		{lineWith("values", `{"é":1}`), false},
		{lineWith("values", `{"a":null}`), false},
		{`{"kind":"seed","scenario":"s","seed":1,"values":{"a":1},"values":{"a":1}}`, false},
		{`{"kind":"seed","scenario":"s","seed":1,"outcome":"error"}`, false},
		{`{"kind":"execution","values":{"a":1}}`, false},
	}
	for _, test := range tests {
		if isQuick := checkQuick(t, test.line); isQuick != test.want {
			t.Errorf("%s: quick %v, want %v", test.line, isQuick, test.want)
		}
		for i := range test.line {
			checkQuick(t, test.line[:i])
			checkQuick(t, test.line[:i]+test.line[i+1:])
			for _, c := range `"\{}[],:-0e. x` {
				checkQuick(t, fmt.Sprintf("%s%c%s", test.line[:i], c, test.line[i+1:]))
			}
		}
	}
}

func checkQuick(t *testing.T, line string) bool {
	t.Helper()
	got, problem, isQuick := lines.QuickSeed([]byte(line))
	if !isQuick {
		return false
	}
	want, wantProblem := lines.ParseSeed([]byte(line))
	if diff := cmp.Diff(wantProblem, problem); diff != "" {
		t.Fatalf("%s: problem (-want +got):\n%s", line, diff)
	}
	if problem != nil {
		return true
	}
	if diff := cmp.Diff(want, got, sameSeed...); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", line, diff)
	}
	return true
}
