package lines

import (
	"math"
	"testing"
)

// TestPythonNonFinite: Python's json.dumps writes NaN and infinities bare.
func TestPythonNonFinite(t *testing.T) {
	values, err := ParseValues("f", []byte(`{"a": NaN, "b": Infinity, "c": -Infinity, "NaN": 1, "quote \" NaN": 2}`))
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(values["a"]) || !math.IsInf(values["b"], 1) || !math.IsInf(values["c"], -1) || values["NaN"] != 1 || values[`quote " NaN`] != 2 {
		t.Errorf("got %v", values)
	}
	seed, problem := ParseSeed([]byte(`{"kind":"seed","scenario":"s","seed":1,"values":{"a":NaN},"message":"x NaN"}`))
	if problem != nil {
		t.Fatal(problem)
	}
	if !math.IsNaN(seed.Values["a"]) || seed.Message != "x NaN" {
		t.Errorf("got %+v", seed)
	}
}

func TestQuoteNonFiniteLeavesErrors(t *testing.T) {
	for _, text := range []string{`{"a": nan}`, `{"a": NaNa}`, `{"a": NaN`, `{"a": 1, NaN}`} {
		if values, err := ParseValues("f", []byte(text)); err == nil {
			t.Errorf("%s: got %v, want an error", text, values)
		}
	}
}
