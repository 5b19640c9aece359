package store

import (
	"math"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func unpackValues(t testing.TB, text string) (rows []valueRow) {
	t.Helper()
	if err := eachValue(text, func(metric int64, value float64) { rows = append(rows, valueRow{metric: metric, value: value}) }); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return rows
}

// Every float64 keeps its bits, but for those of a NaN.
func TestPackedValues(t *testing.T) {
	rows := []valueRow{
		{metric: 1, value: 0.30000000000000004}, {metric: 2, value: math.NaN()}, {metric: 30, value: math.Inf(1)}, {metric: 4, value: math.Inf(-1)}, {metric: 5, value: math.Copysign(0, -1)},
		{metric: 6, value: math.SmallestNonzeroFloat64}, {metric: 7, value: -math.MaxFloat64}, {metric: 8, value: 5}, {metric: 9, value: 1 << 60},
	}
	text := string(appendValues(nil, rows))
	const want = `{"1":0.30000000000000004,"2":null,"30":"Infinity","4":"-Infinity","5":-0.0,"6":5e-324,"7":-1.7976931348623157e+308,"8":5,"9":1.152921504606847e+18}`
	if text != want {
		t.Errorf("stored as %s, want %s", text, want)
	}
	for i, got := range unpackValues(t, text) {
		if !sameBits(got.value, rows[i].value) || got.metric != rows[i].metric {
			t.Errorf("metric %d: %v is read as %v", rows[i].metric, rows[i].value, got)
		}
		if value, found, err := valueOf(text, rows[i].metric); !found || err != nil || !sameBits(value, rows[i].value) {
			t.Errorf("metric %d alone: %v, %v, error %v", rows[i].metric, value, found, err)
		}
	}
	if _, found, err := valueOf(text, 3); found || err != nil {
		t.Errorf("a metric without a value: %v, error %v", found, err)
	}
}

func sameBits(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

func TestPackedValuesOfAnyBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rows []valueRow
		for i, bits := range rapid.SliceOf(rapid.Uint64()).Draw(t, "bits") {
			rows = append(rows, valueRow{metric: int64(i), value: math.Float64frombits(bits)})
		}
		text := string(appendValues(nil, rows))
		if !jsontext.Value(text).IsValid() {
			t.Fatalf("%s is no JSON", text)
		}
		i := 0
		err := eachValue(text, func(metric int64, value float64) {
			if metric != rows[i].metric || !sameBits(value, rows[i].value) {
				t.Fatalf("%v is read as %d, %v", rows[i], metric, value)
			}
			i++
		})
		if err != nil || i != len(rows) {
			t.Fatalf("%d of %d values are read, error %v", i, len(rows), err)
		}
	})
}

func TestPackedResults(t *testing.T) {
	rows := []storedResult{
		{metric: 1, status: 0, score: 0.85},
		{metric: 2, status: 2, score: math.NaN()},
		{metric: 3, status: 1, score: 1, isComputed: true, value: -0.25},
		{metric: 4, status: 2, score: math.NaN(), isComputed: true, value: math.NaN()},
		{metric: 5, status: 2, score: math.NaN(), isComputed: true, value: math.NaN(), reason: `series "6": [a], {b} is empty`},
		{metric: 6, status: 0, score: 0},
	}
	text := string(appendResults(nil, rows))
	const want = `{"1":[0,0.85],"2":[2,null],"3":[1,1,-0.25],"4":[2,null,null],"5":[2,null,null,"series \"6\": [a], {b} is empty"],"6":[0,0]}`
	if text != want {
		t.Errorf("stored as %s, want %s", text, want)
	}
	var got []storedResult
	if err := eachResult(text, func(r storedResult) { got = append(got, r) }); err != nil {
		t.Fatal(err)
	}
	same := cmp.Options{cmp.AllowUnexported(storedResult{}), cmpopts.EquateNaNs()}
	if diff := cmp.Diff(rows, got, same); diff != "" {
		t.Errorf("results (-stored +read):\n%s", diff)
	}
	for _, want := range rows {
		got, found, err := resultOf(text, want.metric)
		if diff := cmp.Diff(want, got, same); diff != "" || !found || err != nil {
			t.Errorf("metric %d alone: found %v, error %v (-stored +read):\n%s", want.metric, found, err, diff)
		}
	}
}

// What track never writes is an error, not a value.
func FuzzPacked(f *testing.F) {
	for _, text := range []string{
		``, `{}`, `{`, `}`, `{"1":1}`, `{"1":1,}`, `{"1":1}x`, `{"1":1"2":2}`, `{"x":1}`, `{"1":}`, `{"1":[0,1]}`, `{"1":[0,1,2,"r"]}`, `{"1":[0,1,null,"r]}`, `{"1":"Infinity"}`, `[]`, `null`, `{"1":nan}`, `{"1":1e999}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var values []valueRow
		if err := eachValue(text, func(metric int64, value float64) { values = append(values, valueRow{metric: metric, value: value}) }); err == nil {
			if again := unpackValues(t, string(appendValues(nil, values))); len(again) != len(values) {
				t.Errorf("%q: %d values, and %d when they are stored again", text, len(values), len(again))
			}
			if !strings.HasPrefix(text, "{") || !strings.HasSuffix(text, "}") {
				t.Errorf("%q is taken for values", text)
			}
		}
		if err := eachResult(text, func(storedResult) {}); err == nil && (!strings.HasPrefix(text, "{") || !strings.HasSuffix(text, "}")) {
			t.Errorf("%q is taken for results", text)
		}
	})
}
