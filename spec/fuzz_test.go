package spec

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The example specs are long, and the fuzzer shortens each interesting input for up to a minute: give it
// -fuzzminimizetime 50x.

// addExamples seeds a corpus with the example specs and the documents of testdata.
func addExamples(f *testing.F) {
	for _, pattern := range []string{"../examples/*/*.yaml", "testdata/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
			if s, err := Parse(file, data); err == nil {
				f.Add(Canonical(s))
			}
		}
	}
	f.Add([]byte(metric("type: BOOLEAN, threshold: -1e-3, invert: true")))
	f.Add([]byte(gate("{min_pass_rate: 0.9, confidence: 0.99, stable: true, max_std: ~, min_seeds: 5, fail_on: [WARN, fail]}")))
	f.Add([]byte(`{"gate":{"fail_on":["fail"],"min_score":-0},"metrics":[{"max":1,"min":0,"name":"a","type":"RANGE"}],"scenario":"x"}`))
	f.Add([]byte("scenario: &a x\nmetrics: [*a, {<<: *a, name: !!str 1, ? [] : 0x1F}]\nimprovement: ~\n---\n"))
	f.Add([]byte(`{"scenario":"\u00e9","metrics":[{"name":"a","type":"RANGE","min":-0,"max":1E400,"min":null}]}`))
}

// Parse refuses with problems or accepts a spec that is usable, has an identity and survives a round trip.
func FuzzParse(f *testing.F) {
	addExamples(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("f", data)
		if err != nil {
			if refused, ok := errors.AsType[*Error](err); !ok || len(refused.Problems) == 0 || refused.Error() == "" {
				t.Fatalf("error %#v is no *Error with problems", err)
			}
			return
		}
		if problems := s.Problems(); len(problems) > 0 {
			t.Fatalf("accepted with problems: %v", problems)
		}
		decoded, err := Decode(Canonical(s))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, decoded); diff != "" {
			t.Fatal(diff)
		}
		Lint(s)
	})
}

// Decode accepts exactly what Canonical writes.
func FuzzDecode(f *testing.F) {
	addExamples(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Decode(data)
		if err != nil {
			return
		}
		if got := Canonical(s); string(got) != string(data) {
			t.Fatalf("accepted what is not canonical:\n%s\n%s", data, got)
		}
		parsed, err := Parse("f", data)
		if err != nil { // names are checked where they enter
			return
		}
		if diff := cmp.Diff(s, parsed); diff != "" {
			t.Fatal(diff)
		}
	})
}
