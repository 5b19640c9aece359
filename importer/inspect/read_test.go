package inspect_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"track/importer"

	"track/importer/importertest"
	"track/importer/inspect"
)

func TestRead(t *testing.T) {
	importertest.Goldens(t, inspect.Read, "log.json")
}

// A zip of the same samples gives the same executions; there are no lines in it.
func TestReadZip(t *testing.T) {
	document, err := importertest.ReadBytes(t, inspect.Read, importertest.Fixture(t, "log.json"))
	if err != nil {
		t.Fatal(err)
	}
	zipped, err := readZip(t, importertest.Fixture(t, "log.eval"))
	if err != nil || len(zipped) != len(document) {
		t.Fatalf("%d items, %v", len(zipped), err)
	}
	for i := range zipped {
		zipped[i].Line = document[i].Line
	}
	if importertest.Render(zipped...) != importertest.Render(document...) {
		t.Errorf("got:\n%s", importertest.Render(zipped...))
	}
}

func readZip(t testing.TB, text []byte) ([]importer.Item, error) {
	return importertest.Collect(t, inspect.ReadZip("f", bytes.NewReader(text), int64(len(text))))
}

// Of a zip that is cut off nothing is read, and that is said; of one with a damaged sample the others are.
func TestZipDamage(t *testing.T) {
	text := importertest.Fixture(t, "log.eval")
	for end := 0; end < len(text); end += 7 {
		items, err := readZip(t, text[:end])
		if err != nil || len(importertest.Executions(items)) > 0 || end > 0 && len(importertest.Skips(items)) == 0 {
			t.Fatalf("%d bytes: %d items, %v", end, len(items), err)
		}
	}
	for at := range text {
		flipped := bytes.Clone(text)
		flipped[at] ^= 1 << (at % 8)
		items, err := readZip(t, flipped)
		if n := len(importertest.Executions(items)); err == nil && n < 5 && len(importertest.Skips(items)) == 0 {
			t.Errorf("byte %d flipped: %d samples are left, and nothing is said", at, n)
		}
	}
}

// The counts are those of the README beside the real logs.
func TestReadReal(t *testing.T) {
	for _, tt := range []struct {
		file                   string
		samples, calls, failed int
		truths                 string
	}{
		{"browser.json", 1, 4, 0, "includes 1"},
		{"security-guide.json", 3, 0, 0, "model_graded_fact 1, model_graded_fact 1, model_graded_fact 1"},
		{"log_tool_call_error.json", 1, 11, 11, ""},
		{"popularity_mj7khqpMM4GBCfVQozKgzB.eval", 10, 0, 0, "match 0, match 0, match 1, match 1, match 1, match 1, match 1, match 1, match 1, match 1"},
		{"log_message_deduplication.eval", 1, 5, 0, "closeness_log 0"},
	} {
		file := importertest.Real(t, "inspect-ai/"+tt.file)
		read := inspect.Read(tt.file, file)
		if strings.HasSuffix(tt.file, ".eval") {
			info, err := file.Stat()
			if err != nil {
				t.Fatal(err)
			}
			read = inspect.ReadZip(tt.file, file, info.Size())
		}
		items, err := importertest.Collect(t, read)
		if err != nil || len(importertest.Skips(items)) > 0 {
			t.Fatal(err, importertest.Skips(items))
		}
		got, truths := tt, []string{}
		got.samples, got.calls, got.failed = len(items), 0, 0
		for _, e := range importertest.Executions(items) {
			for name, x := range e.Truths {
				truths = append(truths, fmt.Sprint(name, " ", x))
			}
			for _, c := range e.Calls {
				got.calls++
				if c.Failed() {
					got.failed++
				}
				if tt.file == "browser.json" && (c.Duration == nil || c.StartedAt.IsZero()) {
					t.Errorf("%s: call %s has no time", tt.file, c.Key)
				}
			}
		}
		slices.Sort(truths)
		got.truths = strings.Join(truths, ", ")
		if got != tt {
			t.Errorf("got %+v, want %+v", got, tt)
		}
	}
}

func TestReadZipAsStream(t *testing.T) {
	if _, err := importertest.ReadBytes(t, inspect.Read, importertest.Fixture(t, "log.eval")); err == nil || err.Error() != "f: a zip cannot be read as a stream" {
		t.Errorf("got %v", err)
	}
}

func FuzzReadZip(f *testing.F) {
	f.Add(importertest.Fixture(f, "log.eval"))
	f.Fuzz(func(t *testing.T, text []byte) { _, _ = readZip(t, text) })
}

func BenchmarkReadZip(b *testing.B) {
	text := importertest.Fixture(b, "log.eval")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for _, err := range inspect.ReadZip("f", bytes.NewReader(text), int64(len(text))) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

// A model event says what a request used, and its answer names the calls. Outputs of other events are something else.
func TestRequests(t *testing.T) {
	const text = `{"version":2,"eval":{"eval_id":"E","task":"t","model":"m"},"samples":[{"id":1,"epoch":1,"uuid":"u","messages":[
		{"role":"assistant","tool_calls":[{"id":"a","function":"f"},{"id":"b","function":"f"}]},{"role":"assistant","content":"done"}],"events":[
		{"event":"model","output":{"model":"m","usage":{"input_tokens":100,"output_tokens":5,"total_tokens":105,"input_tokens_cache_read":60},
		 "choices":[{"message":{"tool_calls":[{"id":"a"},{"id":"b"}]}}]}},
		{"event":"sandbox","output":"text"},{"event":"model","output":7},
		{"event":"model","output":{"model":"grader","usage":{"input_tokens":9,"output_tokens":1}}}]}]}`
	items, err := importertest.ReadBytes(t, inspect.Read, []byte(text))
	if executions := importertest.Executions(items); err != nil || len(executions) != 1 {
		t.Fatal(importertest.Render(items...), err)
	}
	importertest.WantRequests(t, importertest.Executions(items)[0], "40/5/60, 9/1/ by grader; calls [1 1]")
}

func TestDamage(t *testing.T) {
	importertest.Damage(t, inspect.Read, importertest.Fixture(t, "log.json"), false)
}

func FuzzRead(f *testing.F) {
	importertest.Fuzz(f, inspect.Read, importertest.Fixture(f, "log.json"))
}

func BenchmarkRead(b *testing.B) {
	importertest.Benchmark(b, inspect.Read, importertest.Fixture(b, "log.json"))
}
