package store

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// Every float64 keeps its bits, but for those of a NaN.
func TestPackedNumbers(t *testing.T) {
	numbers := map[string]float64{
		"a": 0.30000000000000004, "b": math.NaN(), "c": math.Inf(1), "d": math.Inf(-1), "e": math.Copysign(0, -1), `f"\ü`: math.SmallestNonzeroFloat64,
		"g": -math.MaxFloat64, "h": 5, "i": 1 << 60,
	}
	text := packNumbers(numbers)
	const want = `{"a":0.30000000000000004,"b":null,"c":"Infinity","d":"-Infinity","e":-0.0,"f\"\\ü":5e-324,"g":-1.7976931348623157e+308,"h":5,"i":1.152921504606847e+18}`
	if text != want {
		t.Errorf("stored as %s, want %s", text, want)
	}
	got, err := numbersOf(text)
	if diff := cmp.Diff(numbers, got, cmp.Comparer(sameBits)); diff != "" || err != nil {
		t.Errorf("error %v (-stored +read):\n%s", err, diff)
	}
}

func sameBits(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

func TestPackedNumbersOfAnyBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := map[string]float64{}
		for i, bits := range rapid.SliceOf(rapid.Uint64()).Draw(t, "bits") {
			numbers[fmt.Sprint("m", i)] = math.Float64frombits(bits)
		}
		text := packNumbers(numbers)
		if !jsontext.Value(text).IsValid() {
			t.Fatalf("%s is no JSON", text)
		}
		got, err := numbersOf(text)
		if diff := cmp.Diff(numbers, got, cmp.Comparer(sameBits)); diff != "" || err != nil {
			t.Fatalf("error %v (-stored +read):\n%s", err, diff)
		}
	})
}

func TestPackedResults(t *testing.T) {
	nan := math.NaN()
	rows := []storedResult{
		{isJudged: true, status: 0, score: 0.85}, {isJudged: true, status: 2, score: nan}, {isJudged: true, status: 1, score: 1, isComputed: true, value: -0.25},
		{isJudged: true, status: 2, score: nan, isComputed: true, value: nan},
		{isJudged: true, status: 2, score: nan, isComputed: true, value: nan, reason: `series "6": [a], {b} is empty`}, {score: nan}, {isJudged: true},
	}
	text := packResults(rows)
	const want = `[[0,0.85],[2,null],[1,1,-0.25],[2,null,null],[2,null,null,"series \"6\": [a], {b} is empty"],null,[0,0]]`
	if text != want {
		t.Errorf("stored as %s, want %s", text, want)
	}
	got, err := appendPackedResults(nil, text)
	if diff := cmp.Diff(rows, got, cmp.AllowUnexported(storedResult{}), cmpopts.EquateNaNs()); diff != "" || err != nil {
		t.Errorf("error %v (-stored +read):\n%s", err, diff)
	}
}

// What track never writes is an error, not a value.
func FuzzPacked(f *testing.F) {
	for _, text := range []string{
		``, `{}`, `{`, `}`, `{"1":1}`, `{"1":1,}`, `{"1":1}x`, `{"1":1"2":2}`, `{x:1}`, `{"1":}`, `[[0,1]]`, `[[0,1,2,"r"],null]`, `[[0,1,null,"r]]`, `{"1":"Infinity"}`, `[]`, `null`,
		`{"1":nan}`, `{"1":1e999}`, `[[3,1]]`, `[[0.5,1]]`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if values, err := numbersOf(text); err == nil {
			if again, err := numbersOf(packNumbers(values)); err != nil || len(again) != len(values) {
				t.Errorf("%q: %d values, and %d when they are stored again, error %v", text, len(values), len(again), err)
			}
			if !strings.HasPrefix(text, "{") || !strings.HasSuffix(text, "}") {
				t.Errorf("%q is taken for values", text)
			}
		}
		if _, err := appendPackedResults(nil, text); err == nil && (!strings.HasPrefix(text, "[") || !strings.HasSuffix(text, "]")) {
			t.Errorf("%q is taken for results", text)
		}
	})
}
