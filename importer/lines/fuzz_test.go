package lines_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"track"
	"track/importer/lines"
)

// encode writes a seed as a line of a batch.
func encode(t *testing.T, seed track.Seed) []byte {
	t.Helper()
	text, err := lines.AppendSeed(nil, seed)
	if err != nil {
		t.Fatalf("%+v cannot be written: %v", seed, err)
	}
	return text
}

// sameSeed compares seeds by what they say: bits of numbers, instants of times.
var sameSeed = cmp.Options{
	cmp.Comparer(func(a, b float64) bool {
		return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
	}),
	cmpopts.EquateEmpty(), cmpopts.EquateApproxTime(0),
}

// checkSeed holds a seed that was read against what recording it takes for granted.
func checkSeed(t *testing.T, seed track.Seed) {
	t.Helper()
	if err := seed.Validate(); err != nil {
		t.Fatalf("read, but not valid: %v", err)
	}
	if canonical, err := track.NewParams(seed.Configuration.Params.JSON()); err != nil || canonical != seed.Configuration.Params {
		t.Fatalf("params %s become %s, %v", seed.Configuration.Params, canonical, err)
	}
	again, err := lines.ParseSeed(encode(t, seed))
	if err != nil {
		t.Fatalf("%s: %v", encode(t, seed), err)
	}
	if diff := cmp.Diff(seed, again, sameSeed...); diff != "" {
		t.Fatalf("written and read again (-want +got):\n%s", diff)
	}
	if seed.Digest() != again.Digest() || seed.Configuration.Hash() != again.Configuration.Hash() {
		t.Fatal("written and read again, it is another seed")
	}
}

func checkFieldError(t *testing.T, err *track.FieldError) {
	t.Helper()
	if err.Message == "" || len(err.Field)+len(err.Message) > 1000 || !errors.Is(err, track.ErrInvalid) {
		t.Fatalf("%#v says nothing, or too much", err)
	}
}

func addLines(f *testing.F, add func(line string)) {
	files, err := filepath.Glob(filepath.Join("..", "..", "examples", "bam", "*.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		line, _, _ := strings.Cut(string(data), "\n")
		if len(line) < 1000 { // the fuzzer is slow with long ones; -fuzzminimizetime 50x helps
			add(line)
		}
	}
	add(seedLine(7))
	add(lineWith("seed", "18446744073709551615"))
	add(lineWith("values", `{"a":"NaN","b":-0,"c":1e-400,"d":"-Infinity","a\u0041":5e-324}`))
	add(lineWith("configuration", `{"label":"v","params":{"b":[1.50,{"a":null}],"a":true},"commit":"c","dirty":true,"diff_hash":"d"}`))
	add(lineWith("started_at", `"2026-01-02T15:04:05.123456789+14:00"`))
	add(lineWith("duration_s", `0.0000015`))
	add(lineWith("environment", `{"host":"n\u00e91"}`))
}

func FuzzParseLine(f *testing.F) {
	addLines(f, func(line string) { f.Add([]byte(line)) })
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.Contains(line, []byte("_file")) { // no walk through the files of this machine
			return
		}
		seed, err := lines.ParseSeed(line)
		if err != nil {
			checkFieldError(t, err)
			return
		}
		checkSeed(t, seed)
	})
}

func FuzzParseValues(f *testing.F) {
	for _, text := range []string{
		`{"a":1,"b":"NaN"}`, "name,value\na,1\n", "# c\n\"a,b\" , -Infinity\r\n", "\ufeffa,0x1p-2", "a\"b,1", "\"a\n,1", "a,1\na,2", "{\"a\":\n1,\"a\":2}", "[1]",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		values, err := lines.ParseValues("f", text)
		if err != nil {
			var failure *track.FieldError
			if !errors.As(err, &failure) || failure.File != "f" {
				t.Fatalf("%#v is no FieldError with a file", err)
			}
			checkFieldError(t, failure)
			return
		}
		seed := track.Seed{Scenario: "s", Outcome: track.OutcomeError, Values: values}
		if seed.Validate() == nil { // names are checked for JSON by Validate, for CSV at once
			checkSeed(t, seed)
		}
	})
}

// FuzzRead holds the reader of streams against one that has the whole text.
func FuzzRead(f *testing.F) {
	f.Add([]byte("\ufeff" + seedLine(1) + "\n\n" + seedLine(2) + "\r\nx\n" + seedLine(3)))
	f.Add([]byte(`{"kind":"sweep","id":"01A","scenario":"s","plan":{"x":1},"started_at":"2026-01-02T15:04:05Z","planned":[{"configuration":{"params":{"a":1}},"seeds":"0..9,12"}]}`))
	f.Add([]byte(`{"kind":"execution","lineage":"l","calls":[{"tool":"Bash","exit":0}],"output":"x"}` + "\n" + seedLine(1)))
	addLines(f, func(line string) { f.Add([]byte(line + "\n" + line)) })
	f.Fuzz(func(t *testing.T, text []byte) {
		if bytes.Contains(text, []byte("_file")) {
			return
		}
		if bytes.Contains(text, []byte("execution")) || bytes.Contains(text, []byte("sweep")) || bytes.Contains(text, []byte(`\u`)) { // which ParseLine does not read, or it may be spelt so
			for record, err := range lines.Read("f", &repeated{line: text, n: 1}) {
				if err == nil && record.Sweep != nil {
					checkSweep(t, *record.Sweep)
				}
				if err == nil && record.Execution != nil && (record.Err != nil || record.Execution.Validate() != nil) {
					t.Fatalf("%+v", record)
				}
			}
			return
		}
		var want []lines.Record
		for i, line := range bytes.SplitAfter(bytes.TrimPrefix(text, []byte("\ufeff")), []byte("\n")) {
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			seed, err := lines.ParseSeed(line)
			want = append(want, lines.Record{Line: i + 1, Seed: seed, Err: err})
		}
		i := 0
		for got, err := range lines.Read("f", &repeated{line: text, n: 1}) {
			if err != nil || i == len(want) {
				t.Fatalf("record %d of %d: %+v, %v", i, len(want), got, err)
			}
			w := want[i]
			if w.Err != nil {
				w.Err.File, w.Err.Line = "f", w.Line
			}
			if diff := cmp.Diff(w, got, sameSeed...); diff != "" {
				t.Fatalf("record %d (-want +got):\n%s", i, diff)
			}
			i++
		}
		if i != len(want) {
			t.Fatalf("%d records, want %d", i, len(want))
		}
	})
}
